"""One short-lived process, waited for without a thread: works on any event loop and in any thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OUTPUT_LIMIT_BYTES = 1 << 20
# What was killed is gone in milliseconds, unless the machine is very busy.
_END_S = 2.0
# A background child may hold the pipes open after the command itself ended.
_DRAIN_S = 0.1


@dataclass(frozen=True)
class Finished:
    """How a process ended; `return_code` is 128 + N for signal N, as shells say it."""

    stdout: bytes
    stderr: bytes
    return_code: int
    timed_out: bool = False
    truncated: bool = False


async def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin_fd: int = subprocess.DEVNULL,
    timeout_s: float | None = None,
    limit_bytes: int = OUTPUT_LIMIT_BYTES,
    kill_over_limit: bool = False,
    pass_fds: Sequence[int] = (),
) -> Finished:
    """Run `argv` as the leader of a session of its own, with exactly `env`.

    Reads all of its output and keeps the first `limit_bytes` of each stream, or ends it there. It is also
    ended when its time is up and when the caller is cancelled. Raises `OSError` when it can't be started.
    """
    process = _spawn(argv, env, stdin_fd, pass_fds)
    assert process.stdout is not None and process.stderr is not None
    overflow = functools.partial(_kill_children, process) if kill_over_limit else None
    out = _Drain(process.stdout.fileno(), limit_bytes, overflow)
    err = _Drain(process.stderr.fileno(), limit_bytes, overflow)
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout_s):
                await wait_exit(process)
        except TimeoutError:
            timed_out = True
    finally:
        try:
            await _end(process)
            await asyncio.wait((out.ended, err.ended), timeout=_DRAIN_S)
        finally:
            out.close()
            err.close()
            process.stdout.close()
            process.stderr.close()
    code = process.returncode
    return Finished(
        stdout=bytes(out.data),
        stderr=bytes(err.data),
        return_code=128 - code if code < 0 else code,
        timed_out=timed_out,
        truncated=out.truncated or err.truncated,
    )


def _spawn(
    argv: Sequence[str], env: Mapping[str, str], stdin_fd: int, pass_fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    # asyncio's own subprocesses need a child watcher, which other threads' loops may lack. With no more than
    # a new session asked for, the fork is a vfork, which stays fast in a process of many GB.
    return subprocess.Popen(
        argv,
        stdin=stdin_fd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(env),
        start_new_session=True,
        pass_fds=tuple(pass_fds),
        bufsize=0,
    )


async def _end(process: subprocess.Popen[bytes]) -> None:
    """End `process` if it still runs, its children first.

    One that has entered a sandbox waits for its child in there. Were it killed first, the child would go to a
    reaper of the host, and the sandbox could not end before that one gets round to it.
    """
    if process.returncode is not None:
        return
    _kill_children(process)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await wait_exit(process)
    finally:
        if process.returncode is None:
            kill_group(process)
            process.wait()


def _kill_children(process: subprocess.Popen[bytes]) -> None:
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    except OSError:
        children = []
    for child in children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(int(child), signal.SIGKILL)
    if not children:
        kill_group(process)


async def wait_exit(process: subprocess.Popen[bytes]) -> None:
    """Wait until `process` has ended, and reap it."""
    if process.poll() is not None:
        return
    loop = asyncio.get_running_loop()
    pidfd = os.pidfd_open(process.pid)
    ended = loop.create_future()
    loop.add_reader(pidfd, _resolve, ended)
    try:
        await ended
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)
    process.wait()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group that `process` leads."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def read_until(fd: int, end: bytes) -> bytes:
    """Read `fd` until the bytes end in `end` or the other side closes: one read may bring half of a write."""
    loop = asyncio.get_running_loop()
    os.set_blocking(fd, False)
    data = bytearray()
    while not data.rstrip().endswith(end):
        ready = loop.create_future()
        loop.add_reader(fd, _resolve, ready)
        try:
            await ready
        finally:
            loop.remove_reader(fd)
        chunk = os.read(fd, 65536)
        if not chunk:
            break
        data += chunk
    return bytes(data)


class _Drain:
    """Reads a pipe to its end, keeping the beginning."""

    def __init__(self, fd: int, limit_bytes: int, on_overflow: Callable[[], None] | None) -> None:
        self.data = bytearray()
        self.truncated = False
        self._on_overflow = on_overflow
        self._fd = fd
        self._limit_bytes = limit_bytes
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(fd, False)
        self._loop.add_reader(fd, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._fd, 65536)
        except BlockingIOError:
            return
        if not chunk:
            self.close()
            return
        room = self._limit_bytes - len(self.data)
        self.data += chunk[:room]
        if len(chunk) > room and not self.truncated:
            self.truncated = True
            if self._on_overflow is not None:
                self._on_overflow()

    def close(self) -> None:
        if not self.ended.done():
            self._loop.remove_reader(self._fd)
            self.ended.set_result(None)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
