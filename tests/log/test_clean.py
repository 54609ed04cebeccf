"""Raw lines as a person reads them."""

from __future__ import annotations

import pytest

from liverl.log.clean import component_of, parse_line


@pytest.mark.parametrize(
    ("raw", "actor", "text"),
    [
        (b"\x1b[36m(TaskRunnerV1 pid=1, ip=10.0.0.2)\x1b[0m step:1 - a:1", "TaskRunnerV1", "step:1 - a:1"),
        (
            b"(vLLMHttpServer pid=2) (EngineCore_DP0 pid=3) INFO ready",
            "vLLMHttpServer EngineCore_DP0",
            "INFO ready",
        ),
        (b"(raylet, ip=10.0.0.2) spilled", "raylet", "spilled"),
        (b"(autoscaler +1m2s) Tip: use", "autoscaler", "Tip: use"),
        (b"2026-11-21T03:46:12.922Z (TaskRunner pid=5) ValueError: x", "TaskRunner", "ValueError: x"),
        (b"trainer-1  | \x1b[36m(WorkerDict pid=6)\x1b[0m loading", "WorkerDict", "loading"),
        (b"2026-11-21 03:46:12 (a remark) is kept", "", "2026-11-21 03:46:12 (a remark) is kept"),
        (b"(some remark) in brackets", "", "(some remark) in brackets"),
        (b"\x1b]0;title\x07\x1b[1;31mred\x1b[0m", "", "red"),
        (b"a\x00b\x07c\td\xff", "", "abc d\ufffd"),
        (b"  indented  ", "", "  indented"),
        # Copied: the escapes lost or written out, moved in, quoted.
        (b"    [36m(WorkerDict pid=7)[0m loading", "WorkerDict", "loading"),
        (b"^[[36m(WorkerDict pid=7)^[[0m ^[[1;31mred^[[39m", "WorkerDict", "red"),
        (rb"\u001b[36m(WorkerDict pid=7, ip=10.0.0.2)\u001b[0m loading", "WorkerDict", "loading"),
        (b"> (WorkerDict pid=7) loading", "WorkerDict", "loading"),
        (b"    (a remark) is kept [0] [12m]", "", "    (a remark) is kept [0] [12m]"),
    ],
)
def test_who_and_what_without_terminal_codes(raw: bytes, actor: str, text: str) -> None:
    line = parse_line(raw)
    assert (line.actor, line.text) == (actor, text)


def test_the_component_is_known_behind_what_a_collector_of_logs_writes() -> None:
    assert component_of(b"2026-11-21T03:46:12.922Z (vLLMHttpServer pid=5) up") == "rollout"
    assert component_of(b"node-3 | (AgentLoopWorker pid=5) up") == "gateway"


def test_of_a_line_that_redraws_itself_the_last_drawing_stands_with_its_actor() -> None:
    line = parse_line(b"\x1b[36m(WorkerDict pid=4)\x1b[0m \rLoading: 0%\rLoading: 100%\r")
    assert line.shown == "(WorkerDict) Loading: 100%"


def test_what_ray_says_was_said_often_counts_so_often() -> None:
    raw = b"(WorkerDict pid=4) warning [repeated 7x across cluster] (Ray deduplicates logs by default.)"
    assert parse_line(raw) == ("WorkerDict", "warning", 8 - 1)


@pytest.mark.parametrize(
    ("raw", "component"),
    [
        (b"\x1b[36m(AgentLoopWorkerTQ pid=1)\x1b[0m x", "gateway"),
        (b"(vLLMHttpServer pid=1) x", "rollout"),
        (b"(CpuServer pid=1) x", "rollout"),
        (b"(EngineCore_DP0 pid=1) x", "rollout"),
        (b"(TaskRunnerV1 pid=1) x", "trainer"),
        (b"(WorkerDict pid=1) x", "trainer"),
        (b"no actor at all", "trainer"),
    ],
)
def test_the_component_is_told_by_the_actor(raw: bytes, component: str) -> None:
    assert component_of(raw) == component
