"""What a log tells of itself: how it ended, how often it began, how many tracebacks it has.

PATTERNS   the lines that this needs
facts_of   the facts of docs/writeups.md that are of a log
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from liverl.log.at_end import silent_s, stands_at, stood
from liverl.log.chains import IGNORED
from liverl.log.epilogues import SAID_DONE
from liverl.log.nearby import TailLine
from liverl.log.passed import VALIDATION
from liverl.log.segments import cleaned
from liverl.log.series import Series
from liverl.log.sighting import LinePattern, Sighting
from liverl.log.survived import SURVIVED_STEPS, is_worker, kind_of

Ended = Literal["finished", "exception", "stopped", "cut"]
# Of an excerpt nobody can say how the log ended.
EXCERPT_LINES = 30
# After a crash the other processes of a run say something for a while.
_CRASH_LINES, _TRACE_LINES, _WORKER_LINES, _LAST_LINES = 2000, 60, 25, 3
_DONE_LINES = 10

_TRACEBACK = "Traceback (most recent call last)"
# What the frameworks say at their end: verl, TRL and transformers, AReaL, SkyRL, prime-rl, agent-lightning, Ray's jobs.
_FINISHED = (
    r"Final validation metrics|train_runtime['\"]?\s*[:=]|All services stopped|"
    r"[Tt]raining (?:finished|completed|completes|complete|done|has finished|has completed|is finished|is complete|"
    r"is [Oo]ver(?! ?\d| budget| time)|run finished|run completed|successfully)\b"
    r"(?! (?:for|of|in) (?:step|epoch|iter))|"
    r"Orchestrator finished|[Tt]rainer finished|Done training|(?:^|-- )Job '\S+' succeeded|"
    r"[Rr]eached (?:the )?max(?:imum)?(?: number of)?[ _](?:training )?steps|训练(?:已)?(?:完成|结束)|"
    r"End time of running main: "
)
# Said at an exit of any kind: an end where no exception stands above.
_CLOSED = (
    r"wandb: Synced \d+ W&B file|wandb: Find logs at|[Ss]av(?:ed|ing) final (?:LoRA|model|adapter|checkpoint|policy)|"
    r"[Ff]inal (?:model|checkpoint|adapter) saved"
)
# The process itself says that it dies.
_CRASHED = (
    r"Error executing job with overrides|Set the environment variable HYDRA_FULL_ERROR|\bChildFailedError|"
    r"Root Cause \(first observed failure\)|^\s*exitcode\s*: -?[1-9]|terminate called after throwing|"
    r"Fatal Python error|Segmentation fault|\(core dumped\)|^\S*: line \d+: +\d+ (?:Killed|Aborted|Bus error)|"
    r"^Killed$|srun: error: |slurmstepd: error: .*(?:Detected|Exceeded)|returned non-zero exit status|"
    r"terminated with exit code [1-9]|\bexit(?:ed)?(?: with)? (?:code|status)[ :=]+[1-9]|(?:^|-- )Job '\S+' failed|"
    r"\bJobException: |\bfailed with return code -?[1-9]"
)
_STOPPED = (
    r"^(?:\[rank\d+\]: ?)?KeyboardInterrupt\b|CANCELLED AT|[Ii]nterrupted by (?:the )?user|"
    r"[Ss]topped by (?:the )?user|\b[Ii]nterrupted[.,!:] (?i:saving|exiting|stopping|shutting|cleaning|writing)|"
    r"(?:[Rr]eceived|[Cc]aught|[Gg]ot) (?:a )?"
    r"(?:(?:Signals\.)?SIGINT|SIGTERM|[Kk]eyboard ?[Ii]nterrupt|signal (?:2|15)\b)"
)
# From which step a run goes on, as verl, TRL, slime and SkyRL say it.
_RESUMED = (
    r"Setting global step to (?P<verl>\d{1,9})\b|Continuing training from global step (?P<trl>\d{1,9})\b|"
    r"[Rr]esum(?:ing|ed) (?:training |run )?(?:from|at) (?:global[ _])?step[ :=]{1,3}(?P<other>\d{1,9})\b"
)
_SIGNS = {
    "resumed": (
        _RESUMED,
        ("Setting global step to", "Continuing training from", "esuming from ", "esumed from ", "esuming at ",
         "esumed at ", "esuming training ", "esumed training ", "esuming run ", "esumed run "),
    ),
    "traceback": (re.escape(_TRACEBACK), ()),
    "finished": (
        _FINISHED,
        ("Final validation metrics", "train_runtime", "All services stopped",
         "raining finished", "raining complete", "raining done", "raining has finished", "raining has completed",
         "raining is finished", "raining is complete",
         "raining is over", "raining is Over", "raining run", "raining successfully", "Orchestrator finished",
         "rainer finished", "Done training", "' succeeded", "eached max", "eached the max",
         "训练完成", "训练已完成", "训练结束", "训练已结束", "End time of running main"),
    ),
    "closed": (
        _CLOSED,
        ("wandb: Synced ", "wandb: Find logs at", "saved final ", "Saved final ", "saving final ", "Saving final ",
         "inal model saved", "inal checkpoint saved", "inal adapter saved"),
    ),
    "crashed": (
        _CRASHED,
        ("Error executing job", "HYDRA_FULL_ERROR", "ChildFailedError", "Root Cause (first", "exitcode ",
         "terminate called after", "Fatal Python error", "Segmentation fault", "(core dumped)", "Killed",
         " Aborted", " Bus error", "srun: error: ", "slurmstepd: error", "non-zero exit status", "exit code ",
         "exit status ", "exit code:", "exit code=", "exit status:", "exit status=", "with code ", "with status ",
         "exited code ", "exited status ", "' failed", "JobException: ", "with return code "),
    ),
    "stopped": (
        _STOPPED,
        ("KeyboardInterrupt", "CANCELLED AT", "nterrupted by ", "nterrupted. ", "nterrupted, ", "nterrupted! ",
         "nterrupted: ", "topped by the user", "topped by user", "SIGINT", "SIGTERM", "eyboard interrupt",
         "eyboard Interrupt", "signal 2", "signal 15"),
    ),
}  # fmt: skip
# What a policy's own commands said in its sandbox.
_OBSERVED = r"(?i)\bobservation\W|\btool[_ ](?:output|result|response)\W|<output>"
PATTERNS = tuple(
    LinePattern(f"log:{name}", pattern, has=has, unless=_OBSERVED if name == "crashed" else "")
    for name, (pattern, has) in _SIGNS.items()
)

# The traceback that a policy's tool gave back to it, in a rollout that is shown.
_GIVEN = re.compile(r"\s*\[(?:tool|observation|sandbox)\] ")
_STOPS = re.compile(_STOPPED)
_EXCEPTION = re.compile(
    # Behind a launcher's tag; a level is none.
    r"^(?:\[(?!(?i:debug|info|warn))[A-Za-z][\w.-]{0,30}\] )?"
    r"(?:\[?rank ?\d+\]?: ?)?(?:[A-Za-z_]\w*\.)*(?:Exception|(?<=\.)Error|[A-Z]\w*"
    r"(?:Error|Exception|Exit|Interrupt|Failure|Failed|Died|Timeout|Expired|Crashed|NotFound|Exhausted|Unavailable|"
    r"Mismatch|Denied|Refused|Conflict|Rejected|Unhealthy|NotReady|NotSupported|Unreachable|Corrupted))\b(?:[:(]|$)"
)
# vLLM's logger puts itself before each line of a traceback.
_LOGGER = re.compile(r"^(?:ERROR|CRITICAL|FATAL) [\d-]{5,10} [\d:.,]{8,15} \[[\w.]{1,60}:\d+\] ")
_READY = re.compile(r"Application startup complete|fired up and ready to roll")
_BEHIND_BAR = re.compile(r"\d+/\d+ \[[^\]]{1,200}\] ?" + re.escape(_TRACEBACK))
# The first frame of a program's own traceback; a child that was spawned has `<string>` there, a worker of Ray its main.
_MAIN_FRAME = re.compile(
    r'^ +File "(?!<string>|[^"]*/ray/_private/workers/)[^"]+", line \d+, in (?:<module>|_run_module_as_main)$'
)
# Printed by who goes on; a telemetry exporter does so too.
_GOES_ON = (*IGNORED, "Exception while exporting")
# Of several processes each may break another's line; Python names a file it can't read as the last thing of all.
_SAID_LAST = re.compile(
    r"^\W*(?:(?:ERROR|FATAL|fatal|error|Error)\b(?! rate)|(?:SyntaxError|IndentationError|TabError))"
)


@dataclass(frozen=True)
class Evidence:
    """What facts are made of: the log's size, lines and end, its steps, the sightings of `PATTERNS`.

    `begun` is the line of the last beginning of several, or before which a run without rows survived all (0: there is
    none), `total` the planned steps (0: unknown), `is_done` whether the training's bar came to its end, `done` how many
    steps a log without rows counts, `told` the line of the first step of all attempts (0: there is none).
    """

    size: int
    lines: int
    tail: Sequence[TailLine]
    series: Series
    seen: Mapping[str, Sighting]
    attempts: int = 1
    restarts: int = 0
    begun: int = 0
    total: int = 0
    is_done: bool = False
    done: int = 0
    waited_s: float | None = None
    step_s: float | None = None
    told: int = 0

    def last(self, name: str) -> int:
        """The last line of a sign, 0 without one."""
        found = self.seen.get(f"log:{name}")
        return found.last.number if found else 0


Facts = dict[str, float | int | bool | str]


def facts_of(evidence: Evidence) -> Facts:
    """The facts of a log; what can't be known is left out."""
    series, traces = evidence.series, evidence.seen.get("log:traceback")
    facts: Facts = {
        "lines": evidence.lines,
        "bytes": evidence.size,
        "steps": len(series) - _validated_first(series),
        "attempts": max(evidence.attempts, evidence.restarts + 1, 1 if evidence.lines else 0),
        "restarts": evidence.restarts,
        "tracebacks": traces.count if traces else 0,
    }
    if len(series):
        facts |= {"first_step": int(series.steps[0]), "last_step": int(series.steps[-1])}
        if 0 < evidence.told < int(series.lines[0]):
            facts["attempt_line"] = int(series.lines[0])
    if evidence.done:
        facts |= {"steps": evidence.done, "last_step": max(evidence.done, int(facts.get("last_step", 0)))}
    counts = {
        "steps_total": evidence.total,
        "begun_line": evidence.begun,
        "lost_steps": _lost_steps(evidence),
    }
    facts |= {name: count for name, count in counts.items() if count > 0}
    if evidence.waited_s is not None:
        facts["first_step_wait_s"] = round(evidence.waited_s, 3)
    step_s = _step_s(series) if evidence.step_s is None else evidence.step_s
    if step_s is not None:
        facts["step_s"] = round(step_s, 3)
    if evidence.lines >= EXCERPT_LINES:
        finished = evidence.last("finished")
        died = _died(evidence)
        facts |= {"ended": _ended(evidence, died), "finished_said": int(finished > 0)}
        facts["exception_above"] = int(0 < died < finished)
    facts["served_behind"] = int(_serves_behind(evidence.tail))
    if facts.get("ended") == "stopped":
        if (silent := silent_s(evidence.tail, _STOPS)) is not None:
            facts["stopped_after_s"] = silent
        facts |= stood(evidence.tail, _STOPS)
    if facts.get("ended", "cut") == "cut":
        facts |= stands_at(evidence.tail, evidence.lines, is_start=not facts["steps"])
    return facts


