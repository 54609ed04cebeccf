"""A diagnosis as an answer of at most 900 tokens, its first line telling the cause."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from liverl.diagnose.attribution import Attribution
from liverl.diagnose.finding import Diagnosis, Finding
from liverl.operate.answer import SUMMARY_CHARS, cut, without_nulls

TOKENS = 900
BYTES_A_TOKEN = 3.5
_LIMIT_BYTES = int(TOKENS * BYTES_A_TOKEN) - 100
# Ever shorter versions until one fits: characters of a text, causes in full, further findings, metrics not measured.
_VERSIONS = (
    (300, 3, 8, 5),
    (220, 2, 8, 4),
    (180, 2, 6, 3),
    (140, 1, 6, 3),
    (110, 1, 4, 2),
    (80, 1, 3, 1),
    (60, 1, 1, 0),
    (30, 1, 0, 0),
    (12, 1, 0, 0),
)


@dataclass(frozen=True)
class Stack:
    """Where a process stands: its name, its pid, and the innermost frames of its threads."""

    process: str
    pid: int
    frames: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosed:
    """What was diagnosed, and what it says; `steps` of `total` were seen, the last was
    `diagnosis_step`, `note` says what the reader must know,
    `attempts` are all that a log tells, of which the last was judged,
    `attribution` what a change of the reward is made of, `configured` the values that a file tells of its run's
    configuration, by verl's names."""

    source: str
    diagnosis: Diagnosis
    is_run: bool
    steps: int = 0
    total: int = 0
    diagnosis_step: int = 0
    stacks: tuple[Stack, ...] = ()
    note: str = ""
    attempts: int = 1
    attribution: Attribution | None = None
    is_whole: bool = False
    configured: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing at warn or above was found."""
        return self.diagnosis.verdict != "sick"

    @property
    def summary(self) -> str:
        """The verdict, and the first cause with its place."""
        primary = self.diagnosis.primary
        if primary is None:
            seen = "nothing at warn or above" if self.diagnosis.findings else "no finding"
            of = f" of the last of {self.attempts} attempts" if self.attempts > 1 else ""
            why = self.diagnosis.why or f"{self._steps}{of}, {seen}"
            said = f"{self.diagnosis.verdict.replace('_', ' ')}: {why}"
            return cut(f"{said}; {self._end}", SUMMARY_CHARS) if self._end else said
        where = f", since {primary.began}" if str(primary.began) else ""
        told = f" [{primary.id}, {primary.severity}{where}]"
        # A long title gives way, never the id by which everything else speaks of it.
        room = SUMMARY_CHARS - len(self.diagnosis.verdict) - 2 - len(told)
        return f"{self.diagnosis.verdict}: {cut(primary.title, room)}{told}"

    @property
    def _steps(self) -> str:
        """How many steps were seen, and of how many, where some are still missing."""
        if not 0 < self.diagnosis_step < self.total:
            return f"{self.steps} steps"
        if self.steps == self.diagnosis_step:
            return f"{self.steps} of {self.total} steps"
        return f"{self.steps} steps to step {self.diagnosis_step} of {self.total}"

    @property
    def _end(self) -> str:
        """How the run ended, where that is no failure: who asks why it stopped reads no further than the first line."""
        told = next((each for each in self.diagnosis.findings if each.id.startswith("run:")), None)
        return f"{told.title[:1].lower()}{told.title[1:]} [{told.id}, {told.severity}]" if told else ""

    @property
    def next_action(self) -> str:
        """What to do first: see that it is so, then the cure."""
        primary = self.diagnosis.primary
        if primary is not None:
            sure = f", and be sure: {primary.confirm}" if primary.confirm else ""
            return f"read troubleshooting/{primary.writeup}{sure}"
        return f"liverl status {self.source}" if self.is_run else ""

    def payload(self) -> dict[str, Any]:
        """Verdict, findings, what was not measured; all of it with `is_whole`, else what fits."""
        if self.is_whole:
            return self._row(4000, len(self.diagnosis.findings), 0, len(self.diagnosis.not_measured))
        head = {"ok": self.ok, "summary": self.summary, "next": self.next_action}
        room = _LIMIT_BYTES - _bytes(head)
        row: dict[str, Any] = {}
        for version in _VERSIONS:
            row = without_nulls(self._row(*version))
            if _bytes(row) <= room:
                break
        return row

    def lines(self) -> list[str]:
        """The same for a person: all of it with `is_whole`, else what 900 tokens hold."""
        if self.is_whole:
            return self._lines(self.payload())
        lines: list[str] = []
        for version in _VERSIONS:
            lines = self._lines(self._row(*version))
            if len("\n".join(lines).encode(errors="replace")) <= _LIMIT_BYTES:
                break
        return lines

    def _lines(self, told: dict[str, Any]) -> list[str]:
        primary = self.diagnosis.primary
        lines = [self.summary]
        for each in told["findings"]:
            lines += _finding_lines(each, is_first=primary is not None and each["id"] == primary.id)
        if left := told.get("left_out"):
            lines.append(f"and {left} further findings: liverl diagnose --all")
        for stack in told.get("stacks") or ():
            lines.append(f"  stack of {stack['process']} ({stack['pid']})")
            lines += [f"    {frame}" for frame in stack["frames"]]
        if told["not_measured"]:
            # Another system's log is read too: its own settings have other names.
            lines.append(f"  not measured{'' if self.is_run else ' (and what measures it in LiveRL)'}:")
            lines += [f"    {each['metric']}: {each.get('setting', '')}" for each in told["not_measured"]]
        if self.attribution is not None:
            lines.append(f"  {self.attribution.line}")
        if told.get("note"):
            lines.append(f"  note: {told['note']}")
        if self.next_action:
            lines.append(f"  next: {self.next_action}")
        return lines

    def _reward(self, chars: int) -> Any:
        if self.attribution is None:
            return None
        return self.attribution.as_dict() if self.is_whole else cut(self.attribution.line, max(160, chars))

    def _row(self, chars: int, full: int, others: int, unseen: int) -> dict[str, Any]:
        findings = self.diagnosis.findings
        shown = [each for each in findings if self.is_whole or (each.is_alarm and not each.secondary_to)][
            :full
        ]
        brief = [each for each in findings if each not in shown][:others]
        told = {each.id: _cut_finding(each.as_dict(), chars) for each in shown}
        told |= {each.id: _brief(each, chars) for each in brief}
        return {
            "verdict": self.diagnosis.verdict,
            "source": cut(self.source, chars),
            "steps": self.steps,
            "steps_total": self.total or None,
            "findings": [told[each.id] for each in findings if each.id in told],
            "left_out": len(findings) - len(told) or None,
            "stacks": [
                {
                    "process": each.process,
                    "pid": each.pid,
                    "frames": [cut(frame, chars) for frame in each.frames[: 8 if self.is_whole else 4]],
                }
                for each in (self.stacks if self.is_whole else self.stacks[: max(1, full)])
            ]
            or None,
            "not_measured": [
                _cut_missing(each.as_dict(), chars) for each in self.diagnosis.not_measured[:unseen]
            ],
            "reward": self._reward(chars),
            "note": cut(self.note, chars),
        }


def _brief(finding: Finding, chars: int) -> dict[str, Any]:
    told = {
        "id": finding.id,
        "severity": finding.severity,
        "title": cut(finding.title, chars),
        "began": finding.began.as_dict(),
        "secondary_to": finding.secondary_to,
        "writeup": "" if finding.secondary_to else f"troubleshooting/{finding.writeup}",
    }
    return without_nulls(told)


def _cut_finding(told: dict[str, Any], chars: int) -> dict[str, Any]:
    kept = {name: cut(value, 2 * chars) if isinstance(value, str) else value for name, value in told.items()}
    kept["evidence"] = [cut(line, chars) for line in told.get("evidence", [])][:4]
    return kept


def _cut_missing(told: dict[str, Any], chars: int) -> dict[str, Any]:
    failures: Sequence[str] = told.get("failures", [])
    return {**told, "failures": list(failures[:4])} if chars > 100 else {**told, "failures": len(failures)}


def _finding_lines(told: dict[str, Any], is_first: bool) -> list[str]:
    began = told.get("began", {})
    where = ", ".join(f"{name} {began[name]}" for name in ("step", "line") if name in began)
    if cause := told.get("secondary_to"):
        return [
            f"    then {told['id']} ({told['severity']}{', ' + where if where else ''}): {told['title']}  <- {cause}"
        ]
    lines = []
    if not is_first:
        lines.append(
            f"also  {told['title']} [{told['id']}, {told['severity']}{', since ' + where if where else ''}]"
        )
    lines += [f"  seen  {line}" for line in told.get("evidence", [])]
    if "cleared" in told:
        lines.append(f"  it had passed by step {told['cleared']}")
    for name, label in (("cure", "cure"), ("confirm", "sure"), ("writeup", "read")):
        if told.get(name):
            lines.append(f"  {label}  {told[name]}")
    return lines


def _bytes(row: dict[str, Any]) -> int:
    return len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))
