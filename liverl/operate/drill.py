"""A failure made on purpose with the real engine, and whether its run is diagnosed with the right cause."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liverl.errors import RunError
from liverl.operate.answer import cut
from liverl.operate.dataplane import Relay
from liverl.operate.drill_acts import Broken, act, finish, last_step
from liverl.operate.drill_ending import ended_by_signals, undisturbed
from liverl.operate.drill_form import Drill
from liverl.operate.drill_list import DRILLS, named
from liverl.operate.drill_world import change, make_world, order_of
from liverl.operate.planning import plan_attempt, python_of
from liverl.record.clock import to_seconds
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.run import resume as run_resume
from liverl.run.launch import launch

if TYPE_CHECKING:
    from liverl.operate.drill_onlooker import Onlooker


@dataclass(frozen=True)
class DrillList:
    """Every drill there is."""

    drills: tuple[Drill, ...] = tuple(DRILLS.values())
    ok: bool = True

    @property
    def summary(self) -> str:
        """How many there are."""
        return f"{len(self.drills)} drills, each a real run that fails on purpose"

    @property
    def next_action(self) -> str:
        """How to run one."""
        return f"liverl drill {self.drills[0].name}"

    def payload(self) -> dict[str, Any]:
        """Name, what it breaks, how, what is to be found, and about how long it takes."""
        told = ("name", "kind", "breaks", "how", "expects", "seconds")
        return {"drills": [{name: asdict(each)[name] for name in told} for each in self.drills]}

    def lines(self) -> list[str]:
        """A line a drill, and the finding below."""
        width = max(len(each.name) for each in self.drills) + 2
        return [
            line
            for each in self.drills
            for line in (
                f"{each.name:<{width}}{each.breaks}  (about {each.seconds} s)",
                f"{'':<{width}}finding: {' or '.join(each.expects)}",
            )
        ]


@dataclass(frozen=True)
class Drilled:
    """A drill's run: what was broken and when, what `liverl diagnose` says of it, and whether that is the cause.

    `found` is the primary finding's id, "" where there is none; `says` is the diagnosis's first line. `after_s` seconds
    and `after_steps` steps of the run lie between the failure's beginning and the diagnosis: of a run that fails to
    learn the first one that said so and was followed by none that said otherwise, else the one at its end.
    """

    drill: Drill
    run_dir: str
    broken: Broken
    found: str
    says: str
    after_s: float
    after_steps: int
    seconds: float
    kept: bool

    @property
    def ok(self) -> bool:
        """Whether the primary finding is the expected one."""
        return self.found in self.drill.expects

    @property
    def summary(self) -> str:
        """The drill and its verdict."""
        wanted = " or ".join(self.drill.expects)
        verdict = f"found: {self.found}" if self.ok else f"expected {wanted}, found {self.found or 'nothing'}"
        return cut(f"{self.drill.name}: {verdict}", 200)

    @property
    def next_action(self) -> str:
        """How to look at the run, where it was kept."""
        return f"liverl diagnose {self.run_dir}" if self.kept else "liverl drill   lists the others"

    def payload(self) -> dict[str, Any]:
        """What was broken, what was expected, and what was found."""
        return {
            "drill": self.drill.name,
            "broken": self.broken.what,
            "began": {"time": self.broken.time, "step": self.broken.step},
            "expected": list(self.drill.expects),
            "found": self.found,
            "says": self.says,
            "after_s": round(self.after_s, 1),
            "after_steps": self.after_steps,
            "seconds": round(self.seconds, 1),
            "run_dir": self.run_dir if self.kept else "",
        }

    def lines(self) -> list[str]:
        """The report."""
        return [
            f"broken    {self.broken.what}",
            f"when      {self.broken.time}, after step {self.broken.step}",
            f"diagnose  {self.says or 'nothing was found'}",
            f"after     {self.after_s:.0f} s, {self.after_steps} steps",
            f"verdict   {'the right cause' if self.ok else self.summary}",
            *([f"run       {self.run_dir}"] if self.kept else []),
        ]


def drill(name: str, tell: Relay, *, root: Path | None = None, keep: bool = False) -> Drilled:
    """Make a drill's failure in a run of its own and diagnose it; raises `RunError` where it could not be made.

    The run is removed afterwards, unless it is to be kept or was not diagnosed as expected. `root` is the folder for
    it and for the drills' tasks and policy; without one it is a temporary one.
    """
    return rehearse(named(name), tell, root=root, keep=keep)


def rehearse(chosen: Drill, tell: Relay, *, root: Path | None = None, keep: bool = False) -> Drilled:
    """As `drill`, for a drill that need not be in the list."""
    begun = time.monotonic()
    if shutil.which("bwrap") is None:
        raise RunError(
            "drill.no_sandbox",
            "Drills are real runs, and need bubblewrap.",
            next_action="bash scripts/setup_sandbox.sh",
        )
    if root is not None and root.exists() and not root.is_dir():
        raise RunError(
            "drill.no_folder",
            f"{root} is no folder.",
            next_action="name a folder, which need not be there: liverl drill NAME --run-root DIR",
        )
    place = root or Path(tempfile.mkdtemp(prefix="liverl-drill-"))
    tell(f"{chosen.name}: {chosen.breaks}; {chosen.how} (about {chosen.seconds} s)")
    try:
        with ended_by_signals(), _made(chosen, place.resolve(), tell) as (run, broken, onlooker):
            tell(f"diagnosing {run.root}")
            at, step = time.time(), last_step(run)
            found, says = diagnosed(run)
            if found in chosen.expects and onlooker.since:
                at, step = onlooker.since
            # A failure may begin within a step that is never made: then no step lies between.
            after_s, after_steps = at - to_seconds(broken.time), max(0, step - broken.step)
    except KeyboardInterrupt:
        if root is None and not keep:
            shutil.rmtree(place, ignore_errors=True)
        raise
    kept = keep or found not in chosen.expects
    if not kept:
        shutil.rmtree(place if root is None else run.root, ignore_errors=True)
    seconds = time.monotonic() - begun
    return Drilled(chosen, str(run.root), broken, found, says, after_s, after_steps, seconds, kept)


def diagnosed(run: RunDir) -> tuple[str, str]:
    """The primary finding's id and the diagnosis's first line; both "" where there is no finding."""
    from liverl.operate.diagnose import diagnose_run

    answer = diagnose_run(run)
    primary = answer.diagnosis.primary
    return (primary.id, answer.summary) if primary else ("", answer.summary)


@contextlib.contextmanager
def _made(chosen: Drill, root: Path, tell: Relay) -> Iterator[tuple[RunDir, Broken, Onlooker]]:
    """The run of a drill once its failure shows, and who looked on; what still lives of it is ended afterwards."""
    from liverl.operate.drill_onlooker import Onlooker

    world = make_world(root, chosen, tell)
    config = world.profile.config
    made: list[RunDir] = []
    with contextlib.ExitStack() as around:
        order = order_of(world, around)

        def plan(run: RunDir) -> AttemptPlan:
            made.append(run)  # from here on it is ours, and something of it may live
            return order.plan(run)

        def resume() -> None:
            planned = plan_attempt(config, run, confirmed_by="--yes")
            with undisturbed():
                run_resume.resume(run, python_of(config), change(planned, run, world))

        try:
            with undisturbed():
                run = launch(replace(order, plan=plan))
            tell(f"started {run.name} in {run.root}")
            onlooker = Onlooker(run, chosen.expects)
            look = onlooker.look if chosen.kind == "learning" else _nothing
            yield run, act(chosen, run, resume, look), onlooker
        finally:
            with undisturbed():
                for run in made:
                    finish(run)


def _nothing() -> None:
    """Of a crash it is the end that is diagnosed."""
