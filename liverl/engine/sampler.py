"""Which groups of a step are trained on: verl's replay buffer, with trials that were nobody's doing left out.

A trial that failed for a reason that is not the agent's yields no sequence, so it is neither in the loss nor in its
group's mean and standard deviation (verl computes those over the sequences that exist, one a trial). What remains to be
decided here:

- a group with fewer than two scored trials has no meaningful baseline and is dropped (event `group_dropped`)
- a batch of tasks with no group left is skipped (event `step_skipped`) and the next one is drawn
- a batch in which nothing ends for longer than its trials' limits allow will never end: a worker is dead, so is the run
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

from liverl.config import RunConfig
from liverl.engine.desk import DOOR_TIMEOUT_S
from liverl.errors import EngineError
from liverl.record.events import post_event
from liverl.record.layout import RunDir

POLL_S = 0.05
"""verl's own poll of 2 s would be most of a small step."""

MIN_SCORED = 2
MAX_SKIPS = 5
"""So many batches in a row without one usable group mean that something is broken, not unlucky."""

AROUND_S = 180.0
"""Room for what a try needs besides agent and verifier, many times what it takes: sandboxes begin within 30 s."""

_FAILURES = "liverl trials --outcome infrastructure"


def scored_trials(keys: list[str]) -> Counter[str]:
    """Scored trials by group, from sequence keys `{group}_{trial}_{sequence}`; a trial counts once."""
    trials = {tuple(key.rsplit("_", 2)[:2]) for key in keys}
    return Counter(group for group, _ in trials)


def patience_s(config: RunConfig, split: str, groups: int) -> float:
    """Seconds after which no worker that lives can be at its share of `groups` without having ended one.

    Every trial uses up its limits in every try, the trials of a worker follow one another in its places, and the
    first of them wait for the gateway.
    """
    trial, workers = config.trial, config.rollout.workers
    count = config.rollout.val_n if split == "val" else config.rollout.n
    places = max(1, trial.concurrency // workers)
    waves = math.ceil(math.ceil(groups / workers) * count / places)
    each_s = trial.agent_timeout_s + trial.verifier_timeout_s + AROUND_S
    return DOOR_TIMEOUT_S + waves * (trial.retries + 1) * each_s


class ScoredGroups(ReplayBuffer):
    """verl's synchronous replay buffer that waits for all groups of a batch and returns the usable ones."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["poll_interval"] = POLL_S
        super().__init__(*args, **kwargs)
        self.run = RunDir(Path(os.environ["LIVERL_RUN_DIR"]))
        self.config = RunConfig.read_resolved(self.run.resolved)

    def sample(
        self, global_steps: int, partition_id: str, batch_size: int
    ) -> tuple[KVBatchMeta, dict[str, float]]:
        """The finished batch's sequences and how many groups were dropped; blocks until all its trials have ended."""
        dropped_total = 0
        for _ in range(MAX_SKIPS):
            groups = self._wait(partition_id, batch_size)
            counts = scored_trials(list(self.partitions[partition_id]))
            if partition_id == "val":
                return self._take_validation(groups, counts)
            kept = [group for group in groups if counts[group] >= MIN_SCORED]
            dropped = [group for group in groups if counts[group] < MIN_SCORED]
            dropped_total += len(dropped)
            for group in dropped:
                post_event(self.run, "group_dropped", step=global_steps, group=group, scored=counts[group])
            self._clear_groups(partition_id, set(dropped))
            if kept:
                batch = self._materialize_batch(partition_id, kept, dict(self.partitions[partition_id]))
                return batch, {"trial/groups_dropped": float(dropped_total)}
            post_event(self.run, "step_skipped", step=global_steps, groups=len(dropped))
            self.refill_fn(batch_size)
        raise EngineError(
            "engine.no_scored_trial",
            f"{MAX_SKIPS} batches in a row had no group with {MIN_SCORED} scored trials",
            evidence=f"step {global_steps}, {dropped_total} groups dropped",
            next_action=f"{_FAILURES}; without any there, cat {self.run.events_jsonl}",
        )

    def _wait(self, partition_id: str, batch_size: int) -> list[str]:
        seen: tuple[set[str], set[str]] | None = None
        changed = time.monotonic()
        while True:
            self._sync_metadata_from_transfer_queue()
            ended = self.finished_keys[partition_id] | self.failure_keys[partition_id]
            under_way = self.pending_keys[partition_id] | self.running_keys[partition_id]
            if len(ended) >= batch_size and not under_way:
                return sorted(ended)
            if (ended, under_way) != seen:
                seen, changed = (ended, under_way), time.monotonic()
            limit_s = patience_s(self.config, partition_id, len(ended | under_way))
            if time.monotonic() - changed > limit_s:
                raise _stuck(len(under_way), limit_s, self.run)
            time.sleep(self.poll_interval)

    def _take_validation(
        self, groups: list[str], counts: Counter[str]
    ) -> tuple[KVBatchMeta, dict[str, float]]:
        if not any(counts[group] for group in groups):
            raise EngineError(
                "engine.no_scored_trial",
                "no validation trial could be scored",
                evidence=f"{len(groups)} tasks, every trial failed for a reason that is not the agent's",
                next_action=f"{_FAILURES}; without any there, cat {self.run.events_jsonl}",
            )
        return self._materialize_batch("val", groups, dict(self.partitions["val"])), {}


def _stuck(groups: int, limit_s: float, run: RunDir) -> EngineError:
    return EngineError(
        "engine.no_progress",
        f"no group of trials has ended for {limit_s:.0f} s, longer than their limits allow",
        evidence=f"{groups} groups under way: the agent-loop worker that runs them is dead or hangs",
        next_action=f"see why it died: cat {run.latest_log}   then: liverl resume {run.name}",
    )