def _ended(evidence: Evidence, died: int) -> Ended:
    """How the last attempt ended. A crash that is said by the process counts more than an end that is said."""
    finished, closed = evidence.last("finished"), evidence.last("closed")
    since = max(_last_step_line(evidence.series), evidence.begun)
    stopped = evidence.last("stopped")
    if stopped > since and (not died or stopped <= died + _WORKER_LINES):
        return "stopped"
    if died and (
        not (finished and since <= finished < died)
        or died == evidence.last("crashed")
        or _ends_program(evidence.tail, evidence.lines, died)
    ):
        return "exception"
    last = int(evidence.series.steps[-1]) + ahead(evidence.series) if len(evidence.series) else 0
    if finished or closed > since or evidence.is_done or (evidence.total and last >= evidence.total):
        return "finished"
    before = {kind_of(each.text) for each in evidence.tail if evidence.lines + 1 - each.back < since}
    if not _serves_behind(evidence.tail) and any(
        (_SAID_LAST.match(each.text) or _EXCEPTION.match(each.text)) and kind_of(each.text) not in before
        for each in evidence.tail[-_LAST_LINES:]
    ):
        return "exception"
    return "finished" if _says_done(evidence, since) else "cut"


def _lost_steps(evidence: Evidence) -> int:
    """How many steps behind the farthest it had told the run last went on."""
    resumed = evidence.seen.get("log:resumed")
    if resumed is None:
        return 0
    told = evidence.series.steps[evidence.series.lines < resumed.last.number]
    at = next((int(value) for value in resumed.last.groups.values() if value), 0)
    return int(told.max()) - at if len(told) and at else 0


