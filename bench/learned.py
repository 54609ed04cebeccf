"""What verl tells of each step of a run that learns: its own keys, with the noise of small batches.

row    the metrics of one step, the same for the same step
spelt  how verl prints one of them
"""

from __future__ import annotations

from math import exp
from random import Random

# After so many steps most is learned; a gradient far above its usual size comes once in as many.
_SCALE, _SPIKES = 20_000.0, 400
# What verl has averaged itself is numpy's.
_AVERAGED = ("actor/", "num_turns/", "perf/mfu")


def row(step: int) -> dict[str, float]:
    """The metrics of a step of a healthy run: the reward rises, the entropy falls to a floor, everything is noisy."""
    chance = Random(step)
    left = exp(-step / _SCALE)
    score = min(1.0, max(0.0, 0.7 - 0.5 * left + chance.gauss(0.0, 0.06)))
    length, prompt = 400.0 + 150.0 * (1 - left) + chance.gauss(0.0, 25.0), 180.0 + chance.gauss(0.0, 8.0)
    return {
        **_lengths(chance, length, prompt),
        **_actor(chance, left, step),
        **_rollout(chance),
        **_rewards(chance, score),
        **_times(chance, length + prompt),
        "training/global_step": step,
    }


def spelt(name: str, value: float) -> str:
    """A metric as a step line has it."""
    return f"{name}:np.float64({value!r})" if name.startswith(_AVERAGED) else f"{name}:{value!r}"


def _actor(chance: Random, left: float, step: int) -> dict[str, float]:
    spike = 6.0 if step % _SPIKES == _SPIKES - 1 else 1.0
    return {
        "actor/entropy": 0.25 + 0.35 * left + chance.gauss(0.0, 0.02),
        "actor/kl_loss": abs(0.02 + 0.06 * (1 - left) + chance.gauss(0.0, 0.004)),
        "actor/ppo_kl": chance.gauss(2e-4, 3e-4),
        "actor/pg_loss": chance.gauss(0.0, 0.02),
        "actor/pg_clipfrac": abs(chance.gauss(0.002, 0.001)),
        "actor/pg_clipfrac_lower": 0.0,
        "actor/grad_norm": spike * exp(chance.gauss(-0.7, 0.25)),
        "actor/lr": 1e-06,
        "actor/perf/max_memory_allocated_gb": 41.6 + 0.01 * chance.random(),
        "actor/perf/max_memory_reserved_gb": 58.3,
        "actor/perf/cpu_memory_used_gb": 112.0 + chance.gauss(0.0, 1.5),
        "perf/mfu/actor": 0.31 + chance.gauss(0.0, 0.01),
    }


def _rollout(chance: Random) -> dict[str, float]:
    difference = abs(chance.gauss(0.004, 0.0004))
    return {
        "training/rollout_probs_diff_max": abs(chance.gauss(0.4, 0.1)),
        "training/rollout_probs_diff_mean": difference,
        "training/rollout_probs_diff_std": 2.0 * difference,
        "training/rollout_actor_probs_pearson_corr": 1.0 - abs(chance.gauss(0.001, 0.0003)),
        "rollout_corr/kl": abs(chance.gauss(6e-4, 1e-4)),
        "rollout_corr/k3_kl": abs(chance.gauss(6e-4, 1e-4)),
    }


def _rewards(chance: Random, score: float) -> dict[str, float]:
    found = {"critic/score/mean": score, "critic/score/max": 1.0, "critic/score/min": 0.0,
             "critic/rewards/mean": score, "critic/rewards/max": 1.0, "critic/rewards/min": 0.0}  # fmt: skip
    mean, spread = chance.gauss(-0.02, 0.03), abs(chance.gauss(2.2, 0.2))
    for name in ("advantages", "returns"):
        found |= {f"critic/{name}/mean": mean, f"critic/{name}/max": spread, f"critic/{name}/min": -spread}
    return found


def _lengths(chance: Random, length: float, prompt: float) -> dict[str, float]:
    total = 64 * (length + prompt)
    clipped = abs(chance.gauss(0.01, 0.008))
    turns = 3.0 + chance.gauss(0.0, 0.2)
    return {
        "global_seqlen/min": 0.9 * total,
        "global_seqlen/max": 1.1 * total,
        "global_seqlen/mean": total,
        "response_length/mean": length,
        "response_length/max": 2048.0 if clipped > 0.001 else 1900.0,
        "response_length/min": float(chance.randrange(20, 60)),
        "response_length/clip_ratio": clipped,
        "prompt_length/mean": prompt,
        "prompt_length/max": float(chance.randrange(300, 340)),
        "prompt_length/min": float(chance.randrange(80, 90)),
        "prompt_length/clip_ratio": 0.0,
        "num_turns/max": float(chance.randrange(5, 8)),
        "num_turns/mean": turns,
    }


def _times(chance: Random, tokens: float) -> dict[str, float]:
    gen, update = abs(chance.gauss(12.0, 1.0)), abs(chance.gauss(6.0, 0.3))
    step = gen + update + 2.0
    return {
        "timing_s/gen": gen,
        "timing_s/reward": abs(chance.gauss(0.3, 0.05)),
        "timing_s/old_log_prob": abs(chance.gauss(1.2, 0.1)),
        "timing_s/update_actor": update,
        "timing_s/update_weights": abs(chance.gauss(0.4, 0.05)),
        "timing_s/step": step,
        "perf/total_num_tokens": round(64 * tokens),
        "perf/throughput": 64 * tokens / step,
    }
