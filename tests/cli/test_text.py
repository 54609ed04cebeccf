"""What a person reads of a run and of its log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liverl.cli import text
from liverl.operate.booting import BootStage
from liverl.operate.excerpt import Tail
from liverl.operate.health import Health, Trend
from liverl.operate.standing import LastWrite
from liverl.operate.status import status
from tests.operate.made import Made
from tests.operate.test_standing import STATES


@pytest.mark.parametrize("name", STATES)
def test_in_every_state_a_status_is_one_screen(made: Made, name: str) -> None:
    now = status(STATES[name](made))
    shown = text.status(now).splitlines()
    assert len(shown) <= 15
    assert shown[0].startswith(f"{now.name}  {name}")
    assert shown[-1].strip() == f"next        {now.next_action}"


def test_a_training_run_tells_all_that_matters(made: Made) -> None:
    now = replace(
        status(made("r", steps=((1, 0.25), (2, 0.5)))),
        rate_s=21.34,
        eta_s=600.0,
        trend=Trend(0.08, 10),
        health=Health(10, 0.0, 0.04, 0.0, 0.6, 0.3),
        last_write=LastWrite(3.0, "trials.jsonl"),
    )
    shown = text.status(now)
    for line in (
        "  step        2 of 30   21.3 s a step, 10 min left",
        "  reward      0.50   +0.08 over 10 steps",
        "  trials      0 of 4 now",
        "  health      lost 0%, cut off 4%, staleness 0, gen 60% update 30% other 10%   (last 10 steps)",
        "  last write  3 s ago, trials.jsonl",
    ):
        assert line in shown.splitlines()


def test_a_booting_run_tells_its_stage(made: Made) -> None:
    stage = BootStage("replicas", 40.0, 1, 2, 60.0, 1800.0)
    now = replace(status(made()), state="starting", boot=stage)
    assert (
        "  boot        replicas 1 of 2, 40 s of usually 60 s, limit 1800 s" in text.status(now).splitlines()
    )


def test_below_a_logs_lines_stands_what_was_left_out_and_the_way_to_it() -> None:
    found = Tail(
        "r",
        "/runs/r/logs/attempt_1.log",
        ("one", "two"),
        cursor="s1-x",
        earlier="b1-x",
        first_line=98,
        truncated="3 more lines would not fit",
        collapsed={"progress": 4, "nccl": 2},
    )
    assert text.logs(found).splitlines() == [
        "one",
        "two",
        "  log         /runs/r/logs/attempt_1.log, from line 98",
        "  note        3 more lines would not fit",
        "  folded      4 progress bars, 2 lines of NCCL; all of it: --raw",
        "  earlier     liverl logs r --cursor b1-x",
        "  next        liverl logs r --cursor s1-x",
    ]
