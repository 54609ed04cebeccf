"""What a log or a file of metrics tells: its steps, the lines that were looked for, facts about the file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from liverl.log.series import Series
from liverl.log.sighting import Sighting


@dataclass(frozen=True)
class Told:
    """`kind` is console, jsonl, csv, trainer_state, summary or text; `settings` what the file says of the set-up,
    `configured` the values of a configuration that it prints, by their dotted keys."""

    kind: str
    series: Series
    sightings: Mapping[str, Sighting] = field(default_factory=dict)
    facts: Mapping[str, float | int | bool | str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    configured: Mapping[str, str] = field(default_factory=dict)
