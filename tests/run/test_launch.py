"""How an attempt is started in the background, and what is told of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import ConfigError, RunError
from liverl.record.clock import utc_now
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, read_plan, write_plan
from liverl.record.runfile import Attempt, RunRecord, write_run
from liverl.run.launch import LaunchOrder, launch, link_log, refuse_shared_ports, signs_of_life
from liverl.run.liveness import read_liveness
from liverl.run.naming import new_run
from liverl.run.processes import boot_id, is_alive, pid_namespace, reference
from liverl.run.resume import resume
from liverl.run.stop import stop
from tests.run.scripted import TRAINER, Launch, ended, made_pids, process, until

pytestmark = pytest.mark.fault

STAGES = [{"stage": "ray"}]

LAUNCHER = """
import json, os, sys
from pathlib import Path
from liverl.errors import RunError
from liverl.record.plan import AttemptPlan
from liverl.run.launch import LaunchOrder, launch
root, trainer, name, gate = sys.argv[1:]
os.set_blocking(int(gate), True)
ports = {"litellm": 18_202}
script = json.dumps({"steps": 1, "end": "hang", "stubborn": False})
def plan(run):
    return AttemptPlan(1, run.name, 1, (sys.executable, trainer), env={"SCRIPT": script}, ports=ports, term_s=0.5)
order = LaunchOrder(Path(root), "", lambda run: "", plan, ports, name=name)
os.read(int(gate), 1)
try:
    print(launch(order).name)
except RunError as error:
    print(error.code)
"""


def test_signs_of_life_are_the_stage_of_the_boot_and_the_pids(launch_run: Launch) -> None:
    run = launch_run(steps=0, end="hang", stubborn=False, stages=STAGES)
    signs = signs_of_life(run)
    assert signs.stage == "ray"
    assert set(signs.pids) == {"guard", "supervisor", "trainer"}
    assert signs.pids["trainer"] == process(run, "trainer")
    stop(run, "test")


def test_the_boot_of_the_attempt_before_is_no_sign_of_a_new_ones_life(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "r")
    for number, kind in ((1, "started"), (2, "resumed")):
        write_plan(run, AttemptPlan(number, "r", 3, ("x",)))
        me = reference("supervisor", os.getpid())
        attempt = Attempt(number, utc_now(), "h", boot_id(), pid_namespace(), processes=(me,))
        write_run(run, RunRecord("r", attempt.started, 3, {}, (attempt,)))
        assert signs_of_life(run, 0.0).stage == ""
        append_event(run, kind, attempt=number)
        append_event(run, "boot", stage="ray")
        assert signs_of_life(run).stage == "ray"


def test_one_that_dies_at_once_is_an_error_with_its_last_words(launch_run: Launch) -> None:
    run = launch_run(steps=0, end="raise", stubborn=False)
    with pytest.raises(RunError) as caught:
        signs_of_life(run)
    assert caught.value.code == "run.not_started"
    assert "RuntimeError: no more tasks after step 0" in caught.value.evidence
    assert [path.name for path in run.root.glob("attempt_*.json")] == ["attempt_1.json"]


def test_one_that_says_nothing_is_told_of_as_it_is_when_the_time_is_up(launch_run: Launch) -> None:
    run = launch_run(steps=0, end="hang", stubborn=False)
    assert signs_of_life(run, 0.2).stage == "environment"
    stop(run, "test")


def test_the_log_is_linked_beside_the_config_and_a_resumed_attempts_too(
    launch_run: Launch, tmp_path: Path
) -> None:
    links = tmp_path / "logs"
    run = launch_run(steps=1, end="raise", stubborn=False, links=links)
    ended(run)
    (link,) = links.iterdir()
    assert re.fullmatch(r"launch_\d{8}-\d{6}\.log", link.name)
    assert not link.readlink().is_absolute()
    assert link.resolve() == run.attempt_log(1)
    assert read_plan(run, 1).launch_link == str(link)
    resume(run)
    ended(run)
    assert run.attempt_log(2) in {path.resolve() for path in links.iterdir()}


def test_without_a_place_for_the_link_the_launch_goes_on(launch_run: Launch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = launch_run(steps=1, stubborn=False, links=tmp_path / "file" / "logs")
    assert ended(run).state == "finished"
    assert read_plan(run, 1).launch_link == ""


def test_two_launches_of_one_second_have_a_link_each(tmp_path: Path) -> None:
    made = {link_log(tmp_path, tmp_path / f"{number}.log") for number in range(3)}
    assert len(made) == 3
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    "name",
    ["../outside", "a/b", ".hidden", "-x", "a b", "a\n", "x" * 201, "ledger.jsonl", "archives", "Single"],
)
def test_a_name_that_is_no_folders_is_refused_and_nothing_is_made(
    launch_run: Launch, tmp_path: Path, name: str
) -> None:
    with pytest.raises(RunError) as caught:
        launch_run(name=name)
    assert caught.value.code == "run.bad_name"
    assert not (tmp_path / "outside").exists()
    assert not list((tmp_path / "runs").glob("*"))


@contextlib.contextmanager
def no_room(size_bytes: int) -> Iterator[None]:
    """No file may grow beyond a size, as on a full disk: the kernel refuses the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def an_order(root: Path, **changes: Any) -> LaunchOrder:
    def plan(run: RunDir) -> AttemptPlan:
        return AttemptPlan(1, run.name, 1, ("true",), env={"SCRIPT": "x" * 500})

    return replace(LaunchOrder(root, "profile: cpu\n", lambda run: "", plan, {}, name="a"), **changes)


