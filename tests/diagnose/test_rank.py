"""Which finding is told first, and which behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liverl.diagnose.finding import Began, Finding, Severity
from liverl.diagnose.rank import ranked


def finding(
    identity: str, severity: Severity, step: int, follows: tuple[str, ...] = (), *, told: int | None = None
) -> Finding:
    """What the curves show since a step, by a window of five."""
    return Finding(
        id=identity,
        severity=severity,
        title=identity,
        confidence="high",
        began=Began(step=step, line=step),
        evidence=(),
        cure="",
        writeup="",
        follows=follows,
        window=5,
        told=told,
    )


def told(*findings: Finding) -> list[tuple[str, str]]:
    return [(each.id, each.secondary_to) for each in ranked(findings)]


def test_of_findings_that_name_each_other_in_a_circle_the_one_that_began_first_is_the_cause() -> None:
    jump = finding("jump", "warn", 162, ("away",))
    noise = finding("noise", "error", 163, ("jump",))
    away = finding("away", "error", 163, ("noise",))
    assert told(noise, away, jump) == [("jump", ""), ("away", "noise"), ("noise", "jump")]


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_curves_that_began_as_one_the_particular_is_the_cause_of_the_general(first: int) -> None:
    """Even where the general one could be told some steps before."""
    broken = finding("broken", "error", 50, ("long", "narrow", "away"), told=59)
    long = finding("long", "error", 50, ("broken",), told=60)
    pair = (broken, long) if first else (long, broken)
    assert told(*pair) == [("long", ""), ("broken", "long")]


def test_what_began_later_is_told_behind_what_came_before_it() -> None:
    broken = finding("broken", "error", 50, ("long", "narrow"))
    long = finding("long", "error", 80, ("broken",))
    assert told(long, broken) == [("broken", ""), ("long", "broken")]


@pytest.mark.parametrize(("seen", "cause"), [(62, "noise"), (70, "")])
def test_what_follows_and_never_leads_is_told_hardly_before_its_cause(seen: int, cause: str) -> None:
    """The steps at which two curves left their habit are known by some steps only."""
    broken = finding("broken", "error", 50, ("noise",), told=60)
    noise = finding("noise", "error", 55, told=seen)
    assert dict(told(broken, noise))["broken"] == cause


@pytest.mark.parametrize(("area", "cause"), [("policy", "policy:broken"), ("tools", "tools:failing")])
def test_of_two_that_began_as_one_the_graver_of_an_area_is_the_cause(area: str, cause: str) -> None:
    """What breaks the tools is no less the cause for being only warned of."""
    other = "policy:short" if area == "policy" else "tools:failing"
    broken = finding("policy:broken", "error", 50, (other, "policy:narrow", "policy:away"))
    first = finding(other, "warn", 50, ("policy:broken",))
    assert told(broken, first)[0] == (cause, "")


def logged(
    identity: str, title: str, line: int, follows: tuple[str, ...] = (), *, generic: bool = False
) -> Finding:
    """What a line shows."""
    return Finding(
        id=identity,
        severity="fatal",
        title=title,
        confidence="high",
        began=Began(line=line),
        evidence=(),
        cure="",
        writeup="",
        follows=follows,
        is_generic=generic,
        is_logged=True,
        is_end=True,
    )


WATCHDOG = ("hang:nccl-timeout", "A collective operation timed out")


def test_an_exception_of_one_rank_is_the_cause_of_what_the_others_waited_for() -> None:
    raised = logged("code:exception", "KeyError: 'neutral'", 66, generic=True)
    waited = logged(*WATCHDOG, 67, ("code:exception",))
    assert told(waited, raised) == [("code:exception", ""), ("hang:nccl-timeout", "code:exception")]


@pytest.mark.parametrize(
    ("title", "line"), [("KeyError: 'neutral'", 68), ("DistBackendError: NCCL error", 66)]
)
def test_an_exception_that_came_later_or_of_who_waited_is_none(title: str, line: int) -> None:
    raised = logged("code:exception", title, line, generic=True)
    waited = logged(*WATCHDOG, 67, ("code:exception",))
    assert told(waited, raised) == [("hang:nccl-timeout", ""), ("code:exception", "hang:nccl-timeout")]


def test_a_general_word_about_a_line_stands_behind_what_is_named_by_it() -> None:
    """Even where the named one is told as a lesser one."""
    named = replace(logged("scaffold:timeout", "Trials run out of time", 1), severity="warn")
    general = replace(
        logged("run:last-words", "The log ends with an error", 1, generic=True), severity="error"
    )
    assert told(general, named) == [("scaffold:timeout", ""), ("run:last-words", "scaffold:timeout")]
