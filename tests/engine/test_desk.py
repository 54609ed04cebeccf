"""A worker's desk: a set-up that failed is on record, and is not the last one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from liverl.engine import desk as room
from liverl.errors import GatewayError
from liverl.record.events import each_posted
from liverl.record.layout import RunDir
from tests.gateway.chat_model import KEY, ScriptedReplica, small_tokenizer
from tests.gateway.conftest import free_port


async def test_a_failed_set_up_is_told_once_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDir.create(tmp_path / "run")
    run.resolved.write_text("{}")
    monkeypatch.setenv("LIVERL_RUN_DIR", str(run.root))
    monkeypatch.setenv("LIVERL_DOOR_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("LIVERL_DOOR_KEY", KEY.hex())
    monkeypatch.setattr(room, "DOOR_TIMEOUT_S", 0.3)
    tokenizer = small_tokenizer()
    replica = ScriptedReplica(tokenizer)
    for _ in range(2):
        asked = [room.desk(replica, tokenizer) for _ in range(3)]
        errors = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(error) for error in errors] == [GatewayError] * 3
        [event] = list(each_posted(run))
        assert event.fields["code"] == "gateway.door_not_listening"
