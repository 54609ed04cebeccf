"""What this machine offers for sandboxes, what it lacks, and the one command that adds it.

Host            what decides: plain facts, so that every distribution can be tested on any
find_missing    facts → what is missing, with its cure; one_command: the cure of all of it
probe_sandbox   the facts of this machine, a real sandbox included
require_sandbox the same as an error
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from liverl.errors import LiveRLError, SandboxError
from liverl.sandbox import files
from liverl.sandbox.holder import Holder, Places
from liverl.sandbox.limits import Group, detect
from liverl.sandbox.process import run_process

OLDEST_BWRAP = (0, 7)
_INSTALL = {
    "debian": "apt-get install -y",
    "ubuntu": "apt-get install -y",
    "fedora": "dnf install -y",
    "rhel": "dnf install -y",
    "centos": "dnf install -y",
    "arch": "pacman -S --noconfirm",
    "suse": "zypper install -y",
    "opensuse": "zypper install -y",
    "alpine": "apk add",
}
# Each: a switch of the kernel, the value that shuts user namespaces off, the value that lets them be.
_SWITCHES = (
    ("kernel.unprivileged_userns_clone", 0, 1),
    ("user.max_user_namespaces", 0, 15000),
    ("kernel.apparmor_restrict_unprivileged_userns", 1, 0),
)


@dataclass(frozen=True)
class Host:
    """What decides whether a sandbox can be made: the system's name and family (`os_ids`), the programs
    found, the kernel's switches, and what a real try said ("" when it worked, None when there was none)."""

    os_ids: tuple[str, ...]
    programs: Mapping[str, str | None]
    bwrap_version: tuple[int, ...]
    switches: Mapping[str, int]
    is_root: bool
    tried: str | None = None


@dataclass(frozen=True)
class Missing:
    """One thing that is missing, and the command that adds it; `package` where it is one."""

    what: str
    cure: str
    package: str = ""


@dataclass(frozen=True)
class SandboxFacts:
    """The answer of `probe_sandbox`; times in milliseconds, None where nothing could be started."""

    ok: bool
    bwrap: str | None
    version: str
    rootless: bool
    limits: str
    missing: list[dict[str, str]] = field(default_factory=list)
    cure: str = ""
    evidence: str = ""
    start_ms: float | None = None
    exec_ms: float | None = None


def find_missing(host: Host) -> list[Missing]:
    """What keeps `host` from making sandboxes; empty when nothing is known to."""
    missing = []
    for program, package in (("bwrap", "bubblewrap"), ("nsenter", "util-linux"), ("setpriv", "util-linux")):
        if host.programs.get(program) is None:
            missing.append(Missing(f"{program} (package {package})", _install(host, package), package))
    if host.programs.get("bwrap") and host.bwrap_version < OLDEST_BWRAP:
        have = ".".join(map(str, host.bwrap_version))
        want = ".".join(map(str, OLDEST_BWRAP))
        missing.append(
            Missing(
                f"bubblewrap {want} or newer (this is {have})", _install(host, "bubblewrap"), "bubblewrap"
            )
        )
    if host.programs.get("python3") is None:
        missing.append(Missing("python3 in /usr, which sandboxes see", _install(host, "python3"), "python3"))
    if missing or host.tried == "":
        return missing
    for name, off, on in _SWITCHES:
        if host.switches.get(name) == off:
            missing.append(
                Missing(f"user namespaces ({name} is {off})", _as_root(host, f"sysctl -w {name}={on}"))
            )
    if not missing and host.tried:
        missing.append(
            Missing(
                "user namespaces (refused by whatever this system runs in)",
                "docker run --privileged ...   # where this is a container; else ask who runs the machine",
            )
        )
    return missing


def one_command(host: Host, missing: list[Missing]) -> str:
    """The command that adds all of `missing`."""
    packages = list(dict.fromkeys(one.package for one in missing if one.package))
    commands = [_install(host, " ".join(packages))] if packages else []
    return " && ".join([*commands, *(one.cure for one in missing if not one.package)])


