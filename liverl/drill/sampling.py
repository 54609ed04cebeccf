"""Failures in the replica: the log-probabilities it answers are not those of the tokens it sampled."""

from __future__ import annotations

from functools import wraps

from liverl.drill.onset import Onset
from liverl.engine.cpu.batcher import Batcher, Slot

FACTOR = 3.0
"""Log-probabilities of logits divided by another temperature, as of a server that answers those before scaling."""


def answer_wrong_logprobs(onset: Onset) -> None:
    """From the onset on the replica answers each log-probability times three; the tokens stay as sampled."""
    original = Batcher._append

    @wraps(original)
    def append(self: Batcher, slot: Slot, token: int, logprob: float) -> None:
        original(self, slot, token, FACTOR * logprob if onset.has_come() else logprob)

    Batcher._append = append  # type: ignore[method-assign]
