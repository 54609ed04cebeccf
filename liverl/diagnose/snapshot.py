"""What is known of a run at one moment: its metrics, what its log says, and facts about its files and processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from liverl.diagnose.language import Fact
from liverl.log.series import Series
from liverl.log.sighting import Sighting


@dataclass(frozen=True)
class Snapshot:
    """A run, or a file that somebody has.

    `source` names what was read, `kind` is run, console, jsonl, csv, trainer_state, summary or text;
    `sightings` are by the key of a `LinePattern`; `facts` are documented in `liverl.diagnose.facts`;
    `setting` says engine, mode, family, scaffold and backend as far as they are known.
    """

    source: str
    kind: str
    series: Series
    sightings: Mapping[str, Sighting] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    setting: Mapping[str, str] = field(default_factory=dict)
