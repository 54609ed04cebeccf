"""The CPU rollout replica behind verl's registries.

- `CpuServer`: the Ray actor that owns model and batcher; token ids in, token ids and log-probabilities out
- `CpuReplica`: what verl launches
- `CpuAdapter`: the trainer's side, which hands over new weights
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

import ray
import torch
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

from liverl.engine.cpu.batcher import Batcher, Request, Result, Sampling
from liverl.engine.stages import replica_serves
from liverl.errors import EngineError

_STOP_REASONS = {"stop": "completed", "length": "length", "aborted": "aborted"}


def load_model(path: str) -> tuple[Any, set[int]]:
    """The policy in fp32 for inference, and the token ids that end a turn."""
    from transformers import AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="sdpa").eval()
    ends = model.generation_config.eos_token_id
    return model, set(ends if isinstance(ends, list) else [ends])


class BatchThread:
    """Drives one `Batcher` in a thread of its own and lets other threads submit requests and jobs.

    Jobs (weight updates, aborts) run between two forward passes, never during one.
    """

    def __init__(self, batcher: Batcher) -> None:
        self.batcher = batcher
        self._inbox: queue.SimpleQueue[Request | Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="batcher", daemon=True)
        self._thread.start()

    def submit(self, request: Request) -> None:
        """Queue a request; its `done` is called from the batcher's thread."""
        self._inbox.put(request)

    async def call(self, job: Callable[[], Any]) -> Any:
        """Run `job` between two forward passes and return its result."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(setter: Callable[[Any], None], value: Any) -> None:
            if not future.done():
                setter(value)

        def run() -> None:
            try:
                result = job()
            except Exception as error:
                loop.call_soon_threadsafe(settle, future.set_exception, error)
            else:
                loop.call_soon_threadsafe(settle, future.set_result, result)

        self._inbox.put(run)
        return await future

    def stop(self) -> None:
        """End the thread after the current forward pass."""
        self._inbox.put(None)
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            item = self._next()
            if item is None:
                return
            if isinstance(item, Request):
                self.batcher.submit(item)
            elif callable(item):
                item()
            else:
                self._step()

    def _next(self) -> Any:
        """The next queued item; `False` when there is none and the batcher has work."""
        if not self.batcher.busy:
            return self._inbox.get()
        try:
            return self._inbox.get_nowait()
        except queue.Empty:
            return False

    def _step(self) -> None:
        try:
            self.batcher.step()
        except Exception as error:  # a broken pass must fail its requests, never hang them
            for slot in self.batcher.slots:
                if slot.request is not None:
                    request, slot.request, slot.tokens = slot.request, None, []
                    request.done(error)


class CpuServer:
    """One replica: a model in fp32, served with continuous batching; weights are swapped between forward passes."""

    def __init__(self, model_path: str, slots: int, capacity: int, threads: int, seed: int) -> None:
        torch.set_num_threads(threads)
        self.model, ends = load_model(model_path)
        self.weights = dict(self.model.named_parameters())
        self.thread = BatchThread(
            Batcher(self.model, slots=slots, capacity=capacity, end_ids=ends, seed=seed)
        )
        self.version: int | None = None
        self.open = asyncio.Event()
        self.open.set()
        self.rejecting = False

    async def ready(self) -> str:
        """The replica's address; it is reached by Ray calls only, so this is a name and not a socket."""
        return f"cpu-replica:{os.getpid()}"

    async def generate(
        self,
        prompt_ids: list[int],
        sampling_params: dict[str, Any],
        request_id: str,
        image_data: object = None,
        video_data: object = None,
        **_: object,
    ) -> TokenOutput:
        """Sample one continuation; keys read: max_tokens (or max_new_tokens), temperature, top_p, top_k."""
        if image_data or video_data:
            raise EngineError(
                "engine.multimodal",
                "the CPU replica serves text only",
                next_action="use a text task, or a GPU host with vLLM",
            )
        if self.rejecting:
            raise EngineError("engine.replica_paused", "the replica accepts no request during a weight sync")
        await self.open.wait()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def settle(outcome: Result | Exception) -> None:
            if future.done():
                return
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        limit = sampling_params.get("max_tokens") or sampling_params.get("max_new_tokens")
        sampling = Sampling(
            max_tokens=int(limit or self.thread.batcher.capacity),
            temperature=float(sampling_params.get("temperature", 1.0)),
            top_p=float(sampling_params.get("top_p", 1.0)),
            top_k=int(sampling_params.get("top_k", -1)),
        )
        version = self.version
        self.thread.submit(
            Request(list(prompt_ids), sampling, lambda r: loop.call_soon_threadsafe(settle, r))
        )
        result = await future
        return TokenOutput(
            token_ids=result.token_ids,
            log_probs=result.logprobs,
            stop_reason=_STOP_REASONS[result.stop_reason],
            num_preempted=0,
            extra_fields={
                "global_steps": self.version,
                "min_global_steps": version,
                "max_global_steps": self.version,
                "num_cached_tokens": result.cached_tokens,
            },
        )

    async def update_weights(self, named: list[tuple[str, torch.Tensor]], version: int | None = None) -> None:
        """Replace the weights; every name must be one of the model's and none may be missing (tied ones excepted)."""

        def swap() -> None:
            unknown = [name for name, _ in named if name not in self.weights and name != "lm_head.weight"]
            missing = set(self.weights) - {name for name, _ in named}
            if unknown or missing:
                raise EngineError(
                    "engine.weight_names",
                    "the trainer's weights do not match the replica's model",
                    evidence=f"unknown {unknown[:3]}, missing {sorted(missing)[:3]}",
                    next_action="train and serve the same model folder",
                )
            with torch.no_grad():
                for name, tensor in named:
                    if name in self.weights:
                        self.weights[name].copy_(tensor)
            self.thread.batcher.forget()
            if version is not None:
                self.version = version

        await self.thread.call(swap)

    async def set_global_steps(self, version: int) -> None:
        """Name the weights' version without changing them."""
        self.version = version

    async def abort_all_requests(self, reject_request: bool = False) -> None:
        """End all requests with what they have; hold new ones until `resume_generation`."""
        self.open.clear()
        self.rejecting = reject_request
        await self.thread.call(self.thread.batcher.abort)

    async def resume_generation(self) -> None:
        """Accept requests again."""
        self.rejecting = False
        self.open.set()

    async def clear_kv_cache(self) -> None:
        """Forget cached prefixes."""
        await self.thread.call(self.thread.batcher.forget)

    async def wake_up(self, tags: list[str] | None = None) -> None:
        """Host memory is never released, so there is nothing to bring back."""

    async def sleep(self) -> None:
        """Host memory is never released; cached prefixes go, since the next weights make them stale."""
        await self.clear_kv_cache()

    release_kv_cache = sleep
    resume_kv_cache = wake_up

    async def start_profile(self, **_: object) -> None:
        """Profiling is verl's on GPU engines only."""

    async def stop_profile(self, **_: object) -> None:
        """Profiling is verl's on GPU engines only."""


