"""The replica as verl calls it, with weights that are really the new ones after an update."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import torch

from liverl.engine.cpu.replica import CpuServer
from liverl.errors import EngineError

PROMPT = [5, 6, 7, 8, 9]


@pytest.fixture
async def server(model_folder: Path) -> AsyncIterator[CpuServer]:
    """A replica in this process."""
    server = CpuServer(str(model_folder), slots=4, capacity=64, threads=1, seed=0)
    yield server
    server.thread.stop()


async def _ask(server: CpuServer, **sampling: Any) -> Any:
    return await server.generate(PROMPT, {"max_tokens": 8, **sampling}, "r1")


async def test_an_answer_carries_ids_logprobs_and_the_weights_version(server: CpuServer) -> None:
    await server.set_global_steps(7)
    answer = await _ask(server)
    assert len(answer.token_ids) == len(answer.log_probs) > 0
    assert answer.stop_reason in ("completed", "length")
    assert answer.extra_fields["global_steps"] == 7


async def test_after_an_update_logprobs_are_the_new_models(server: CpuServer, model: Any) -> None:
    await _ask(server)
    new = {name: tensor + 0.05 * torch.randn_like(tensor) for name, tensor in model.named_parameters()}
    await server.update_weights(list(new.items()), 4)
    answer = await _ask(server)
    changed = type(model)(model.config).eval()
    changed.load_state_dict(new, strict=False)
    changed.tie_weights()
    with torch.inference_mode():
        logits = changed(torch.tensor([PROMPT + answer.token_ids])).logits[0, len(PROMPT) - 1 : -1].float()
    expected = torch.log_softmax(logits, -1).gather(1, torch.tensor(answer.token_ids)[:, None])[:, 0]
    torch.testing.assert_close(torch.tensor(answer.log_probs), expected, atol=2e-5, rtol=0)
    assert answer.extra_fields["num_cached_tokens"] == 0
    assert answer.extra_fields["global_steps"] == 4


async def test_weights_of_another_model_are_refused_and_change_nothing(server: CpuServer, model: Any) -> None:
    before = await _ask(server, temperature=0.0)
    with pytest.raises(EngineError, match="weight_names"):
        await server.update_weights([("model.unknown", torch.zeros(1))], 1)
    assert (await _ask(server, temperature=0.0)).token_ids == before.token_ids


async def test_many_calls_at_once_are_all_answered(server: CpuServer) -> None:
    answers = await asyncio.gather(*(_ask(server) for _ in range(40)))
    assert all(answer.token_ids for answer in answers)


async def test_generation_waits_while_paused_and_is_refused_where_asked(server: CpuServer) -> None:
    await server.abort_all_requests()
    waiting = asyncio.create_task(_ask(server))
    done, _ = await asyncio.wait([waiting], timeout=0.2)
    assert not done
    await server.resume_generation()
    assert (await waiting).token_ids
    await server.abort_all_requests(reject_request=True)
    with pytest.raises(EngineError, match="replica_paused"):
        await _ask(server)
