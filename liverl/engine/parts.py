"""Ends the trainer, by name, when a part dies that nobody restarts: Ray's own processes, or an actor's process.

Ray tells of a dead actor whoever calls it, and verl waits without calling: a dead agent-loop worker would never be
noticed, a dead GCS after a minute, and each time under a name that means nothing to most people.

watch_in_driver   starts the watch in the process that the supervisor knows as the trainer
first_dead        which part died, from what Ray knows
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from liverl.errors import EngineError
from liverl.record.layout import RunDir

_MODULE = "verl.trainer.main_ppo"
PROCESSES_EVERY_S = 0.25
ACTORS_EVERY_S = 1.0
SETTLE_S = 1.0
"""A raylet takes its workers with it: of those that die together the first cause is told."""

_PROCESSES = {"raylet": "Ray's raylet", "gcs_server": "Ray's GCS server"}
"""Of what `ray.init` starts, what a run can't go on without."""

_ACTORS = (
    ("CpuServer", "the replica"),
    ("HttpServer", "the replica"),
    ("AgentLoopWorker", "an agent-loop worker"),
    ("WorkerDict", "a training worker"),
    ("TaskRunner", "the trainer's task runner"),
)
"""What is in the class name of verl's actors and ours, and what the run calls them."""


@dataclass(frozen=True)
class Dead:
    """A part that died: what it is called, its class or program, its pid, and what is known of why."""

    name: str
    kind: str
    pid: int
    why: str = ""


@dataclass(frozen=True)
class Actor:
    """A dead actor as Ray's GCS has it; `crashed` says that its process or machine died, rather than was told to."""

    kind: str
    pid: int
    ended_ms: int
    crashed: bool
    why: str


def first_dead(processes: Iterable[tuple[str, int, int]], actors: Iterable[Actor]) -> Dead | None:
    """What died first: one of Ray's own (type, pid, exit status), which takes the others with it, else an actor."""
    for kind, pid, status in processes:
        if kind in _PROCESSES:
            return Dead(_PROCESSES[kind], kind, pid, _ended(status))
    crashed = sorted((actor for actor in actors if actor.crashed), key=lambda actor: actor.ended_ms)
    return (
        Dead(_called(crashed[0].kind), crashed[0].kind, crashed[0].pid, crashed[0].why) if crashed else None
    )


def watch_in_driver() -> None:
    """In verl's driver start a thread that ends it when a part dies; anywhere else do nothing."""
    if _MODULE in sys.orig_argv and "LIVERL_RUN_DIR" in os.environ and "RAY_RAYLET_PID" not in os.environ:
        watch = Watch(RunDir(Path(os.environ["LIVERL_RUN_DIR"])))
        threading.Thread(target=watch.run, name="parts", daemon=True).start()


class Watch:
    """Looks at the parts of this driver's Ray again and again, until the driver's own end."""

    def __init__(self, run: RunDir) -> None:
        self._run_dir = run
        self._over = threading.Event()
        self._ending = threading.Lock()

    def run(self) -> None:
        """Watch Ray's own processes, and once Ray is up its actors too."""
        while not _ray_is_up():
            self._judge(())  # `ray.init` itself would wait half a minute for a raylet that is dead
            time.sleep(PROCESSES_EVERY_S)
        # Registered after Ray's own handlers and so run before them: they end the processes that are watched.
        atexit.register(self._over.set)
        sys.excepthook = self._hook(sys.excepthook)
        # The GCS answers no question when it is dead, so nobody may ask it before looking for it.
        threading.Thread(target=self._watch_actors, name="actors", daemon=True).start()
        while not self._over.wait(PROCESSES_EVERY_S):
            self._judge(())

    def _watch_actors(self) -> None:
        while not self._over.wait(ACTORS_EVERY_S):
            actors = _dead_actors()
            if first_dead((), actors) and not self._over.wait(SETTLE_S):
                self._judge(actors)

    def _judge(self, actors: Iterable[Actor]) -> None:
        dead = first_dead(_dead_processes(), actors)
        if dead is not None and not self._over.is_set():
            self._end(dead)

    def _end(self, dead: Dead) -> None:
        """Say it as the log's last words, and end: what the parts were at is lost, and Ray's own end may hang."""
        with self._ending:
            with contextlib.suppress(OSError):
                # Another thread may be half-way through a line of its own.
                os.write(2, f"\n{last_words(died(dead, self._run_dir))}".encode())
            os._exit(1)

    def _hook(self, previous: Callable[..., Any]) -> Callable[..., Any]:
        """An excepthook for a trainer that met the dead part before this watch did."""

        def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if issubclass(kind, Exception):
                dead = first_dead(_dead_processes(), ())
                dead = dead or first_dead((), _dead_actors())
                if dead is not None:
                    traceback.print_exception(kind, error, trace)
                    sys.stderr.flush()
                    self._end(dead)
            previous(kind, error, trace)

        return hook


