"""The small world of the real runs that tests make: the one of the drills."""

from __future__ import annotations

from liverl.drill.painting import make_policy, teach, write_task, write_tasks

__all__ = ["make_policy", "teach", "write_task", "write_tasks"]
