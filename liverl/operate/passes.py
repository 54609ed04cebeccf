"""Passed preflights: what was checked, when, and by which fingerprint a launch may refer to it.

A launch needs one. It is kept in the user's state folder, so that the command line and the MCP server share it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from liverl.config import render_resolved
from liverl.errors import RunError
from liverl.operate.find import Place
from liverl.operate.planning import python_of
from liverl.operate.profile import Asked, Profile
from liverl.record.jsonl import write_by_rename
from liverl.run.processes import boot_id
from liverl.run.roots import state_file

# Past this a pass is not refused, only everything is checked again.
FRESH_S = 15 * 60.0
# Letters alone: clients that guess types from a text (MCP Inspector) read hexadecimal digits as numbers,
# 12e456789012 among them as an infinite one, which they refuse to send. Consonants, so that no word comes out.
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrtvw")
_LENGTH = 12
_KEPT_S = 7 * 24 * 3600.0
_FINGERPRINT = re.compile(rf"^[bcdfghjkmnpqrtvw]{{{_LENGTH}}}$")


@dataclass(frozen=True)
class Passed:
    """One passed preflight: the fingerprint, when (seconds since 1970), and what was asked for, from where.

    `probed` says whether things were tried out too; `findings` are those that stood out, as flat JSON.
    """

    fingerprint: str
    time_s: float
    config: str
    assignments: tuple[str, ...]
    smoke: bool
    cwd: str
    run_root: str
    configuration: Mapping[str, str]
    probed: bool = False
    findings: tuple[Mapping[str, str], ...] = ()

    @property
    def is_fresh(self) -> bool:
        """Whether only what changes by itself has to be looked at again."""
        return 0 <= time.time() - self.time_s < FRESH_S

    @property
    def asked(self) -> Asked:
        """What to read the configuration again with."""
        return Asked(self.config, self.assignments, self.smoke)

    @property
    def place(self) -> Place:
        """Where it was asked from."""
        return Place(Path(self.cwd), Path(self.run_root) if self.run_root else None)


def fingerprint(profile: Profile) -> str:
    """Twelve letters: all resolved values, their file, the data plane's interpreter, this boot of this host.

    Files change without it; so what is quick to look at is looked at again before a launch, however fresh the pass.
    """
    told = (render_resolved(profile.config, profile.origins), str(profile.path), python_of(profile.config))
    digest = hashlib.sha256("\0".join((*told, boot_id())).encode())
    return digest.hexdigest()[:_LENGTH].translate(_LETTERS)


def remember(
    profile: Profile,
    configuration: Mapping[str, str],
    *,
    probed: bool = False,
    findings: Sequence[Mapping[str, str]] = (),
) -> Passed:
    """Keep a passed preflight; where the state folder can't be written, only the caller has it."""
    passed = Passed(
        fingerprint(profile),
        time.time(),
        str(profile.path),
        profile.asked.assignments,
        profile.asked.smoke,
        str(profile.place.cwd),
        str(profile.place.run_root or ""),
        dict(configuration),
        probed,
        tuple(dict(finding) for finding in findings),
    )
    try:
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep()
        write_by_rename(_file(passed.fingerprint), json.dumps(asdict(passed)).encode())
    except OSError:
        pass
    return passed


def recall(mark: str) -> Passed | None:
    """The passed preflight of a fingerprint; None where there is none, or its file can't be read."""
    if not _FINGERPRINT.match(mark):
        return None
    try:
        return _read(json.loads(_file(mark).read_bytes()))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def require(mark: str) -> Passed:
    """The passed preflight of a fingerprint; raises `RunError` where there is none."""
    found = recall(mark)
    if found is None:
        raise RunError(
            "run.no_preflight",
            "No passed preflight has this fingerprint.",
            evidence=mark[:40] or "no fingerprint was given",
            next_action="preflight first; launch takes the fingerprint of its answer (shell: liverl check)",
        )
    return found


def _read(row: dict[str, Any]) -> Passed:
    row["assignments"] = tuple(str(item) for item in row["assignments"])
    row["findings"] = tuple(dict(item) for item in row.get("findings", ()))
    return Passed(**row)


def _folder() -> Path:
    return state_file().parent / "passed"


def _file(mark: str) -> Path:
    return _folder() / f"{mark}.json"


def _sweep() -> None:
    for path in _folder().glob("*.json"):
        # Another check may sweep at the same time, and what can't be swept is no reason to keep nothing.
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _KEPT_S:
                path.unlink()
