"""Continuous batching gives every request what it would have got alone."""

from __future__ import annotations

import random
from typing import Any

import torch

from liverl.engine.cpu.batcher import Batcher, Request, Result, Sampling
from liverl.errors import EngineError


def _prompts(count: int, seed: int = 0) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(4, 128) for _ in range(rng.randint(3, 60))] for _ in range(count)]


def _serve(batcher: Batcher, prompts: list[list[int]], sampling: Sampling) -> list[Result]:
    outcomes: dict[int, Any] = {}
    for number, prompt in enumerate(prompts):
        batcher.submit(Request(prompt, sampling, lambda result, n=number: outcomes.__setitem__(n, result)))
    while batcher.busy:
        batcher.step()
    return [outcomes[number] for number in range(len(prompts))]


def _full_logprobs(
    model: Any, prompt: list[int], response: list[int], temperature: float = 1.0
) -> torch.Tensor:
    with torch.inference_mode():
        logits = model(torch.tensor([prompt + response])).logits[0, len(prompt) - 1 : -1].float()
    return torch.log_softmax(logits / temperature, -1).gather(1, torch.tensor(response)[:, None])[:, 0]


def _batcher(model: Any, **changes: Any) -> Batcher:
    return Batcher(model, **{"slots": 4, "capacity": 128, "end_ids": {3}, "seed": 1, **changes})


def test_logprobs_equal_those_of_one_full_forward_pass(model: Any) -> None:
    prompts = _prompts(11)
    for prompt, result in zip(prompts, _serve(_batcher(model), prompts, Sampling(40)), strict=True):
        expected = _full_logprobs(model, prompt, result.token_ids)
        torch.testing.assert_close(torch.tensor(result.logprobs), expected, atol=2e-5, rtol=0)


def test_logprobs_are_those_of_the_sampling_temperature(model: Any) -> None:
    prompts = _prompts(3, seed=5)
    for prompt, result in zip(prompts, _serve(_batcher(model), prompts, Sampling(20, 0.7)), strict=True):
        expected = _full_logprobs(model, prompt, result.token_ids, 0.7)
        torch.testing.assert_close(torch.tensor(result.logprobs), expected, atol=2e-5, rtol=0)


def test_greedy_decoding_in_a_full_batch_equals_the_librarys_own(model: Any) -> None:
    prompts = _prompts(9, seed=2)
    for prompt, result in zip(prompts, _serve(_batcher(model), prompts, Sampling(24, 0.0)), strict=True):
        alone = model.generate(torch.tensor([prompt]), max_new_tokens=24, do_sample=False)[
            0, len(prompt) :
        ].tolist()
        assert result.token_ids == alone


def test_the_next_turn_feeds_only_what_is_new_and_samples_the_same_distribution(model: Any) -> None:
    batcher = _batcher(model)
    first = _serve(batcher, _prompts(4, seed=3), Sampling(16))
    turns = [p + r.token_ids + [9, 8, 7] for p, r in zip(_prompts(4, seed=3), first, strict=True)]
    for prompt, result in zip(turns, _serve(batcher, turns, Sampling(16)), strict=True):
        assert result.cached_tokens >= len(prompt) - 5
        expected = _full_logprobs(model, prompt, result.token_ids)
        torch.testing.assert_close(torch.tensor(result.logprobs), expected, atol=2e-5, rtol=0)


def test_forgetting_after_a_weight_update_leaves_no_stale_prefix(model: Any) -> None:
    batcher = _batcher(model)
    prompts = _prompts(4, seed=4)
    _serve(batcher, prompts, Sampling(8))
    batcher.forget()
    assert all(result.cached_tokens == 0 for result in _serve(batcher, prompts, Sampling(8)))


def test_top_k_one_is_greedy_and_a_tiny_top_p_too(model: Any) -> None:
    prompts = _prompts(4, seed=6)
    greedy = [r.token_ids for r in _serve(_batcher(model), prompts, Sampling(12, 0.0))]
    assert [r.token_ids for r in _serve(_batcher(model), prompts, Sampling(12, 1.0, 1.0, 1))] == greedy
    assert [r.token_ids for r in _serve(_batcher(model), prompts, Sampling(12, 1.0, 1e-6))] == greedy


def test_sampled_tokens_follow_the_models_distribution(model: Any) -> None:
    prompt = [5, 6, 7, 8]
    results = _serve(_batcher(model, slots=64), [prompt] * 4000, Sampling(1))
    seen = torch.bincount(torch.tensor([r.token_ids[0] for r in results]), minlength=128) / 4000
    with torch.inference_mode():
        expected = torch.softmax(model(torch.tensor([prompt])).logits[0, -1].float(), -1)
    # Standard error of a share p over 4000 draws is sqrt(p / 4000); five of them.
    assert bool(((seen - expected).abs() < 5 * (expected / 4000).sqrt() + 1e-3).all())


def test_the_same_seed_draws_the_same_tokens(model: Any) -> None:
    prompts = _prompts(6, seed=7)
    runs = [[r.token_ids for r in _serve(_batcher(model, seed=3), prompts, Sampling(20))] for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_response_ends_at_the_limit_at_the_end_token_or_at_the_window(model: Any) -> None:
    prompts = _prompts(30, seed=8)
    for result in _serve(_batcher(model), prompts, Sampling(10)):
        assert result.stop_reason == ("stop" if result.token_ids[-1] == 3 else "length")
        assert len(result.token_ids) <= 10
    [full] = _serve(_batcher(model, end_ids=set()), [[5] * 120], Sampling(50))
    assert (len(full.token_ids), full.stop_reason) == (8, "length")


def test_abort_returns_what_there_is(model: Any) -> None:
    batcher = _batcher(model, end_ids=set())
    results: list[Any] = []
    for prompt in _prompts(6):
        batcher.submit(Request(prompt, Sampling(50), results.append))
    for _ in range(5):
        batcher.step()
    batcher.abort()
    assert not batcher.busy
    assert [r.stop_reason for r in results] == ["aborted"] * 6
    assert sorted(len(r.token_ids) for r in results) == [0, 0, 5, 5, 5, 5]


def test_a_prompt_longer_than_the_window_is_an_error_that_names_the_cure(model: Any) -> None:
    results: list[Any] = []
    _batcher(model).submit(Request([5] * 200, Sampling(5), results.append))
    assert isinstance(results[0], EngineError)
    assert results[0].code == "engine.prompt_length"
    assert "max_prompt_length" in results[0].next_action


def test_what_a_request_has_cached_across_a_weight_update_is_not_reused(model: Any) -> None:
    batcher = _batcher(model, end_ids=set())
    prompt = _prompts(1)[0]
    results: list[Any] = []
    batcher.submit(Request(prompt, Sampling(8), results.append))
    for _ in range(3):
        batcher.step()
    batcher.forget()
    while batcher.busy:
        batcher.step()
    turn = prompt + results[0].token_ids
    again, third = (_serve(batcher, [turn], Sampling(4))[0] for _ in range(2))
    assert (again.cached_tokens, third.cached_tokens) == (0, len(turn) - 1)
