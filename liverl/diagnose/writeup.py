"""One failure as it stands in troubleshooting/: the front matter is the detector, the prose is the cure.

Sign         one way in which a failure shows: lines, conditions over metrics, facts; all that it names must hold
WriteUp      a failure: its signs (any of them), where it applies, what it follows from, its cure
read_writeup a file; raises `RunError` with the file, the field and what is wrong
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import yaml

from liverl.diagnose.language import Expression, parse
from liverl.errors import RunError
from liverl.log.literals import parsed_of
from liverl.log.sighting import LONG_LINES, LinePattern

Severity = Literal["fatal", "error", "warn", "info"]
SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warn", "info")
Confidence = Literal["high", "medium", "low"]
SECTIONS = ("Symptom", "Cause", "Confirm", "Cure", "Prevention", "Sources")
APPLIES = ("engine", "mode", "family", "scaffold", "backend", "rollout")

_ID = re.compile(r"[a-z][a-z0-9]*:[a-z0-9][a-z0-9-]*")
_FIELDS = {
    "id", "title", "severity", "past", "outgrown", "outlived", "confidence", "generic", "applies", "needs",
    "last_resort", "measured_by", "window", "signature", "secondary_to", "cure", "labels",
}  # fmt: skip
_SIGN_FIELDS = {"line", "has", "unless", "near", "not_near", "also", "never", "within", "times", "at_end", "when",
                "for", "lag", "facts", "detail", "chain"}  # fmt: skip
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Sign:
    """One way in which a failure shows. `when` must hold at the same steps, `hold` steps long; `times` lines or more
    must meet `line`; of `also` each must be met (within so many lines, where `within` says so), of `never` none. What
    the conditions tell began `lag` rows before the first that meets them; else where its metrics left their habit."""

    line: LinePattern | None = None
    times: int = 1
    also: tuple[LinePattern, ...] = ()
    never: tuple[LinePattern, ...] = ()
    within: int = 0
    when: tuple[Expression, ...] = ()
    hold: int = 1
    lag: int | None = None
    facts: tuple[Expression, ...] = ()

    @property
    def patterns(self) -> tuple[LinePattern, ...]:
        """Every line that the sign looks for."""
        return (*((self.line,) if self.line else ()), *self.also, *self.never)

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that its conditions name, each once."""
        return tuple(dict.fromkeys(name for each in self.when for name in each.metrics))

    @cached_property
    def needs(self) -> frozenset[str]:
        """The metrics without which its conditions can't be judged."""
        return frozenset().union(*(each.needs for each in self.when))

    @cached_property
    def valued(self) -> frozenset[str]:
        """The metrics of whose values its conditions speak."""
        return frozenset().union(*(each.valued for each in self.when))


@dataclass(frozen=True)
class WriteUp:
    """A failure. `path` is relative to troubleshooting/; `past` is the severity once the condition has passed,
    `outgrown` that once it has and did the reward no harm, `outlived` that of lines after which the run went on;
    `measured_by` says which setting measures a metric."""

    id: str
    title: str
    severity: Severity
    past: Severity
    outgrown: Severity | None
    outlived: Severity
    confidence: Confidence
    is_generic: bool
    is_last_resort: bool
    applies: Mapping[str, tuple[str, ...]]
    needs: tuple[str, ...]
    measured_by: Mapping[str, str]
    window: int
    signature: tuple[Sign, ...]
    secondary_to: tuple[str, ...]
    cure: Mapping[str, Any]
    labels: tuple[str, ...]
    path: str
    sections: Mapping[str, str]


def read_writeup(path: Path, root: Path) -> WriteUp:
    """Read one write-up; raises `RunError` (diagnose.writeup) with the file and what is wrong in it."""
    name = path.relative_to(root).as_posix()
    try:
        return parse_writeup(path.read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError, TypeError, re.error) as error:
        raise RunError(
            "diagnose.writeup",
            f"troubleshooting/{name} is not a write-up.",
            evidence=" ".join(str(error).split())[:300],
            next_action="mend its front matter as docs/writeups.md says",
        ) from None


