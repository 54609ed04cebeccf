"""How long a question may wait for somebody else's program, such as nvidia-smi or kubectl."""

from __future__ import annotations

from liverl.preflight.context import Context
from liverl.run.programs import Said, ask_program

__all__ = ["Said", "ask_program", "time_for"]


def time_for(context: Context, most_s: float) -> float:
    """How long a program may take within a question's own time: at most `most_s`, and a second is left to answer."""
    return min(most_s, max(0.5, context.timeout_s - 1.0))
