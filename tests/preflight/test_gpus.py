"""The GPUs of a run are idle, or whoever is on them is named."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.preflight import machine
from liverl.preflight.cards import App, Card, parse_apps, parse_cards
from liverl.preflight.context import Context
from liverl.preflight.gpus import check_gpus, chosen, judge_gpus
from liverl.preflight.live import LiveRun
from liverl.preflight.machine import machine_facts, visible_gpus
from liverl.preflight.occupants import Occupant
from liverl.preflight.owners import Owner
from tests.preflight.scripted_programs import HANGING, PutProgram, only_programs, put_program
from tests.run.scripted import Launch, launch_run, made_pids

MakeContext = Callable[..., Context]
__all__ = ["launch_run", "only_programs", "put_program"]

CARDS = """\
0, GPU-11111111-aaaa, NVIDIA H100 80GB HBM3, 81559, 81074
1, GPU-22222222-bbbb, NVIDIA H100 80GB HBM3, 81559, 20000
"""
FOREIGN = "GPU-22222222-bbbb, 4242, /usr/bin/python3, 60000\n"
LISTED = (
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-aaaa)\nGPU 1: NVIDIA H100 (UUID: GPU-22222222-bbbb)\n"
)


@pytest.fixture
def on_gpus(make_context: MakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return make_context(engine={"rollout": "vllm"}, infrastructure={"gpus_per_node": 1})


def answers(cards: str, apps: str) -> str:
    """A script that answers as nvidia-smi does."""
    return f"""case "$*" in
