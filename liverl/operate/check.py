"""What would keep a run from working: the verdict, the findings, and what would be run."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from liverl.config import ConfigProblems
from liverl.operate import passes
from liverl.operate.answer import cut
from liverl.operate.profile import Asked, Profile
from liverl.preflight import Finding, config_findings, configuration_summary, run_checks, worst_first
from liverl.preflight.run import LIVE

OnAnswer = Callable[[str, list[Finding]], None]

# 600 tokens of 3.5 bytes, less the head: what findings and configuration may take together, whatever was found.
_ROOM_BYTES = 1650
_TEXT_CHARS = 160
_OF_A_KIND = 6


@dataclass(frozen=True)
class Checked:
    """All findings, worst first; `configuration` is what would be run, `fingerprint` what a launch needs.

    `command` starts in a shell what was checked.
    """

    findings: tuple[Finding, ...]
    fingerprint: str = ""
    configuration: Mapping[str, str] = field(default_factory=dict)
    command: str = "liverl run"

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Those because of which a run must not be started."""
        return tuple(finding for finding in self.findings if finding.blocks)

    @property
    def ok(self) -> bool:
        """Whether a run may be started."""
        return not self.blocking

    @property
    def verdict(self) -> str:
        """SAFE TO RUN: YES or NO, with the counts."""
        count = Counter(finding.severity for finding in self.findings)
        counts = ", ".join(
            f"{count[severity]} {severity}" for severity in ("fatal", "error", "warn", "skipped")
        )
        return f"SAFE TO RUN: {'YES' if self.ok else 'NO'} ({counts}, {count['info']} ok)"

    @property
    def summary(self) -> str:
        """The verdict, and the worst finding where something is in the way."""
        return cut(
            self.verdict if self.ok else f"{self.verdict}: {self.blocking[0].title}",
            200,
        )

    @property
    def next_action(self) -> str:
        """The first cure there is, else the run."""
        return next((finding.cure for finding in self.blocking if finding.cure), self.command)

    def payload(self) -> dict[str, Any]:
        """What stands out, bounded, and what would be run."""
        room = _ROOM_BYTES - sum(_size(name, value) for name, value in self.configuration.items())
        shown = _bounded([finding for finding in self.findings if finding.severity != "info"], room)
        left = sum(1 for finding in self.findings if finding.severity != "info") - len(shown)
        return {
            "fingerprint": self.fingerprint if self.ok else "",
            "findings": shown,
            "more": f"{left} more findings: liverl check" if left else "",
            "configuration": dict(self.configuration),
        }


def check(profile: Profile, on_answer: OnAnswer | None = None, *, probe: bool | None = None) -> Checked:
    """Ask every question of the preflight; a pass is remembered under its fingerprint, nothing else is changed.

    `probe` also tries things out (sandboxes, the chain from LiteLLM to tokens); by default where the CPU generates.
    """
    return _asked(profile, on_answer, probe, ())


def check_again(profile: Profile, passed: passes.Passed, on_answer: OnAnswer | None = None) -> Checked:
    """What has to be asked before a launch; what stood out in the pass and is not asked again stands out still.

    Where the pass is fresh, and has tried out what is to be tried out here, that is what changes by itself or is quick
    to look at; else it is everything.
    """
    if not passed.is_fresh or (_probes(profile) and not passed.probed):
        return _asked(profile, on_answer, None, ())
    found = _asked(profile, on_answer, None, LIVE)
    asked = {area(finding) for finding in found.findings}
    earlier = [Finding(**row) for row in passed.findings]  # type: ignore[arg-type]
    kept = [finding for finding in earlier if area(finding) not in asked]
    return replace(found, findings=tuple(worst_first([*found.findings, *kept])))


def area(finding: Finding) -> str:
    """What a finding is about: its id up to the colon."""
    return finding.id.partition(":")[0]


def problems(found: ConfigProblems) -> Checked:
    """A configuration that can't be loaded, as a check that found that."""
    return Checked(tuple(config_findings(found)))


def titles(findings: Sequence[Finding]) -> str:
    """Findings in one line."""
    return "; ".join(finding.title for finding in findings)


def _probes(profile: Profile) -> bool:
    return profile.config.engine.rollout == "cpu"


def _guards(stop_on: Sequence[str]) -> list[Finding]:
    """A guard that stops nothing is found before the night that it was set for."""
    if not stop_on:
        return []
    from liverl.diagnose.catalogue import catalogue
    from liverl.operate.guarding import idle

    return [
        Finding(
            "guards:idle",
            "error",
            f"A guard fits no fatal failure, so it would never stop the run: {guard[:60]}",
            "logging.stop_on",
            "name ids of docs/failures.md with the severity fatal, such as policy:nan or disk:*",
        )
        for guard in idle(stop_on, catalogue())
    ]


def _asked(profile: Profile, on_answer: OnAnswer | None, probe: bool | None, only: Sequence[str]) -> Checked:
    probe = _probes(profile) if probe is None else probe
    findings = run_checks(
        profile.config,
        profile.facts,
        config_file=profile.path,
        origins=profile.origins,
        on_answer=on_answer,
        probe=probe,
        only=only,
    )
    findings = [*findings, *_guards(profile.config.logging.stop_on)]
    configuration = configuration_summary(profile.config, profile.facts, findings)
    mark, command = passes.fingerprint(profile), _command(profile.asked)
    found = Checked(tuple(folded(worst_first(findings))), mark, configuration, command)
    if found.ok and not only:
        told = [finding.as_dict() for finding in found.findings if finding.severity != "info"]
        passes.remember(profile, configuration, probed=probe, findings=told)
    return found


def folded(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, of many of one kind the first few and how many more there are."""
    count = Counter((finding.id, finding.severity) for finding in findings)
    seen: Counter[tuple[str, str]] = Counter()
    kept = []
    for finding in findings:
        kind = (finding.id, finding.severity)
        seen[kind] += 1
        if count[kind] <= _OF_A_KIND or seen[kind] < _OF_A_KIND:
            kept.append(finding)
        elif seen[kind] == _OF_A_KIND:
            more = f"{count[kind] - _OF_A_KIND + 1} more findings of this kind"
            kept.append(
                Finding(finding.id, finding.severity, more, f"the next one: {finding.title}", finding.cure)
            )
    return kept


def _command(asked: Asked) -> str:
    words = ["liverl", "run"]
    words += ["--config", asked.config] if asked.config else []
    words += [word for setting in asked.assignments for word in ("--set", setting)]
    words += ["--smoke"] if asked.smoke else []
    return shlex.join(words)


def _bounded(findings: Sequence[Finding], room_bytes: int) -> list[dict[str, str]]:
    """As many as there is room for, and always the first."""
    shown: list[dict[str, str]] = []
    for finding in findings:
        row = {name: cut(text, _TEXT_CHARS) for name, text in finding.as_dict().items()}
        room_bytes -= sum(_size(name, text) for name, text in row.items())
        if shown and room_bytes < 0:
            break
        shown.append(row)
    return shown


def _size(name: str, value: str) -> int:
    return len(name.encode()) + len(value.encode()) + len('"":"",')
