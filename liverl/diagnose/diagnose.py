"""Snapshot → findings: what is wrong with a run, first cause first. A pure function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from liverl.diagnose.finding import Diagnosis, Finding, Missing
from liverl.diagnose.judge import judge, missing
from liverl.diagnose.language import Fact, Memory
from liverl.diagnose.picked import is_jumpy
from liverl.diagnose.rank import ranked
from liverl.diagnose.rise import has_risen
from liverl.diagnose.snapshot import Snapshot
from liverl.diagnose.writeup import WriteUp
from liverl.record.masking import mask

# Fewer steps say nothing of how a run learns.
HEALTHY_STEPS = 10
# Fewer values are no course of a reward.
_REWARDS = 3
# Without the reward nobody can call a run healthy; without any of these its optimisation is unseen.
# The last one of preferences, which have no other.
REWARD = ("critic/score/mean", "critic/rewards/mean", "trial/reward/mean", "rewards/accuracies")
OPTIMISATION = (
    "actor/grad_norm", "actor/entropy", "actor/ppo_kl", "actor/kl_loss", "actor/kl_sequence", "actor/pg_loss",
)  # fmt: skip
_NO_STEP = "no training step is told"
# The first line of an answer is short: 200 characters, with the verdict before this.
_WHY_CHARS = 186


def where_it_ends(facts: Mapping[str, Fact], room: int) -> str:
    """Where a log ends, as the rest of a sentence of so many characters: its last line, the stage of a start that it
    tells, and its words; "" where that is unknown."""
    if not (said := str(facts.get("at_said", ""))):
        return ""
    stage = f", where {facts['at_stage']}" if facts.get("at_stage") else ""
    ends = f"; it ends at line {facts['at_line']}{stage}: "
    room -= len(ends)
    return ends + (said if len(said) <= room else f"{said[: room - 1]}…")


def diagnose(snapshot: Snapshot, writeups: Sequence[WriteUp]) -> Diagnosis:
    """Every write-up judged on a snapshot. Sick: something at warn or above. Healthy: nothing, in at least 10 steps
    with reward and optimisation measured. Not measured: nothing was found, and not enough is known to be sure. Of a
    table with several runs the worst."""
    if snapshot.series.runs:
        return _of_several(snapshot, writeups)
    facts: dict[str, Fact] = {
        **snapshot.facts,
        "jumpy": is_jumpy(snapshot.series),
        "risen": has_risen(snapshot.series),
        "steps_missing": _steps_missing(snapshot.facts),
    }
    snapshot = replace(snapshot, facts=facts)
    memory: Memory = {}
    found = _judged([each for each in writeups if not each.is_last_resort], snapshot, memory)
    findings = ranked(found)
    if not any(each.is_alarm for each in findings):
        findings = ranked(
            found + _judged([each for each in writeups if each.is_last_resort], snapshot, memory)
        )
    unseen = _unseen(snapshot, writeups)
    if any(each.is_alarm for each in findings):
        return Diagnosis("sick", findings, unseen)
    why = _why_not_healthy(snapshot)
    # What a finding says of the run's end comes before its last words; behind ten steps nobody asks for them.
    if why and _says_more(snapshot) and not any(each.id.startswith("run:") for each in findings):
        why += where_it_ends(snapshot.facts, _WHY_CHARS - len(why))
    return Diagnosis("not_measured" if why else "healthy", findings, unseen, why)


def _steps_missing(facts: Mapping[str, Fact]) -> int:
    """How many of the planned steps a log that just ends does not tell; 0 where it has an end, or nobody says."""
    last, planned = facts.get("last_step"), facts.get("steps_total")
    if facts.get("ended") != "cut" or not isinstance(last, int) or not isinstance(planned, int):
        return 0
    return max(0, planned - last)


def _judged(writeups: Sequence[WriteUp], snapshot: Snapshot, memory: Memory) -> list[Finding]:
    return [found for each in writeups if (found := judge(each, snapshot, memory)) is not None]


def _of_several(snapshot: Snapshot, writeups: Sequence[WriteUp]) -> Diagnosis:
    """Of several runs side by side the one that is worst off; its findings name it."""
    found: list[tuple[str, Diagnosis]] = []
    for name, series in snapshot.series.runs.items():
        facts = {
            **snapshot.facts,
            "steps": len(series),
            "first_step": int(series.steps[0]),
            "last_step": int(series.steps[-1]),
        }
        found.append((name, diagnose(replace(snapshot, series=series, facts=facts), writeups)))
    order = {"sick": 0, "not_measured": 1, "healthy": 2}
    name, worst = min(
        found,
        key=lambda each: (order[each[1].verdict], min((one.rank for one in each[1].findings), default=9)),
    )
    of_run = f" (run {mask(name)})"
    findings = tuple(replace(each, title=each.title + of_run) for each in worst.findings)
    return replace(worst, findings=findings, why=worst.why and worst.why + of_run)


def _says_more(snapshot: Snapshot) -> bool:
    """Whether a log of few steps says something behind the last of them."""
    series, at = snapshot.series, snapshot.facts.get("at_line", 0)
    return len(series) < HEALTHY_STEPS and int(at) > (int(series.lines.max()) if len(series.lines) else 0)


def _why_not_healthy(snapshot: Snapshot) -> str:
    series = snapshot.series
    steps = series.span_of(0, len(series) - 1) if len(series) else 0
    if len(series) == 0:
        return _NO_STEP
    if len(series) < HEALTHY_STEPS:
        told = f"{len(series)} rows of {steps} steps are"
        if steps == len(series):
            told = "1 step is" if steps == 1 else f"{steps} steps are"
        return f"only {told} told, {HEALTHY_STEPS} are needed"
    rewards = max(len(series.measured(metric)) for metric in REWARD)
    if rewards < _REWARDS:
        return f"only {rewards} of {len(series)} rows tell a reward" if rewards else "no reward is told"
    if not any(series.has(metric) for metric in OPTIMISATION):
        return "nothing of the optimisation is told: neither gradient norm, entropy, KL nor loss"
    return ""


def _unseen(snapshot: Snapshot, writeups: Sequence[WriteUp]) -> tuple[Missing, ...]:
    """The metrics that were not measured, the one that would tell most failures first; only of a run that trains."""
    if not len(snapshot.series):
        return ()
    failures: dict[str, list[str]] = {}
    settings: dict[str, str] = {}
    for writeup in writeups:
        for metric in missing(writeup, snapshot):
            failures.setdefault(metric, []).append(writeup.id)
            if setting := writeup.measured_by.get(metric):
                settings[metric] = setting
    ordered = sorted(failures.items(), key=lambda item: -len(item[1]))
    # What no setting measures (a gateway's counters in another system's log) is no advice.
    return tuple(Missing(name, settings[name], tuple(ids)) for name, ids in ordered if name in settings)
