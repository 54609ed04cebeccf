"""A status as an answer: small in every state, whatever a run holds, and never without what matters."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from liverl.operate.answer import as_json
from liverl.operate.standing import BYTES_A_TOKEN, TOKENS, Status
from liverl.operate.status import status
from liverl.record.clock import utc_now
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.record.trials import append_trial
from tests.operate.made import Made, add_step, silence
from tests.operate.test_status import BOOT, move, validation
from tests.record.rows import trial_row


def tokens(now: Status) -> float:
    return len(json.dumps(as_json(now), ensure_ascii=False).encode()) / BYTES_A_TOKEN


LONG = "x" * 180
STATES: dict[str, Callable[[Made], RunDir]] = {}


def state(make: Callable[[Made], RunDir]) -> Callable[[Made], RunDir]:
    """A run in the state that the function is called by."""
    STATES[make.__name__] = make
    return make


@state
def starting(made: Made) -> RunDir:
    run = made(LONG, state="starting", plan=BOOT)
    append_event(run, "boot", stage="replicas", ready=1, of=2)
    return run


def full(made: Made, **how: Any) -> RunDir:
    """A run with everything to tell, under a long name."""
    steps = tuple((step, 0.123456789 + step / 100) for step in range(30))
    trials = (*validation(0, 0.1, 0.2), *validation(20, 0.3, 0.4), {"step": 30})
    run = made(LONG, steps=steps, trials=trials, **how)
    add_step(run, 29, 0.987654321, **{"trial/count": 7, "timing_s/step": 9.87, "timing_s/gen": 1.0})
    append_event(run, "died", lines=["ü" * 300, "ValueError: " + "y" * 300, "z" * 300])
    return run


@state
def training(made: Made) -> RunDir:
    return full(made)


@state
def validating(made: Made) -> RunDir:
    run = full(made)
    append_trial(run, trial_row(split="val", step=29, time=utc_now()))
    return run


@state
def stalled(made: Made) -> RunDir:
    run = full(made)
    silence(run, 100_000)
    return run


@state
def stopping(made: Made) -> RunDir:
    return full(made, state="stopping", reason="asked to (" + "ä" * 400)


@state
def finished(made: Made) -> RunDir:
    return full(made, state="finished", reason="the trainer finished")


@state
def stopped(made: Made) -> RunDir:
    return full(made, state="stopped", reason="asked to (" + "ä" * 400)


@state
def failed(made: Made) -> RunDir:
    return full(made, state="failed", reason='the trainer said "no"\n' * 40)


@state
def dead(made: Made) -> RunDir:
    run = full(made)
    move(run, processes=(replace(read_run(run).last.processes[0], start_ticks=1),))
    return run


@state
def unreachable(made: Made) -> RunDir:
    run = full(made, host="node-" + "h" * 200, boot_id="another")
    os.utime(run.heartbeat, (time.time() - 600,) * 2)
    return run


@pytest.mark.parametrize("name", STATES)
def test_in_every_state_the_answer_is_small_whatever_the_names(made: Made, name: str) -> None:
    now = status(STATES[name](made))
    assert now.state == name
    assert tokens(now) <= TOKENS
    assert len(now.summary) <= 200
    told = as_json(now)
    assert told["next"] == now.next_action and LONG in now.next_action
    assert {"ok", "summary", "run", "state", "step", "steps_total"} <= set(told)


def test_in_ordinary_names_everything_has_room(made: Made) -> None:
    told = as_json(status(full(lambda name, **how: made("policy-shell-0101a", **how))))
    wanted = {"step_s", "left_s", "reward", "trend", "validation", "trials", "health", "last_write", "log"}
    assert wanted <= set(told)


def test_a_reason_names_what_died_also_where_findings_and_evidence_take_room(made: Made) -> None:
    now = replace(
        status(made("r", state="failed", steps=((6, 0.5),))),
        reason="the trainer ended with exit status 1: an agent-loop worker died (AgentLoopWorkerTQ, pid 5303)",
        evidence=("a warning of some library that has much to say about its own threads " * 3,) * 3,
        findings="1 fatal, first ray:worker-died (at step 6, 14053 s ago)",
    )
    told = as_json(now)
    assert "an agent-loop worker died" in told["reason"] and told["findings"] == now.findings
