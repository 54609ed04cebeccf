"""Does a conversation with a tool survive the way through the model's chat template and back?

The turns are taken through the gateway's own stitching and verl's own parser, with the template's spelling in the
model's place. Remembered by the model folder, the parser and the versions.
"""

from __future__ import annotations

import asyncio
from typing import Any

from liverl.config import RunConfig
from liverl.probe.digests import digest_of, model_digest, rooms_digest, versions
from liverl.probe.memory import Memory


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """`problems` (`what`, `seen`), `split` (`after`, `seen`: where a prompt does not go on from the tokens before it)
    and `cached`; `untried` where it is not remembered and may not be tried. Raises what the model's reading raises."""
    memory = Memory.in_user_cache("template")
    key = digest_of(
        model_digest(config.model.folder),
        config.rollout.tool_parser,
        config.engine.rollout,
        versions("verl", "transformers", "tokenizers", "jinja2"),
        rooms_digest("gateway", "probe"),
    )
    known = memory.recall(key)
    if known is not None:
        return {**known, "cached": True}
    if light:
        return {"untried": True}
    from liverl.probe.try_template import try_template

    told = asyncio.run(try_template(config))
    if not told["problems"]:
        memory.remember(key, told)
        memory.save()
    return {**told, "cached": False}
