"""What a built policy was made of, in a file beside it, so that a later run can tell whether it would build another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAME = "policy.json"
Stamp = dict[str, Any]


def make_stamp(seed: int, train_tasks: Path, recipe: Mapping[str, Any]) -> Stamp:
    """The seed, a digest of what a build reads of the training tasks, and the recipe's values."""
    stamp: Stamp = json.loads(
        json.dumps({"seed": seed, "tasks": _digest_tasks(train_tasks), "recipe": dict(recipe)})
    )
    return stamp


def write_stamp(folder: Path, stamp: Stamp) -> None:
    """Put the stamp into the policy's folder."""
    (folder / NAME).write_text(json.dumps(stamp, indent=2) + "\n", encoding="utf-8")


def differences(folder: Path, now: Stamp) -> list[str]:
    """What the policy in the folder was built from and would not be now, in words; none without a stamp."""
    try:
        then = json.loads((folder / NAME).read_text(encoding="utf-8"))
        seed, tasks, recipe = then["seed"], then["tasks"], then["recipe"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError):
        return [f"{NAME} can't be read"]
    found = {
        f"the seed was {seed}, now {now['seed']}": seed != now["seed"],
        "the training tasks have changed": tasks != now["tasks"],
        "the recipe has changed": recipe != now["recipe"],
    }
    return [words for words, differs in found.items() if differs]


def _digest_tasks(train_tasks: Path) -> str:
    digest = hashlib.sha256()
    for task in sorted(path.parent for path in train_tasks.glob("*/task.toml")):
        programs = [path for path in task.glob("environment/app/*.py") if not path.name.startswith("test_")]
        for file in (task / "instruction.md", *sorted(programs), task / "solution" / "solve.sh"):
            content = file.read_bytes() if file.is_file() else b""
            digest.update(f"\0{file.relative_to(train_tasks)}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()
