"""Findings in the order in which to act: the first cause, its avalanche folded under it, then what is apart from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from liverl.diagnose.finding import Finding

# A consequence may be logged a little before its cause, by another process.
_LINES_BEFORE = 200
_STEPS_BEFORE = 1
# What a process fails by that waited for another one.
_PARTED = re.compile(
    r"NCCL|H[Cc][Cc][Ll]|gloo|Remote|Dist(?:Backend|Store|Network)Error|[Tt]ime(?:d ?|-?)out|Connect|Socket|Closed|EOF|"
    r"[Pp]ipe|Died|Dead|Cancel|Interrupt|Watchdog"
)


def ranked(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, those with a cause among the others marked secondary and put behind it. None is lost but
    what says nothing behind a cause: general notes (info), and a general word behind a graver one or of its line."""
    # What ended a run comes before what its curves say, unless it follows from that, and before what ended an
    # earlier start of the program.
    is_over = any(each.is_end and not each.is_generic for each in findings)
    ordered = sorted(findings, key=lambda each: _order(each, is_over and _is_no_end(each)))
    causes = _without_circles({each.id: _cause_of(each, ordered) for each in ordered}, ordered)
    ending = {_root(each.id, causes) for each in ordered if each.is_end and not each.is_generic}
    roots = [each for each in ordered if not causes[each.id]]
    if is_over:
        roots.sort(key=lambda each: _order(each, _is_no_end(each) and each.id not in ending))
    told: list[Finding] = []
    for root in roots:
        of_root = [root]
        for each in ordered:
            is_of_root = causes[each.id] and _root(each.id, causes) == root.id
            if is_of_root and not (each.is_generic and _is_empty(each, of_root)):
                of_root.append(replace(each, secondary_to=causes[each.id]))
        told += of_root
    return tuple(told)


def _is_empty(general: Finding, told: Sequence[Finding]) -> bool:
    """Whether something general says nothing behind what was told of a cause."""
    before = [each for each in told if each.is_generic and each.is_logged and general.is_logged]
    is_said = any(each.rank < general.rank or each.began.line == general.began.line for each in before)
    return general.severity == "info" or is_said


def _is_no_end(finding: Finding) -> bool:
    """Whether a finding tells what the curves say, or what ended an earlier start."""
    return finding.is_measured or (finding.severity == "fatal" and not finding.is_end)


def _order(finding: Finding, is_late: bool = False) -> tuple[int, bool, bool, float, float, int, int, str]:
    """The worst first; a named failure before a general one; of those one that `is_late` last; then the earliest, of
    two that began as one the curve that follows from fewer others, else the one that could be told first."""
    step = float("inf") if finding.began.step is None else float(finding.began.step)
    line = float("inf") if finding.began.line is None else float(finding.began.line)
    return (
        finding.rank,
        finding.is_generic,
        is_late,
        (step if line == float("inf") else line),
        step,
        len(finding.follows) if finding.is_measured else 0,
        finding.told or 0,
        finding.id,
    )


def _cause_of(finding: Finding, ordered: Sequence[Finding]) -> str:
    """The finding that this one follows from: the first in order that its write-up names and that did not come late.

    What is general names no cause: it follows from anything named that is bad enough. Nor is it one, but where it is
    named by its whole id, and came first: an exception of one process, for which the others waited.
    """
    for other in ordered:
        if other.id == finding.id or not _may_follow(finding, other) or _was_waited_for(finding, other):
            continue
        if other.is_generic and not finding.is_generic and not _was_waited_for(other, finding):
            continue
        if finding.is_generic and not other.is_generic and _explains(other, finding):
            return other.id
        if _names(finding, other) and not (_names(other, finding) and _began_before(finding, other)):
            return other.id
    return ""


def _explains(named: Finding, general: Finding) -> bool:
    """Whether a named failure is what a general one speaks of: it is bad enough, or it is told by the same line."""
    is_its_line = named.is_logged and general.is_logged and named.began.line == general.began.line
    return named.rank <= _worst_needed(general, named) or (named.is_alarm and is_its_line)


def _was_waited_for(general: Finding, other: Finding) -> bool:
    """Whether something general is a cause of what came later, which names it by its whole id: not where it says
    itself that another process was lost or did not answer."""
    if not general.is_generic or general.id not in other.follows or _PARTED.search(general.title):
        return False
    mine, its = general.began.line, other.began.line
    return mine is not None and its is not None and mine < its


def _worst_needed(general: Finding, cause: Finding) -> int:
    """How bad a named failure has to be for a general one to follow from it.

    A run with an error in its curves may crash for another reason; only what is as fatal explains that.
    """
    return max(general.rank, 1) if cause.is_logged else general.rank


def _names(finding: Finding, other: Finding) -> bool:
    """Whether the first may follow from the second by its write-up."""
    return any(fnmatchcase(other.id, pattern) for pattern in finding.follows)


def _began_before(finding: Finding, other: Finding) -> bool:
    """Whether the first began before the other; of two that began as one a fatal one goes first, of two of one area
    (policy, reward, ...) the graver."""
    mine, its = _order(finding), _order(other)
    is_one_area = finding.id.partition(":")[0] == other.id.partition(":")[0]
    graver = (finding.rank, other.rank) if is_one_area else (0, 0)
    return (mine[3:5], finding.severity != "fatal", graver[0], mine[5:]) < (
        its[3:5], other.severity != "fatal", graver[1], its[5:],
    )  # fmt: skip


def _may_follow(finding: Finding, cause: Finding) -> bool:
    """Whether a cause is bad enough and did not come late: what is told late may have begun its window before."""
    if not cause.is_alarm and finding.is_alarm:
        return False
    if cause.severity == "warn" and finding.severity == "fatal" and finding.is_end:
        return False  # what ended a run is told first
    if _is_passing(cause, finding):
        return False
    mine, other = finding.began, cause.began
    if mine.step is not None and other.step is not None and max(cause.window, finding.window) > 1:
        if cause.earliest <= mine.step + _STEPS_BEFORE:
            return True
        # When a curve began to leave its habit is known by some steps only. What follows by its kind, and never leads,
        # was told hardly earlier than its cause.
        is_sure = (
            _names(finding, cause)
            and not _names(cause, finding)
            and finding.is_measured
            and cause.is_measured
        )
        if not is_sure or cause.told is None or finding.told is None:
            return False
        return cause.told - cause.window // 2 <= finding.told
    if mine.line is not None and other.line is not None:
        return other.line <= mine.line + _LINES_BEFORE
    if mine.step is not None and other.step is not None:
        return other.step <= mine.step + _STEPS_BEFORE
    return True


def _is_passing(cause: Finding, finding: Finding) -> bool:
    """Whether a cause has passed, was the lesser of the two and came later than its window: what goes on has another.

    One that came first explains what goes on although it has passed itself: a single update may break a policy.
    """
    if cause.cleared is None or finding.cleared is not None or cause.rank <= finding.rank:
        return False
    mine = finding.began.step
    return mine is not None and cause.earliest > mine


def _without_circles(causes: dict[str, str], ordered: Sequence[Finding]) -> dict[str, str]:
    """The same with that of every circle which began first as a cause of its own."""
    began = {each.id: _order(each)[3:] for each in ordered}
    for identity in causes:
        seen, at = [identity], causes[identity]
        while at and at not in seen:
            seen.append(at)
            at = causes[at]
        if at == identity:
            causes[min(seen, key=began.__getitem__)] = ""
    return causes


def _root(identity: str, causes: dict[str, str]) -> str:
    while causes[identity]:
        identity = causes[identity]
    return identity
