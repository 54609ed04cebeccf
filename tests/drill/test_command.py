"""`liverl drill` as a command."""

from __future__ import annotations

import json

import pytest

from liverl.cli import exits
from liverl.cli.main import main
from liverl.operate.drill import Drilled
from liverl.operate.drill_acts import Broken
from liverl.operate.drill_list import DRILLS


def test_without_a_name_it_lists_every_drill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill"]) == exits.OK
    printed = capsys.readouterr().out
    assert all(name in printed for name in DRILLS)
    assert main(["drill", "--json"]) == exits.OK
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["drills"]] == list(DRILLS)


def test_an_unknown_drill_starts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "kiled-worker"]) != exits.OK
    assert "did you mean killed-worker" in capsys.readouterr().err


@pytest.mark.parametrize(("found", "ok"), [("policy:nan", True), ("reward:all-wrong", False), ("", False)])
def test_it_is_well_only_with_the_expected_finding(found: str, ok: bool) -> None:
    broken = Broken("gradients", "2026-01-01T00:00:00.000Z", 3)
    made = Drilled(DRILLS["nan"], "/runs/drill-nan", broken, found, "sick: ...", 20.0, 2, 80.0, kept=not ok)
    assert made.ok is ok
    assert ("expected policy:nan" in made.summary) is not ok
    assert ("run_dir" in made.payload() and made.payload()["run_dir"] != "") is not ok
    assert ("the right cause" in "\n".join(made.lines())) is ok
