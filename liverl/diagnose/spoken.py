"""What facts of a log or run say in a sentence's words, as evidence for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_ENDED = {
    "cut": "the log just ends",
    "exception": "an exception ended it",
    "finished": "its end is announced",
    "stopped": "somebody stopped it",
    "running": "it is running",
}
# What a fact's number counts; the others are told by name.
_COUNTS = {
    "lines": "lines",
    "steps": "steps told",
    "steps_total": "steps planned",
    "attempts": "attempts",
    "lost_steps": "steps are made again",
    "restarts": "restarts without a step between",
    "tracebacks": "tracebacks",
    "trials": "trials",
    "trials_failed": "trials failed for a reason that is not the policy's",
    "checkpoints_partial": "checkpoints lack a part",
    "garbled": "lines mix the letters of three writings",
    "waits": "lines at the end say that it waits",
}
_SECONDS = {
    "waits_s": "it has waited for",
    "beats_s": "nothing but polls and heartbeats for",
    "stopped_after_s": "stopped after a silence of",
    "first_step_wait_s": "no first step after",
    "silence_s": "it has been silent for",
    "stage_s": "this stage has lasted",
    "stage_limit_s": "its limit is",
    "step_s": "a step takes",
}
_GIGABYTES = {"disk_free_gb": "GB free on the disk", "checkpoint_gb": "GB a checkpoint"}
# They bound a sign, and say nothing of a failure.
_SILENT = frozenset(
    (
        "bytes",
        "first_step",
        "is_run",
        "at_line",
        "at_stage",
        "jumpy",
        "risen",
        "served_behind",
        "steps_missing",
    )
)


def in_words(names: Iterable[str], facts: Mapping[str, object]) -> tuple[str, ...]:
    """The facts of these names that are known, in one line; none where they say nothing."""
    said = [_said(name, facts[name]) for name in dict.fromkeys(names) if name in facts]
    told = [each for each in said if each]
    return (", ".join(told),) if told else ()


def _length(seconds: object) -> str:
    """A time as people say it."""
    if not isinstance(seconds, int | float):
        return str(seconds)
    return f"{seconds:.3g} s" if seconds < 300 else f"{seconds / 60:.0f} minutes"


def _said(name: str, value: object) -> str:
    if name in _SILENT:
        return ""
    if name == "ended":
        return _ENDED.get(str(value), f"ended: {value}")
    if name in ("finished_said", "exception_above"):
        said = "an end is announced" if name == "finished_said" else "an exception stands above that"
        return said if value else ""
    if name in ("at_said", "waits_for"):
        return f"{'its last words' if name == 'at_said' else 'it says'}: {value}"
    if name in _SECONDS:
        return f"{_SECONDS[name]} {_length(value)}"
    if name == "alive":
        return "its processes live" if value else "its processes are gone"
    if isinstance(value, bool | str) or not isinstance(value, int | float):
        return f"{name} {value}"
    number = f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
    if name == "last_step":
        return f"step {number} is the last"
    if name in _GIGABYTES:
        return f"{number} {_GIGABYTES[name]}"
    if name not in _COUNTS:
        return f"{name} {number}"
    counted, _, rest = _COUNTS[name].partition(" ")
    return " ".join((number, counted.removesuffix("s") if value == 1 else counted, rest)).rstrip()
