"""Which part died, and that the driver then ends by its name."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from liverl.engine import parts
from liverl.engine.parts import Actor, Dead, died, first_dead, watch_in_driver
from liverl.record.layout import RunDir
from liverl.record.tail import cause_line, last_words

DRIVER = """
import os, signal, sys, threading, time
from pathlib import Path
import ray
from ray._private import worker
from liverl.engine.parts import Watch
from liverl.record.layout import RunDir

@ray.remote(num_cpus=0)
class AgentLoopWorker:
    def pid(self):
        return os.getpid()

threading.Thread(target=Watch(RunDir(Path(sys.argv[2]))).run, daemon=True).start()
if sys.argv[1] == "boot":
    def strike():
        while True:
            for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                if Path(f"/proc/{child}/comm").read_text() == "gcs_server\\n":
                    os.kill(int(child), signal.SIGKILL)
            time.sleep(0.05)
    threading.Thread(target=strike, daemon=True).start()
ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=80_000_000, _temp_dir=sys.argv[3])
one, other = AgentLoopWorker.remote(), AgentLoopWorker.remote()
pids = ray.get([one.pid.remote(), other.pid.remote()])
ray.kill(other)
if sys.argv[1] == "actor":
    os.kill(pids[0], signal.SIGKILL)
elif sys.argv[1] == "raised":
    os.kill(pids[0], signal.SIGKILL)
    ray.get(one.pid.remote())
elif sys.argv[1] == "gcs_server":
    (info,) = worker._global_node.all_processes["gcs_server"]
    os.kill(info.process.pid, signal.SIGKILL)
time.sleep(2.5 if sys.argv[1] == "nothing" else 60)
"""
DEATHS = {
    "actor": "an agent-loop worker",
    "raised": "an agent-loop worker",
    "gcs_server": "Ray's GCS server",
    "boot": "Ray's GCS server",
    "nothing": "",
}
WORKER = Actor("AgentLoopWorkerTQ", 11, 2000, True, "Worker exit type: SYSTEM_ERROR")


def test_nothing_died() -> None:
    assert first_dead((), ()) is None
    assert first_dead([("log_monitor", 3, -9)], [Actor("TaskRunnerV1", 4, 1, False, "ray.kill")]) is None


def test_rays_own_process_is_the_cause_of_the_actors_that_went_with_it() -> None:
    found = first_dead([("dashboard", 2, 1), ("raylet", 3, -9)], [WORKER])
    assert found == Dead("Ray's raylet", "raylet", 3, "it was killed by SIGKILL")


def test_of_several_actors_the_first_to_die_is_the_cause() -> None:
    later = Actor("TaskRunnerV1", 12, 3000, True, "")
    found = first_dead((), [later, WORKER])
    assert found == Dead("an agent-loop worker", "AgentLoopWorkerTQ", 11, "Worker exit type: SYSTEM_ERROR")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("CpuServer", "the replica"),
        ("vLLMHttpServer", "the replica"),
        ("WorkerDict", "a training worker"),
        ("SimpleStorageUnit", "a Ray actor"),
    ],
)
def test_a_part_is_called_what_the_run_calls_it(kind: str, name: str) -> None:
    found = first_dead((), [Actor(kind, 1, 1, True, "")])
    assert found is not None and found.name == name


def test_the_supervisor_finds_the_part_in_the_logs_last_words(tmp_path: Path) -> None:
    error = died(Dead("the replica", "CpuServer", 7, "it was killed by SIGKILL"), RunDir(tmp_path / "r"))
    log = tmp_path / "log"
    log.write_text(f"Traceback\nray.exceptions.ActorDiedError: gone\n{parts.last_words(error)}")
    told = cause_line(last_words(log))
    assert told == "EngineError: the replica died (CpuServer, pid 7) [engine.part_died]"


def test_only_verls_driver_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr("threading.Thread.start", lambda thread: started.append(thread))
    monkeypatch.setenv("LIVERL_RUN_DIR", "/runs/r")
    watch_in_driver()
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "verl.trainer.main_ppo", "x=1"])
    monkeypatch.setenv("RAY_RAYLET_PID", "7")
    watch_in_driver()
    assert started == []
    monkeypatch.delenv("RAY_RAYLET_PID")
    watch_in_driver()
    assert len(started) == 1


@pytest.fixture(scope="module")
def driven() -> Iterator[dict[str, tuple[int, str]]]:
    """Drivers with a real Ray each, in which different things die: exit status and standard error of each."""
    # In /tmp itself: a socket's path may have 107 bytes, and Ray's own part of it has 70.
    # Of five that start at once on two cores one finds that another part of it took too long, and gives up.
    with (
        tempfile.TemporaryDirectory(prefix="lr-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        ThreadPoolExecutor(2) as pool,
    ):
        ended = pool.map(lambda death: drive(death, Path(folder)), DEATHS)
        yield dict(zip(DEATHS, ended, strict=True))


def drive(death: str, folder: Path) -> tuple[int, str]:
    """Runs a driver to its end; its exit status, and what it said on standard error."""
    # Into a file: what Ray leaves behind for a while would hold a pipe open.
    log = folder / f"{death}.log"
    command = [sys.executable, "-c", DRIVER, death, str(folder / "unlucky"), str(folder / death)]
    with log.open("wb") as stream:
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=stream, timeout=180, check=False)
    return ended.returncode, log.read_text(errors="replace")


@pytest.mark.fault
@pytest.mark.parametrize(("death", "name"), [(death, name) for death, name in DEATHS.items() if name])
def test_a_driver_ends_by_the_name_of_what_died(
    driven: dict[str, tuple[int, str]], death: str, name: str
) -> None:
    status, said = driven[death]
    assert status == 1, said
    told = [line for line in said.splitlines() if "[engine.part_died]" in line]
    assert told and told[-1].startswith(f"EngineError: {name} died (")
    assert "liverl resume unlucky" in said
    if name.startswith("Ray's"):
        assert "seen: it was killed by SIGKILL" in said


@pytest.mark.fault
def test_a_driver_in_which_nothing_dies_ends_well(driven: dict[str, tuple[int, str]]) -> None:
    status, said = driven["nothing"]
    assert status == 0, said
    assert "engine.part_died" not in said