def parse_writeup(text: str, name: str) -> WriteUp:
    """Parse a write-up's text; raises `ValueError` with the field that is wrong."""
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise ValueError("no front matter between two lines of ---")
    head, _, prose = text[4:].partition("\n---\n")
    front = yaml.load(head, Loader=_Loader)  # a safe loader, either of them
    if not isinstance(front, dict):
        raise ValueError("the front matter is no mapping")
    if unknown := sorted(set(front) - _FIELDS):
        raise ValueError(f"unknown field {unknown[0]}")
    identity = str(front.get("id", ""))
    if not _ID.fullmatch(identity):
        raise ValueError(f"id: AREA:WHAT in lower case, not {identity!r}")
    severity = _one_of(front, "severity", SEVERITIES)
    past = _one_of(front, "past", SEVERITIES, _lower(severity))
    return WriteUp(
        id=identity,
        title=_text(front, "title"),
        severity=severity,
        past=past,
        outgrown=_one_of(front, "outgrown", SEVERITIES) if "outgrown" in front else None,
        outlived=_one_of(front, "outlived", SEVERITIES, "info" if severity == "fatal" else severity),
        confidence=_one_of(front, "confidence", ("high", "medium", "low"), "high"),
        is_generic=bool(front.get("generic", False)),
        is_last_resort=bool(front.get("last_resort", False)),
        applies=_applies(front.get("applies", {})),
        needs=_texts(front, "needs"),
        measured_by={str(key): str(value) for key, value in front.get("measured_by", {}).items()},
        window=int(front.get("window", 1)),
        signature=_signs(identity, front.get("signature")),
        secondary_to=_texts(front, "secondary_to"),
        cure=dict(front.get("cure", {})),
        labels=_texts(front, "labels"),
        path=name,
        sections=_sections(prose),
    )


def _signs(identity: str, given: Any) -> tuple[Sign, ...]:
    if not isinstance(given, list) or not given:
        raise ValueError("signature: a list of signs")
    return tuple(_sign(f"{identity}#{number}", each) for number, each in enumerate(given))


def _sign(key: str, given: Any) -> Sign:
    if not isinstance(given, dict):
        raise ValueError("signature: each sign is a mapping")
    if unknown := sorted(set(given) - _SIGN_FIELDS):
        raise ValueError(f"signature: unknown field {unknown[0]}")
    line = None
    if "line" in given:
        line = LinePattern(
            key,
            _regex(given["line"]),
            _texts(given, "has"),
            _regex(given.get("unless", "")),
            _regex(given.get("near", "")),
            _regex(given.get("not_near", "")),
            bool(given.get("at_end", False)),
            _regex(given.get("detail", "")),
            bool(given.get("chain", False)),
        )
    sign = Sign(
        line=line,
        times=int(given.get("times", 1)),
        also=_others(key, "also", given),
        never=_others(key, "never", given),
        within=int(given.get("within", 0)),
        when=tuple(parse(each) for each in _texts(given, "when")),
        hold=int(given.get("for", 1)),
        lag=int(given["lag"]) if "lag" in given else None,
        facts=tuple(parse(each) for each in _texts(given, "facts")),
    )
    if not (sign.line or sign.when or sign.facts):
        raise ValueError("signature: a sign needs line, when or facts")
    if any(each.metrics for each in sign.facts):
        raise ValueError("signature: facts speaks of metrics; when is the place for those")
    return _brief(sign) if sign.line and any(map(_bounds_lines, sign.facts)) else sign


def _bounds_lines(fact: Expression) -> bool:
    """Whether a long log can't meet a condition."""
    return fact.facts == ("lines",) and not fact.holds({"lines": LONG_LINES})


def _brief(sign: Sign) -> Sign:
    line, *others = (replace(each, is_brief=True) for each in sign.patterns)
    return replace(
        sign, line=line, also=tuple(others[: len(sign.also)]), never=tuple(others[len(sign.also) :])
    )


def _others(key: str, field: str, given: Mapping[str, Any]) -> tuple[LinePattern, ...]:
    return tuple(
        LinePattern(f"{key}.{field}{number}", _regex(each))
        for number, each in enumerate(_texts(given, field))
    )


def _regex(given: Any) -> str:
    text = str(given)
    parsed_of(text)
    if "(?<" in text:
        re.compile(text)  # how far an expression looks back is seen only here
    return text


def _text(front: Mapping[str, Any], field: str) -> str:
    value = front.get(field)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{field}: a text is needed")
    return value.strip()


def _texts(front: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = front.get(field, ())
    return (value,) if isinstance(value, str) else tuple(str(each) for each in value or ())


def _one_of(
    front: Mapping[str, Any], field: str, allowed: tuple[Any, ...], default: str | None = None
) -> Any:
    value = front.get(field, default)
    if value not in allowed:
        raise ValueError(f"{field}: one of {', '.join(allowed)}, not {value!r}")
    return value


def _applies(given: Any) -> dict[str, tuple[str, ...]]:
    if unknown := sorted(set(given) - set(APPLIES)):
        raise ValueError(f"applies: unknown field {unknown[0]}")
    return {key: _texts(given, key) for key in given}


def _lower(severity: Severity) -> Severity:
    return SEVERITIES[min(SEVERITIES.index(severity) + 1, len(SEVERITIES) - 1)]


def _sections(prose: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", prose, flags=re.MULTILINE)
    found = {title.strip(): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    if missing := [title for title in SECTIONS if not found.get(title)]:
        raise ValueError(f"no section ## {missing[0]}")
    return found
