"""Does the model's shape bear the split that is asked for, and does the trainer replay its routes?"""

from __future__ import annotations

from collections.abc import Iterator

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, REF, ROLLOUT, SEQUENCE_KEY, Parallel, sequence_parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.finding import Finding, Severity
from liverl.preflight.model_facts import ModelFacts
from liverl.preflight.parallels import IN_VERL

RECORD_KEY = f"{ROLLOUT}.enable_rollout_routing_replay"


def judge_split(model: ModelFacts, config: RunConfig) -> list[Finding]:
    """One finding a size that does not divide, else one that all do."""
    if not model.heads or not model.hidden:
        title = (
            "Whether the model can be split was not measured: its config.json names no heads or hidden size"
        )
        cure = "Copy the config.json of the model's release again"
        return [Finding("model:heads", "skipped", title, model.model_type, cure)]
    found = [*_tensor(model, config), *_sequence(model, config)]
    if found:
        return found
    parallel = Parallel.of(config)
    title = (
        f"The model splits over tensor parallel {parallel.tensor} and sequence parallel {parallel.sequence}"
    )
    seen = f"{model.heads} heads, {model.kv_heads} key-value heads, hidden size {model.hidden}, {model.kind}"
    return [Finding("model:heads", "info", title, seen)]


def _tensor(model: ModelFacts, config: RunConfig) -> Iterator[Finding]:
    """vllm/config/model.py: verify_with_parallel_config; linear layers are divided by hidden size too."""
    if config.engine.rollout != "vllm":
        return
    parallel = Parallel.of(config)
    size = parallel.tensor
    fitting = _fitting(size, model.heads, model.kv_heads, model.hidden, parallel.trainer_gpus_per_node)
    cure = f"Set engine.tensor_parallel to {fitting}"
    for what, count in (("attention heads", model.heads), ("hidden size", model.hidden)):
        if count % size:
            title = f"engine.tensor_parallel does not divide the model's {what}"
            yield Finding("model:heads", "fatal", title, f"{count} over {size} GPUs", cure)
    # A compressed cache is one for all heads and is copied to every GPU.
    if model.kv_heads % size and not model.latent:
        yield Finding(
            "model:kv_heads",
            "fatal",
            "engine.tensor_parallel does not divide the model's key-value heads",
            f"{model.kv_heads} heads over {size} GPUs can end in an illegal memory access at the first forward pass",
            cure,
        )


def _sequence(model: ModelFacts, config: RunConfig) -> Iterator[Finding]:
    keys = VerlKeys.of(config)
    roles = (ACTOR, REF) if config.algorithm.use_kl_loss else (ACTOR,)
    for role in roles:
        size = sequence_parallel(keys, role)
        if size == 1:
            continue
        key = f"{role}.{SEQUENCE_KEY}"
        if model.linear_layers:
            yield _linear(model, key, size)
            continue
        yield from _ulysses(model, key, size)


def _linear(model: ModelFacts, key: str, size: int) -> Finding:
    """verl 0.9.1 patches Qwen3.5 alone, and only with an FLA that knows cp_context; elsewhere the state is cut."""
    return Finding(
        "model:sp_gdn",
        "fatal",
        "Sequence parallelism corrupts the model's linear-attention layers (GatedDeltaNet)",
        f"{model.linear_layers} of {model.layers} layers carry a state along the sequence; {key} = {size}",
        f"Set {key} to 1 {IN_VERL}, and shard over more GPUs or offload instead",
    )


def _ulysses(model: ModelFacts, key: str, size: int) -> Iterator[Finding]:
    """verl/models/transformers/monkey_patch.py: apply_monkey_patch; too few key-value heads are repeated."""
    fitting = next(
        part
        for part in range(size, 0, -1)
        if size % part == 0 and model.heads % part == 0 and _repeats(model.kv_heads, part)
    )
    cure = f"Set {key} to {fitting} {IN_VERL}"
    for what, count in (("attention heads", model.heads), ("hidden size", model.hidden)):
        if count % size:
            title = f"The sequence-parallel size does not divide the model's {what}"
            yield Finding("model:heads", "fatal", title, f"{count} over {size} GPUs", cure)
    if not _repeats(model.kv_heads, size):
        title = (
            "The sequence-parallel size neither divides the model's key-value heads nor is a multiple of them"
        )
        yield Finding("model:heads", "fatal", title, f"{model.kv_heads} heads over {size} GPUs", cure)


