"""Which run is meant, and where runs are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.liveness import read_liveness
from liverl.run.roots import each_root, is_run, known_roots, runs_in

CONFIG_NAME = "config.yaml"


@dataclass(frozen=True)
class Place:
    """Where somebody stands: the folder, and the run root they gave, if any."""

    cwd: Path
    run_root: Path | None = None

    @classmethod
    def here(cls, run_root: str | None = None) -> Place:
        """The current folder; an empty root is none."""
        return cls(Path.cwd(), Path(run_root).expanduser().resolve() if run_root else None)


def nearest_config(cwd: Path) -> Path | None:
    """The config.yaml of a folder or of the nearest one above it."""
    for folder in (cwd, *cwd.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder / CONFIG_NAME
    return None


def roots(place: Place) -> list[Path]:
    """Folders that runs are looked for in, the first being where a new one would go.

    One folder where `--run-root` or `LIVERL_RUNS` names it; else that of the nearest config.yaml (or ./runs),
    then every folder a run was ever launched in.
    """
    given = given_root(place)
    if given is not None:
        return [given]
    first = _configured_root(place.cwd) or place.cwd / "runs"
    return list(dict.fromkeys([first.resolve(), *known_roots()]))


def given_root(place: Place) -> Path | None:
    """The one folder that `--run-root` or `LIVERL_RUNS` names."""
    if place.run_root is not None:
        return place.run_root
    named = os.environ.get("LIVERL_RUNS")
    return Path(named).expanduser().resolve() if named else None


def list_runs(place: Place) -> list[RunDir]:
    """Every run of those folders, newest first."""
    found = {run.root: run for runs in each_root(roots(place), runs_in).values() for run in runs}
    return sorted(found.values(), key=_launched_s, reverse=True)


def find_run(
    name: str | None, place: Place, *, only_known_roots: bool = False, only_own: bool = False
) -> RunDir:
    """The run of a name or path; without one the newest that is live, else the newest.

    With `only_known_roots` a path that leads out of the folders of runs is refused; with `only_own` a run without a
    name is one of this folder's own. Raises `RunError` with the names there are.
    """
    if name and (there := _by_path(name, place, only_known_roots)) is not None:
        return there
    runs = list_runs(place)
    if not runs:
        raise RunError(
            "run.none",
            "There is no run yet.",
            evidence="looked in " + ", ".join(str(root) for root in roots(place)),
            next_action="liverl run",
        )
    if not name:
        meant = [run for run in runs if not only_own or run.root.parent == roots(place)[0]]
        if not meant:
            raise RunError(
                "run.unnamed",
                "This folder has no run of its own, and no run was named.",
                evidence="there are " + ", ".join(str(run.root) for run in runs[:4]),
                next_action="name the run",
            )
        return next((run for run in meant if _is_live(run)), meant[0])
    named = [run for run in runs if run.name == name] or [run for run in runs if run.name.startswith(name)]
    # Names are made of model, scaffold and day, so two projects' runs may share one: this folder's is meant.
    own = [run for run in named if run.root.parent == roots(place)[0]] or named
    exact = [run for run in own if run.name == name]
    if len(exact) == 1 or len(own) == 1:
        return (exact or own)[0]
    if exact:
        raise RunError(
            "run.unknown",
            f"Several runs are called {name}, none of them of this folder.",
            evidence=", ".join(str(run.root) for run in exact[:8]),
            next_action="name it by its path",
        )
    raise RunError(
        "run.unknown",
        f"No run is called {_short(name)}." if not named else f"Several runs begin with {_short(name)}.",
        evidence="there are " + ", ".join(run.name for run in (named or runs)[:8]),
        next_action="liverl status --list",
    )


def _short(name: str) -> str:
    return name if len(name) <= 200 else f"{name[:200]}…"


def _by_path(name: str, place: Place, only_known_roots: bool) -> RunDir | None:
    try:
        path = Path(name).expanduser().resolve()
        is_run_there = _holds_trials(RunDir(path))
    except (OSError, ValueError, RuntimeError):  # too long, a null byte, an unknown user's home
        return None
    is_path = os.sep in name or name.startswith((".", "~"))
    if only_known_roots and is_path and not any(path.parent == root for root in roots(place)):
        raise RunError(
            "run.outside",
            "A run is named by its name, or by a path in a folder of runs.",
            evidence=f"{name[:100]} is in none of " + ", ".join(str(root) for root in roots(place)),
            next_action="list_runs (shell: liverl status --list)",
        )
    return RunDir(path) if is_run_there and (is_path or not only_known_roots) else None


def _holds_trials(run: RunDir) -> bool:
    # A single trial's folder is laid out as a run's, though no run was ever launched there.
    return is_run(run) or run.trials_jsonl.is_file()


def _configured_root(cwd: Path) -> Path | None:
    # Read leniently: a broken config.yaml must not hide the runs that were made with it.
    config = nearest_config(cwd)
    if config is None:
        return None
    try:
        content = yaml.safe_load(config.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        content = None
    section = content.get("experiment") if isinstance(content, dict) else None
    named = section.get("run_root") if isinstance(section, dict) else None
    return config.parent / Path(str(named or "runs")).expanduser()


def _launched_s(run: RunDir) -> float:
    for path in (run.config, run.run_json, run.root):
        try:
            return path.stat().st_mtime
        except OSError:
            continue
    return 0.0


def _is_live(run: RunDir) -> bool:
    try:
        return read_liveness(run).is_live
    except (RunError, OSError):
        return False
