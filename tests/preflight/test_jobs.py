"""A live run that would collide stands in the way; one that shares nothing is only named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.jobs import check_jobs, gpus_of, judge_jobs, visible
from liverl.preflight.live import LiveRun, Seen
from tests.run.scripted import Launch, launch_run, process

MakeContext = Callable[..., Context]
RUN = LiveRun(Path("/r/other"), "running", "here", 77, 1_790_000_000.0, ports={"litellm": 8002, "ray": 6379})
GPUS = {"rollout": "vllm"}
__all__ = ["launch_run"]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_without_a_live_run_there_is_none(make_context: MakeContext) -> None:
    (finding,) = check_jobs(make_context())
    assert (finding.id, finding.severity) == ("job:none", "info")


def test_a_live_run_with_the_same_port_is_fatal_and_told_how_to_end(
    launch_run: Launch, make_context: MakeContext
) -> None:
    run = launch_run(ports={"litellm": 8002}, end="hang", stubborn=False)
    (finding,) = check_jobs(make_context())
    assert (finding.id, finding.severity) == ("job:running", "fatal")
    assert finding.title == f"The run {run.name} is live and uses the same port 8002"
    assert f"pid {process(run, 'supervisor')}, since 20" in finding.evidence
    assert f"liverl stop {run.name} " in finding.cure and f"liverl status {run.name} " in finding.cure


def test_a_live_run_with_other_ports_is_only_named(launch_run: Launch, make_context: MakeContext) -> None:
    run = launch_run(ports={"litellm": 18002}, end="hang", stubborn=False)
    (finding,) = check_jobs(make_context())
    assert (finding.id, finding.severity) == ("job:beside", "info")
    assert run.name in finding.title


def test_a_run_of_another_machine_shares_nothing(make_context: MakeContext) -> None:
    far = LiveRun(RUN.root, "running", "far", is_here=False, ports=RUN.ports)
    (finding,) = judge_jobs(make_context(), Seen((far,)), frozenset(), {})
    assert (finding.id, "on far" in finding.title) == ("job:beside", True)


@pytest.mark.parametrize(
    ("wanted", "taken", "told"),
    [
        (None, None, "GPUs"),
        (None, frozenset({"3"}), "GPUs"),
        (frozenset({"0", "1"}), frozenset({"1", "2"}), "GPU 1"),
        (frozenset({"0", "1"}), frozenset({"0", "1"}), "GPUs 0, 1"),
    ],
)
def test_the_same_gpus_are_a_collision(
    make_context: MakeContext, wanted: frozenset[str] | None, taken: frozenset[str] | None, told: str
) -> None:
    ports = {"litellm_port": 9002, "ray_port": 9379, "ray_dashboard_port": 9265}
    context = make_context(engine=GPUS, infrastructure=ports)
    (finding,) = judge_jobs(context, Seen((RUN,)), wanted, {RUN.root: taken})
    assert (finding.id, finding.title) == (
        "job:running",
        f"The run other is live and uses the same {told}",
    )


@pytest.mark.parametrize("taken", [frozenset({"2"}), frozenset()])
def test_other_gpus_are_none(make_context: MakeContext, taken: frozenset[str]) -> None:
    ports = {"litellm_port": 9002, "ray_port": 9379, "ray_dashboard_port": 9265}
    context = make_context(engine=GPUS, infrastructure=ports)
    (finding,) = judge_jobs(context, Seen((RUN,)), frozenset({"0", "1"}), {RUN.root: taken})
    assert finding.id == "job:beside"


def test_what_a_live_run_may_take_is_read_from_its_config_and_its_supervisor(
    launch_run: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5")
    run = launch_run(end="hang", stubborn=False)
    live = LiveRun(run.root, "running", "here", process(run, "supervisor"))
    run.resolved.write_text("engine:\n  rollout: vllm\n")
    assert gpus_of(live) == frozenset({"4", "5"})
    run.resolved.write_text("engine:\n  rollout: cpu\n")
    assert gpus_of(live) == frozenset()


def test_an_unset_variable_shows_all_gpus_and_an_empty_one_none() -> None:
    assert visible({}) is None
    assert visible({"CUDA_VISIBLE_DEVICES": ""}) == frozenset()


def test_a_folder_that_does_not_answer_is_not_taken_for_an_empty_one(make_context: MakeContext) -> None:
    (finding,) = judge_jobs(make_context(), Seen(silent=(Path("/mnt/hung"),)), frozenset(), {})
    assert (finding.id, finding.severity, finding.evidence) == ("job:unknown", "skipped", "/mnt/hung")
