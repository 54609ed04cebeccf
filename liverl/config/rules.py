"""Values that are each right and impossible together, and what each combination needs instead.

Every rule takes the configuration and the machine's facts and yields what breaks it. Batch arithmetic follows
verl's own checks (`verl/utils/config.py: validate_config`), said in this configuration's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd

from liverl.config.facts import Facts
from liverl.config.parallel import Parallel
from liverl.config.schema import RunConfig


@dataclass(frozen=True)
class Breach:
    """A broken rule: the key to blame, the other keys it reads, why, and the cure."""

    key: str
    others: tuple[str, ...]
    reason: str
    cure: str


def breaches(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    """Every rule that the configuration breaks on this machine."""
    for rule in _RULES:
        yield from rule(config, facts)


def _batches(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    prompts, mini = config.training.prompts_per_step, config.training.mini_batch_size
    keys = ("training.mini_batch_size", ("training.prompts_per_step",))
    if mini > prompts:
        cure = f"Set training.mini_batch_size to at most {prompts}, or to 0 for one update a step"
        yield Breach(*keys, f"is more than training.prompts_per_step = {prompts}", cure)
    elif prompts % mini:
        fitting = _largest_divisor(prompts, mini)
        cure = f"Set training.mini_batch_size to {fitting}, or to 0 for one update a step"
        yield Breach(*keys, f"does not divide training.prompts_per_step = {prompts}", cure)
    else:
        yield from _shares(config)


def _shares(config: RunConfig) -> Iterator[Breach]:
    """verl hands each data-parallel rank an equal part of a mini-batch (engine_workers.py: train_mini_batch)."""
    parallel, mini, n = Parallel.of(config), config.training.mini_batch_size, config.rollout.n
    ranks = parallel.world if parallel.world % parallel.sequence else parallel.data
    if mini * n % ranks == 0:
        return
    whole = mini == config.training.prompts_per_step
    name = "training.prompts_per_step" if whole else "training.mini_batch_size"
    groups = f"groups of {parallel.sequence} " if parallel.sequence > 1 else ""
    yield Breach(
        name,
        ("rollout.n", "infrastructure.gpus_per_node", "infrastructure.nnodes"),
        f"makes {mini * n} trials an update, which {ranks} {groups}trainer processes can't share evenly",
        f"Set {name} to a multiple of {ranks // gcd(ranks, n)}",
    )


def _groups(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    if config.rollout.n < 2:
        estimator = config.algorithm.adv_estimator
        reason = f"leaves nothing to compare a trial with, and {estimator} compares the trials of one task"
        yield Breach(
            "rollout.n", ("algorithm.adv_estimator",), reason, "Set rollout.n to 2 or more, usually 8"
        )


def _lengths(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    turn, whole = config.scaffold.max_tokens_per_turn, config.rollout.max_response_length
    if turn > whole:
        yield Breach(
            "scaffold.max_tokens_per_turn",
            ("rollout.max_response_length",),
            f"is more than a whole trial may have: rollout.max_response_length = {whole}",
            f"Set scaffold.max_tokens_per_turn to at most {whole}, or raise rollout.max_response_length",
        )


def _validation(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    if config.rollout.val_temperature == 0 and config.rollout.val_n > 1:
        yield Breach(
            "rollout.val_n",
            ("rollout.val_temperature",),
            "repeats the same greedy trial, because rollout.val_temperature is 0",
            "Set rollout.val_n to 1, or rollout.val_temperature above 0",
        )


def _optimizer(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    low, high = config.algorithm.clip_ratio_low, config.algorithm.clip_ratio_high
    if low > high:
        yield Breach(
            "algorithm.clip_ratio_low",
            ("algorithm.clip_ratio_high",),
            f"is above algorithm.clip_ratio_high = {high}",
            f"Set algorithm.clip_ratio_low to at most {high}",
        )
    steps = config.training.steps
    if config.algorithm.lr_warmup_steps >= steps:
        yield Breach(
            "algorithm.lr_warmup_steps",
            ("training.steps",),
            f"never reaches the learning rate: the run has {steps} steps",
            f"Set algorithm.lr_warmup_steps below {steps}",
        )
    if config.algorithm.use_kl_loss and config.algorithm.kl_loss_coef == 0:
        yield Breach(
            "algorithm.kl_loss_coef",
            ("algorithm.use_kl_loss",),
            "makes algorithm.use_kl_loss cost a forward pass and change nothing",
            "Set algorithm.kl_loss_coef above 0, or algorithm.use_kl_loss to false",
        )


def _hardware(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    if config.engine.rollout == "vllm":
        yield from _gpu_hardware(config, facts)
        return
    if config.engine.tensor_parallel != 1:
        yield Breach(
            "engine.tensor_parallel",
            ("engine.rollout",),
            "splits a replica over GPUs, and engine.rollout is cpu",
            "Set engine.tensor_parallel to 1",
        )
    if config.engine.strategy != "fsdp2":
        yield Breach(
            "engine.strategy",
            ("engine.rollout",),
            "can't shard on CPUs (sync_module_states refuses CPU parameters)",
            "Set engine.strategy to fsdp2",
        )
    if config.infrastructure.nnodes != 1:
        reason = "asks for several machines, and engine.rollout = cpu runs on one"
        yield Breach("infrastructure.nnodes", ("engine.rollout",), reason, "Set infrastructure.nnodes to 1")


def _gpu_hardware(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    wanted, split = config.infrastructure.gpus_per_node, config.engine.tensor_parallel
    if facts.gpus == 0:
        yield Breach(
            "engine.rollout",
            (),
            "needs GPUs and this machine has none",
            "Set profile: cpu (or engine.rollout: cpu), or launch on a machine with GPUs",
        )
    elif wanted > facts.gpus:
        yield Breach(
            "infrastructure.gpus_per_node",
            (),
            f"is more than the {facts.gpus} GPUs of this machine",
            f"Set infrastructure.gpus_per_node to {facts.gpus}",
        )
    if wanted % split:
        yield Breach(
            "engine.tensor_parallel",
            ("infrastructure.gpus_per_node",),
            f"does not divide infrastructure.gpus_per_node = {wanted}",
            f"Set engine.tensor_parallel to {_largest_divisor(wanted, split)}",
        )


def _ports(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    taken: dict[int, str] = {}
    for name in ("litellm_port", "ray_port", "ray_dashboard_port"):
        port = int(getattr(config.infrastructure, name))
        key = f"infrastructure.{name}"
        if port in taken:
            cure = f"Give {key} a port of its own, for example {port + 1}"
            yield Breach(key, (taken[port],), f"is also {taken[port]}", cure)
        taken.setdefault(port, key)


def _logging(config: RunConfig, facts: Facts) -> Iterator[Breach]:
    if not config.logging.file:
        reason = "leaves the run without metrics: metrics.jsonl is made from this file"
        yield Breach("logging.file", (), reason, "Set logging.file to true")


def _largest_divisor(whole: int, at_most: int) -> int:
    return next(part for part in range(min(whole, at_most), 0, -1) if whole % part == 0)


_RULES: tuple[Callable[[RunConfig, Facts], Iterator[Breach]], ...] = (
    _batches,
    _groups,
    _lengths,
    _validation,
    _optimizer,
    _hardware,
    _ports,
    _logging,
)
