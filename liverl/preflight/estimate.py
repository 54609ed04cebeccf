"""What training takes of each GPU's memory, part by part.

An estimate from shapes, not a measurement: CUDA's context, vLLM's graphs and fragmentation are not in it. All sizes
are bytes on one GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, ROLLOUT, Parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.model_facts import ModelFacts
from liverl.preflight.parallels import token_budgets, window

_MODEL = "actor_rollout_ref.model"
_FSDP = f"{ACTOR}.fsdp_config"
DTYPE_BYTES = {"fp32": 4, "float32": 4, "bf16": 2, "bfloat16": 2, "fp16": 2, "float16": 2, "half": 2}
# verl computes in bf16 and reduces gradients in fp32 where nothing else is said (_build_fsdp_module).
_COMPUTED, _REDUCED = 2, 4
ADAM_STATES = 2


@dataclass(frozen=True)
class Part:
    """One use of memory; `certain` where it follows from the shapes alone, else it is worked out roughly."""

    name: str
    size: float
    certain: bool = True


@dataclass(frozen=True)
class Phase:
    """What is on a GPU at once, at the height of one phase of a step."""

    name: str
    parts: tuple[Part, ...]

    @property
    def total(self) -> float:
        """All parts."""
        return sum(part.size for part in self.parts)

    @property
    def certain(self) -> float:
        """The parts that there is no doubt about."""
        return sum(part.size for part in self.parts if part.certain)

    def __str__(self) -> str:
        shown = ", ".join(f"{part.name} {part.size / 1e9:.1f}" for part in self.parts if part.size >= 5e7)
        return f"{self.name} {self.total / 1e9:.1f} GB ({shown})"


def weight_bytes(config: RunConfig) -> int:
    """Bytes of a parameter as it is kept and saved: fp32 masters unless verl's `model_dtype` says otherwise."""
    return DTYPE_BYTES.get(VerlKeys.of(config).text(f"{_FSDP}.model_dtype", "fp32"), 4)


def utilization(config: RunConfig) -> float:
    """The share of a GPU that vLLM takes."""
    return VerlKeys.of(config).number(
        f"{ROLLOUT}.gpu_memory_utilization", config.engine.gpu_memory_utilization
    )


def trainer_phases(model: ModelFacts, config: RunConfig, gpu_bytes: int = 0) -> list[Phase]:
    """The backward pass of an update, the optimizer's step, and the pass that scores what was sampled.

    verl's `param_offload` and `optimizer_offload` empty the GPU between the trainer's phases and load all of it again
    for an update (BaseEngineCtx), so that they do not lower its height; `offload_policy` does. vLLM sleeps meanwhile,
    and keeps its share of `gpu_bytes` only where `free_cache_engine` is off.
    """
    whole = held(model, config)
    if gpu_bytes and not VerlKeys.of(config).truth(f"{ROLLOUT}.free_cache_engine", True):
        whole = (*whole, Part("vLLM", utilization(config) * gpu_bytes))
    temporaries = Part("temporaries", _temporaries(model, config), certain=False)
    resting = tuple(part for part in whole if part.name != "gradients")
    if VerlKeys.of(config).truth(f"{_FSDP}.optimizer_offload", False):
        resting = tuple(part for part in resting if part.name != "optimizer")
    return [
        Phase("update", (*whole, *_pass(model, config, training=True))),
        Phase("optimizer step", (*whole, temporaries)),
        Phase("scoring", (*resting, *_pass(model, config, training=False))),
    ]


def fitting_tokens(model: ModelFacts, config: RunConfig, room: float) -> int:
    """Tokens of a pass of an update that `room` bytes hold beside masters, gradients and optimizer."""
    kept, logits, layer = _per_token(model, config, training=True)
    at_output, at_layer = _gathered(model, training=True)
    room -= sum(part.size for part in held(model, config))
    return max(0, int(min((room - at_output) / (kept + logits), (room - at_layer) / (kept + layer))))


def held(model: ModelFacts, config: RunConfig) -> tuple[Part, ...]:
    """Sharded masters, their gradients and AdamW's two states, all in the masters' dtype."""
    keys, size = VerlKeys.of(config), weight_bytes(config)
    here = 0 if keys.truth(f"{_FSDP}.offload_policy", False) else 1
    # Only an adapter is trained then; its size is not known here and small.
    trained = 0 if keys.whole(f"{_MODEL}.lora_rank", 0) > 0 else here
    share = model.parameters * size / max(1, Parallel.of(config).shard)
    return (
        Part("weights", share * here),
        Part("gradients", share * trained),
        Part("optimizer", ADAM_STATES * share * trained),
    )


