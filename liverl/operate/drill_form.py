"""What a drill is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["learning", "crash", "hang", "plumbing"]
Act = Literal["watch", "kill", "kill-door", "freeze", "cut"]
Surroundings = Literal["", "small-disk", "no-bubblewrap", "taken-port", "other-name", "little-memory"]
Settings = Mapping[str, Mapping[str, Any]]

NEVER = -1
"""As `at`: no code of the run is changed, the failure is in its configuration, its tasks or its surroundings."""


@dataclass(frozen=True)
class Drill:
    """A failure made on purpose.

    `breaks` is what goes wrong, `how` the means; `expects` are the ids of findings of which the primary one has to be
    one; `at` is the step behind which `liverl.drill` begins to fail the run; `settings` are sections of config.yaml
    over those of a small run, `verl` are keys of verl's own; `grading` names how the tasks are graded, `policy` who
    does them; `act` is what is done to the running run, to its process called `victim`; `around` is what is changed
    around it; `seconds` is about how long it takes on a machine that does nothing else.
    """

    name: str
    kind: Kind
    breaks: str
    how: str
    expects: tuple[str, ...]
    seconds: int
    steps: int = 4
    at: int = NEVER
    settings: Settings = field(default_factory=dict)
    verl: Mapping[str, Any] = field(default_factory=dict)
    grading: str = "red"
    policy: str = "painter"
    act: Act = "watch"
    victim: str = ""
    around: Surroundings = ""