def probe_sandbox() -> dict[str, Any]:
    """The facts of this machine as flat JSON (`SandboxFacts`), from a real sandbox where one can be tried.

    Not to be called on an event loop. Takes well under a second; raises nothing for what is missing.
    """
    host = _this_host()
    evidence, start_ms, exec_ms = "", None, None
    missing = find_missing(_with_try(host, ""))
    if not missing:
        try:
            start_ms, exec_ms = asyncio.run(_try())
        except LiveRLError as error:
            evidence = error.evidence or error.message
            missing = find_missing(_with_try(host, evidence))
    return asdict(
        SandboxFacts(
            ok=not missing,
            bwrap=host.programs["bwrap"],
            version=".".join(map(str, host.bwrap_version)),
            rootless=not host.is_root,
            limits=detect().kind.value,
            missing=[asdict(one) for one in missing],
            cure=one_command(host, missing),
            evidence=evidence,
            start_ms=start_ms,
            exec_ms=exec_ms,
        )
    )


def require_sandbox() -> None:
    """Raise `SandboxError` naming what is missing and its cure, where sandboxes can't be made."""
    facts = probe_sandbox()
    if not facts["ok"]:
        raise SandboxError(
            "sandbox.missing",
            "Sandboxes can't be made on this machine: missing is "
            + ", ".join(one["what"] for one in facts["missing"]),
            evidence=facts["evidence"],
            next_action=facts["cure"],
        )


async def _try() -> tuple[float, float]:
    """Start a sandbox, run `true` in it, stop it; returns both times in milliseconds."""
    group = Group.create("probe", 64 << 20, 16)
    try:
        start = time.perf_counter()
        with files.packed(None) as content:
            places = Places({"/app": 1 << 20, "/root": 1 << 20})
            holder = await Holder.start(places, group, workdir="/app", content_fd=content)
        started = time.perf_counter()
        try:
            done = await run_process(holder.enter(["/bin/true"]), env={})
            ended = time.perf_counter()
        finally:
            await holder.stop()
        if done.return_code != 0:
            raise SandboxError(
                "sandbox.enter",
                "A sandbox starts, but nothing can be run in it.",
                evidence=done.stderr.decode(errors="replace").strip(),
            )
        return round((started - start) * 1e3, 1), round((ended - started) * 1e3, 1)
    finally:
        await group.remove()


def _this_host() -> Host:
    programs = {name: shutil.which(name) for name in ("bwrap", "nsenter", "setpriv")}
    programs["python3"] = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    return Host(
        os_ids=_os_ids(Path("/etc/os-release")),
        programs=programs,
        bwrap_version=_version(programs["bwrap"]),
        switches={name: value for name, _, _ in _SWITCHES if (value := _switch(name)) is not None},
        is_root=os.geteuid() == 0,
    )


def _with_try(host: Host, tried: str) -> Host:
    return Host(host.os_ids, host.programs, host.bwrap_version, host.switches, host.is_root, tried)


def _install(host: Host, package: str) -> str:
    tools = [_INSTALL[name] for name in host.os_ids if name in _INSTALL]
    return _as_root(host, f"{tools[0]} {package}" if tools else f"install the package {package}")


def _as_root(host: Host, command: str) -> str:
    return command if host.is_root else f"sudo {command}"


def _os_ids(path: Path) -> tuple[str, ...]:
    """The system's own name, then those of its family."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return ()
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    return tuple(
        name for key in ("ID", "ID_LIKE") for name in values.get(key, "").strip('"').replace("-", " ").split()
    )


def _version(bwrap: str | None) -> tuple[int, ...]:
    if bwrap is None:
        return ()
    said = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(number) for number in re.findall(r"\d+", said)[:3])


def _switch(name: str) -> int | None:
    try:
        return int(Path("/proc/sys", *name.split(".")).read_text())
    except (OSError, ValueError):
        return None
