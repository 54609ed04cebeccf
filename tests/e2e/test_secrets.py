"""The run's key and its trials' credentials are nowhere but in environments and memory."""

from __future__ import annotations

import stat

import pytest

from liverl.gateway.token import sign
from liverl.record.trials import read_trials
from tests.conftest import FinishedRun
from tests.e2e.traces import TOKEN, files_below

pytestmark = pytest.mark.run


@pytest.fixture(scope="module")
def key(finished_run: FinishedRun) -> bytes:
    """The key, as the watch saw it in the processes' environment."""
    (found,) = finished_run.watch.keys
    assert len(found) == 64
    return found


def test_the_pattern_of_a_credential_is_the_gateways(key: bytes) -> None:
    token = sign(bytes.fromhex(key.decode()), "a-trial", "http://127.0.0.1:12345", 1.5e9)
    assert TOKEN.fullmatch(token.encode())


def test_no_file_of_the_run_holds_the_key_or_a_credential(finished_run: FinishedRun, key: bytes) -> None:
    assert read_trials(finished_run.run)
    for path, content in files_below(finished_run.run.root):
        assert key not in content, path
        assert not TOKEN.search(content), path


def test_nothing_is_left_in_rays_folder_either(finished_run: FinishedRun) -> None:
    assert not finished_run.run.scratch.exists()


def test_no_command_line_ever_held_them(finished_run: FinishedRun, key: bytes) -> None:
    commands = finished_run.watch.commands
    assert any(b"verl.trainer.main_ppo" in command for command in commands)
    assert any(b"liverl.gateway.door" in command for command in commands)
    assert not [command for command in commands if key in command or TOKEN.search(command)]


def test_the_doors_configuration_is_its_owners_alone(finished_run: FinishedRun) -> None:
    door = finished_run.run.data / "door" / "litellm.yaml"
    assert stat.S_IMODE(door.stat().st_mode) == 0o600