def _pass(model: ModelFacts, config: RunConfig, *, training: bool) -> tuple[Part, ...]:
    """Activations of the fullest pass: the inputs that every layer keeps, then the logits or one layer's work."""
    tokens = _tokens(config, training=training)
    kept, logits, layer = _per_token(model, config, training=training)
    at_output, at_layer = _gathered(model, training=training)
    highest = max(tokens * logits + at_output, tokens * layer + at_layer)
    parts = [
        Part("kept activations", tokens * kept),
        Part("logits", tokens * logits),
        Part("beyond them, one layer's work", highest - tokens * logits, certain=False),
    ]
    keys = VerlKeys.of(config)
    if not keys.truth(f"{_FSDP}.reshard_after_forward", True):
        parts.append(Part("gathered weights", _COMPUTED * model.parameters))
    if training and keys.truth(f"{_FSDP}.use_no_sync_for_gradient_accumulation", False):
        parts.append(Part("gathered gradients", _REDUCED * model.parameters))
    return tuple(part for part in parts if part.size > 0)


def _gathered(model: ModelFacts, *, training: bool) -> tuple[float, float]:
    """What FSDP2 gathers for the output layer, and for a layer and the one that it fetches ahead.

    Weights in bf16; in training gradients in bf16 too, and once more in fp32 for their reduction.
    """
    gradients = _COMPUTED + _REDUCED if training else 0
    output = (_COMPUTED + gradients) * model.vocabulary * model.hidden
    return output, (2 * _COMPUTED + gradients) * model.layer_parameters


def _per_token(model: ModelFacts, config: RunConfig, *, training: bool) -> tuple[float, float, float]:
    """Bytes a token: what layers keep for the backward pass, the logits, and one layer's work.

    A layer's work is what torch's MemTracker counts at the height of a layer's backward pass of Qwen3 and Qwen3-MoE
    (Transformers 5.9, bf16, gradient checkpointing), fitted over hidden size, heads, width and experts; a test counts
    again and finds it up to a quarter too high. Architectures with other layers may differ.
    """
    keys = VerlKeys.of(config)
    work = 9 * model.hidden + model.head_dim * (7 * model.heads + 3 * model.kv_heads)
    if model.is_moe:
        work += model.experts_per_token * (5 * model.hidden + 4 * model.expert_width) + 6 * model.shared_width
    else:
        work += 6 * model.intermediate
    checkpointed = keys.truth(f"{_MODEL}.enable_gradient_checkpointing", True)
    kept = model.layers * _COMPUTED * (model.hidden if checkpointed else work)
    if not training or keys.truth(f"{_MODEL}.enable_activation_offload", False):
        kept = 0
    logits = model.vocabulary * _logit_bytes(config, training=training)
    return kept, logits, _COMPUTED * work


def _logit_bytes(config: RunConfig, *, training: bool) -> int:
    """Bytes of one logit: once in bf16, a copy for a temperature, and for an entropy bonus gradient and softmax.

    Fused kernels never hold the logits. The log-probability's gradient is written over them (prepare_model_outputs).
    """
    keys = VerlKeys.of(config)
    if keys.truth(f"{_MODEL}.use_fused_kernels", False):
        return 0
    scaled = _COMPUTED if config.rollout.temperature != 1.0 else 0
    entropy = _COMPUTED + _REDUCED if training and config.algorithm.entropy_coeff else 0
    return _COMPUTED + scaled + entropy


def _tokens(config: RunConfig, *, training: bool) -> int:
    """Tokens of the fullest pass on a GPU: verl's budget, or all there are for its rank."""
    keys, parallel = VerlKeys.of(config), Parallel.of(config)
    trials = -(-config.training.mini_batch_size * config.rollout.n // parallel.data)
    whole = trials * window(config) // parallel.sequence
    if not keys.truth(f"{ACTOR}.use_dynamic_bsz", True):
        count = keys.whole(f"{ACTOR}.ppo_micro_batch_size_per_gpu", 1)
        return min(whole, count * window(config) // parallel.sequence)
    name = "ppo_max_token_len_per_gpu" if training else "log_prob_max_token_len_per_gpu"
    budget = next(value for key, (value, _) in token_budgets(config).items() if key.endswith(name))
    return min(whole, budget)


def _temporaries(model: ModelFacts, config: RunConfig) -> float:
    """torch's AdamW works on all tensors at once on a GPU, with intermediates of the parameters' size (its docs)."""
    keys = VerlKeys.of(config)
    if keys.text(f"{ACTOR}.optim.optimizer_impl", "torch.optim") != "torch.optim":
        return 0.0
    weights, gradients, *_ = held(model, config)
    return weights.size if gradients.size else 0.0
