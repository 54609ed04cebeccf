"""Live runs are looked for in every folder that answers, in bounded time."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.launch import refuse_shared_ports
from liverl.run.live import live_runs
from liverl.run.roots import each_root, listed_roots, state_file
from tests.run.scripted import Launch


@pytest.fixture
def hung_root(tmp_path: Path) -> Path:
    """A folder whose run can't be read to its end: opening its run.json waits for ever, as on a dead mount."""
    run = RunDir.create(tmp_path / "hung" / "silent")
    run.attempt_plan(1).write_text("{}")
    os.mkfifo(run.run_json)
    return run.root.parent


def test_folders_that_hang_or_can_not_be_read_are_left_out() -> None:
    never = threading.Event()

    def ask(root: Path) -> str:
        if root.name == "hangs":
            never.wait()
        if root.name == "unreadable":
            raise PermissionError(root)
        return root.name

    roots = [Path(name) for name in ("hangs", "b", "unreadable", "a", "b")]
    assert list(each_root(roots, ask, limit_s=0.3).items()) == [(Path("b"), "b"), (Path("a"), "a")]
    never.set()
    assert each_root([], ask) == {}


def test_the_list_of_folders_is_read_without_touching_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert listed_roots() == []
    state_file().parent.mkdir(parents=True)
    state_file().write_text("/gone\n\n/other\n")
    assert listed_roots() == [Path("/other"), Path("/gone")]


def test_a_folder_reached_by_two_ways_has_its_runs_once(launch_run: Launch, tmp_path: Path) -> None:
    run = launch_run(end="hang", stubborn=False)
    (tmp_path / "link").symlink_to(run.root.parent)
    found = live_runs([run.root.parent, tmp_path / "link"])
    assert [(live.root, state.is_live) for live, state in found] == [(run.root.resolve(), True)]


def test_a_dead_mount_neither_holds_up_a_launch_nor_hides_who_has_its_ports(
    launch_run: Launch, hung_root: Path, tmp_path: Path
) -> None:
    run = launch_run(end="hang", stubborn=False, ports={"litellm": 18_107})
    state_file().write_text(f"{run.root.parent}\n{hung_root}\n")
    with pytest.raises(RunError, match=run.name):
        refuse_shared_ports(tmp_path / "elsewhere", {"litellm": 18_107})
