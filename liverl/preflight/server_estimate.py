"""What the rollout server takes of each GPU's memory: its share, its weights, and room for keys and values."""

from __future__ import annotations

from dataclasses import dataclass

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, ROLLOUT, Parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.estimate import DTYPE_BYTES, Part, Phase, held, utilization
from liverl.preflight.model_facts import ModelFacts
from liverl.preflight.parallels import window

_FSDP = f"{ACTOR}.fsdp_config"
_SERVED_BYTES = {**DTYPE_BYTES, "fp8": 1}


@dataclass(frozen=True)
class Cache:
    """vLLM's room for keys and values on one GPU, and what one trial of full length takes of it."""

    room: float
    sequence: float

    @property
    def sequences(self) -> int:
        """Trials of full length that a replica holds at once."""
        return max(0, int(self.room // self.sequence)) if self.sequence else 0


def rollout_phase(model: ModelFacts, config: RunConfig, gpu_bytes: int) -> Phase:
    """vLLM's share, and what the trainer leaves on the GPU meanwhile."""
    keys = VerlKeys.of(config)
    away = {
        "weights": keys.truth(f"{_FSDP}.param_offload", False),
        "optimizer": keys.truth(f"{_FSDP}.optimizer_offload", False),
        "gradients": True,  # freed at the end of an update
    }
    left = tuple(
        Part(f"trainer's {part.name}", part.size) for part in held(model, config) if not away[part.name]
    )
    return Phase("rollout", (Part("vLLM", utilization(config) * gpu_bytes), *left))


def cache(model: ModelFacts, config: RunConfig, gpu_bytes: int) -> Cache:
    """vLLM's share without its weights; before its activations and graphs, which take some of it."""
    room = utilization(config) * gpu_bytes - server_weights(model, config)
    return Cache(room, sequence_bytes(model, config))


def server_weights(model: ModelFacts, config: RunConfig) -> float:
    """vLLM's weights, split over the GPUs of a replica."""
    keys = VerlKeys.of(config)
    dtype = keys.text(f"{ROLLOUT}.quantization", keys.text(f"{ROLLOUT}.dtype", "bfloat16"))
    parallel = Parallel.of(config)
    pipeline = max(1, keys.whole(f"{ROLLOUT}.pipeline_model_parallel_size", 1))
    return model.parameters * _SERVED_BYTES.get(dtype, 2) / (parallel.tensor * pipeline)


def sequence_bytes(model: ModelFacts, config: RunConfig) -> float:
    """Keys and values of one trial of full length: 2 x layers x heads x head size x bytes, for every token.

    A sliding-window layer keeps its window, a linear-attention layer a state that is left out here, a compressed cache
    (`latent`) one vector for all heads; fewer heads than GPUs are kept on several of them.
    """
    keys = VerlKeys.of(config)
    dtype = keys.text(f"{ROLLOUT}.engine_kwargs.vllm.kv_cache_dtype", "bfloat16")
    size, length = _SERVED_BYTES.get(dtype.partition("_")[0], 2), window(config)
    heads = max(1, model.kv_heads // Parallel.of(config).tensor)
    token = model.latent * size if model.latent else 2 * heads * model.head_dim * size
    sliding = min(length, model.sliding_window or length)
    return float(token * (model.kv_layers * length + model.sliding_layers * sliding))
