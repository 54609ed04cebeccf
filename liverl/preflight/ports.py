"""Are the ports of the run free, and if not, who has them and which is the next free one?"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator

import psutil  # type: ignore[import-untyped]

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

_PURPOSE = {
    "litellm_port": "LiteLLM, the door of all scaffolds",
    "ray_port": "Ray's head",
    "ray_dashboard_port": "Ray's dashboard",
}


def check_ports(context: Context) -> list[Finding]:
    """One finding a taken port, or one that all are free."""
    config = context.config
    named = {name: int(getattr(config.infrastructure, name)) for name in _PURPOSE}
    # On a CPU Ray starts without its dashboard.
    without = "ray_dashboard_port" if config.engine.rollout == "cpu" else ""
    wanted = {name: port for name, port in named.items() if name != without}
    findings = list(_taken(context, wanted, avoid=set(named.values())))
    if findings:
        return findings
    return [Finding("port:free", "info", f"Ports {', '.join(map(str, wanted.values()))} are free")]


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


def owner(port: int) -> tuple[int, str] | None:
    """The process that listens on a port: its pid and command; None where the system does not tell."""
    for connection in psutil.net_connections("tcp"):
        listening = connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        if listening and connection.pid:
            try:
                return connection.pid, " ".join(psutil.Process(connection.pid).cmdline())[:160]
            except psutil.Error:
                return connection.pid, ""
    return None


def _taken(context: Context, wanted: dict[str, int], avoid: set[int]) -> Iterator[Finding]:
    for name, port in wanted.items():
        if is_free(port):
            continue
        found = owner(port)
        who = f"process {found[0]} ({found[1]})" if found else "a process of another user"
        free = next_free(port, avoid)
        avoid.add(free)
        key = f"infrastructure.{name}"
        cure = f"Set `{name}: {free}` ({context.where(key)})"
        cure += f", or end it: kill {found[0]}" if found else ""
        title = f"Port {port} ({_PURPOSE[name]}) is taken"
        yield Finding("port:busy", "fatal", title, f"{who} listens on it", cure)
