"""Starts a run: the checks first, then the policy where it is missing, then the supervisor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from liverl.config import render_resolved
from liverl.errors import RunError
from liverl.operate import policy
from liverl.operate.check import Checked, check, titles
from liverl.operate.dataplane import Relay
from liverl.operate.planning import plan_attempt, ports_of, python_of
from liverl.operate.profile import Profile
from liverl.record.layout import RunDir
from liverl.run.launch import LaunchOrder, refuse_shared_ports
from liverl.run.launch import launch as run_launch


def _ignore(_: object) -> None:
    """The listener that listens to nothing."""


@dataclass(frozen=True)
class Listener:
    """Who is told what happens before a run has started."""

    on_check: Callable[[Checked], None] = field(default=_ignore)
    on_line: Relay = field(default=_ignore)


def launch(profile: Profile, listener: Listener, *, name: str = "") -> RunDir:
    """Start a run and return its directory; it goes on by itself.

    Raises `RunError` with code `run.refused` when a check found something that blocks, `PolicyError` when the
    policy can't be built.
    """
    config = profile.config
    root = config.experiment.run_root
    # Told before the checks: a port that one of our own runs holds has a better cure than another port.
    refuse_shared_ports(root, ports_of(config))
    found = check(profile)
    listener.on_check(found)
    if not found.ok:
        raise RunError(
            "run.refused",
            f"Nothing was started: {len(found.blocking)} of {len(found.findings)} findings are in the way.",
            evidence=titles(found.blocking),
            next_action=found.next_action,
        )
    if policy.is_missing(config):
        listener.on_line(f"building the policy in {config.model.folder}")
        policy.build(config, listener.on_line)
    order = LaunchOrder(
        root=root,
        config_text=profile.text,
        resolved_text=lambda run: render_resolved(config, profile.origins),
        plan=lambda run: plan_attempt(config, run),
        ports=ports_of(config),
        name=name or config.experiment.name,
        model=config.model.path or config.model.served_name,
        scaffold=config.scaffold.name,
        python=python_of(config),
    )
    return run_launch(order)
