"""Which metrics only a training has, and no agent, sample or configuration."""

from __future__ import annotations

from collections.abc import Iterable

from liverl.log.aliases import ALIASES
from liverl.log.names import told_names

# An agent's own steps have rewards too: only what a training alone has makes a line its row.
OF_A_TRAINING = frozenset((
    "actor/pg_loss", "actor/grad_norm", "actor/entropy", "actor/kl_loss", "actor/lr", "actor/ppo_kl",
    "actor/pg_clipfrac", "perf/throughput", "critic/score/std", "reward/zero_std_share", "response_length/clip_ratio",
    "training/rollout_probs_diff_mean", "training/rollout_actor_probs_pearson_corr", "rollout_corr/kl",
    "rollout_corr/k3_kl", "fully_async/off_policy_level", "rollout_corr/logprob_abs_diff",
    "rollout_corr/token_mult_prob_error", "rewards/chosen", "rewards/margins",
))  # fmt: skip
# Nobody but a trainer in verl's manner prints such keys.
_OF_VERL = ("actor/", "critic/", "response_length/", "rollout_corr/", "fully_async/", "val-core/")
# What anything that goes on in time has.
_ANYBODY_S = ("timing_s/", "perf/", "training/", "prompt_length/", "num_turns/", "tool_call")


def known_of(names: Iterable[str]) -> frozenset[str]:
    """verl's names of the metrics among some names, those left out that an agent's steps have as well."""
    found = {verl for name in names for verl in ((name,) if name in ALIASES else told_names(name))}
    return frozenset(each for each in found if not each.startswith(_ANYBODY_S) or each in OF_A_TRAINING)


def is_of_training(names: Iterable[str]) -> bool:
    """Whether one of the names is a metric that only a training has."""
    return any(
        name.startswith(_OF_VERL) or verl in OF_A_TRAINING
        for name in names
        for verl in (name, *told_names(name))
    )
