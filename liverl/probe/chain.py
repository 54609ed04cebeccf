"""Does a call with a tool pass LiteLLM and the gateway unchanged? Both are really started, on ports of their own.

The replica behind them says a tool call in the model's own tokens; on a CPU its forward passes are the model's.
"""

from __future__ import annotations

import os
import time
from typing import Any

from liverl.config import RunConfig
from liverl.probe.digests import digest_of, model_digest, rooms_digest, versions
from liverl.probe.memory import Memory

LIMIT_S = 60.0


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """`broken` (`link`, `seen`; empty where all is well), `seconds`, `replica` (`cpu` or `scripted`),
    `cached`; `late` where LiteLLM had not started in time, `unread` where the parser reads no tool call of the model,
    `untried` where it is not remembered and may not be tried."""
    memory = Memory.in_user_cache("chain")
    key = digest_of(
        model_digest(config.model.folder),
        config.model.served_name,
        config.rollout.tool_parser,
        config.engine.rollout,
        versions("litellm", "verl", "transformers", "torch", "uvicorn", "starlette", "httpx"),
        rooms_digest("gateway", "engine/cpu", "probe"),
        {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")},
    )
    known = memory.recall(key)
    if known is not None:
        return {**known, "cached": True}
    if light:
        return {"untried": True}
    from liverl.probe.try_chain import try_chain

    begun = time.monotonic()
    told = try_chain(config, begun + min(timeout_s, LIMIT_S))
    told["seconds"] = round(time.monotonic() - begun, 1)
    if not told["broken"] and "replica" in told:
        memory.remember(key, told)
        memory.save()
    return {**told, "cached": False}