*--query-gpu=*--format=csv,noheader,nounits*) cat <<'X'\n{cards}X\n;;
*--query-compute-apps=*--format=csv,noheader,nounits*) cat <<'X'\n{apps}X\n;;
-L) cat <<'X'\n{LISTED}X\n;;
*) exit 2 ;;
esac"""


def test_the_answers_of_nvidia_smi_are_read() -> None:
    first, second = parse_cards(CARDS)
    assert first == Card("0", "GPU-11111111-aaaa", "NVIDIA H100 80GB HBM3", 81559, 81074)
    assert second.memory == "20000 of 81559 MiB free"
    assert parse_apps(FOREIGN) == [App("GPU-22222222-bbbb", 4242, "/usr/bin/python3", 60000)]


def test_what_the_driver_does_not_tell_is_no_number() -> None:
    (app,) = parse_apps("GPU-1, 7, [Not Found], [N/A]\n")
    assert app == App("GPU-1", 7, "[Not Found]", 0)
    (app,) = parse_apps("GPU-1, 7, python train.py --layers 1, 2, 100\n")
    assert (app.name, app.used_mib) == ("python train.py --layers 1, 2", 100)
    assert parse_cards("No devices were found\n") == []


def test_a_run_on_the_cpu_asks_nobody(make_context: MakeContext, only_programs: Path) -> None:
    (finding,) = check_gpus(make_context())
    assert (finding.id, finding.severity) == ("gpu:none", "info")


def test_idle_gpus_are_said_to_be_idle(on_gpus: Context, put_program: PutProgram) -> None:
    put_program("nvidia-smi", answers(CARDS.replace("20000", "81074"), ""))
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity, finding.title) == ("gpu:idle", "info", "GPUs 0, 1 are idle")


def test_a_foreign_process_blocks_and_is_named_with_command_memory_and_start(
    on_gpus: Context, put_program: PutProgram
) -> None:
    put_program("nvidia-smi", answers(CARDS, FOREIGN.replace("4242", str(os.getpid()))))
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity, finding.blocks) == ("gpu:foreign", "error", True)
    assert f"GPU 1: process {os.getpid()} (" in finding.evidence
    assert "since 20" in finding.evidence and "holds 60000 MiB" in finding.evidence
    assert finding.cure.startswith("export CUDA_VISIBLE_DEVICES=0 ")


def test_a_process_of_another_container_is_foreign_too(on_gpus: Context, put_program: PutProgram) -> None:
    put_program("nvidia-smi", answers(CARDS, "GPU-22222222-bbbb, 4194000, [Not Found], 60000\n"))
    (finding,) = check_gpus(on_gpus)
    assert finding.id == "gpu:foreign"
    assert "process 4194000 ([Not Found]), not seen from here, holds 60000 MiB" in finding.evidence


def test_memory_that_nobody_is_named_for_blocks_where_vllm_would_not_start(
    on_gpus: Context, put_program: PutProgram
) -> None:
    put_program("nvidia-smi", answers(CARDS, ""))
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity) == ("gpu:foreign", "error")
    assert "GPU 1: 20000 of 81559 MiB free" in finding.evidence


def test_gpus_that_the_run_does_not_see_may_be_busy(
    on_gpus: Context, put_program: PutProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program("nvidia-smi", answers(CARDS, FOREIGN))
    for hidden in ("0", "GPU-11111111"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        (finding,) = check_gpus(on_gpus)
        assert (finding.id, finding.title) == ("gpu:idle", "GPU 0 is idle")


def test_a_process_of_a_live_run_is_mine(
    launch_run: Launch, on_gpus: Context, put_program: PutProgram
) -> None:
    run = launch_run(end="hang")
    pid = made_pids(run)[-1]  # a grandchild in a session of its own
    put_program("nvidia-smi", answers(CARDS, FOREIGN.replace("4242", str(pid))))
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity, finding.cure) == ("gpu:mine", "warn", f"liverl stop {run.name}")
    assert run.name in finding.title


def test_what_a_dead_run_left_on_a_gpu_is_to_be_cleaned(on_gpus: Context) -> None:
    card = Card("0", "GPU-1", "H100", 100, 10)
    left = Occupant(App("GPU-1", 7, "python", 90), Owner(7, "python", "user me", 1.0), left_by="/r/dead")
    (finding,) = judge_gpus(on_gpus, [card], [left])
    assert (finding.id, finding.severity, finding.cure) == ("gpu:leftover", "error", "liverl clean /r/dead")


def test_several_owners_are_several_findings(on_gpus: Context) -> None:
    cards = [Card(str(index), f"GPU-{index}", "H100", 100, 100) for index in range(3)]
    mine = Occupant(App("GPU-0", 1, "a", 1), run=LiveRun(Path("/r/a"), "running", "here", 1))
    theirs = Occupant(App("GPU-1", 2, "b", 1))
    findings = judge_gpus(on_gpus, cards, [mine, theirs])
    assert [finding.id for finding in findings] == ["gpu:foreign", "gpu:mine"]
    assert findings[0].cure.startswith("export CUDA_VISIBLE_DEVICES=2 ")


def test_too_few_idle_gpus_are_offered_with_fewer(make_context: MakeContext) -> None:
    context = make_context(engine={"rollout": "vllm"}, infrastructure={"gpus_per_node": 2})
    cards = [Card(str(index), f"GPU-{index}", "H100", 100, 100) for index in range(2)]
    (finding,) = judge_gpus(context, cards, [Occupant(App("GPU-0", 2, "b", 1))])
    assert "infrastructure.gpus_per_node" in finding.cure and "CUDA_VISIBLE_DEVICES=1" in finding.cure


def test_a_driver_that_hangs_is_skipped_in_time(on_gpus: Context, put_program: PutProgram) -> None:
    put_program("nvidia-smi", HANGING)
    began = time.monotonic()
    (finding,) = check_gpus(replace(on_gpus, timeout_s=2.0))
    assert (finding.id, finding.severity) == ("gpu:unknown", "skipped")
    assert time.monotonic() - began < 8


def test_a_broken_driver_is_fatal_with_its_own_words(on_gpus: Context, put_program: PutProgram) -> None:
    put_program("nvidia-smi", "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18")
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity) == ("gpu:driver", "fatal")
    assert finding.evidence == "Failed to initialize NVML: Driver/library version mismatch"


def test_without_nvidia_smi_nothing_is_known(on_gpus: Context, only_programs: Path) -> None:
    (finding,) = check_gpus(on_gpus)
    assert (finding.id, finding.severity) == ("gpu:unknown", "skipped")


def test_parts_of_cards_are_looked_for_on_all(on_gpus: Context) -> None:
    cards = parse_cards(CARDS)
    assert chosen(cards, frozenset({"MIG-3"})) == cards
    assert chosen(cards, None) == cards
    assert chosen(cards, frozenset()) == []


@pytest.mark.parametrize(
    ("hidden", "count"),
    [(None, 2), ("0,1", 2), ("1", 1), ("0,1,2,3", 2), ("2,0", 0), ("-1", 0), ("GPU-2222", 1), ("0, 1", 2)],
)
def test_gpus_are_counted_as_cuda_counts_them(hidden: str | None, count: int) -> None:
    assert visible_gpus(LISTED, hidden) == count


def test_the_machines_facts_survive_a_driver_that_hangs(
    put_program: PutProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program("nvidia-smi", HANGING)
    monkeypatch.setattr(machine, "DRIVER_LIMIT_S", 1.0)
    began = time.monotonic()
    assert machine_facts().cores >= 1
    assert time.monotonic() - began < 8


def test_the_machines_gpus_are_listed(put_program: PutProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    put_program("nvidia-smi", answers(CARDS, ""))
    assert machine_facts().gpus == 2
