"""The task table has a row a task, with its instruction as the prompt."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from liverl.engine.tables import write_table
from liverl.errors import TaskError


def test_one_row_a_task_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / "tasks" / name).mkdir(parents=True)
        (tmp_path / "tasks" / name / "task.toml").write_text("")
        (tmp_path / "tasks" / name / "instruction.md").write_text(f"Mend {name}.\n")
    assert write_table(tmp_path / "tasks", "train", tmp_path / "out" / "t.parquet") == 2
    rows = pq.read_table(tmp_path / "out" / "t.parquet").to_pylist()
    assert [row["extra_info"]["task"] for row in rows] == ["a", "b"]
    assert rows[1]["prompt"] == [{"role": "user", "content": "Mend b."}]


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="holds no task"):
        write_table(tmp_path, "train", tmp_path / "t.parquet")