def _says_done(evidence: Evidence, since: int) -> bool:
    """Whether one of the last lines, behind the last step, says that something came to its end."""
    return any(
        evidence.lines + 1 - each.back > since and SAID_DONE.search(each.text)
        for each in evidence.tail[-_DONE_LINES:]
    )


def _died(evidence: Evidence) -> int:
    """The line with which the last attempt died, 0 where it did not: no step and no new beginning comes after it."""
    since = max(_last_step_line(evidence.series), evidence.begun)
    crashed = evidence.last("crashed")
    if crashed > since and evidence.lines - crashed <= _CRASH_LINES:
        return crashed
    trace = _last_trace(evidence.tail, evidence.lines, _enduring(evidence))
    return trace if trace > since else 0


def _enduring(evidence: Evidence) -> frozenset[str]:
    """The workers of whom the run survived a traceback: another one of theirs does not end it, unless they drive it."""
    traces = evidence.seen.get("log:traceback")
    survived = [each for each in traces.first if each.steps_after >= SURVIVED_STEPS] if traces else []
    return frozenset(each.actor for each in survived if is_worker(each.actor))


def _last_trace(tail: Sequence[TailLine], lines: int, enduring: Collection[str] = ()) -> int:
    """The line that names the last exception of an unhandled traceback near the end, 0 without one.

    A worker's traceback counts only at the very end: most of them are handled by who asked the worker.
    """
    found, is_open, is_ignored = 0, False, False
    if _serves_behind(tail):
        return 0
    for at, line in enumerate(tail):
        after = len(tail) - 1 - at
        if _TRACEBACK in line.text:
            before = [each.text for each in tail[max(0, at - 2) : at]]
            is_given = _GIVEN.match(line.text) is not None
            is_open = not (
                is_ignored or is_given or any(word in text for text in before for word in _GOES_ON)
            )
        elif is_open and _EXCEPTION.match(_LOGGER.sub("", line.text)):
            actor = cleaned(line.raw).actor
            if after <= (_WORKER_LINES if actor else _TRACE_LINES) and actor not in enduring:
                found = lines + 1 - line.back
            is_open = False
    return found


