"""What every test of a run can ask for."""

from __future__ import annotations

from tests.run.scripted import launch_run

__all__ = ["launch_run"]
