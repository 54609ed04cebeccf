"""Trials that met no LiteLLM wait until the supervisor's next one answers, instead of using up their tries on it."""

from __future__ import annotations

import asyncio
import logging

from liverl.errors import GatewayError
from liverl.gateway.door import door_ready

logger = logging.getLogger(__name__)

_waits: dict[tuple[int, str], asyncio.Task[float]] = {}
"""One question an event loop and door, however many trials wait for its answer."""


async def door_again(url: str, limit_s: float) -> bool:
    """Wait until LiteLLM answers at `url`, for `limit_s` at most; whether it does. At once where it does already."""
    key = (id(asyncio.get_running_loop()), url)
    task = _waits.get(key)
    if task is None or task.done():
        task = _waits[key] = asyncio.create_task(door_ready(url, limit_s))
    try:
        await asyncio.shield(task)
    except GatewayError as error:
        logger.error("%s", error)
        return False
    return True
