"""What a run that is not alive has left on this machine: listed, never touched.

Leaving         one thing: what kind, where or which process, how large
Wanted          what is to be listed beside that: logs, trials, pods
find_leavings   all of it
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt, read_plan
from liverl.record.runfile import Attempt, ProcessRef
from liverl.run.belongings import groups_of, has_processes, is_group_of_the_dead, processes_of, workers_of

# How drafts of files that appear by rename are called: a dot, the file's name, the writer's pid and thread.
_DRAFT = re.compile(r"^\..+\.\d+(\.\d+)?$")
_REMOVING = ".removing_"


@dataclass(frozen=True)
class Wanted:
    """What is to go beside what every dead run leaves."""

    logs: bool = False
    trials: bool = False
    pods: bool = False
    everything: bool = False

    @classmethod
    def of(
        cls, *, logs: bool = False, trials: bool = False, pods: bool = False, everything: bool = False
    ) -> Wanted:
        """With `everything` all three."""
        return cls(logs or everything, trials or everything, pods or everything, everything)

    @property
    def flags(self) -> str:
        """The command line's flags for it, each with a space before it."""
        if self.everything:
            return " --all"
        given = (("logs", self.logs), ("trials", self.trials), ("pods", self.pods))
        return "".join(f" --{name}" for name, is_wanted in given if is_wanted)


@dataclass(frozen=True)
class Leaving:
    """One thing that was left.

    `kind` is gpu_process, process, ray, litellm, sandbox, draft, request, logs, launch_link, trials or pod; it is a
    path, a process, or for a pod a name.
    """

    kind: str
    name: str
    path: Path | None = None
    process: ProcessRef | None = None
    size_bytes: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """The same thing at another time has the same key: a process by pid and start, though its name may change."""
        one = self.process
        return self.kind, f"{one.pid} {one.start_ticks}" if one else str(self.path or self.name)


def find_leavings(run: RunDir, attempts: tuple[Attempt, ...], wanted: Wanted) -> list[Leaving]:
    """What a run left, without pods and other people's processes; symlinks are never followed."""
    found = [_of_process(process) for process in processes_of(run, attempts)]
    found += _folder("ray", run.scratch) if is_own(run.scratch) else []
    found += _folder("litellm", run.data / "door")
    found += [
        Leaving("sandbox", str(group), group)
        for group in groups_of(workers_of(run))
        if is_group_of_the_dead(group) and not has_processes(group)
    ]
    found += [Leaving("draft", path.name, path, size_bytes=size_of(path)) for path in _drafts(run)]
    stop = run.requests / "stop.json"
    found += [Leaving("request", stop.name, stop, size_bytes=size_of(stop))] if stop.is_file() else []
    if wanted.logs:
        found += _filled("logs", run.logs)
        found += [Leaving("launch_link", str(link), link) for link in _launch_links(run)]
    if wanted.trials:
        found += _filled("trials", run.trials)
    return found


def is_own(path: Path) -> bool:
    """Whether a path is a folder, no link, of this user: its name in /tmp can be foreseen by others."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return path.is_dir() and not path.is_symlink() and found.st_uid == os.geteuid()


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files below a folder; links count as themselves."""
    if path.is_symlink() or not path.is_dir():
        return _size(path)
    return sum(_size(Path(folder) / name) for folder, _, names in os.walk(path) for name in names)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _of_process(process: ProcessRef) -> Leaving:
    return Leaving("process", process.name, process=process)


def _folder(kind: str, path: Path) -> list[Leaving]:
    if not path.is_dir() or path.is_symlink():
        return []
    return [Leaving(kind, str(path), path, size_bytes=size_of(path))]


def _filled(kind: str, path: Path) -> list[Leaving]:
    """A folder of the run that holds anything; it is emptied, since a later attempt writes there."""
    return _folder(kind, path) if path.is_dir() and any(path.iterdir()) else []


def _drafts(run: RunDir) -> Iterator[Path]:
    for folder in (run.root, run.requests, run.logs):
        if folder.is_symlink():
            continue
        for path in sorted(folder.glob(".*")):
            if path.name.startswith(_REMOVING) or (_DRAFT.match(path.name) and path.is_file()):
                yield path
    # Removals that a kill cut off: no checkpoint any more.
    yield from () if run.checkpoints.is_symlink() else sorted(run.checkpoints.glob(f"{_REMOVING}*"))
    partial = run.policy.with_name(f"{run.policy.name}.partial")
    if partial.is_dir():
        yield partial


def _launch_links(run: RunDir) -> Iterator[Path]:
    """The links to this run's logs that its attempts have on record."""
    resolved = RunDir(run.root.resolve())
    for number in range(1, newest_attempt(run) + 1):
        try:
            link = read_plan(run, number).launch_link
        except RunError:
            continue
        path = Path(link)
        if link and path.is_symlink() and _target(path) == resolved.attempt_log(number):
            yield path


def _target(link: Path) -> Path:
    return Path(os.path.normpath(link.parent.resolve() / link.readlink()))
