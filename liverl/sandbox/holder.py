"""The process that a sandbox is: bubblewrap with an init of ours inside, and the way into its namespaces.

Places      the sandbox's writable places and read-only extras
Holder      start, argv of a command inside, kill everything inside, stop
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from liverl.errors import SandboxError
from liverl.sandbox.limits import Group
from liverl.sandbox.process import kill_group, read_until, run_process, wait_exit

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The user that a sandbox of root's runs as, so that root and everybody else take the same path.
NOBODY = 65534
START_TIMEOUT_S = 30.0
_INNER_ENV = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"}
_BARE = ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"]
_ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "resolv.conf": "",
}
_HOST_ETC = ("ld.so.cache", "alternatives")
_JOIN = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ >"$1" || exit 125; shift; n=$((n-1)); done; exec "$@"'


@dataclass(frozen=True)
class Places:
    """What a sandbox holds: `writable` path → size in bytes (each a memory file system of its own), folders
    made inside them, and `read_only` host path → path inside."""

    writable: Mapping[str, int]
    folders: Sequence[str] = ()
    read_only: Mapping[str, str] = field(default_factory=dict)


class Holder:
    """A running sandbox. It ends with `stop`, and when this process ends however it does: its first process
    reads a socket whose other end only this process holds."""

    def __init__(self, process: subprocess.Popen[bytes], pid: int, hold: socket.socket, group: Group) -> None:
        self._process = process
        self._pid = pid
        self._pidfd = os.pidfd_open(pid)
        self._hold = hold
        self._group = group

    @classmethod
    async def start(cls, places: Places, group: Group, *, workdir: str, content_fd: int) -> Holder:
        """Start a sandbox and unpack the tar file `content_fd` into `workdir`.

        Raises `SandboxError` when bubblewrap is missing or can't make it; the evidence is what it said.
        """
        async with asyncio.timeout(START_TIMEOUT_S):
            return await _start(cls, places, group, workdir, content_fd)

    @property
    def pid(self) -> int:
        """The first process of the sandbox, as the host numbers it."""
        return self._pid

    def enter(self, command: Sequence[str], *, limited: bool = True) -> list[str]:
        """The argv that runs `command` inside, without a single capability.

        `limited` puts it under the sandbox's limits; what the host itself does inside must work when the
        agent has used them up.
        """
        argv: list[str] = []
        files = self._group.join_files if limited else []
        if files:
            argv += ["/bin/sh", "-c", _JOIN, "sh", str(len(files)), *map(str, files)]
        argv += [*drop(), *self._nsenter("-m", "-p", "-n", "-i", "-u", "-C")]
        # Entering a user namespace gives every capability in it; the bounding set takes them at the next
        # exec.
        return [*argv, *_BARE, *command]

    async def kill_processes(self) -> None:
        """Kill all inside but the first process: one signal to all, so that nothing forks ahead of it."""
        await run_process(self.enter(["/bin/bash", "-c", "kill -9 -1"], limited=False), env=_INNER_ENV)

    async def stop(self) -> None:
        """Kill every process of the sandbox and wait until they are gone."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._hold.close()
        await wait_exit(self._process)

    def alive(self) -> bool:
        return self._process.poll() is None

    def door_argv(self, command: Sequence[str]) -> list[str]:
        """The argv that runs a program of the host in the sandbox's network alone."""
        if os.geteuid() == 0:
            return ["/usr/bin/nsenter", "-t", str(self._pid), "-n", "--", *command]
        return [*self._nsenter("-n"), *command]

    def _nsenter(self, *namespaces: str) -> list[str]:
        target = ["-t", str(self._pid), "-U", *namespaces]
        return ["/usr/bin/nsenter", *target, "--preserve-credentials", "--"]


def drop() -> list[str]:
    """The beginning of an argv that gives up being root, where this process is root."""
    if os.geteuid() != 0:
        return []
    user = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return ["/usr/bin/setpriv", *user, "--no-new-privs", "--"]


