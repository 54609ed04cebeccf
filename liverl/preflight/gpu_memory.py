"""Does a step fit the GPUs' memory: the trainer's update, and vLLM's share with room for one trial of full length?"""

from __future__ import annotations

from math import ceil, floor

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, SEQUENCE_KEY, Parallel, sequence_parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.context import Context
from liverl.preflight.estimate import Phase, fitting_tokens, trainer_phases
from liverl.preflight.finding import Finding, Severity
from liverl.preflight.model_facts import ModelFacts, read_facts
from liverl.preflight.parallels import IN_VERL, window
from liverl.preflight.programs import ask_program, time_for
from liverl.preflight.server_estimate import cache, rollout_phase, sequence_bytes, server_weights

# Below this share of free memory a run is warned about: what the estimate leaves out has to fit there.
LEAST_MARGIN = 0.1
_ASK_S = 10.0
_TOKENS_KEY = f"{ACTOR}.ppo_max_token_len_per_gpu"
_OFFLOAD_KEY = f"{ACTOR}.fsdp_config.offload_policy"
_NOT_COUNTED = "not counted: CUDA's context and graphs"


def check_gpu_memory(context: Context) -> list[Finding]:
    """Asks the driver for the GPUs' memory and the model's folder for its shape."""
    config = context.config
    if config.engine.rollout != "vllm":
        return [Finding("memory:gpu", "info", "The run is on CPUs: it takes no GPU memory")]
    model = read_facts(config.model.folder)
    if model is None or not model.parameters:
        title = "GPU memory was not estimated: the model's shape is not known"
        return [Finding("memory:gpu", "skipped", title, str(config.model.folder), "Mend the model first")]
    return judge_gpu_memory(config, model, gpu_memory_bytes(time_for(context, _ASK_S)))


def gpu_memory_bytes(timeout_s: float = _ASK_S) -> int | None:
    """The memory of this machine's smallest GPU; None where the driver does not say, or not in time."""
    command = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    try:
        told = ask_program(command, timeout_s)
    except OSError:
        return None
    mebibytes = [int(line) for line in told.out.splitlines() if line.strip().isdigit()]
    return min(mebibytes) << 20 if mebibytes else None


def judge_gpu_memory(config: RunConfig, model: ModelFacts, gpu_bytes: int | None) -> list[Finding]:
    """Fatal where a phase can't fit, a warning where less than `LEAST_MARGIN` is left; every part is shown."""
    strategy = VerlKeys.of(config).text(f"{ACTOR}.strategy", config.engine.strategy)
    if not strategy.startswith("fsdp"):
        title = f"GPU memory was not estimated: how {strategy} shards is not known here"
        return [Finding("memory:gpu", "skipped", title, _OFFLOAD_KEY)]
    if not gpu_bytes:
        highest = max(trainer_phases(model, config), key=lambda phase: phase.total)
        title = "Whether a step fits the GPUs was not measured: their memory is not known"
        cure = "nvidia-smi --query-gpu=memory.total --format=csv   has to name it on this machine"
        return [Finding("memory:gpu", "skipped", title, f"needed on each: {highest}; {_NOT_COUNTED}", cure)]
    return [_phases(config, model, gpu_bytes), *_cache(config, model, gpu_bytes)]


def _phases(config: RunConfig, model: ModelFacts, gpu_bytes: int) -> Finding:
    trainer = trainer_phases(model, config, gpu_bytes)
    rollout = rollout_phase(model, config, gpu_bytes)
    highest = max((*trainer, rollout), key=lambda phase: phase.total)
    margin = 1 - highest.total / gpu_bytes
    shown = [max(trainer, key=lambda phase: phase.total), rollout]
    seen = f"{_gb(gpu_bytes)} a GPU, margin {margin:.0%}; {'; '.join(map(str, shown))}; {_NOT_COUNTED}"
    impossible = [phase for phase in (*trainer, rollout) if phase.certain > gpu_bytes]
    cure = _cure(config, model, gpu_bytes, highest)
    if impossible:
        title = f"The {impossible[0].name} can't fit the GPU memory"
        return Finding("memory:gpu", "fatal", title, seen, cure)
    if margin < LEAST_MARGIN:
        title = f"The {highest.name} leaves less than {LEAST_MARGIN:.0%} of the GPU memory free"
        return Finding("memory:gpu", "warn", title, seen, cure)
    return Finding("memory:gpu", "info", f"A step leaves {margin:.0%} of the GPU memory free", seen)


def _cure(config: RunConfig, model: ModelFacts, gpu_bytes: int, highest: Phase) -> str:
    if highest.name == "rollout":
        return _rollout_cure(config, gpu_bytes, highest)
    return _tokens_cure(config, model, gpu_bytes, highest) or _sharding_cure(
        config, model, gpu_bytes, highest
    )


