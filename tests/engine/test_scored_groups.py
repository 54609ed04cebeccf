"""Which groups are trained on, over a real transfer queue on a real Ray."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import EngineError
from liverl.record.events import each_posted
from liverl.record.layout import RunDir

Groups = dict[str, list[int]]


@pytest.fixture(scope="module")
def queue() -> Iterator[Any]:
    """A transfer queue with one storage unit."""
    import ray
    import transfer_queue
    from omegaconf import OmegaConf

    ray.init(
        address="local", num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=10**8
    )
    storage = {"num_data_storage_units": 1, "total_storage_size": 1000}
    transfer_queue.init(OmegaConf.create({"backend": {"SimpleStorage": storage}}))
    yield transfer_queue
    transfer_queue.close()
    ray.shutdown()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    """The run directory that events are posted to."""
    run = RunDir.create(tmp_path / "run")
    run.resolved.write_text("{}")
    monkeypatch.setenv("LIVERL_RUN_DIR", str(run.root))
    return run


@pytest.fixture
def put(queue: Any) -> Callable[..., None]:
    """Puts a finished batch: for each group, how many sequences each of its scored trials has."""
    import torch
    from tensordict import TensorDict

    def put(groups: Groups, partition: str = "train", status: str = "finished") -> None:
        for group, trials in groups.items():
            keys = [f"{group}_{trial}_{n}" for trial, count in enumerate(trials) for n in range(count)]
            if keys:
                fields = TensorDict({"x": torch.zeros(len(keys), 1)}, batch_size=len(keys))
                queue.kv_batch_put(
                    keys=keys, partition_id=partition, tags=[{"seq_len": 1}] * len(keys), fields=fields
                )
            # The status comes last, as verl's agent loop puts it: a finished group has all its sequences.
            tag = {"is_prompt": True, "status": status, "global_steps": 1}
            queue.kv_batch_put(keys=[group], partition_id=partition, tags=[tag])

    return put


def _sampler(refill: Callable[[int], Any]) -> Any:
    from omegaconf import OmegaConf

    from liverl.engine.sampler import ScoredGroups

    return ScoredGroups("sync", OmegaConf.create({}), 8, "drop", OmegaConf.create({}), refill_fn=refill)


def _names(count: int) -> list[str]:
    return [uuid.uuid4().hex for _ in range(count)]


def _never(count: int) -> None:
    raise AssertionError("no batch was to be drawn")


def test_a_group_with_one_scored_trial_is_dropped_with_an_event(run: RunDir, put: Any) -> None:
    good, lonely, empty = _names(3)
    put({good: [1, 2], lonely: [3], empty: []})
    batch, metrics = _sampler(_never).sample(5, "train", 3)
    assert sorted(batch.keys) == [f"{good}_0_0", f"{good}_1_0", f"{good}_1_1"]
    assert metrics == {"trial/groups_dropped": 2.0}
    events = {event.fields["group"]: event.fields["scored"] for event in list(each_posted(run))}
    assert events == {lonely: 1, empty: 0}


def test_a_batch_without_a_usable_group_is_skipped_and_the_next_is_drawn(run: RunDir, put: Any) -> None:
    lonely, good = _names(2)
    put({lonely: [1]})
    batch, _ = _sampler(lambda count: put({good: [1] * (count + 1)})).sample(7, "train", 1)
    assert {key.split("_")[0] for key in batch.keys} == {good}
    assert [event.kind for event in list(each_posted(run))] == ["group_dropped", "step_skipped"]


def test_batches_that_never_score_end_the_run_with_the_cause(run: RunDir, put: Any) -> None:
    put({_names(1)[0]: []})
    with pytest.raises(EngineError, match="no_scored_trial"):
        _sampler(lambda _: put({_names(1)[0]: []})).sample(7, "train", 1)


def test_it_waits_for_every_group_of_the_batch(run: RunDir, put: Any) -> None:
    ended, running = _names(2)
    put({ended: [1, 1]})
    put({running: [1]}, status="running")
    later = threading.Timer(0.5, lambda: put({running: [1, 1]}))
    later.start()
    batch, _ = _sampler(_never).sample(1, "train", 2)
    later.join()
    assert {key.split("_")[0] for key in batch.keys} == {ended, running}


def test_validation_keeps_every_scored_trial(run: RunDir, put: Any) -> None:
    lonely, empty = _names(2)
    put({lonely: [1], empty: []}, partition="val")
    batch, _ = _sampler(_never).sample(0, "val", 2)
    assert batch.keys == [f"{lonely}_0_0"]


def test_a_validation_without_one_scored_trial_is_an_error(run: RunDir, put: Any) -> None:
    put({_names(1)[0]: []}, partition="val")
    with pytest.raises(EngineError, match="no validation trial"):
        _sampler(_never).sample(0, "val", 1)


def test_a_batch_that_a_dead_worker_left_ends_the_run_with_the_cause(
    run: RunDir, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from liverl.engine import sampler

    monkeypatch.setattr(sampler, "DOOR_TIMEOUT_S", 0.5)
    monkeypatch.setattr(sampler, "AROUND_S", 0.1)
    run.resolved.write_text("trial: {agent_timeout_s: 0.1, verifier_timeout_s: 0.1, retries: 0}")
    ended, left = _names(2)
    put({ended: [1, 1]})
    put({left: []}, status="running")
    with pytest.raises(EngineError) as caught:
        _sampler(_never).sample(3, "train", 2)
    assert caught.value.code == "engine.no_progress"
    assert "1 groups under way" in caught.value.evidence
    assert run.name in caught.value.next_action
    put({left: [1, 1]})
    _sampler(_never).sample(3, "train", 2)
