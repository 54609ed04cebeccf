"""Does a Docker daemon answer where DOCKER_HOST points to, and may this user use it?"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from liverl.preflight.finding import Finding
from liverl.preflight.masking import shown
from liverl.preflight.programs import Said, ask_program

PROGRAM = "docker"
DEFAULT = "unix:///var/run/docker.sock"
CONNECT_S = 2.0
LIMIT_S = 8.0
# The port that dockerd's own documentation gives to plain TCP; whoever reaches it is root on that machine.
_INSECURE = 2375
_REMOTE_PORTS = {"tcp": 2376, "http": 2375, "https": 2376}
_GROUP = "sudo usermod -aG docker $USER   and log in anew"


def check_docker(environment: Mapping[str, str] = os.environ, limit_s: float = LIMIT_S) -> list[Finding]:
    """Fatal where the daemon or its client can't be used; takes little more than `limit_s`."""
    host = environment.get("DOCKER_HOST", "")
    with ThreadPoolExecutor(3) as pool:
        reached = pool.submit(reach, host) if host or not _has_context(environment) else None
        info = pool.submit(_ask, limit_s, "info", "--format", "{{.ServerVersion}}")
        compose = pool.submit(_ask, limit_s, "compose", "version", "--short")
        findings = [*insecure(host), *(reached.result() if reached else [])]
        if any(finding.blocks for finding in findings):
            return findings  # the client would say the same in more words
        return [*findings, *judge_client(info.result(), compose.result(), host)]


def insecure(host: str) -> list[Finding]:
    """A warning where the daemon is reached by plain TCP."""
    if not host or _port(urlsplit(host)) != _INSECURE:
        return []
    title = "Docker is reached without TLS: whoever reaches that port is root there"
    cure = "Give the daemon TLS certificates (port 2376), or use DOCKER_HOST=ssh://USER@HOST"
    return [Finding("docker:insecure", "warn", title, f"DOCKER_HOST={shown('DOCKER_HOST', host)}", cure)]


def reach(host: str) -> list[Finding]:
    """Fatal where nothing listens at DOCKER_HOST (empty: Docker's default), or where this user may not ask it."""
    where = urlsplit(host or DEFAULT)
    if where.scheme == "unix":
        return _reach_socket(Path(where.path))
    port = _port(where)
    if not port or not where.hostname:
        return []  # ssh:// and others are left to the client
    try:
        socket.create_connection((where.hostname, port), CONNECT_S).close()
    except OSError as error:
        title = f"No Docker daemon answers at {where.hostname}:{port}"
        cure = f"Start it there, or set DOCKER_HOST; it was tried for {CONNECT_S:.0f} s"
        return [Finding("docker:unreachable", "fatal", title, str(error), cure)]
    return []


def judge_client(info: Said | OSError, compose: Said | OSError, host: str = "") -> list[Finding]:
    """The findings of `docker info` and `docker compose version`; an error: the client could not be started."""
    if isinstance(info, OSError):
        cure = "Install the client: apt-get install docker-ce-cli docker-compose-plugin"
        return [Finding("docker:no_client", "fatal", "The docker command is not installed", str(info), cure)]
    if info.status is None:
        title = "docker info did not answer in time"
        return [Finding("docker:unreachable", "fatal", title, "", "sudo systemctl restart docker")]
    if not info.worked or not info.out.strip():
        denied = "permission denied" in info.err.lower()
        title = "This user may not use the Docker daemon" if denied else "The Docker daemon does not answer"
        cure = _GROUP if denied else "sudo systemctl start docker, or set DOCKER_HOST"
        return [
            Finding(
                "docker:no_rights" if denied else "docker:unreachable", "fatal", title, info.last_words, cure
            )
        ]
    if isinstance(compose, OSError) or not compose.worked:
        said = str(compose) if isinstance(compose, OSError) else compose.first_words
        cure = "apt-get install docker-compose-plugin"
        return [
            Finding("docker:no_compose", "fatal", "docker compose is missing, which Harbor calls", said, cure)
        ]
    place = f" at {shown('DOCKER_HOST', host)}" if host else ""
    title = f"Docker {info.out.strip()} answers{place}"
    return [Finding("docker:reachable", "info", title, f"compose {compose.out.strip()}")]


def _reach_socket(path: Path) -> list[Finding]:
    try:
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise ConnectionRefusedError(f"{path} is not a socket")
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(CONNECT_S)
            client.connect(str(path))
            client.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            if not client.recv(1):
                raise ConnectionResetError(f"{path} closed the connection")
    except PermissionError as error:
        title = "This user may not use the Docker daemon"
        return [Finding("docker:no_rights", "fatal", title, str(error), _GROUP)]
    except OSError as error:
        cure = "sudo systemctl start docker, or set DOCKER_HOST"
        return [
            Finding("docker:unreachable", "fatal", f"No Docker daemon answers at {path}", str(error), cure)
        ]
    return []


def _port(where: SplitResult) -> int:
    try:
        return where.port or _REMOTE_PORTS.get(where.scheme, 0)
    except ValueError:
        return 0


def _has_context(environment: Mapping[str, str]) -> bool:
    """Whether the client was told of another daemon by `docker context use`."""
    folder = Path(environment.get("DOCKER_CONFIG") or "~/.docker").expanduser()
    try:
        return '"currentContext"' in (folder / "config.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return bool(environment.get("DOCKER_CONTEXT"))


def _ask(limit_s: float, *words: str) -> Said | OSError:
    try:
        return ask_program((PROGRAM, *words), limit_s)
    except OSError as error:
        return error