def died(dead: Dead, run: RunDir) -> EngineError:
    """The error of a dead part."""
    return EngineError(
        "engine.part_died",
        f"{dead.name} died ({dead.kind}, pid {dead.pid})",
        evidence=dead.why,
        next_action=f"liverl resume {run.name}",
    )


def last_words(error: EngineError) -> str:
    """The error as a log's last lines; what is said of a run's end begins with its first, and is cut when long."""
    lines = [
        f"EngineError: {error.message} [{error.code}]",
        f"  seen: {error.evidence}" if error.evidence else "",
    ]
    return "\n".join([*filter(None, lines), f"  next: {error.next_action}", ""])


def _called(kind: str) -> str:
    return next((name for part, name in _ACTORS if part in kind), "a Ray actor")


def _ended(status: int) -> str:
    if status >= 0:
        return f"it ended with exit status {status}"
    with contextlib.suppress(ValueError):
        return f"it was killed by {signal.Signals(-status).name}"
    return f"it was killed by signal {-status}"


def _ray_is_up() -> bool:
    # Importing Ray here could meet the main thread's own import half-way.
    is_up = getattr(sys.modules.get("ray"), "is_initialized", None)
    return bool(is_up and is_up())


def _dead_processes() -> list[tuple[str, int, int]]:
    """Children of this process that ended and that nobody has asked about, as `first_dead` takes them.

    `ray.init` starts Ray's own as children; where somebody else started Ray, nobody here can watch them.
    """
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that ended meanwhile, or a child that was reaped
            for child in (task / "children").read_text().split():
                name, fields = _stat(int(child))
                if fields[0] == "Z":
                    found.append((name, int(child), os.waitstatus_to_exitcode(int(fields[49]))))
    return found


def _stat(pid: int) -> tuple[str, list[str]]:
    """A process's name, and the fields of /proc/PID/stat from its state on."""
    before, _, after = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")
    return before.partition("(")[2], after.split()


def _dead_actors() -> list[Actor]:
    """This job's actors that are dead; raises nothing: a GCS that is gone is the other thread's to tell."""
    import ray
    from ray._private import state
    from ray.core.generated import common_pb2

    reasons: Any = common_pb2.ActorDiedErrorContext.Reason  # type: ignore[attr-defined]
    try:
        job = ray.JobID.from_hex(ray.get_runtime_context().get_job_id())
        rows = state.actors(job_id=job, actor_state_name="DEAD").values()
    except Exception:  # a process edge, as above
        return []
    crashes = (reasons.Value("WORKER_DIED"), reasons.Value("NODE_DIED"))
    actors = []
    for row in rows:
        cause = row["DeathCause"]
        # Ray's memory monitor has a context of its own, with the table of who held how much.
        starved = cause.HasField("oom_context")
        context = cause.oom_context if starved else cause.actor_died_error_context
        why = " ".join(context.error_message.split())[:300]
        crashed = starved or context.reason in crashes
        actors.append(Actor(row["ActorClassName"], int(row["Pid"]), int(row["EndTime"]), crashed, why))
    return actors
