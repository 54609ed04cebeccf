"""What verl imports in every process of a drill's run, after the engine's own plugin."""

from __future__ import annotations

from liverl.drill.onset import Onset

ADAPTER = "liverl.drill.training.DrillAdapter"


def load() -> None:
    """Put the failure in its place; nothing where the environment names no drill."""
    onset = Onset.of_environment()
    if onset is None:
        return
    from verl.workers.rollout import base

    base._ROLLOUT_REGISTRY["liverl_cpu", "async"] = ADAPTER
    if onset.name == "wrong-logprobs":
        from liverl.drill.sampling import answer_wrong_logprobs

        answer_wrong_logprobs(onset)


load()
