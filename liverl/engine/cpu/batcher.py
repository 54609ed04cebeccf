"""Continuous batching of one Hugging Face model on a CPU: tokens in, tokens and their log-probabilities out.

The Transformers library's own continuous batching attends over the concatenation of all sequences where there is no
paged attention kernel, as on a CPU: 8 requests of 30 + 48 tokens took it 1.6 s on one core, and 64 requests of 300
tokens gave no token within 5 s (transformers 5.9.0), where this one needed 0.17 s and 2.4 s.

- `Request`, `Result`: what goes in and comes out
- `Slot`: a request's place in the cache, and after it the prefix that the next turn can reuse
- `Batcher`: admits, prefills, decodes, finishes; one call of `step` is one forward pass
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from liverl.engine.cpu.slot_cache import SlotCache, Window
from liverl.errors import EngineError

PREFILL_TOKENS = 4096
"""At most so many prompt tokens in one forward pass, so that running requests never wait long."""


@dataclass(frozen=True)
class Sampling:
    """Temperature 0 is greedy; top_k <= 0 and top_p >= 1 mean no cut."""

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1


@dataclass(frozen=True)
class Result:
    """Sampled ids, their log-probabilities under the distribution at the sampling temperature, and why it ended."""

    token_ids: list[int]
    logprobs: list[float]
    stop_reason: str
    """`stop` (end token), `length`, or `aborted`"""
    cached_tokens: int
    """prompt tokens that were already in the cache"""


@dataclass
class Request:
    """One generation; `done` is called from the batcher's thread with the Result or the error."""

    prompt_ids: list[int]
    sampling: Sampling
    done: Callable[[Result | Exception], None]
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    cached_tokens: int = 0


@dataclass
class Slot:
    """`tokens` are those whose keys and values are in the cache, in order; `stale` ones belong to older weights."""

    number: int
    tokens: list[int] = field(default_factory=list)
    request: Request | None = None
    used_at: int = 0
    stale: bool = False