@pytest.mark.parametrize("size_bytes", [0, 100])  # already the config, or only the plan
def test_a_launch_that_finds_the_disk_full_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    order = an_order(tmp_path / "runs", links=tmp_path / "logs")
    with no_room(size_bytes), pytest.raises(RunError) as caught:
        launch(order)
    assert (caught.value.code, caught.value.next_action) == ("run.not_prepared", f"df -h {tmp_path / 'runs'}")
    assert list((tmp_path / "runs").iterdir()) == []
    assert not (tmp_path / "logs").exists() or list((tmp_path / "logs").iterdir()) == []


def test_a_plan_for_which_there_is_no_room_leaves_no_half_of_it(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "r")
    with no_room(100), pytest.raises(OSError, match="large"):
        write_plan(run, AttemptPlan(2, "r", 1, ("true",)))
    assert [path for path in run.root.iterdir() if path.is_file()] == []


def test_a_launch_whose_plan_can_not_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: RunDir) -> AttemptPlan:
        raise ConfigError("config.bad", "no such thing")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with pytest.raises(ConfigError):
        launch(an_order(tmp_path / "runs", plan=refuse))
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_run_directory_that_can_only_be_half_made_is_not_left(tmp_path: Path) -> None:
    longest = 4095
    root = tmp_path.joinpath(*["x" * 199] * ((longest - len(str(tmp_path))) // 200 - 1))
    # So long that there is room for logs/ in it and for metrics/ no more.
    name = "a" * 100
    root /= "x" * (longest - len("/logs") - len(name) - 2 - len(str(root)))
    with pytest.raises(OSError, match="too long"):
        new_run(root, name, "", "")
    assert list(root.iterdir()) == []


def a_run_elsewhere(root: Path, port: int) -> RunDir:
    run = RunDir.create(root / "far")
    attempt = Attempt(1, utc_now(), "far-away", "another", "another", "running")
    write_run(run, RunRecord("far", attempt.started, 3, {"litellm": port}, (attempt,)))
    run.heartbeat.touch()
    return run


def test_a_live_run_of_another_machine_does_not_take_our_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run = a_run_elsewhere(tmp_path / "runs", 8002)
    assert read_liveness(run).is_live
    refuse_shared_ports(tmp_path / "runs", {"litellm": 8002})


def launchers(root: Path, names: list[str]) -> list[str]:
    """Launch runs at the very same moment, each in a process of its own; what each said."""
    reader, writer = os.pipe()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(root), str(TRAINER), name, str(reader)],
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=(reader,),
        )
        for name in names
    ]
    os.write(writer, b"x" * len(names))
    said = [process.communicate(timeout=90)[0].strip() for process in started]
    os.close(reader)
    os.close(writer)
    return said


def test_of_two_launches_at_once_on_the_same_ports_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    said = launchers(tmp_path / "runs", ["a", "b"])
    try:
        assert sorted(said)[1:] == ["run.ports_in_use"]
        assert sorted(said)[0] in ("a", "b")
        assert [path.name for path in (tmp_path / "runs").glob("[ab]")] == [sorted(said)[0]]
    finally:
        for name in set(said) & {"a", "b"}:
            stop(RunDir(tmp_path / "runs" / name), "test")


def test_a_run_outlives_the_process_that_launched_it_and_its_hang_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    reader, writer = os.pipe()
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            LAUNCHER + "\nos.read(int(gate), 1)",
            str(tmp_path),
            str(TRAINER),
            "a",
            str(reader),
        ],
        stdout=subprocess.PIPE,
        pass_fds=(reader,),
        start_new_session=True,
    )
    os.write(writer, b"x")
    run = RunDir(tmp_path / "a")
    until(lambda: run.run_json.exists() and read_liveness(run).is_live and made_pids(run, 1))
    trainer = reference("trainer", process(run, "trainer"))
    supervisor = process(run, "supervisor")
    os.killpg(parent.pid, signal.SIGHUP)
    os.killpg(parent.pid, signal.SIGKILL)
    parent.communicate()
    assert Path(f"/proc/{supervisor}/fd/0").readlink() == Path("/dev/null")
    assert os.getsid(supervisor) == supervisor
    os.kill(supervisor, signal.SIGHUP)
    os.kill(process(run, "guard"), signal.SIGHUP)
    assert is_alive(trainer)
    assert read_liveness(run).is_live
    assert stop(run, "test").is_over
    os.close(reader)
    os.close(writer)
    assert json.loads(run.run_json.read_text())["attempts"][0]["state"] == "stopped"
