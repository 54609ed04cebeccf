"""What would be needed where trials run elsewhere than in bubblewrap; in this version they can't yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liverl.preflight.context import Context
from liverl.preflight.docker import check_docker
from liverl.preflight.finding import Finding
from liverl.preflight.kubernetes import check_kubernetes
from liverl.preflight.programs import time_for

CLIENTS: Mapping[str, Callable[[float], list[Finding]]] = {
    "docker": lambda limit_s: check_docker(limit_s=limit_s),
    "kubernetes": lambda limit_s: check_kubernetes(limit_s=limit_s),
}
# With the 4 s of a hanging driver before it the whole check still ends within 15 s.
LIMIT_S = 9.0


def check_backend(context: Context) -> list[Finding]:
    """What the backend's own client says, and, fatal, that trials do not run there."""
    backend = context.config.sandbox.backend
    key = "sandbox.backend"
    title = f"Trials run in bubblewrap in this version, not in {backend.capitalize()}"
    cure = f"Set {key} ({context.where(key)}) to bubblewrap"
    return [
        *CLIENTS[backend](time_for(context, LIMIT_S)),
        Finding("sandbox:backend", "fatal", title, f"{key} is {backend}", cure),
    ]