def _shared_prefix(a: list[int], b: list[int]) -> int:
    limit = min(len(a), len(b))
    if a[:limit] == b[:limit]:
        return limit
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Batcher:
    """Serves many requests at once with one model; not thread-safe, driven by one thread.

    `slots` bounds how many requests run at the same time, `capacity` prompt plus response tokens of each.
    """

    def __init__(self, model: Any, *, slots: int, capacity: int, end_ids: set[int], seed: int = 0) -> None:
        self.model = model
        self.end_ids = end_ids
        self.capacity = capacity
        self.cache = SlotCache(model.config, slots, capacity)
        self.slots = [Slot(n) for n in range(slots)]
        self.waiting: deque[Request] = deque()
        self.generator = torch.Generator().manual_seed(seed)
        self.clock = 0
        self.tokens_out = 0
        self.passes = 0

    def submit(self, request: Request) -> None:
        """Queue a request; a prompt that leaves no room for one token is refused at once."""
        if len(request.prompt_ids) >= self.capacity or not request.prompt_ids:
            error = EngineError(
                "engine.prompt_length",
                "a prompt does not fit the replica's window",
                evidence=f"{len(request.prompt_ids)} prompt tokens, window {self.capacity}",
                next_action="raise rollout.max_prompt_length or rollout.max_response_length",
            )
            request.done(error)
            return
        self.waiting.append(request)

    @property
    def busy(self) -> bool:
        """Whether any request waits or runs."""
        return bool(self.waiting) or any(slot.request for slot in self.slots)

    def forget(self) -> None:
        """Drop every cached prefix, that of a running request once it has ended.

        Needed after each weight update, since old keys belong to old weights.
        """
        for slot in self.slots:
            slot.stale = slot.request is not None
            if not slot.stale:
                slot.tokens = []

    def abort(self) -> None:
        """End every running and waiting request with what it has so far."""
        for slot in self.slots:
            if slot.request is not None:
                self._finish(slot, "aborted")
        while self.waiting:
            request = self.waiting.popleft()
            request.done(Result([], [], "aborted", 0))

    @torch.inference_mode()
    def step(self) -> None:
        """One forward pass: prefill what was admitted, else decode one token for every running request."""
        admitted = self._admit()
        self.clock += 1
        self.passes += 1
        if admitted:
            self._prefill(admitted)
        else:
            self._decode()

    def _admit(self) -> list[Slot]:
        admitted: list[Slot] = []
        budget = PREFILL_TOKENS
        while self.waiting and budget > 0:
            slot, kept = self._best_slot(self.waiting[0].prompt_ids)
            if slot is None:
                break
            request = self.waiting.popleft()
            budget -= len(request.prompt_ids) - kept
            request.cached_tokens = kept
            slot.request, slot.tokens, slot.stale = request, request.prompt_ids[:kept], False
            admitted.append(slot)
        return admitted

    def _best_slot(self, prompt: list[int]) -> tuple[Slot | None, int]:
        """The free slot with the longest usable prefix, else the one unused for longest; at least one token is fed."""
        best: Slot | None = None
        kept = 0
        for slot in self.slots:
            if slot.request is not None:
                continue
            shared = min(_shared_prefix(slot.tokens, prompt), len(prompt) - 1)
            rank = (shared if shared >= len(slot.tokens) // 2 else 0, -slot.used_at)
            if best is None or rank > (kept, -best.used_at):
                best, kept = slot, rank[0]
        return best, kept

    def _prefill(self, slots: list[Slot]) -> None:
        pending = [s.request.prompt_ids[len(s.tokens) :] for s in slots if s.request]
        longest = max(len(p) for p in pending)
        ids_BL = torch.zeros(len(slots), longest, dtype=torch.long)
        starts_B = torch.tensor([len(s.tokens) for s in slots])
        lengths_B = torch.tensor([len(p) for p in pending])
        for row, tokens in enumerate(pending):
            ids_BL[row, : len(tokens)] = torch.tensor(tokens)
        steps_L = torch.arange(longest)
        valid_BL = steps_L[None] < lengths_B[:, None]
        positions_BL = torch.minimum(starts_B[:, None] + steps_L[None], (starts_B + lengths_B - 1)[:, None])
        rows = torch.tensor([s.number for s in slots])
        hidden = self._forward(
            ids_BL, Window(rows, positions_BL, int((starts_B + lengths_B).max()), valid_BL)
        )
        for slot, tokens in zip(slots, pending, strict=True):
            slot.tokens = slot.tokens + tokens
        last_B = lengths_B - 1
        self._sample(slots, hidden[torch.arange(len(slots)), last_B])

    def _decode(self) -> None:
        running = [s for s in self.slots if s.request]
        if not running:
            return
        top = running[-1].number + 1
        # Reading slots 0..top without a gather beats copying the keys of the running ones, while most of them run.
        dense = len(running) * 2 >= top
        rows = self.slots[:top] if dense else running
        ids_BL = torch.tensor([[s.request.token_ids[-1] if s.request else 0] for s in rows])
        at = [[len(s.tokens) if s.request else self.capacity - 1] for s in rows]
        width = max(len(s.tokens) for s in running) + 1
        positions_BL = torch.tensor(at)
        valid_BL = (
            torch.tensor([[s.request is not None] for s in rows]) if dense and len(running) < top else None
        )
        window = Window(
            None if dense else torch.tensor([s.number for s in rows]), positions_BL, width, valid_BL
        )
        hidden = self._forward(ids_BL, window)
        for slot in running:
            slot.tokens.append(slot.request.token_ids[-1])  # type: ignore[union-attr]
        keep = torch.tensor([i for i, s in enumerate(rows) if s.request])
        self._sample(running, hidden[keep, -1])

    def _forward(self, ids_BL: torch.Tensor, window: Window) -> torch.Tensor:
        columns_T = torch.arange(window.width)
        mask_B1LT = (columns_T[None, None] <= window.positions_BL[:, :, None])[:, None]
        self.cache.window = window
        try:
            output = self.model.model(
                input_ids=ids_BL,
                attention_mask=mask_B1LT,
                position_ids=window.positions_BL,
                past_key_values=self.cache,
                use_cache=True,
            )
        finally:
            self.cache.window = None
        return output.last_hidden_state

    def _sample(self, slots: list[Slot], hidden_BD: torch.Tensor) -> None:
        logits_BV = self.model.lm_head(hidden_BD).float()
        temperatures = [s.request.sampling.temperature for s in slots if s.request]
        scale_B1 = torch.tensor([t if t > 0 else 1.0 for t in temperatures])[:, None]
        logprobs_BV = torch.log_softmax(logits_BV / scale_B1, -1)
        cut_BV = self._cut(slots, logprobs_BV)
        drawn_B = torch.multinomial(cut_BV.exp(), 1, generator=self.generator)[:, 0]
        greedy_B = torch.tensor([t <= 0 for t in temperatures])
        chosen_B = torch.where(greedy_B, logprobs_BV.argmax(-1), drawn_B)
        chosen_logprobs = logprobs_BV.gather(1, chosen_B[:, None])[:, 0].tolist()
        for slot, token, logprob in zip(slots, chosen_B.tolist(), chosen_logprobs, strict=True):
            self._append(slot, token, logprob)

    @staticmethod
    def _cut(slots: list[Slot], logprobs_BV: torch.Tensor) -> torch.Tensor:
        """Log-probabilities with the tail outside top-k and top-p removed (not renormalised: sampling does it)."""
        if all(s.request.sampling.top_k <= 0 and s.request.sampling.top_p >= 1 for s in slots if s.request):
            return logprobs_BV
        cut_BV = logprobs_BV.clone()
        for row, slot in enumerate(slots):
            sampling = slot.request.sampling  # type: ignore[union-attr]
            ordered, order = logprobs_BV[row].sort(descending=True)
            drop = ordered.exp().cumsum(0) - ordered.exp() >= sampling.top_p
            if sampling.top_k > 0:
                drop[sampling.top_k :] = True
            cut_BV[row, order[drop]] = float("-inf")
        return cut_BV

    def _append(self, slot: Slot, token: int, logprob: float) -> None:
        request = slot.request
        assert request is not None
        request.token_ids.append(token)
        request.logprobs.append(logprob)
        self.tokens_out += 1
        limit = min(request.sampling.max_tokens, self.capacity - len(request.prompt_ids))
        if token in self.end_ids:
            self._finish(slot, "stop")
        elif len(request.token_ids) >= limit:
            self._finish(slot, "length")

    def _finish(self, slot: Slot, reason: str) -> None:
        request = slot.request
        assert request is not None
        slot.request, slot.used_at = None, self.clock
        if slot.stale:
            slot.tokens = []
        request.done(Result(request.token_ids, request.logprobs, reason, request.cached_tokens))