def _serves_behind(tail: Sequence[TailLine]) -> bool:
    """Whether a server says that it is ready behind the last traceback: it was survived."""
    traces = [at for at, each in enumerate(tail) if _TRACEBACK in each.text]
    return bool(traces) and any(_READY.search(each.text) for each in tail[traces[-1] :])


def _ends_program(tail: Sequence[TailLine], lines: int, died: int) -> bool:
    """Whether the exception of a line ends the program itself, as the last thing that is said.

    What threads, children and destructors say at a shutdown has other first frames.
    """
    if lines - died > _LAST_LINES:
        return False
    texts = [each.text for each in tail if lines + 1 - each.back < died]
    # A bar that was being drawn stands before it, where its output is no terminal.
    begins = [
        at for at, text in enumerate(texts[:-1]) if text.startswith(_TRACEBACK) or _BEHIND_BAR.search(text)
    ]
    return bool(begins) and _MAIN_FRAME.match(texts[begins[-1] + 1]) is not None


def _validated_first(series: Series) -> int:
    """1 where the first row is a validation before the training: no step of it."""
    if not len(series) or series.steps[0] != 0:
        return 0
    told = [name for name, values in series.columns.items() if not np.isnan(values[0])]
    return int(all(name.startswith(VALIDATION) for name in told))


def ahead(series: Series) -> int:
    """By how much the last step of a plan is more than the last that is told: of steps that count from 0, of which
    every so many is told, the next one is none any more."""
    if not len(series) or series.steps[0] != 0 or _validated_first(series):
        return 0
    return int(np.median(np.diff(series.steps))) if len(series) > 1 else 1


def _last_step_line(series: Series) -> int:
    return int(np.max(series.lines)) if len(series.lines) else 0


def _step_s(series: Series) -> float | None:
    seconds = series.measured("timing_s/step")
    return float(np.median(seconds)) if len(seconds) else None
