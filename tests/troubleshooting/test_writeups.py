"""Every write-up fires on its failure and keeps quiet on its neighbour."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.diagnose.catalogue import FOLDER, catalogue
from liverl.diagnose.facts import FACTS
from liverl.diagnose.writeup import WriteUp
from tests.troubleshooting.case import HERE, cases

WRITEUPS = catalogue()
by_path = pytest.mark.parametrize("writeup", WRITEUPS, ids=lambda each: each.path.removesuffix(".md"))


@by_path
def test_it_fires_on_its_failure(writeup: WriteUp, tmp_path: Path) -> None:
    for case in cases(writeup.path, "fires"):
        diagnosis = case.diagnosed(tmp_path)
        shown = {each.id: each for each in diagnosis.findings}
        assert writeup.id in shown, (case.name, [each.id for each in diagnosis.findings])
        finding = shown[writeup.id]
        if case.is_primary:
            told = [(each.id, str(each.began), each.evidence) for each in diagnosis.findings[:3]]
            assert diagnosis.findings[0].id == writeup.id, (case.name, told)
        if case.began is not None:
            assert finding.began.step == case.began, (case.name, finding)
        assert finding.evidence, case.name
        if finding.severity in ("fatal", "error", "warn"):
            assert diagnosis.verdict == "sick"


@by_path
def test_it_fires_in_the_place_where_the_failure_stands(writeup: WriteUp) -> None:
    """Beside short excerpts: in the log of a real run of some 200 lines or more, or in a file of metrics."""
    if writeup.severity == "info":
        return
    lengths = [len(case.text.splitlines()) for case in cases(writeup.path, "fires")]
    tables = [case for case in cases(writeup.path, "fires") if not case.file.endswith(".log")]
    assert max(lengths) >= 190 or tables, lengths


@by_path
def test_it_is_quiet_on_its_neighbour(writeup: WriteUp, tmp_path: Path) -> None:
    for case in cases(writeup.path, "quiet"):
        diagnosis = case.diagnosed(tmp_path)
        shown = [each for each in diagnosis.findings if each.id == writeup.id and each.is_alarm]
        assert not shown, (case.name, shown)


@by_path
def test_its_facts_and_causes_exist(writeup: WriteUp) -> None:
    known = {each.id for each in WRITEUPS} | {each.id.split(":")[0] + ":*" for each in WRITEUPS} | {"*"}
    assert not set(writeup.secondary_to) - known
    named = {fact for sign in writeup.signature for each in (*sign.facts, *sign.when) for fact in each.facts}
    assert not named - FACTS


def test_no_case_is_without_its_writeup() -> None:
    named = {
        path.relative_to(HERE / "cases").with_suffix(".md").as_posix()
        for path in HERE.rglob("cases/**/*.yaml")
    }
    assert named == {each.path for each in WRITEUPS}


def test_a_healthy_run_shows_nothing(tmp_path: Path) -> None:
    from tests.troubleshooting.case import _case

    for steps in (20, 60, 120):
        diagnosis = _case("healthy", {"steps": steps}).diagnosed(tmp_path)
        assert [(each.id, each.evidence) for each in diagnosis.findings if each.is_alarm] == []
        assert diagnosis.verdict == "healthy"


def test_every_writeup_is_in_the_folder() -> None:
    assert FOLDER.is_dir()
