"""A disk that does not answer is named at once; a FIFO that nobody writes holds a reader as a dead mount does."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from liverl.preflight.context import Context
from liverl.preflight.reach import answers, check_reach, silent
from liverl.preflight.run import run_checks
from tests.preflight.conftest import LAPTOP, MakeConfig


def test_places_that_answer_give_nothing(make_context: Callable[..., Context]) -> None:
    assert check_reach(make_context()) == []


def test_a_place_that_hangs_is_the_one_finding_with_its_key(make_config: MakeConfig, tmp_path: Path) -> None:
    model = tmp_path / "hung"
    model.mkdir()
    os.mkfifo(model / "config.json")
    config = make_config(model={"path": str(model)})
    (finding,) = run_checks(config, LAPTOP)
    assert (finding.id, finding.severity) == ("place:hangs", "fatal")
    assert "model.path" in finding.title and str(model) in finding.evidence and "model.path" in finding.cure


def test_what_is_missing_or_forbidden_has_answered() -> None:
    assert answers(lambda: Path("/nowhere/at/all").read_bytes())


def test_only_the_silent_ones_are_named() -> None:
    never = threading.Event()
    assert silent({"quick": lambda: 1, "hung": lambda: never.wait(30)}, 0.2) == ["hung"]
    never.set()
