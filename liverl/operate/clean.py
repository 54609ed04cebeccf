"""Lists and removes what a dead run has left; checkpoints and what was measured always stay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from liverl.errors import LiveRLError, RunError
from liverl.operate.answer import SUMMARY_CHARS, cut
from liverl.operate.find import Place, list_runs
from liverl.record.layout import RunDir
from liverl.run import clean as run_clean
from liverl.run.leavings import Leaving, Wanted, find_leavings
from liverl.run.liveness import read_liveness

__all__ = ["Cleaning", "Wanted", "clean", "plan_clean", "run_to_clean"]

_SHOWN = 40
_MIB = 1024 * 1024


@dataclass(frozen=True)
class Cleaning:
    """What would be removed, or was; `failed` are those that could not be, with why, `notes` what was left out."""

    name: str
    done: bool
    leavings: tuple[Leaving, ...]
    failed: tuple[tuple[Leaving, str], ...] = ()
    notes: tuple[str, ...] = ()
    wanted: Wanted = field(default_factory=Wanted)

    @property
    def command(self) -> str:
        """The clean itself, as a person types it."""
        return f"liverl clean {self.name}{self.wanted.flags}"

    @property
    def ok(self) -> bool:
        """Whether nothing was in the way."""
        return not self.failed

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to remove."""
        return not self.leavings and not self.failed

    @property
    def size_bytes(self) -> int:
        """The bytes of all of them."""
        return sum(leaving.size_bytes for leaving in self.leavings)

    @property
    def summary(self) -> str:
        """How much it is, by kind."""
        if self.is_empty:
            return f"{self.name} has left nothing to remove"
        kinds = ", ".join(f"{count} {kind}" for kind, count in self._by_kind().items())
        told = (
            f"{'removed' if self.done else 'would remove'} of {self.name}: {kinds} ({_size(self.size_bytes)})"
        )
        left = f"; {len(self.failed)} could not be removed" if self.failed else ""
        return cut(told + left, SUMMARY_CHARS)

    @property
    def next_action(self) -> str:
        """The clean itself after the dry list, else how to go on."""
        if self.failed:
            return f"{self.command} --dry-run"
        if self.done or self.is_empty:
            return f"liverl status {self.name}"
        return self.command

    def lines(self, limit: int = _SHOWN) -> list[str]:
        """The list, one thing a line."""
        shown = [_line(leaving) for leaving in self.leavings[:limit]]
        more = len(self.leavings) - len(shown)
        rest = [f"  ... and {more} more"] if more > 0 else []
        stays = [] if self.is_empty else ["  stays: checkpoints, policy, metrics, events, tensorboard, wandb"]
        return [self.summary, *shown, *rest, *self.outcome(limit), *stays]

    def outcome(self, limit: int = _SHOWN) -> list[str]:
        """What could not be removed, with why, and the notes, one a line."""
        failed = [f"  not removed: {_line(leaving).strip()}: {why}" for leaving, why in self.failed[:limit]]
        return [*failed, *(f"  note: {note}" for note in self.notes)]

    def payload(self) -> dict[str, Any]:
        """The list as JSON, at most 40 things of it."""
        return {
            "run": self.name,
            "done": self.done,
            "count": len(self.leavings),
            "size_bytes": self.size_bytes,
            "kinds": self._by_kind(),
            "items": [_plain(leaving) for leaving in self.leavings[:_SHOWN]],
            "failed": [{**_plain(leaving), "why": why} for leaving, why in self.failed[:_SHOWN]],
            "notes": list(self.notes),
        }

    def _by_kind(self) -> dict[str, int]:
        kinds: dict[str, int] = {}
        for leaving in self.leavings:
            kinds[leaving.kind] = kinds.get(leaving.kind, 0) + 1
        return kinds


def plan_clean(run: RunDir, wanted: Wanted) -> Cleaning:
    """The dry list; changes nothing; raises `RunError` while the run is alive or can't be reached."""
    found, notes = run_clean.list_leavings(run, wanted)
    return Cleaning(run.name, False, tuple(found), notes=tuple(notes), wanted=wanted)


def clean(run: RunDir, wanted: Wanted, confirmed: Cleaning) -> Cleaning:
    """Remove of the dry list that a person has seen what is still there.

    What has appeared since stays and is named in `notes`. Pods go only where they carry both labels of this run:
    harbor-run with its name, liverl-run with the digest of its directory. Raises `RunError` while the run is alive or
    can't be reached.
    """
    swept = run_clean.clean(run, wanted, confirmed.leavings)
    return Cleaning(run.name, True, swept.removed, swept.failed, swept.notes, wanted)


def run_to_clean(place: Place) -> RunDir:
    """The one run that has left something, where none was named; raises `RunError` when it is none, or several."""
    left = [run for run in list_runs(place) if _has_left(run)]
    if len(left) == 1:
        return left[0]
    if not left:
        raise RunError(
            "clean.nothing",
            "No run that is dead has left anything.",
            next_action="liverl clean RUN --logs   or --trials, --pods, --all   for those of one run",
        )
    raise RunError(
        "clean.several",
        f"{len(left)} dead runs have left something; say which.",
        evidence=", ".join(run.name for run in left[:12]),
        next_action=f"liverl clean {left[0].name}",
    )


def _has_left(run: RunDir) -> bool:
    try:
        state = read_liveness(run)
        if state.is_live or state.state == "unreachable":
            return False
        found = find_leavings(run, state.record.attempts if state.record else (), Wanted())
        # Every run that ended well has LiteLLM's file; for that alone nobody has to say which run is meant.
        return any(leaving.kind != "litellm" for leaving in found)
    except (LiveRLError, OSError):
        return False


def _line(leaving: Leaving) -> str:
    where = f"{leaving.name} (pid {leaving.process.pid})" if leaving.process else leaving.name
    size = f"  {_size(leaving.size_bytes)}" if leaving.size_bytes else ""
    return f"  {leaving.kind:<12} {where}{size}"


def _plain(leaving: Leaving) -> dict[str, Any]:
    return {
        "kind": leaving.kind,
        "name": leaving.name,
        "pid": leaving.process.pid if leaving.process else None,
        "size_bytes": leaving.size_bytes or None,
    }


def _size(size_bytes: int) -> str:
    if size_bytes < 1024:
        return f"{size_bytes} B"
    return f"{size_bytes / _MIB:.1f} MiB" if size_bytes >= _MIB else f"{size_bytes / 1024:.0f} KiB"
