"""Can the run write where it is told to, and are Ray's sockets short enough?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context, nearest_existing
from liverl.preflight.finding import Finding
from liverl.preflight.overrides import verl_value

_CHECKPOINTS = "trainer.default_local_dir"
# sun_path of unix(7) holds 108 bytes with the closing zero; Ray's longest is <temp_dir>/session_<26 characters of
# time>_<pid>/sockets/plasma_store, and a pid has at most 7 digits.
_SOCKET_BYTES = 107
_RAYS_PART = len("/session_2026-01-31_23-59-59_123456_4194304/sockets/plasma_store")


def check_places(context: Context) -> list[Finding]:
    """Fatal where the run directory, the checkpoints, temporary files or the policy could not be written."""
    config = context.config
    findings = [*_unwritable(context), *judge_sockets(context)]
    return findings or [Finding("place:writable", "info", f"Runs go to {config.experiment.run_root}")]


def wanted(config: RunConfig) -> dict[str, Path]:
    """The folders that the run makes or writes to, by the key that names them."""
    folders = {"experiment.run_root": config.experiment.run_root}
    if not config.model.path:
        folders["model.built_path"] = config.model.built_path
    if config.infrastructure.temp_dir:
        folders["infrastructure.temp_dir"] = Path(config.infrastructure.temp_dir)
    elsewhere = Path(str(verl_value(config, _CHECKPOINTS) or ""))
    if elsewhere.is_absolute():  # a relative one lies in the run directory
        folders[f"verl.{_CHECKPOINTS}"] = elsewhere
    if config.experiment.name:
        checkpoints = config.experiment.run_root / config.experiment.name / "checkpoints"
        if checkpoints.is_symlink():  # where a run's checkpoints were moved to another disk
            folders["the link checkpoints of the run"] = checkpoints.resolve()
    return folders


def judge_sockets(context: Context) -> Iterator[Finding]:
    """Fatal where the paths of Ray's sockets would be too long for the system."""
    folder = context.config.infrastructure.temp_dir
    length = len(folder.encode()) + _RAYS_PART
    if folder and length > _SOCKET_BYTES:
        title = "infrastructure.temp_dir is too long for Ray's sockets"
        seen = f"their paths would have {length} bytes, the system allows {_SOCKET_BYTES}"
        least = _SOCKET_BYTES - _RAYS_PART
        cure = f"Leave infrastructure.temp_dir ({context.where('infrastructure.temp_dir')}) empty"
        yield Finding("place:too_long", "fatal", title, seen, f"{cure}, or name one of at most {least} bytes")


def _unwritable(context: Context) -> Iterator[Finding]:
    for key, path in wanted(context.config).items():
        there = nearest_existing(path)
        if _is_writable(there):
            continue
        seen = f"{there} {'can not be written to' if there.is_dir() else 'is not a folder'}"
        cure = f"Set {key} ({context.where(key)}) to a folder that you may write to"
        yield Finding("place:not_writable", "fatal", f"{key} can't be written", seen, cure)
    if not _is_writable(Path("/tmp")):
        cure = "sudo chmod 1777 /tmp"
        yield Finding(
            "place:not_writable", "fatal", "/tmp can't be written, where Ray's sockets lie", "", cure
        )


def _is_writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
