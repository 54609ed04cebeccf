"""What every test of the verbs can ask for."""

from __future__ import annotations

from tests.operate.made import made
from tests.run.scripted import launch_run

__all__ = ["launch_run", "made"]
