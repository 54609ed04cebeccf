"""`liverl triage`: a model's conclusion on top of the diagnosis; without an endpoint the same facts for a person."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.errors import RunError
from liverl.log.reader import Reader
from liverl.log.series import Series
from liverl.operate.answer import cut
from liverl.operate.diagnose import diagnose
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.find import Place, find_run
from liverl.operate.triage.asking import unanswered
from liverl.operate.triage.ground import Ground
from liverl.operate.triage.loop import Concluded, Limits, converse
from liverl.operate.triage.tools import tools_of
from liverl.record.jsonl import recent_objects
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.record.trials import parse_trials

_TRIAL_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked: an address of the Messages API ("": the SDK's own), and the model's name."""

    model: str
    url: str = ""


@dataclass(frozen=True)
class Triaged:
    """A diagnosis, and what a model concluded (None: none was asked; then `found` is for a person to go on from)."""

    found: Diagnosed
    concluded: Concluded | None = None
    model: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing at warn or above was found, and a model that was asked has concluded something."""
        return self.found.ok and (self.concluded is None or bool(self.concluded.cause))

    @property
    def summary(self) -> str:
        """The diagnosis's, always: what a model says was not checked beyond what it cites."""
        return self.found.summary

    @property
    def next_action(self) -> str:
        """As the diagnosis: a command that a model has made up, after reading what others wrote, is no next action."""
        return self.found.next_action

    def payload(self) -> dict[str, Any]:
        """The diagnosis, and beside it what a model proposes, with the citations that were found and those refuted."""
        return {**self.found.payload(), "triage": self._triage()}

    def lines(self) -> list[str]:
        """The same for a person: the diagnosis first, then what the model proposes, under labels of its own."""
        return [*self.found.lines(), *self._proposed()]

    def _proposed(self) -> list[str]:
        said = self.concluded
        if said is None:
            return ["  no model was asked: set ANTHROPIC_API_KEY or --endpoint, and --model"]
        refuted = [f"  citation REFUTED: {claim.text} ({why})" for claim, why in said.refuted]
        if not said.cause:
            return [f"  {self.model} gave no conclusion: {said.why_not}", *refuted]
        head = f"{self.model} proposes, unchecked but for what it cites ({said.turns} turns, {said.tokens} tokens):"
        found = [f"  citation found: {claim.text} [{claim.cited}]" for claim in said.claims]
        told = (("cause", said.cause), ("change", said.cure), ("check", said.confirm))
        proposed = [f"  proposed {name}: {text}" for name, text in told if text]
        return [head, *proposed[:1], *found, *refuted, *proposed[1:]]

    def _triage(self) -> dict[str, Any]:
        said = self.concluded
        if said is None:
            return {"asked": False}
        return {
            "asked": True,
            "model": self.model,
            "proposed": {
                "cause": cut(said.cause, 400),
                "change": cut(said.cure, 300),
                "check": cut(said.confirm, 300),
            },
            "citations_found": [
                {"text": cut(claim.text, 200), "cited": claim.cited} for claim in said.claims
            ],
            "refuted": [{"text": cut(claim.text, 200), "why": cut(why, 160)} for claim, why in said.refuted],
            "no_conclusion": cut(said.why_not, 500),
            "looked": list(said.looked),
            "turns": said.turns,
            "tokens": said.tokens,
        }


def endpoint(model: str = "", url: str = "") -> Endpoint | None:
    """The endpoint that the arguments or the environment name; None where there is none.

    Raises `RunError` where there is one and no model is named.
    """
    url = url or os.environ.get("ANTHROPIC_BASE_URL", "")
    has_key = bool(os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN"))
    model = model or os.environ.get("ANTHROPIC_MODEL", "")
    if not (url or has_key):
        return None
    if not model:
        raise RunError(
            "triage.model",
            "No model is named.",
            next_action="liverl triage --model NAME, or ANTHROPIC_MODEL; --offline asks none",
        )
    return Endpoint(model, url)


def triage(name: str | None, place: Place, asked: Endpoint | None, limits: Limits | None = None) -> Triaged:
    """Diagnose, then have a model look further; raises `LiveRLError` where there is nothing to look at.

    An endpoint that does not answer takes nothing from the diagnosis: the conclusion says why there is none.
    """
    found = diagnose(name, place)
    if asked is None:
        return Triaged(found)
    ground = _ground(name, place, found)
    question = (
        f"{found.source}: {found.summary}\n{found.steps} steps are told, the log has {ground.last_line} lines. "
        "Find the cause; look at the evidence yourself before you conclude."
    )
    try:
        concluded = converse(
            _client(asked), asked.model, question, tools_of(found, ground), ground, limits or Limits()
        )
    except RunError as error:
        if error.code != "triage.endpoint":
            raise
        concluded = Concluded(why_not=f"{error.message} {error.evidence}; {error.next_action}")
    return Triaged(found, concluded, asked.model)


def _ground(name: str | None, place: Place, found: Diagnosed) -> Ground:
    if not found.is_run:
        path = Path(str(name)).expanduser()
        told = Reader(path, ()).read()
        return Ground({"": path} if told.kind in ("console", "text") else {}, told.series)
    run = find_run(name, place)
    rows = parse_trials(recent_objects(run.trials_jsonl, _TRIAL_BYTES)[0])
    attempt = newest_attempt(run)
    logs = {"": run.attempt_log(attempt), "litellm": run.component_log(attempt, "litellm")}
    there = {name: path for name, path in logs.items() if path.is_file()}
    return Ground(there, _series(run), {row.trial: row for row in rows})


def _series(run: RunDir) -> Series:
    if not run.metrics_jsonl.is_file():
        return Series.empty()
    return Reader(run.metrics_jsonl, ()).read().series


def _client(asked: Endpoint) -> Any:
    try:
        import anthropic
    except ImportError:
        raise RunError(
            "triage.sdk",
            "The package anthropic is not installed.",
            next_action="bash scripts/setup_env.sh, or liverl triage --offline",
        ) from None
    has_key = os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")
    given: dict[str, Any] = {"max_retries": 1}
    if asked.url:
        given["base_url"] = asked.url
    if not has_key:
        given["api_key"] = "none"  # a server of one's own may want none, the SDK wants one
    try:
        return anthropic.Anthropic(**given)
    except Exception as error:  # an edge: an address that is none raises what the HTTP client likes
        raise unanswered(f"{type(error).__name__}: {error}") from None
