"""What a claim may cite, and whether it is so: a line of the log, a metric at a step, a trial."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from liverl.log.clean import LINE_BYTES, parse_line
from liverl.log.formats.encoded import plain_pieces
from liverl.log.pattern import Search, TookTooLong
from liverl.log.series import Series
from liverl.operate.answer import cut
from liverl.record.masking import mask
from liverl.record.trials import TrialRow

MOST_CLAIMS = 20
_LINE_CHARS = 400
_TEXT_CHARS = 300
_MOST_LINES = 60
_CLOSE = 0.01
# Fewer characters stand in any line.
_LEAST_QUOTE = 8
_SEARCH_S = 10.0
_AT_ONCE = 2000


@dataclass(frozen=True)
class Claim:
    """A sentence of a model's and what it cites: a line of the log and words of it, a metric at a step, a trial."""

    text: str
    line: int | None = None
    quote: str = ""
    metric: str = ""
    step: int | None = None
    value: float | None = None
    trial: str = ""
    log: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Claim:
        """A claim of a model's JSON, whatever it holds; what has another type is left out."""
        return cls(
            _text(given.get("text"), _TEXT_CHARS),
            _whole(given.get("line")),
            _text(given.get("quote"), _LINE_CHARS),
            _text(given.get("metric"), _TEXT_CHARS),
            _whole(given.get("step")),
            _real(given.get("value")),
            _text(given.get("trial"), _TEXT_CHARS),
            _text(given.get("log"), 40),
        )

    @property
    def cited(self) -> str:
        """What it cites, in words."""
        where = f"{self.log} line" if self.log else "line"
        parts = [f"{where} {self.line}" if self.line is not None else ""]
        if self.metric:
            at = f" at step {self.step}" if self.step is not None else ""
            parts.append(f"{self.metric}{'' if self.value is None else f' {self.value:g}'}{at}")
        parts.append(f"trial {self.trial}" if self.trial else "")
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Ground:
    """The logs (a run's own has the name ""), the metrics and the trials, as they can be looked at."""

    logs: Mapping[str, Path]
    series: Series
    trials: Mapping[str, TrialRow] = field(default_factory=dict)

    def lines(self, first: int, last: int, log: str = "") -> list[str]:
        """The lines from one number to another, at most 60, cleaned and without secrets; none beyond the end."""
        if log not in self.logs or first < 1:
            return []
        wanted = min(last, first + _MOST_LINES - 1) - first + 1
        read = itertools.islice(_read(self.logs[log], first), max(0, wanted))
        return [f"{number}: {text}" for number, text in read]

    def search(self, pattern: str, limit: int = 20, log: str = "") -> list[str]:
        """The first lines that match an expression, as far as ten seconds lead; raises `RunError` where it is none."""
        if log not in self.logs:
            return []
        found: list[str] = []
        at, lines = 0, _read(self.logs[log], 1)
        with Search(pattern, _SEARCH_S) as searched:
            while len(found) < limit and (some := list(itertools.islice(lines, _AT_ONCE))):
                try:
                    searched.check_time()
                    starts = searched.starts([text for _, text in some])
                except TookTooLong:
                    return [*found[:limit], f"not searched beyond line {at}: it took too long"]
                at = some[-1][0]
                found += [
                    f"{number}: {text}"
                    for (number, text), start in zip(some, starts, strict=True)
                    if start >= 0
                ]
        return found[:limit]

    def metric(self, name: str) -> list[tuple[int, float]]:
        """A metric's steps and values where it was measured."""
        values = self.series.columns.get(name)
        if values is None:
            return []
        told = zip(self.series.steps.tolist(), values.tolist(), strict=True)
        return [(step, value) for step, value in told if not math.isnan(value)]

    def refuted(self, claim: Claim) -> str:
        """Why a claim's citation is not so, or that it cites nothing; "" where it is found, which says nothing of
        whether the claim is true."""
        if not claim.cited:
            return "it cites no line, metric or trial"
        checks = (self._line_refuted(claim), self._metric_refuted(claim), self._trial_refuted(claim))
        return "; ".join(check for check in checks if check)

    @cached_property
    def last_line(self) -> int:
        """How many lines the run's own log has."""
        return _count(self.logs[""]) if "" in self.logs else 0

    def _line_refuted(self, claim: Claim) -> str:
        if claim.line is None:
            return ""
        if claim.log not in self.logs:
            return f"there is no log {claim.log!r}"
        found = self.lines(claim.line, claim.line, claim.log)
        if not found:
            count = _count(self.logs[claim.log])
            return f"there is no line {claim.line}: the log has {count}"
        said = " ".join(found[0].partition(": ")[2].split())
        quote = " ".join(claim.quote.split())
        if not quote:
            return f"line {claim.line} is cited without words of it"
        if quote not in said:
            return f"line {claim.line} does not say {quote[:80]!r}"
        is_enough = len(quote) >= _LEAST_QUOTE or quote == said
        return "" if is_enough else f"of line {claim.line} only {quote!r} is quoted, which many lines hold"

    def _metric_refuted(self, claim: Claim) -> str:
        if not claim.metric:
            return ""
        told = dict(self.metric(claim.metric))
        if not told:
            return f"{claim.metric} was not measured"
        if claim.step is None or claim.value is None:
            return f"{claim.metric} is cited without a step and its value"
        if claim.step not in told:
            return f"{claim.metric} was not measured at step {claim.step}"
        value = told[claim.step]
        is_close = value == claim.value or abs(value - claim.value) <= _CLOSE * max(
            abs(value), abs(claim.value)
        )
        return "" if is_close else f"{claim.metric} is {value:g} at step {claim.step}, not {claim.value:g}"

    def _trial_refuted(self, claim: Claim) -> str:
        return "" if not claim.trial or claim.trial in self.trials else f"there is no trial {claim.trial}"


def _read(log: Path, first: int) -> Iterator[tuple[int, str]]:
    """A log's lines from a number on, whatever it is packed in, cleaned and without secrets; of a long one its
    beginning."""
    number, begun = 1, b""  # the line that comes next, and what of it was read already
    for piece in plain_pieces(log):
        ends = piece.count(b"\n")
        if number + ends < first:  # only counted
            number, begun = number + ends, b""
            continue
        *whole, rest = piece.split(b"\n")
        for part in whole:
            if number >= first:
                yield number, _shown(begun + part)
            number, begun = number + 1, b""
        begun = (begun + rest)[:LINE_BYTES]  # a line without an end is not kept whole in memory
    if begun and number >= first:
        yield number, _shown(begun)


def _shown(line: bytes) -> str:
    # Masked before it is cut, so that the cut does not hide from the mask what a secret is.
    return mask(parse_line(line[:LINE_BYTES]).text[: 10 * _LINE_CHARS])[:_LINE_CHARS]


def _count(log: Path) -> int:
    count, last = 0, b"\n"
    for piece in plain_pieces(log):
        count, last = count + piece.count(b"\n"), piece[-1:] or last
    return count + (last != b"\n")


def _text(given: Any, limit: int) -> str:
    return cut(str(given), limit) if isinstance(given, str | int | float) else ""


def _whole(given: Any) -> int | None:
    """A number of a line or a step; what no file has so many of is none."""
    is_one = isinstance(given, int) and not isinstance(given, bool) and abs(given) < 1 << 62
    return given if is_one else None


def _real(given: Any) -> float | None:
    try:
        return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None
    except OverflowError:
        return None