def _rollout_cure(config: RunConfig, gpu_bytes: int, rollout: Phase) -> str:
    left = {part.name: part.size for part in rollout.parts if part.size}
    if "trainer's optimizer" in left:
        return f"Set {ACTOR}.fsdp_config.optimizer_offload to true {IN_VERL}"
    if "trainer's weights" in left:
        return f"Set {ACTOR}.fsdp_config.param_offload to true {IN_VERL}"
    share = floor(100 * (1 - LEAST_MARGIN)) / 100
    return f"Set engine.gpu_memory_utilization to {share} or less"


def _tokens_cure(config: RunConfig, model: ModelFacts, gpu_bytes: int, highest: Phase) -> str:
    """A smaller pass that still holds the longest trial, split over more GPUs where that takes it."""
    if highest.name != "update":
        return ""
    fitting = fitting_tokens(model, config, gpu_bytes * (1 - LEAST_MARGIN)) // 1024 * 1024
    now = sequence_parallel(VerlKeys.of(config), ACTOR)
    for size in _sequence_sizes(config, model, now):
        if fitting * size >= window(config):
            more = f"{ACTOR}.{SEQUENCE_KEY} to {size} and " if size > now else ""
            return f"Set {more}{_TOKENS_KEY} to {fitting} {IN_VERL}"
    return ""


def _sequence_sizes(config: RunConfig, model: ModelFacts, now: int) -> list[int]:
    """The present sequence-parallel size and larger ones that the model and the GPUs allow."""
    if model.linear_layers or not model.heads:
        return [now]
    world = Parallel.of(config).world
    larger = range(2 * now, world + 1, now)
    return [now, *(s for s in larger if world % s == 0 and model.heads % s == 0 and s % model.kv_heads == 0)]


def _sharding_cure(config: RunConfig, model: ModelFacts, gpu_bytes: int, highest: Phase) -> str:
    """More nodes to shard over, or masters and optimizer on the host."""
    held = ("weights", "gradients", "optimizer", "temporaries")
    sharded = sum(part.size for part in highest.parts if part.name in held)
    room = gpu_bytes * (1 - LEAST_MARGIN) - (highest.total - sharded)
    if room <= 0:
        shorter = "Lower rollout.max_response_length"
        return f"{shorter} and {_TOKENS_KEY} {IN_VERL}, or split a sequence over more GPUs"
    nodes = ceil(Parallel.of(config).trainer_nodes * sharded / room)
    return f"Set infrastructure.nnodes to {nodes}, or {_OFFLOAD_KEY} to true {IN_VERL}, which trains slower"


def _cache(config: RunConfig, model: ModelFacts, gpu_bytes: int) -> list[Finding]:
    """vLLM does not start where its cache can't hold one request of `max_model_len` (v1/core/kv_cache_utils.py)."""
    found = cache(model, config, gpu_bytes)
    weights, length = server_weights(model, config), window(config)
    seen = (
        f"vLLM has {_gb(weights + found.room)} a GPU: weights {_gb(weights)}, the rest {_gb(found.room)}; "
        f"a trial of {length} tokens takes {_gb(found.sequence)}"
    )
    if not found.sequence:
        title = "Whether a trial fits vLLM's cache was not measured: the model's shape is not known"
        return [Finding("memory:kv_cache", "skipped", title, seen)]
    severity: Severity = "fatal" if found.room < found.sequence else "warn"
    if found.room * (1 - LEAST_MARGIN) >= found.sequence:
        title = f"A replica holds {found.sequences} trials of full length at once"
        return [Finding("memory:kv_cache", "info", title, seen)]
    title = "vLLM's cache does not hold one trial of full length"
    if severity == "warn":
        title = "vLLM's cache barely holds one trial of full length"
    return [Finding("memory:kv_cache", severity, title, seen, _cache_cure(config, model, gpu_bytes))]


def _cache_cure(config: RunConfig, model: ModelFacts, gpu_bytes: int) -> str:
    """A larger share, more GPUs a replica, or shorter trials: the first that is enough."""
    needed = server_weights(model, config) + sequence_bytes(model, config) / (1 - LEAST_MARGIN)
    share = ceil(100 * needed / gpu_bytes) / 100
    if share <= 1 - LEAST_MARGIN:
        return f"Set engine.gpu_memory_utilization to {share}"
    size = Parallel.of(config).tensor
    wider = [
        part for part in range(size + 1, Parallel.of(config).trainer_gpus_per_node + 1) if part % size == 0
    ]
    fitting = [part for part in wider if model.heads % part == 0 and model.kv_heads % part == 0]
    if fitting:
        return f"Set engine.tensor_parallel to {fitting[0]}"
    return "Lower rollout.max_response_length, or use GPUs with more memory"


def _gb(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
