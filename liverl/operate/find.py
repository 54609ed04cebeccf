"""Which run is meant, and where runs are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.liveness import read_liveness
from liverl.run.roots import is_run, known_roots, runs_in

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
    found = {run.root: run for root in roots(place) for run in runs_in(root)}
    return sorted(found.values(), key=_launched_s, reverse=True)


def find_run(name: str | None, place: Place) -> RunDir:
    """The run of a name or path; without one the newest that is live, else the newest.

    Raises `RunError` with the names there are.
    """
    if name and _holds_trials(run := RunDir(Path(name).expanduser().resolve())):
        return run
    runs = list_runs(place)
    if not runs:
        raise RunError(
            "run.none",
            "There is no run yet.",
            evidence="looked in " + ", ".join(str(root) for root in roots(place)),
            next_action="liverl run",
        )
    if not name:
        return next((run for run in runs if _is_live(run)), runs[0])
    named = [run for run in runs if run.name == name] or [run for run in runs if run.name.startswith(name)]
    if len(named) == 1 or (named and named[0].name == name):
        return named[0]
    raise RunError(
        "run.unknown",
        f"No run is called {name}." if not named else f"Several runs begin with {name}.",
        evidence="there are " + ", ".join(run.name for run in (named or runs)[:8]),
        next_action="liverl status --list",
    )


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
