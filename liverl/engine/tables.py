"""The task tables that verl's data loader reads: one row a task folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from liverl.errors import TaskError

AGENT_NAME = "liverl"


def task_folders(root: Path) -> list[Path]:
    """The task folders below `root` (those with a task.toml), by name; TaskError when there is none."""
    folders = sorted(path.parent for path in root.glob("*/task.toml"))
    if not folders:
        raise TaskError(
            "task.none",
            f"{root} holds no task",
            evidence="no */task.toml",
            next_action="name a folder of Harbor tasks in data.train and data.val",
        )
    return folders


def task_row(folder: Path, split: str, index: int) -> dict[str, Any]:
    """verl's row of one task: the instruction as its prompt, and where the task lies."""
    instruction = (folder / "instruction.md").read_text().strip()
    return {
        "data_source": split,
        "prompt": [{"role": "user", "content": instruction}],
        "reward_model": {"style": "verifier", "ground_truth": ""},
        "extra_info": {"index": index, "split": split, "task": folder.name, "path": str(folder.resolve())},
        "agent_name": AGENT_NAME,
    }


def write_table(root: Path, split: str, out: Path) -> int:
    """Write the table of all tasks below `root` as parquet; returns how many."""
    rows = [task_row(folder, split, index) for index, folder in enumerate(task_folders(root))]
    out.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), out)
    return len(rows)
