"""Check, confirm, run: a run is started by a passed check of the same configuration and somebody's yes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from liverl.config import render_resolved
from liverl.errors import RunError
from liverl.operate import passes
from liverl.operate.check import Checked, titles
from liverl.operate.planning import plan_attempt, ports_of, python_of
from liverl.operate.profile import Profile, read_profile
from liverl.operate.watcher import start_watcher
from liverl.record.layout import RunDir
from liverl.run.launch import LaunchOrder, SignsOfLife, refuse_shared_ports, signs_of_life
from liverl.run.launch import launch as run_launch

Confirmer = Literal["prompt", "--yes", "elicitation"]


@dataclass(frozen=True)
class Yes:
    """Somebody has seen what would be run and has said yes; `by` is how they were asked."""

    by: Confirmer


@dataclass(frozen=True)
class Launched:
    """A run that was started, and the first signs of its life where they were waited for."""

    run: RunDir
    signs: SignsOfLife | None = None
    ok: bool = True

    @property
    def summary(self) -> str:
        """Its name and what it is at."""
        stage = f", at stage {self.signs.stage}" if self.signs and self.signs.stage else ""
        return f"started {self.run.name}{stage}"

    @property
    def next_action(self) -> str:
        """How to look at it."""
        return f"liverl status {self.run.name}"

    def payload(self) -> dict[str, Any]:
        """Where it is, what runs, how to watch and to stop it."""
        pids = dict(self.signs.pids) if self.signs else {}
        return {
            "run": self.run.name,
            "run_dir": str(self.run.root),
            "stage": self.signs.stage if self.signs else "",
            "pids": pids,
            "log": str(self.run.latest_log),
            "watch": f"liverl logs -f {self.run.name}",
            "stop": f"liverl stop {self.run.name}",
        }

    def lines(self) -> list[str]:
        """The report, at most 12 lines."""
        told = self.payload()
        pids = ", ".join(f"{name} {pid}" for name, pid in told.pop("pids").items())
        rows = {**told, "pids": pids, "next": self.next_action}
        return [f"  {name:<9}{value}" for name, value in rows.items() if value]


def profile_of(mark: str) -> tuple[Profile, passes.Passed]:
    """The configuration of a passed preflight, read again; raises `RunError` where it is no longer the same."""
    passed = passes.require(mark)
    profile = read_profile(passed.asked, passed.place)
    if passes.fingerprint(profile) != mark:
        raise RunError(
            "run.changed",
            "The configuration is not the one that was checked.",
            evidence=f"{passed.config} was changed since that preflight",
            next_action="preflight again; launch takes the new fingerprint (shell: liverl check)",
        )
    return profile, passed


def refuse_live(profile: Profile) -> None:
    """Raise `RunError` when a live run has what this one would need: told before any check."""
    # A port that one of our own runs holds has a better cure than another port.
    refuse_shared_ports(profile.config.experiment.run_root, ports_of(profile.config))


def refuse(checked: Checked) -> None:
    """Raise `RunError` when a check found what a run must not be started with."""
    if not checked.ok:
        raise RunError(
            "run.refused",
            f"Nothing was started: {len(checked.blocking)} of {len(checked.findings)} findings are in the way.",
            evidence=titles(checked.blocking),
            next_action=checked.next_action,
        )


def start(profile: Profile, checked: Checked, yes: Yes, *, name: str = "") -> Launched:
    """Start a run that goes on by itself; raises `RunError` where the check is not a pass of this configuration."""
    if checked.fingerprint != passes.fingerprint(profile):
        raise RunError(
            "run.changed", "The configuration is not the one that was checked.", next_action="liverl check"
        )
    refuse(checked)
    config = profile.config
    order = LaunchOrder(
        root=config.experiment.run_root,
        config_text=profile.text,
        resolved_text=lambda run: render_resolved(config, profile.origins),
        plan=lambda run: plan_attempt(config, run, confirmed_by=yes.by),
        ports=ports_of(config),
        name=name or config.experiment.name,
        model=config.model.path or config.model.served_name,
        scaffold=config.scaffold.name,
        python=python_of(config),
        links=profile.path.parent / "logs",
    )
    run = run_launch(order)
    start_watcher(run, config.logging.stop_on)
    return Launched(run)


def alive(launched: Launched) -> Launched:
    """Wait up to 30 s for signs of life; raises `RunError` with the last words where it died."""
    return Launched(launched.run, signs_of_life(launched.run))
