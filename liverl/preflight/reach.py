"""Do the disks answer that the run reads from? A network mount that hangs would hold every other question up."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context, nearest_existing
from liverl.preflight.finding import Finding

# A disk that sleeps, or a mount on a busy network, answers within it.
LIMIT_S = 4.0


def check_reach(context: Context, limit_s: float = LIMIT_S) -> list[Finding]:
    """One fatal finding a configured place that does not answer; none where all do. Takes at most the limit."""
    config = context.config
    looks = dict(_looks(config))
    return [
        Finding(
            "place:hangs",
            "fatal",
            f"{key} does not answer",
            f"{looks[key][0]} could not be read within {limit_s:.0f} s; a mount that hangs behaves so",
            f"Mount it anew (umount -f, mount), or set {key} ({context.where(key)}) to another place",
        )
        for key in silent({key: look for key, (_, look) in looks.items()}, limit_s)
    ]


def answers(look: Callable[[], object], limit_s: float = LIMIT_S) -> bool:
    """Whether a look at a disk returns in time, whatever it says."""
    return not silent({"it": look}, limit_s)


def silent(looks: Mapping[str, Callable[[], object]], limit_s: float) -> list[str]:
    """The names of the looks that have not returned in time; all are made at once."""
    done = {name: threading.Event() for name in looks}
    for name, look in looks.items():
        # A daemon: nothing can end a thread that the kernel holds in a system call.
        threading.Thread(target=_look, args=(look, done[name]), daemon=True).start()
    limit = threading.Event()
    clock = threading.Timer(limit_s, limit.set)
    clock.daemon = True
    clock.start()
    for event in done.values():
        while not event.wait(0.02) and not limit.is_set():
            continue
    clock.cancel()
    return [name for name, event in done.items() if not event.is_set()]


def _look(look: Callable[[], object], done: threading.Event) -> None:
    with contextlib.suppress(
        OSError, ValueError, StopIteration
    ):  # it has answered; what, is another question's
        look()
    done.set()


def _looks(config: RunConfig) -> Iterator[tuple[str, tuple[Path, Callable[[], object]]]]:
    description = config.model.folder / "config.json"
    yield "model.path", (config.model.folder, lambda: _first_byte(description))
    for key, folder in (("data.train", config.data.train), ("data.val", config.data.val)):
        yield key, (folder, partial(_first_entry, folder))
    root = config.experiment.run_root
    yield "experiment.run_root", (root, lambda: _first_entry(nearest_existing(root)))
    if config.environment.venv:
        venv = Path(config.environment.venv)
        yield "environment.venv", (venv, lambda: _first_byte(venv / "pyvenv.cfg"))


def _first_entry(folder: Path) -> Path | None:
    return next(folder.iterdir(), None)


def _first_byte(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(1)
