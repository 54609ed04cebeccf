"""One agent-loop worker's desk: its gateway, its places for trials, and the check of the chain before the first."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.errors import LiveRLError
from liverl.gateway.calls import Generation
from liverl.gateway.chain import check_chain
from liverl.gateway.server import Gateway
from liverl.record.events import post_event
from liverl.record.layout import RunDir

DOOR_TIMEOUT_S = 180.0


@dataclass(frozen=True)
class Desk:
    """What all trials of one worker share."""

    run: RunDir
    config: RunConfig
    gateway: Gateway
    places: asyncio.Semaphore
    door_url: str


_desks: dict[int, asyncio.Task[Desk]] = {}
"""One a event loop: verl makes a new agent-loop object for every trial, in one loop a worker."""


async def desk(client: Any, tokenizer: Any) -> Desk:
    """This worker's desk, set up by the first trial that asks; the others wait for the same one.

    Where that fails the waiting trials get the error, the run an event, and the next trial to ask tries again.
    """
    key = id(asyncio.get_running_loop())
    task = _desks.get(key)
    if task is None:
        task = _desks[key] = asyncio.create_task(_set_up(key, client, tokenizer))
    return await asyncio.shield(task)


async def _set_up(key: int, client: Any, tokenizer: Any) -> Desk:
    run = RunDir(Path(os.environ["LIVERL_RUN_DIR"]))
    try:
        return await make_desk(run, RunConfig.read_resolved(run.resolved), client, tokenizer)
    except BaseException as error:
        del _desks[key]
        if isinstance(error, LiveRLError):
            said = {**error.as_dict(), "message": f"no gateway for the trials: {error.message}"}
            post_event(run, "boot", **said)
        raise


async def make_desk(run: RunDir, config: RunConfig, client: Any, tokenizer: Any) -> Desk:
    """A gateway over `client.generate` behind the run's LiteLLM, the whole chain tried once.

    Reads LIVERL_DOOR_URL and LIVERL_DOOR_KEY; raises GatewayError naming the link of the chain that is broken.
    """
    door_url = os.environ["LIVERL_DOOR_URL"]

    async def generate(request_id: str, prompt_ids: list[int], sampling: dict[str, Any]) -> Generation:
        output = await client.generate(request_id=request_id, prompt_ids=prompt_ids, sampling_params=sampling)
        return Generation(
            token_ids=list(output.token_ids),
            logprobs=list(output.log_probs or []),
            stop_reason=output.stop_reason or "",
            weight_version=int(output.extra_fields.get("min_global_steps") or 0),
            weight_version_max=output.extra_fields.get("max_global_steps"),
        )

    gateway = Gateway(
        generate,
        tokenizer,
        tool_parser=config.rollout.tool_parser,
        key=bytes.fromhex(os.environ["LIVERL_DOOR_KEY"]),
        max_model_len=config.rollout.max_prompt_length + config.rollout.max_response_length,
        model_name=config.model.served_name,
    )
    await gateway.start()
    try:
        await check_chain(gateway, door_url, ready_timeout_s=DOOR_TIMEOUT_S)
    except BaseException:
        await gateway.stop()
        raise
    message = "LiteLLM answers, and the whole chain works"
    # The worker's pid names the groups of its sandboxes, should it be killed before it removes them.
    post_event(run, "boot", stage="litellm", done=True, message=message, worker=os.getpid())
    post_event(run, "ready", gateway=gateway.url, door=door_url)
    # Trials that wait for a place must not count as running, and each worker gets its share of the places.
    places = max(1, config.trial.concurrency // config.rollout.workers)
    return Desk(run, config, gateway, asyncio.Semaphore(places), door_url)