def _server_name(replica_rank: int) -> str:
    return f"liverl_cpu_server_{replica_rank}"


class CpuReplica(RolloutReplica):
    """Launches one `CpuServer` a replica; window and slots come from verl's rollout configuration."""

    async def launch_servers(self) -> None:
        """Start the actor and wait until its model is loaded."""
        path = self.model_config.path if hasattr(self.model_config, "path") else self.model_config["path"]
        server = (
            ray.remote(CpuServer)
            .options(num_cpus=0, name=_server_name(self.replica_rank), max_concurrency=self.max_concurrency)
            .remote(
                path,
                slots=self.config.max_num_seqs,
                capacity=self.config.max_model_len or self.config.prompt_length + self.config.response_length,
                threads=int(os.environ.get("LIVERL_REPLICA_THREADS", "1")),
                seed=int(self.config.seed or 0) + self.replica_rank,
            )
        )
        self.servers = [server]
        self._server_handle = server
        self._server_address = await server.ready.remote()
        replica_serves(self.replica_rank, path)


class CpuAdapter(BaseRollout):
    """The rollout half of verl's fused worker: gathers the trainer's weights and sends them to its replica."""

    def __init__(
        self, config: Any, model_config: Any, device_mesh: Any, replica_rank: int = -1, **_: object
    ) -> None:
        super().__init__(config, model_config, device_mesh)
        rank = int(os.environ["RANK"])
        world = (
            self.config.tensor_model_parallel_size
            * self.config.data_parallel_size
            * self.config.pipeline_model_parallel_size
        )
        self.replica_rank = rank // world if replica_rank == -1 else replica_rank
        self.is_leader_rank = rank % world == 0
        self.sleep_level = 1
        self._handle: Any = None

    async def resume(self, tags: list[str]) -> None:
        """Host memory is never released."""

    async def release(self) -> None:
        """Host memory is never released."""

    async def update_weights(
        self, weights: Any, wire_format: str = "named_tensors", global_steps: int | None = None, **_: object
    ) -> None:
        """Send full named tensors; the generator is drained on every rank since gathering is collective."""
        if wire_format != "named_tensors":
            raise EngineError(
                "engine.wire_format", "the CPU replica takes full tensors", evidence=wire_format
            )
        named: list[tuple[str, torch.Tensor]] = []
        if hasattr(weights, "__aiter__"):
            async for name, tensor in weights:
                named.append((name, tensor.detach().cpu().float().clone()))
        else:
            for name, tensor in weights:
                named.append((name, tensor.detach().cpu().float().clone()))
        if self.is_leader_rank:
            if self._handle is None:
                self._handle = ray.get_actor(_server_name(self.replica_rank))
            await self._handle.update_weights.remote(named, global_steps)
