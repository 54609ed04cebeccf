"""Do nodes, GPUs, batches and token budgets divide as verl divides them?"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, gcd

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, REF, ROLLOUT, SEQUENCE_KEY, Parallel, sequence_parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

IN_VERL = "in section verl"


def check_parallels(context: Context) -> list[Finding]:
    """Whether the run can be split as it is configured; looks at nothing but the configuration."""
    return judge_parallels(context.config)


def judge_parallels(config: RunConfig) -> list[Finding]:
    """One finding a division that leaves a rest, else how the run is split."""
    parallel = Parallel.of(config)
    wrong = [
        *_nodes(config, parallel),
        *_replicas(config, parallel),
        *_sequences(config, parallel),
        *_shards(parallel),
        *_batch(config, parallel),
        *_budgets(config, parallel),
    ]
    return wrong or [_replica_count(parallel), _share(config, parallel)]


def window(config: RunConfig) -> int:
    """Tokens of the longest trial."""
    return config.rollout.max_prompt_length + config.rollout.max_response_length


def _nodes(config: RunConfig, parallel: Parallel) -> Iterator[Finding]:
    """Ray waits for ever for a placement that the cluster can't give."""
    there, wanted = config.infrastructure.nnodes, parallel.trainer_nodes + parallel.rollout_nodes
    if wanted == there:
        return
    if parallel.rollout_nodes and there > parallel.rollout_nodes:
        cure = f"Set trainer.nnodes to {there - parallel.rollout_nodes} {IN_VERL}"
    else:
        cure = f"Set infrastructure.nnodes to {wanted}"
    parts = f"trainer {parallel.trainer_nodes} + rollouts alone {parallel.rollout_nodes}"
    seen = f"{parts} = {wanted}, infrastructure.nnodes is {there}"
    yield Finding(
        "nodes:cluster", "fatal", "Trainer and rollout nodes do not make up the cluster", seen, cure
    )


def _replicas(config: RunConfig, parallel: Parallel) -> Iterator[Finding]:
    pools = {"the trainer's": parallel.world}
    if parallel.rollout_nodes:
        pools["the rollouts'"] = parallel.rollout_nodes * parallel.rollout_gpus_per_node
    for whose, gpus in pools.items():
        if gpus % parallel.replica == 0 and gpus > 0:
            continue
        others = parallel.replica // parallel.tensor
        fitting = max(
            (part for part in range(1, parallel.tensor + 1) if gpus % (part * others) == 0), default=1
        )
        title = "The rollout GPUs do not divide into whole replicas"
        seen = f"{whose} {gpus} GPUs, {parallel.replica} a replica"
        yield Finding("nodes:replicas", "fatal", title, seen, f"Set engine.tensor_parallel to {fitting}")


def _sequences(config: RunConfig, parallel: Parallel) -> Iterator[Finding]:
    keys = VerlKeys.of(config)
    for role in _roles(config):
        size = sequence_parallel(keys, role)
        if parallel.world % size:
            title = "The sequence-parallel size does not divide the trainer's GPUs"
            seen = f"{role}: {size} of {parallel.world} GPUs; the device mesh can't be made"
            cure = f"Set {role}.{SEQUENCE_KEY} to {gcd(size, parallel.world)} {IN_VERL}"
            yield Finding("nodes:sequence_parallel", "fatal", title, seen, cure)


def _shards(parallel: Parallel) -> Iterator[Finding]:
    if parallel.shard and parallel.world % parallel.shard:
        title = "The FSDP group size does not divide the trainer's GPUs"
        seen = f"groups of {parallel.shard} from {parallel.world} GPUs"
        cure = f"Set {ACTOR}.fsdp_config.fsdp_size to {gcd(parallel.shard, parallel.world)}, or -1 for all, {IN_VERL}"
        yield Finding("nodes:fsdp_size", "fatal", title, seen, cure)


def _batch(config: RunConfig, parallel: Parallel) -> Iterator[Finding]:
    """verl/workers/engine_workers.py: train_mini_batch asserts this at the first update."""
    mini = config.training.mini_batch_size
    if (mini * config.rollout.n) % parallel.data:
        step = parallel.data // gcd(parallel.data, config.rollout.n)
        title = "A mini-batch does not divide over the data-parallel ranks"
        seen = f"{mini} tasks x {config.rollout.n} trials over {parallel.data} ranks ({_split(parallel)})"
        cure = f"Set training.mini_batch_size and training.prompts_per_step to multiples of {step}"
        yield Finding("batch:dp", "fatal", title, seen, cure)


def _budgets(config: RunConfig, parallel: Parallel) -> Iterator[Finding]:
    """verl/utils/seqlen_balancing.py: rearrange_micro_batches asserts that one sequence fits a pass."""
    keys = VerlKeys.of(config)
    if not keys.truth(f"{ACTOR}.use_dynamic_bsz", True):
        return
    longest = window(config)
    for key, (budget, size) in token_budgets(config).items():
        if budget * size < longest:
            title = "The longest trial does not fit one pass of the trainer"
            seen = f"{key} = {budget}, times sequence parallel {size} = {budget * size}; a trial may have {longest}"
            cure = f"Set {key} to at least {ceil(longest / size)} {IN_VERL}, or lower rollout.max_response_length"
            yield Finding("batch:token_budget", "fatal", title, seen, cure)


def token_budgets(config: RunConfig) -> dict[str, tuple[int, int]]:
    """Tokens that a pass may hold on each GPU, with the GPUs a sequence is split over, by verl's key."""
    keys = VerlKeys.of(config)
    composed = config.training.micro_batch_size * window(config)
    update = keys.whole(f"{ACTOR}.ppo_max_token_len_per_gpu", composed)
    score = "log_prob_max_token_len_per_gpu"
    budgets = {
        f"{ACTOR}.ppo_max_token_len_per_gpu": (update, sequence_parallel(keys, ACTOR)),
        f"{ROLLOUT}.{score}": (keys.whole(f"{ROLLOUT}.{score}", update), sequence_parallel(keys, ACTOR)),
    }
    if config.algorithm.use_kl_loss:
        budgets[f"{REF}.{score}"] = (keys.whole(f"{REF}.{score}", update), sequence_parallel(keys, REF))
    return budgets


def _roles(config: RunConfig) -> tuple[str, ...]:
    return (ACTOR, REF) if config.algorithm.use_kl_loss else (ACTOR,)


def _replica_count(parallel: Parallel) -> Finding:
    title = (
        f"{parallel.rollout_gpus} rollout processes make {parallel.replicas} replicas of {parallel.replica}"
    )
    seen = f"{parallel.trainer_nodes} trainer nodes, {parallel.rollout_nodes} for rollouts alone"
    return Finding("nodes:replicas", "info", title, seen)


def _share(config: RunConfig, parallel: Parallel) -> Finding:
    trials = config.training.mini_batch_size * config.rollout.n
    title = f"{trials} trials an update are {trials // parallel.data} a data-parallel rank"
    return Finding("batch:dp", "info", title, f"{parallel.data} ranks: {_split(parallel)}")


def _split(parallel: Parallel) -> str:
    return f"{parallel.world} trainer processes, sequence parallel {parallel.sequence}"
