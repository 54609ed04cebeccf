"""`python -m liverl.drill FOLDER --grading NAME --policy NAME`: makes the world of a drill where it is missing."""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

from liverl.drill import painting

_STAMP = "made_by"


def main() -> None:
    """Write FOLDER/tasks-GRADING and FOLDER/POLICY, each whole, by rename; what another version made goes first."""
    parser = argparse.ArgumentParser(prog="python -m liverl.drill", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--grading", choices=painting.GRADINGS, default="red")
    parser.add_argument("--policy", choices=painting.POLICIES, default="painter")
    given = parser.parse_args()
    sweep(given.folder)
    tasks, policy = given.folder / f"tasks-{given.grading}", given.folder / given.policy
    if not tasks.is_dir():
        painting.write_tasks(_draft(tasks), given.grading)
        _partial(tasks).rename(tasks)
    if not policy.is_dir():
        print("making the policy (ten seconds)", flush=True)
        painting.make_policy(_draft(policy), kind=given.policy)
        _partial(policy).rename(policy)


def sweep(folder: Path) -> None:
    """Remove tasks and policies that were made by other code than today's, and say whose the next ones are."""
    code = hashlib.sha256(Path(painting.__file__).read_bytes()).hexdigest()
    stamp = folder / _STAMP
    if stamp.exists() and stamp.read_text() == code:
        return
    for made in (*folder.glob("tasks-*"), *(folder / name for name in painting.POLICIES)):
        shutil.rmtree(made, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(code)


def _draft(folder: Path) -> Path:
    shutil.rmtree(_partial(folder), ignore_errors=True)
    return _partial(folder)


def _partial(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.partial")


if __name__ == "__main__":
    main()
