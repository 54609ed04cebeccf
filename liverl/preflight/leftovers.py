"""What did dead runs leave: processes that still carry their name, and folders for sockets in /tmp."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from liverl.errors import RunError
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.jobs import environment_of
from liverl.preflight.live import known
from liverl.preflight.owners import Owner, ancestry, look_up
from liverl.record.layout import RunDir
from liverl.run.liveness import read_liveness
from liverl.run.roots import is_run, runs_in

VARIABLE = "LIVERL_RUN_DIR"
TEMPORARY = Path("/tmp")
_SCRATCH = re.compile(r"^liverl-[0-9a-f]{10}$")
_NAMED = 4


@dataclass(frozen=True)
class Left:
    """What is left of dead runs: processes by the folder of their run, scratch folders by what `liverl clean` is to
    be given ("" where the run is not known), and folders of Ray's that are not this package's."""

    processes: Mapping[Path, Sequence[Owner]]
    folders: Mapping[Path, str]
    rays: Sequence[Path] = ()


def check_leftovers(context: Context) -> list[Finding]:
    """A warning for processes and folders of dead runs; nothing is touched."""
    ray = TEMPORARY / "ray"
    left = Left(left_processes(carriers()), folders_of_dead_runs(context), [ray] if ray.is_dir() else [])
    return judge_leftovers(left)


def judge_leftovers(left: Left) -> list[Finding]:
    """The findings for what is left."""
    findings = [*_processes(left.processes), *_scratch(left.folders)]
    if not findings:
        seen = f"{', '.join(map(str, left.rays))} is of another program's Ray" if left.rays else ""
        findings.append(Finding("leftovers:none", "info", "Dead runs left nothing", seen))
    return findings


def carriers() -> dict[int, Path]:
    """The processes of this user that carry the name of a run."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    named = ((pid, environment_of(pid).get(VARIABLE)) for pid in pids)
    return {pid: Path(run) for pid, run in named if run}


def left_processes(carried: Mapping[int, Path]) -> dict[Path, list[Owner]]:
    """Of the processes that carry a run's name those that outlived it; this one and those above it left out."""
    found: dict[Path, list[Owner]] = {}
    asking = set(ancestry(os.getpid()))
    for run in dict.fromkeys(carried.values()):
        pids = [pid for pid, named in carried.items() if named == run and pid not in asking]
        if not is_run(RunDir(run)):
            # A single trial's folder, or one that was removed: whoever started it may still be at work.
            pids = [pid for pid in pids if _is_orphan(pid, carried)]
        elif _is_live(RunDir(run)):
            continue
        found[run] = [owner for owner in map(look_up, pids) if owner is not None]
    return {run: owners for run, owners in found.items() if owners}


def folders_of_dead_runs(context: Context) -> dict[Path, str]:
    """The folders for sockets that no live run has, each with its run's ("" where that is not known)."""
    scratch = {path.name: path for path in _folders(TEMPORARY) if _SCRATCH.match(path.name)}
    if not scratch:
        return {}
    runs = {run.scratch.name: run for root in known(context) for run in runs_in(root)}
    runs |= {RunDir(run).scratch.name: RunDir(run) for run in set(carriers().values())}
    found = {path: runs.get(name) for name, path in scratch.items()}
    return {path: str(run.root) if run else "" for path, run in found.items() if not (run and _in_use(run))}


def run_of(pid: int) -> str:
    """The folder of the run whose name a process, or one above it, carries; empty where there is none."""
    named = (environment_of(each).get(VARIABLE, "") for each in ancestry(pid))
    return next((name for name in named if name), "")


def _is_orphan(pid: int, carried: Mapping[int, Path]) -> bool:
    """Whether nobody but init stands above the processes that carry the name."""
    above = ancestry(pid)
    return all(each in carried or each == 1 for each in above)


def _processes(left: Mapping[Path, Sequence[Owner]]) -> Iterator[Finding]:
    if left:
        owners = [owner for found in left.values() for owner in found]
        what = f"{len(owners)} processes" if len(owners) > 1 else "A process"
        whose = f"the run {next(iter(left)).name}" if len(left) == 1 else f"{len(left)} runs"
        title = f"{what} of {whose} outlived {'it' if len(left) == 1 else 'them'}"
        cures = [f"liverl clean {run}" for run in left]
        yield Finding("leftovers:processes", "warn", title, _few([each.told for each in owners]), _few(cures))


def _scratch(left: Mapping[Path, str]) -> Iterator[Finding]:
    if left:
        title = f"{len(left)} folder{'s' * (len(left) > 1)} of dead runs in {TEMPORARY} can go"
        seen = f"{_few(list(map(str, left)))}: sockets, and Ray's logs of a run that failed"
        cures = [f"liverl clean {name}" for name in sorted(set(left.values())) if name]
        unknown = [str(path) for path, name in left.items() if not name]
        cures += [f"rm -r {' '.join(unknown[:_NAMED])}"] if unknown else []
        yield Finding("leftovers:folders", "warn", title, seen, _few(cures))


def _few(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more


def _in_use(run: RunDir) -> bool:
    return not is_run(run) or _is_live(run)  # what is no run is known by the processes that carry its name


def _is_live(run: RunDir) -> bool:
    try:
        return read_liveness(run).is_live
    except (RunError, OSError):
        return False


def _folders(place: Path) -> list[Path]:
    """The folders of this user."""
    try:
        found = [path for path in place.iterdir() if path.name.startswith("liverl-")]
        return [path for path in found if path.is_dir() and path.lstat().st_uid == os.geteuid()]
    except OSError:
        return []