def _repeats(kv_heads: int, size: int) -> bool:
    return kv_heads % size == 0 or size % kv_heads == 0


def _fitting(size: int, *counts: int) -> int:
    return next(part for part in range(size, 0, -1) if all(count % part == 0 for count in counts))


def judge_routes(model: ModelFacts, config: RunConfig) -> list[Finding]:
    """Whether a mixture of experts is trained on the routes that it was sampled with, and a dense model left alone.

    verl 0.9.1 replays routes with Megatron and VeOmni only (engine_workers.py: ActorRolloutRefWorker.__init__).
    """
    keys = VerlKeys.of(config)
    strategy = keys.text(f"{ACTOR}.strategy", config.engine.strategy)
    found = [*_engine(keys, strategy), *_replay(model, keys, strategy)]
    if found or model.is_moe:
        return found
    return [
        Finding("model:router_replay", "info", "The model is dense: it has no routes to replay", model.kind)
    ]


def _replay(model: ModelFacts, keys: VerlKeys, strategy: str) -> Iterator[Finding]:
    mode_key, mode = _mode(keys)
    recorded = keys.truth(RECORD_KEY, False)
    asked = [f"{mode_key}: {mode}"] if mode != "disabled" else []
    asked += [f"{RECORD_KEY}: true"] if recorded else []
    remove = f"Remove {' and '.join(each.partition(':')[0] for each in asked)} {IN_VERL}"
    seen = f"{', '.join(asked) or 'neither recorded nor replayed'}; {model.kind}, trained with {strategy}"
    if not model.is_moe:
        if asked:
            yield _route("fatal", "Router replay is on, and the model is dense", seen, remove)
    elif asked and strategy not in ("megatron", "veomni"):
        title = "Routes would be recorded and never replayed: FSDP in verl 0.9.1 can't"
        yield _route("error", title, seen, remove)
    elif mode == "R2" and recorded:
        title = "Router replay R2 records the routes itself and refuses those of the rollout"
        yield _route("fatal", title, seen, f"Set {RECORD_KEY} to false {IN_VERL}")
    elif mode == "R3" and not recorded:
        title = "Router replay R3 has no routes: the rollout does not record them"
        yield _route("fatal", title, seen, f"Set {RECORD_KEY} to true {IN_VERL}")
    elif recorded and mode == "disabled":
        title = "Routes would be recorded and never replayed: the trainer's router replay is off"
        cure = f"Set {ACTOR}.{strategy}.router_replay.mode to R3 {IN_VERL}"
        yield _route("error", title, seen, cure)
    elif not asked:
        title = "The experts chosen in training are not those of the rollout: router replay is off"
        cure = (
            "Stop the run where training/rollout_actor_probs_pearson_corr falls below 0.99 in the first steps"
        )
        yield _route("warn", title, seen, cure)
    else:
        yield _route("info", "The trainer replays the rollout's routes", seen, "")


def _mode(keys: VerlKeys) -> tuple[str, str]:
    """The key that sets the trainer's replay, and its value; it stands below the engine in verl 0.9.1."""
    for engine in ("veomni.", "megatron.", "fsdp_config.", ""):
        key = f"{ACTOR}.{engine}router_replay.mode"
        if key in keys.values:
            return key, keys.text(key, "disabled")
    return f"{ACTOR}.router_replay.mode", "disabled"


def _engine(keys: VerlKeys, strategy: str) -> Iterator[Finding]:
    """Both free storage that VeOmni's backward pass still reads (`setStorage ... storage of size 0`)."""
    for key in (
        "actor_rollout_ref.model.use_fused_kernels",
        "actor_rollout_ref.model.enable_activation_offload",
    ):
        if strategy == "veomni" and keys.truth(key, False):
            title = f"VeOmni's backward pass fails with {key.rpartition('.')[2]}"
            yield Finding("model:veomni", "fatal", title, f"{key}: true", f"Set {key} to false {IN_VERL}")


def _route(severity: Severity, title: str, seen: str, cure: str) -> Finding:
    return Finding("model:router_replay", severity, title, seen, cure)
