"""A Harbor task folder: whether it can be run and graded, before anything is started."""

from __future__ import annotations

from pathlib import Path

from liverl.errors import TaskError

_PARTS = (
    ("task.toml", "what Harbor reads first"),
    ("instruction.md", "what the agent is asked to do"),
    ("environment", "what the agent works on"),
    ("tests/test.sh", "what grades the trial"),
)


def validate_task(folder: Path) -> None:
    """Raise `TaskError` naming the part that `folder` lacks."""
    if not folder.is_dir():
        raise TaskError("task.missing", f"There is no task folder {folder}.", next_action="Correct the path.")
    for part, purpose in _PARTS:
        if not (folder / part).exists():
            raise TaskError(
                f"task.no_{Path(part).stem}",
                f"The task {folder.name} has no {part}: {purpose}.",
                evidence=str(folder / part),
                next_action=f"Add {part}, or take the folder out of the task set.",
            )


def list_tasks(folder: Path) -> list[Path]:
    """The task folders under `folder`, sorted by name: those that hold a task.toml."""
    return sorted(path.parent for path in folder.glob("*/task.toml"))