async def _start(cls: type[Holder], places: Places, group: Group, workdir: str, content_fd: int) -> Holder:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            "sandbox.bwrap_missing",
            "bubblewrap (bwrap) is not on PATH.",
            evidence=os.environ.get("PATH", ""),
            next_action="`liverl check` gives the command that installs it on this distribution.",
        )
    with contextlib.ExitStack() as stack:
        info_r, info_w = _pipe(stack)
        ready_r, ready_w = _pipe(stack)
        # A pipe could be opened for writing by way of /proc/1/fd, and the sandbox be ended from inside; a socket can't.
        hold_inside, hold = socket.socketpair()
        stack.callback(hold_inside.close)
        said = _memfd(stack, "said", b"")
        etc = {name: _memfd(stack, name, text.encode()) for name, text in _ETC.items()}
        init = _init(workdir, content_fd, ready_w.fileno(), hold_inside.fileno())
        argv = [*drop(), bwrap, *_view(places, etc), "--info-fd", str(info_w.fileno())]
        process = subprocess.Popen(  # noqa: ASYNC220  (a vfork; see liverl.sandbox.process)
            [*argv, "--chdir", "/", "--", "/bin/bash", "-c", init],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={"PATH": PATH},
            start_new_session=True,
            pass_fds=(info_w.fileno(), ready_w.fileno(), hold_inside.fileno(), content_fd, *etc.values()),
        )
        try:
            info_w.close()
            ready_w.close()
            info = await read_until(info_r.fileno(), b"}")
            ready = await read_until(ready_r.fileno(), b"ready")
            if ready.strip() != b"ready":
                raise _refused(said)
            holder = cls(process, int(json.loads(info)["child-pid"]), hold, group)
        except BaseException:
            kill_group(process)
            hold.close()
            process.wait()
            raise
        return holder


def _init(workdir: str, content_fd: int, ready_fd: int, hold_fd: int) -> str:
    """The script of the sandbox's first process.

    Forbids user namespaces inside this one (they would bring back capabilities, and mounts without a size),
    unpacks, gives up what capabilities it had, says that it is ready, then reaps and waits for the
    end of what it reads.
    """
    wait = f"echo ready >&{ready_fd}; exec {ready_fd}>&- >/dev/null 2>&1; while read -r _; do :; done <&{hold_fd}"
    return (
        f"echo 0 >/proc/sys/user/max_user_namespaces && "
        f"/usr/bin/tar -x -C {shlex.quote(workdir)} --no-same-owner -f - <&{content_fd} && "
        f"exec {shlex.join(_BARE)} /bin/bash -c {shlex.quote(wait)} {content_fd}<&-"
    )


def _view(places: Places, etc: Mapping[str, int]) -> list[str]:
    """bubblewrap's arguments: what the sandbox sees, and what it is cut off from."""
    view = ["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"]
    view += ["--hostname", "sandbox", "--uid", "0", "--gid", "0"]
    view += ["--cap-drop", "ALL", "--cap-add", "CAP_SYS_RESOURCE", "--cap-add", "CAP_SETPCAP"]
    for name, value in _INNER_ENV.items():
        view += ["--setenv", name, value]
    view += ["--ro-bind", "/usr", "/usr"]
    for folder in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", folder)
        if path.is_symlink():
            view += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            view += ["--ro-bind", str(path), str(path)]
    view += ["--perms", "0755", "--dir", "/etc"]
    for name in _HOST_ETC:
        view += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name, fd in etc.items():
        view += ["--perms", "0644", "--file", str(fd), f"/etc/{name}"]
    view += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(16 << 20),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
    ]
    for source, target in places.read_only.items():
        view += ["--ro-bind", source, target]
    for path_inside, size_bytes in sorted(places.writable.items()):
        perms = "1777" if path_inside == "/tmp" else "0755"
        view += ["--size", str(size_bytes), "--perms", perms, "--tmpfs", path_inside]
    for made in places.folders:
        view += ["--dir", made]
    return [*view, "--remount-ro", "/dev", "--remount-ro", "/"]


def _refused(said: int) -> SandboxError:
    os.lseek(said, 0, os.SEEK_SET)
    evidence = os.read(said, 2000).decode(errors="replace").strip()
    return SandboxError(
        "sandbox.start_failed",
        "bubblewrap can't make a sandbox here.",
        evidence=evidence or "it ended without a word",
        next_action="`liverl check` says what is missing on this machine and the command that adds it.",
    )


def _pipe(stack: contextlib.ExitStack) -> tuple[io.FileIO, io.FileIO]:
    read_fd, write_fd = os.pipe()
    read_end, write_end = io.FileIO(read_fd, "r"), io.FileIO(write_fd, "w")
    stack.enter_context(read_end)
    stack.enter_context(write_end)
    return read_end, write_end


def _memfd(stack: contextlib.ExitStack, name: str, content: bytes) -> int:
    fd = os.memfd_create(name)
    stack.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
