"""verl's agent loop as we run it: one call is one trial, and what it returns are the trial's training sequences."""

from __future__ import annotations

import time
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from liverl.engine.desk import Desk, desk
from liverl.engine.trials import TrialRun, run_with_retries
from liverl.record.trajectory import Segment

Fields = dict[str, Any]


class TrialLoop(AgentLoopBase):  # type: ignore[misc]
    """Runs the task of a dataset row in a sandbox, through the gateway of this worker."""

    async def run(self, sampling_params: Fields, **row: Any) -> list[AgentLoopOutput]:
        """The trial's sequences, each with the trial's reward; none at all when the trial could not be scored.

        An empty list keeps the trial out of the loss and out of its group's mean and deviation.
        """
        queued = time.time()
        worker = await desk(self.server_manager, self.tokenizer)
        async with worker.places:
            trial = await run_with_retries(worker, sampling_params, row, queued)
        if trial.reward is None:
            return []
        return [
            self._sequence(worker, trial, segment) for segment in trial.segments if any(segment.response_mask)
        ]

    def _sequence(self, worker: Desk, trial: TrialRun, segment: Segment) -> AgentLoopOutput:
        limit = worker.config.rollout.max_response_length
        oldest, newest = trial.weight_versions
        return AgentLoopOutput(
            prompt_ids=segment.prompt_ids,
            response_ids=segment.response_ids[:limit],
            response_mask=segment.response_mask[:limit],
            response_logprobs=segment.response_logprobs[:limit],
            reward_score=trial.reward,
            num_turns=trial.turns,
            metrics=AgentLoopMetrics(
                generate_sequences=trial.seconds.get("generation", 0.0),
                tool_calls=trial.seconds.get("commands", 0.0),
                compute_score=trial.seconds.get("verifier", 0.0),
                num_preempted=0,
            ),
            extra_fields={
                "min_global_steps": oldest,
                "max_global_steps": newest,
                "turn_scores": [],
                "tool_rewards": [],
                "reward_extra_info": {"solved": float(trial.outcome == "solved")},
            },
        )
