"""Is there memory for the trainer, the replica and the sandboxes?"""

from __future__ import annotations

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, REF, Parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.context import Context
from liverl.preflight.estimate import ADAM_STATES, weight_bytes
from liverl.preflight.finding import Finding
from liverl.preflight.machine import available_bytes
from liverl.preflight.model_facts import ModelFacts, read_facts
from liverl.preflight.weights import SMALL_POLICY

# Ray, verl's processes and LiteLLM before the first step of a small policy.
_BASE_BYTES = 5_000_000_000
_LEAST_BYTES = 4_000_000_000


def check_memory(context: Context) -> list[Finding]:
    """Fatal where the trainer can't even start, a warning where sandboxes at their limit would not fit."""
    return judge_memory(context.config, available_bytes(), read_facts(context.config.model.folder))


def judge_memory(config: RunConfig, available: int, model: ModelFacts | None = None) -> list[Finding]:
    """The finding for so much memory that can still be taken; without a model the small policy is meant."""
    sandboxes = config.trial.concurrency * config.sandbox.memory_mb * 1_000_000
    host = host_bytes(config, model) if model else 0
    weights = f"the model on the host {host / 1e9:.1f} GB, " if host else ""
    evidence = (
        f"{available / 1e9:.1f} GB can be taken; the trainer and its servers need about "
        f"{_BASE_BYTES / 1e9:.0f} GB, {weights}"
        f"{config.trial.concurrency} sandboxes at most {sandboxes / 1e9:.1f} GB"
    )
    if available < _LEAST_BYTES + host:
        needed = (_BASE_BYTES + host) / 1e9
        cure = f"End other programs, or use a machine with at least {max(8, needed):.0f} GB"
        return [Finding("memory:short", "fatal", "There is too little memory to start", evidence, cure)]
    if available < _BASE_BYTES + host + sandboxes:
        each = config.sandbox.memory_mb * 1_000_000
        fitting = max(1, (available - _BASE_BYTES - host) // each)
        cure = f"Set trial.concurrency to {fitting}, or end other programs"
        return [Finding("memory:tight", "warn", "Memory may run out with all sandboxes full", evidence, cure)]
    return [Finding("memory:enough", "info", "Memory suffices", evidence)]


def host_bytes(config: RunConfig, model: ModelFacts) -> int:
    """What the model takes of one node's memory, in bytes, beyond that of the small policy.

    On CPUs all of it: masters, gradients, AdamW's two states, and the replica's copy in fp32. With GPUs the larger of
    what is offloaded and what loading takes: verl reads the whole model on the first rank of each shard group, on
    every rank where the embeddings are tied (get_init_weight_context_manager); a reference policy always stays here.
    """
    if model.parameters <= SMALL_POLICY:
        return 0
    size, parallel, keys = weight_bytes(config), Parallel.of(config), VerlKeys.of(config)
    whole = model.parameters * size
    if config.engine.rollout != "vllm":
        return whole * (2 + ADAM_STATES) + model.parameters * 4
    fsdp = f"{ACTOR}.fsdp_config"
    everything = keys.truth(f"{fsdp}.offload_policy", False)
    offloaded = whole if everything or keys.truth(f"{fsdp}.param_offload", False) else 0
    if everything or keys.truth(f"{fsdp}.optimizer_offload", False):
        offloaded += whole * ADAM_STATES
    offloaded += whole if everything else 0
    copies = parallel.world // max(1, parallel.shard)
    resting = offloaded * copies // max(1, parallel.trainer_nodes)
    groups = max(1, parallel.trainer_gpus_per_node // max(1, parallel.shard))
    loading = whole * (parallel.trainer_gpus_per_node if model.tied else groups)
    return max(resting, loading) + (_reference(config, model) if config.algorithm.use_kl_loss else 0)


def _reference(config: RunConfig, model: ModelFacts) -> int:
    """The reference policy's shards: FSDP keeps a model that is never trained on the host."""
    dtype = VerlKeys.of(config).text(f"{REF}.fsdp_config.model_dtype", "fp32")
    each = 2 if dtype in ("bf16", "bfloat16", "fp16", "float16") else 4
    return model.parameters * each // max(1, Parallel.of(config).trainer_nodes)
