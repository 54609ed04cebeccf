"""Is there memory for the trainer, the replica and the sandboxes?"""

from __future__ import annotations

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.machine import available_bytes

# Ray, verl's processes and LiteLLM before the first step of a small policy.
_BASE_BYTES = 5_000_000_000
_LEAST_BYTES = 4_000_000_000


def check_memory(context: Context) -> list[Finding]:
    """Fatal where the trainer can't even start, a warning where sandboxes at their limit would not fit."""
    return judge_memory(context.config, available_bytes())


def judge_memory(config: RunConfig, available: int) -> list[Finding]:
    """The finding for so much memory that can still be taken."""
    sandboxes = config.trial.concurrency * config.sandbox.memory_mb * 1_000_000
    evidence = (
        f"{available / 1e9:.1f} GB can be taken; the trainer and its servers need about "
        f"{_BASE_BYTES / 1e9:.0f} GB, {config.trial.concurrency} sandboxes at most {sandboxes / 1e9:.1f} GB"
    )
    if available < _LEAST_BYTES:
        cure = "End other programs, or use a machine with at least 8 GB"
        return [Finding("memory:short", "fatal", "There is too little memory to start", evidence, cure)]
    if available < _BASE_BYTES + sandboxes:
        fitting = max(1, (available - _BASE_BYTES) // (config.sandbox.memory_mb * 1_000_000))
        cure = f"Set trial.concurrency to {fitting}, or end other programs"
        return [Finding("memory:tight", "warn", "Memory may run out with all sandboxes full", evidence, cure)]
    return [Finding("memory:enough", "info", "Memory suffices", evidence)]
