"""The tools as the model in Claude Code sees them: what reads answers, what acts is denied where no person is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.claude import ACTING, PREFIX, READING, call, says, talk
from tests.plugin.conftest import OTHER, RUN, TRIAL

pytestmark = pytest.mark.claude
READ: dict[str, dict[str, Any]] = {
    "preflight": {"config": "none.yaml"},
    "status": {},
    "diagnose": {"run": RUN},
    "tail_log": {"run": RUN, "lines": 5},
    "trials": {"run": RUN},
    "show_trial": {"trial": TRIAL, "run": RUN},
    "list_runs": {},
    "compare": {"runs": [RUN, OTHER]},
}
ACT = {
    "launch": {"fingerprint": "b" * 12},
    "resume": {"run": RUN},
    "stop": {"run": RUN},
    "clean": {"run": RUN, "everything": True},
}
BYPASSED = ("--permission-mode", "bypassPermissions")
ALLOWED = ("--permission-mode", "default", "--allowedTools", PREFIX.removesuffix("__"))


@pytest.fixture(params=[BYPASSED, ALLOWED], ids=["permissions bypassed", "all our tools allowed"])
def how(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The two ways in which a user can tell Claude Code not to ask."""
    return request.param


async def test_reading_tools_answer_and_acting_ones_are_denied_without_a_person(
    binary: Path, with_run: Path, how: tuple[str, ...]
) -> None:
    before = sorted(with_run.rglob("*"))
    reads = [call(name, **given) for name, given in READ.items()]
    acts = [call(name, **given) for name, given in ACT.items()]
    script = [*([one] for one in reads), says("Read."), acts, says("Denied.")]
    heard = await talk(binary, with_run, ["read", "act"], script, *how)
    read, acted = heard.answered
    assert read.denied == ()
    assert_read(dict(zip(READ, read.results, strict=True)))
    assert acted.denied == ACTING
    assert all("requires permission" in result for result in acted.results)
    assert sorted(with_run.rglob("*")) == before


def assert_read(results: dict[str, str]) -> None:
    assert tuple(results) == READING
    answers = {name: json.loads(text) for name, text in results.items() if text.startswith("{")}
    # A file that is not there is an error, whose text says what to do.
    assert set(READING) - set(answers) <= {"preflight"}
    assert "none.yaml" in results["preflight"]
    assert [name for name, answer in answers.items() if not answer["summary"]] == []
    assert RUN in results["status"]
    assert answers["diagnose"]["verdict"] == "not_measured"
    assert "line 9" in results["tail_log"] and "line 4" not in results["tail_log"]
    assert TRIAL in results["trials"]
    assert TRIAL in results["show_trial"]
    assert RUN in results["list_runs"] and OTHER in results["list_runs"]
    assert RUN in results["compare"] and OTHER in results["compare"]
    assert "null" not in "".join(results.values())
