"""Log-probabilities that are not those of the sampled tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.drill.onset import Onset
from liverl.drill.sampling import FACTOR, answer_wrong_logprobs
from liverl.engine.cpu.batcher import Batcher, Request, Sampling, Slot
from liverl.record.layout import RunDir


def test_they_are_right_until_the_failure_begins_and_the_tokens_always_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Batcher, "_append", Batcher._append
    )  # whatever the drill does to it ends with this test
    onset = Onset("wrong-logprobs", 2, RunDir.create(tmp_path / "run"))
    answer_wrong_logprobs(onset)
    batcher = Batcher.__new__(Batcher)
    batcher.tokens_out, batcher.capacity, batcher.end_ids = 0, 100, set()
    request = Request([1], Sampling(max_tokens=10), lambda result: None)
    slot = Slot(0, request=request)
    batcher._append(slot, 7, -0.5)
    onset.reach(2)
    batcher._append(slot, 8, -0.5)
    assert request.token_ids == [7, 8]
    assert request.logprobs == [-0.5, -0.5 * FACTOR]
