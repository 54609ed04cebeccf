"""A write-up's cases: a healthy run with a failure in its place, or with what is easily taken for that failure.

A case file is `cases/AREA/NAME.yaml` with `fires` and `quiet`, each a case or a list of cases:

    base: healthy        # the log of a real run on the CPU engine (healthy.log, 384 lines, steps 0 to 20); or none
    steps: 40            # the run goes on so long: further steps repeat the values of steps 11 to 20 (default 20)
    at: 12               # the lines stand behind the line of this step; `start` (before the first step), `end`
    lines: |             # what the failing program prints, as it prints it
      ...
    cut: true            # the log ends with these lines (default false)
    metrics:             # values of the steps, from one on
      from: 15
      until: 30          # optional: the last step with these values
      set:               # old: the healthy value, k: 0, 1, ... since `from`, u: noise in [0, 1), nan, inf, floor, exp
        actor/entropy: "old * 0.7 ** k"
        actor/grad_norm: null          # not told any more
    file: metrics.jsonl  # instead of all that: `text` is a file of this name, as somebody has it
    text: |
      ...
    facts: {alive: true, silence_s: 5400}       # facts of a run directory, beside those of the log
    setting: {engine: veomni}
    began: 15            # fires: the step, or `line`, at which the finding has to begin
    primary: true        # fires: it is the primary finding (default true)

`fires` shows the finding; `quiet` does not show it at warn or above (others it may show).
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from liverl.diagnose.catalogue import catalogue, metrics_of, patterns
from liverl.diagnose.diagnose import diagnose
from liverl.diagnose.finding import Diagnosis
from liverl.diagnose.snapshot import Snapshot
from liverl.log.reader import Reader

HERE = Path(__file__).parent
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STEP_LINE = re.compile(r"^(.*\bstep:)(\d+)( - .*)$")
_VALUE = re.compile(r"( - )([^ :]+):(?:np\.\w+\(([^)]*)\)|(\S+))")
_PLATEAU = range(11, 21)
# What a case may compute with.
_NAMES = {
    "nan": math.nan,
    "inf": math.inf,
    "floor": math.floor,
    "exp": math.exp,
    "min": min,
    "max": max,
    "abs": abs,
}


@dataclass(frozen=True)
class Case:
    """One file as somebody has it, with facts of a run beside it."""

    name: str
    text: str
    file: str
    facts: Mapping[str, Any]
    setting: Mapping[str, str]
    began: Any
    is_primary: bool

    def diagnosed(self, folder: Path) -> Diagnosis:
        """Write the file and diagnose it, with the metrics that `liverl diagnose` keeps."""
        path = folder / self.file
        path.write_text(self.text, encoding="utf-8")
        writeups = catalogue()
        told = Reader(path, patterns(writeups), metrics_of(writeups)).read()
        facts = {**told.facts, **self.facts}
        setting = {**told.settings, **self.setting}
        return diagnose(Snapshot(path.name, told.kind, told.series, told.sightings, facts, setting), writeups)


def cases(writeup: str, kind: str) -> list[Case]:
    """The cases of a write-up (`AREA/NAME.md`), `fires` or `quiet`; raises `FileNotFoundError` without a file."""
    given = _told(HERE / "cases" / Path(writeup).with_suffix(".yaml"))[kind]
    listed = given if isinstance(given, list) else [given]
    return [_case(f"{writeup} {kind} {number}", each) for number, each in enumerate(listed)]


@lru_cache(maxsize=4)
def _told(path: Path) -> Mapping[str, Any]:
    told: Mapping[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # a safe one
    return told


def _case(name: str, given: Mapping[str, Any]) -> Case:
    text = given["text"] if "text" in given else "\n".join(_lines(given)) + "\n"
    return Case(
        name,
        text,
        given.get("file", "training.log"),
        given.get("facts", {}),
        given.get("setting", {}),
        given.get("began"),
        given.get("primary", True),
    )


def _lines(given: Mapping[str, Any]) -> list[str]:
    own = given.get("lines", "").rstrip("\n").split("\n") if given.get("lines") else []
    if given.get("base", "healthy") == "none":
        return own
    lines = _changed(list(healthy_until(given.get("steps", 20))), given.get("metrics"))
    at = _index(lines, given.get("at", "end"))
    return [*lines[:at], *own, *([] if given.get("cut") else lines[at:])]


@lru_cache(maxsize=32)
def healthy_until(steps: int) -> tuple[str, ...]:
    """The log of a healthy run, so many steps long."""
    lines = (HERE / "healthy.log").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return tuple(_longer(lines, steps))


def _index(lines: list[str], at: Any) -> int:
    if at == "end":
        return len(lines)
    steps = [index for index, line in enumerate(lines) if _STEP_LINE.match(line)]
    if at == "start":
        return steps[0]
    return next(index for index in steps if _number(lines[index]) == at) + 1


def _number(line: str) -> int:
    found = _STEP_LINE.match(line)
    assert found is not None
    return int(found.group(2))


def _longer(lines: list[str], steps: int) -> list[str]:
    """The log with steps beyond the 20th: the values of steps 11 to 20, each a little varied, in another order."""
    told = {_number(line): line for line in lines if _STEP_LINE.match(line)}
    last = lines.index(told[max(told)]) + 1
    if steps < max(told):
        last = lines.index(told[steps]) + 1
        return lines[:last]
    rng, more = random.Random(7), []
    for step in range(max(told) + 1, steps + 1):
        line = told[rng.choice(_PLATEAU)]
        more.append(_step_line(line, step, lambda key, value: _varied(key, value, rng)))
    return [*lines[:last], *more, *lines[last:]]


def _varied(key: str, value: float, rng: random.Random) -> float:
    # A loss or a time varies; a count, a bound and a rate of learning do not.
    is_free = value != round(value) and not key.endswith(("/lr", "_corr", "clip_ratio"))
    return value * rng.uniform(0.9, 1.1) if is_free else value


def _changed(lines: list[str], metrics: Mapping[str, Any] | None) -> list[str]:
    if not metrics:
        return lines
    rng, settings = random.Random(3), metrics["set"]
    first, last = metrics.get("from", 1), metrics.get("until", math.inf)

    def changed(line: str) -> str:
        if not _STEP_LINE.match(line) or not first <= (step := _number(line)) <= last:
            return line
        k = step - first
        told = {key for _, key, _, _ in _VALUE.findall(line)}
        # Without a KL penalty what is trained on is what the graders gave.
        scored: list[float | None] = []

        def value(key: str, old: float) -> float | None:
            if key not in settings:
                return scored[0] if key == "critic/rewards/mean" and scored else old
            names = {**_NAMES, "old": old, "k": k, "u": rng.random()}
            new = (
                None
                if settings[key] is None
                else float(eval(str(settings[key]), {"__builtins__": {}}, names))
            )
            if key == "critic/score/mean":
                scored.append(new)
            return new

        added = {key: value(key, math.nan) for key in settings if key not in told and step > 0}
        text = _step_line(line, step, value)
        return text + "".join(f" - {key}:{number}" for key, number in added.items() if number is not None)

    return [changed(line) for line in lines]


def _step_line(line: str, step: int, value: Any) -> str:
    found = _STEP_LINE.match(line)
    assert found is not None

    def told(match: re.Match[str]) -> str:
        key, old = match.group(2), match.group(3) or match.group(4)
        try:
            new = value(key, float(old))
        except ValueError:
            return match.group(0)
        if new is None:
            return ""
        return match.group(0) if new == float(old) else f" - {key}:{new!r}"

    return f"{found.group(1)}{step}{_VALUE.sub(told, found.group(3))}"
