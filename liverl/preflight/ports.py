"""Are the ports of the run free, and if not, who has them and which is the next free one?"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.live import LiveRun, Seen, see
from liverl.preflight.owners import Owner, look_up
from liverl.preflight.sockets import Socket, holders, sockets

_PURPOSE = {
    "litellm_port": "LiteLLM, the door of all scaffolds",
    "ray_port": "Ray's head",
    "ray_dashboard_port": "Ray's dashboard",
}


@dataclass(frozen=True)
class Holder:
    """Who has a port: the process where it is seen from here, else the user; `run` where it is one of ours."""

    owner: Owner | None = None
    user: str = ""
    run: LiveRun | None = None

    @property
    def told(self) -> str:
        """Who it is, in words."""
        if self.owner:
            return f"{self.owner.told} has it"
        if self.user:
            return f"a process of {self.user} has it, whose pid is not seen from here (another user's or container's)"
        return "it can't be taken, and /proc/net names nobody who has it"


def check_ports(context: Context) -> list[Finding]:
    """One finding a taken port, or one that all are free."""
    wanted = wanted_ports(context.config)
    taken = {name: port for name, port in wanted.items() if not is_free(port)}
    if not taken:
        return [Finding("port:free", "info", f"Ports {', '.join(map(str, wanted.values()))} are free")]
    seen = see(context)
    found = holders_of(taken.values(), sockets(), seen)
    # What a live run was promised is not free for another, though it may not listen on it yet.
    avoid = {
        *_all_ports(context.config).values(),
        *(port for run in seen.runs for port in run.ports.values()),
    }
    findings = []
    for name, port in taken.items():
        free = next_free(port, avoid)
        avoid.add(free)
        findings.append(judge_port(context, name, port, found[port], free))
    return findings


def judge_port(context: Context, name: str, port: int, holder: Holder, free: int) -> Finding:
    """The finding for a taken port, by who has it and the next free one (0: there is none)."""
    key = f"infrastructure.{name}"
    change = (
        f"set `{name}: {free}` ({context.where(key)})" if free else f"set {key} ({context.where(key)}) lower"
    )
    title = f"Port {port} ({_PURPOSE[name]}) is taken"
    if holder.run is not None:
        cure = f"liverl stop {holder.run.called(context)}, or {change}"
        return Finding("port:mine", "error", f"{title} by the run {holder.run.name}", holder.told, cure)
    end = f", or end it: kill {holder.owner.pid}" if holder.owner else ""
    return Finding("port:conflict", "fatal", title, holder.told, f"{change[0].upper()}{change[1:]}{end}")


def holders_of(ports: Iterable[int], table: list[Socket], seen: Seen) -> dict[int, Holder]:
    """Who has each of these ports."""
    rows = {port: [row for row in table if row.port == port] for port in ports}
    # The one that listens rather than a connection that goes through it.
    first = {
        port: next((row for row in found if row.listens), next(iter(found), None))
        for port, found in rows.items()
    }
    pids = holders({row.inode for row in first.values() if row and row.inode})
    return {port: _holder(row, pids, seen, port) for port, row in first.items()}


def wanted_ports(config: RunConfig) -> dict[str, int]:
    """The ports that the run takes for itself, by their keys; on a CPU Ray starts without its dashboard."""
    without = "ray_dashboard_port" if config.engine.rollout == "cpu" else ""
    return {name: port for name, port in _all_ports(config).items() if name != without}


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now, on every address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("0.0.0.0", port))
            trial.listen(1)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def next_free(port: int, avoid: set[int]) -> int:
    """The first free port above `port` that is not in `avoid`; 0 where there is none."""
    return next((each for each in range(port + 1, 65536) if each not in avoid and is_free(each)), 0)


def _holder(row: Socket | None, pids: dict[int, int], seen: Seen, port: int) -> Holder:
    pid = pids.get(row.inode, 0) if row else 0
    if pid:
        return Holder(look_up(pid), run=seen.owner_of(pid))
    recorded = next((run for run in seen.runs if run.is_here and port in run.ports.values()), None)
    return Holder(user=row.user if row else "", run=recorded)


def _all_ports(config: RunConfig) -> dict[str, int]:
    return {name: int(getattr(config.infrastructure, name)) for name in _PURPOSE}
