"""Harbor's environment on bubblewrap: a sandbox in milliseconds, without a daemon or an image."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, override

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

from liverl.errors import SandboxError
from liverl.sandbox import files
from liverl.sandbox.door import Door
from liverl.sandbox.holder import PATH, Holder, Places
from liverl.sandbox.limits import Group
from liverl.sandbox.process import OUTPUT_LIMIT_BYTES, Finished, run_process

DEFAULT_WORKDIR = "/app"
TIMEOUT_EXIT_CODE = 124
# The kernel takes arguments of less than 128 KiB; above that no program can be started.
_COMMAND_LIMIT_BYTES = 120_000
_COMMAND_TOO_LONG = ExecResult(stdout="", stderr="command too long\n", return_code=126)
_TESTS = "/tests"
_VERIFIER_LOGS = "/logs/verifier"
_LOGS = ("/logs/agent", "/logs/artifacts")
_TRANSFER_TIMEOUT_S = 120.0
_SMALL_BYTES = 64 << 20
# Read by the dynamic loader and the shells of the programs that lead inside, before they are inside.
_LOADER_NAMES = {"ENV", "BASH_ENV", "GCONV_PATH", "GLIBC_TUNABLES"}
_LOADER_PREFIXES = ("LD_", "BASH_FUNC_")

_numbers = itertools.count()


# Killed, as a shell and as Popen say it.
_KILLED = (137, -9)
_SETTLE_S = 0.5


async def _settled(holder: Holder) -> None:
    """Wait a moment for the end of a sandbox: what killed a command in it may have killed all of it."""
    deadline = time.monotonic() + _SETTLE_S
    while holder.alive() and time.monotonic() < deadline:  # noqa: ASYNC110  # nothing tells of a process's end
        await asyncio.sleep(0.02)


class BubblewrapEnvironment(BaseEnvironment):
    """One sandbox: `/usr` and what running it needs, read-only; a few writable places in memory; no more.

    `memory_mb` and `processes` bound all commands together (how strictly: `liverl.sandbox.limits`), `disk_mb`
    each writable place. `door` ("host:port") is the only address that can be reached, inside as
    127.0.0.1:<port>; without it there is no network. `read_only` maps host paths to paths inside. Files of
    the task's `environment/app` are put into the working directory (the task's `workdir`, or `/app`).

    A command that runs out of time ends with exit code 124, and every process of the sandbox with it. `spans`
    holds ("sandbox", start, end), in `time.time()` seconds, of each start, stop and transfer. `broken` says that
    the sandbox failed by nothing that was done inside: it ended by itself, or the host could not serve it.
    """

    def __init__(
        self,
        *args: Any,
        memory_mb: int = 512,
        processes: int = 64,
        disk_mb: int = 64,
        door: str | None = None,
        read_only: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.memory_mb = memory_mb
        self.processes = processes
        self.disk_mb = disk_mb
        self.door = door
        self.read_only = dict(read_only or {})
        self.spans: list[tuple[str, float, float]] = []
        self.broken = False
        self._holder: Holder | None = None
        self._group: Group | None = None
        self._way_out: Door | None = None
        self._home = "/root"
        super().__init__(*args, **kwargs)

    @staticmethod
    @override
    def type() -> str:
        return "bubblewrap"

    @property
    @override
    def capabilities(self) -> EnvironmentCapabilities:
        # The gateway is the only host that can ever be reached, so an allow-list is never exceeded.
        return EnvironmentCapabilities(
            disable_internet=True,
            network_allowlist=True,
            network_allowlist_hostnames=True,
            network_allowlist_ipv4_addresses=True,
        )

    @classmethod
    @override
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities(memory_limit=True)

    @property
    def workdir(self) -> str:
        return self.task_env_config.workdir or DEFAULT_WORKDIR

    @property
    def pid(self) -> int:
        """The sandbox's first process as the host numbers it."""
        return self._running().pid

    @override
    def _validate_definition(self) -> None:
        if not self.environment_dir.is_dir():
            raise FileNotFoundError(self.environment_dir)

    @override
    async def start(self, force_build: bool) -> None:
        """Start the sandbox with the task's files in it; there is nothing to build. Raises `SandboxError`."""
        places = self._places()
        app = self.environment_dir / "app"
        memory_bytes = min(self.memory_mb, self.task_env_config.memory_mb or self.memory_mb) << 20
        with self._span():
            self._group = _group(memory_bytes, self.processes)
            try:
                with files.packed(app if app.is_dir() else None) as content:
                    self._holder = await Holder.start(
                        places, self._group, workdir=self.workdir, content_fd=content
                    )
                if self.door:
                    self._way_out = await Door.open(self._holder, self.door)
            except BaseException:
                await self.stop(delete=True)
                raise

    @override
    async def stop(self, delete: bool) -> None:
        """End every process of the sandbox; its files were memory and go with them."""
        with self._span():
            if self._way_out is not None:
                await self._way_out.close()
                self._way_out = None
            if self._holder is not None:
                self.broken |= not self._holder.alive()
                await self._holder.stop()
                self._holder = None
            if self._group is not None:
                await self._group.remove()
                self._group = None

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: float | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a shell command; see the class for what a command that runs out of time gets.

        Of each output stream the first MiB is kept; a command over 120 kB is refused with 126. Raises
        `SandboxError` when the sandbox itself is gone.
        """
        if self._resolve_user(user) not in (None, "root", 0, "0"):
            raise SandboxError(
                "sandbox.user", f"A sandbox has one user, root; not {user or self.default_user}."
            )
        group = self._group
        limits = group.shell_limits() if group else ""
        script = f"{limits}cd -- {shlex.quote(cwd or self.workdir)} || exit 126; {command}"
        if len(script.encode(errors="replace")) > _COMMAND_LIMIT_BYTES:
            return _COMMAND_TOO_LONG
        done = await self._inside(
            ["/bin/bash", "-c", script], env=self._merge_env(env) or {}, timeout_s=timeout_sec, limited=True
        )
        stderr = done.stderr.decode(errors="replace")
        code = done.return_code
        if done.timed_out:
            stderr += f"the command was stopped after {timeout_sec:g} s\n"
            code = TIMEOUT_EXIT_CODE
        return ExecResult(stdout=done.stdout.decode(errors="replace"), stderr=stderr, return_code=code)

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = PurePosixPath(target_path)
        with files.packed(Path(source_path), name=target.name) as archive:
            await self._extract(archive, str(target.parent))

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder's content in; with the tests, the sandbox is no longer the agent's.

        Every process the agent left is killed and the folders for grading are emptied before.
        """
        source = Path(source_dir)
        sealing = str(PurePosixPath(target_dir)) == _TESTS
        if not sealing and not any(source.iterdir()):
            return
        with files.packed(source) as archive:
            await (self._seal(archive) if sealing else self._extract(archive, target_dir))

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        quoted = shlex.quote(source_path)
        content = await self._read(f"[ -f {quoted} ] || exit 66; exec /bin/cat -- {quoted}", source_path)
        target = Path(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.write_bytes(content)

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder's content out; of the verifier's logs, when every process inside has been killed."""
        quoted = shlex.quote(source_dir)
        alone = "kill -9 -1; " if str(PurePosixPath(source_dir)) == _VERIFIER_LOGS else ""
        archive = await self._read(
            f"{alone}[ -d {quoted} ] || exit 66; exec /bin/tar -c -C {quoted} -f - .", source_dir
        )
        with self._on_the_host():
            refused = files.unpack(archive, Path(target_dir))
        if refused:
            self.logger.warning("refused from %s: %s", source_dir, ", ".join(refused[:10]))

    async def _seal(self, tests: int) -> None:
        """Take the sandbox out of the agent's hands and put the tests (a tar file) into it.

        Kills every process the agent left, with one signal to all, so that nothing can fork ahead of it; opens
        what the agent closed to itself; empties the folders of the tests and of the verifier's logs; gives the
        verifier a home folder that the agent never wrote to, and memory beside the agent's files.
        """
        script = (
            f"kill -9 -1; chmod -R u+rwX {_TESTS} /logs; chmod u+rwx {shlex.quote(self.workdir)}; "
            f"find {_TESTS} {_VERIFIER_LOGS} -mindepth 1 -delete; "
            f'cd {_TESTS} && [ -z "$(find . {_VERIFIER_LOGS} -mindepth 1)" ] && exec /bin/tar -x --no-same-owner -f -'
        )
        await self._put(script, tests, _TESTS)
        self._home = _TESTS
        if self._group is not None:
            disk_bytes = len(self._places().writable) * (self.disk_mb << 20)
            self._group.set_memory(self._group.memory_bytes + disk_bytes)

    def _places(self) -> Places:
        disk_bytes = self.disk_mb << 20
        small_bytes = min(disk_bytes, _SMALL_BYTES)
        # A mount of its own: nothing that lay in another place can be moved there, nor it be replaced.
        places = ("/root", "/logs", _VERIFIER_LOGS, _TESTS, "/solution")
        writable = {place: small_bytes for place in places}
        writable |= {"/tmp": disk_bytes, self.workdir: disk_bytes}
        if PurePosixPath(self.workdir).parts[1:2] in (("usr",), ("etc",), ("proc",), ("dev",), ()):
            raise SandboxError("sandbox.workdir", f"A task can't work in {self.workdir}.")
        return Places(writable, _LOGS, self.read_only)

    def _running(self) -> Holder:
        if self._holder is None or not self._holder.alive():
            raise SandboxError("sandbox.gone", "The sandbox is not running.", evidence=self.session_id)
        return self._holder

    async def _inside(
        self,
        command: list[str],
        *,
        env: Mapping[str, str] | None = None,
        stdin_fd: int = subprocess.DEVNULL,
        timeout_s: float | None = None,
        limited: bool = False,
        limit_bytes: int = OUTPUT_LIMIT_BYTES,
        kill_over_limit: bool = False,
    ) -> Finished:
        holder = self._running()
        variables = {"PATH": PATH, "HOME": self._home, "LANG": "C.UTF-8", **(env or {})}
        forbidden = [name for name in variables if name in _LOADER_NAMES or name.startswith(_LOADER_PREFIXES)]
        if forbidden:
            raise SandboxError(
                "sandbox.variable", f"A command's environment can't hold {', '.join(forbidden)}."
            )
        killed = False
        try:
            with self._on_the_host():
                done = await run_process(
                    holder.enter(command, limited=limited),
                    env=variables,
                    timeout_s=timeout_s,
                    limit_bytes=limit_bytes,
                    kill_over_limit=kill_over_limit,
                    stdin_fd=stdin_fd,
                )
            killed = done.timed_out
        except BaseException:
            killed = True
            raise
        finally:
            # What the command started may have left its process group: nothing of it may go on.
            if killed and holder.alive():
                await holder.kill_processes()
        if done.return_code in _KILLED and not killed:
            await _settled(holder)
        self._running()
        return done

    async def _extract(self, archive_fd: int, target: str) -> None:
        folder = shlex.quote(target)
        script = f"mkdir -p {folder} && exec /bin/tar -x --no-same-owner -C {folder} -f -"
        await self._put(script, archive_fd, target)

    async def _put(self, script: str, archive_fd: int, target: str) -> None:
        with self._span():
            done = await self._inside(
                ["/bin/bash", "-c", script], stdin_fd=archive_fd, timeout_s=_TRANSFER_TIMEOUT_S
            )
        if done.return_code != 0:
            raise SandboxError(
                "sandbox.upload",
                f"Files can't be put into {target}.",
                evidence=done.stderr.decode(errors="replace")[-500:],
            )

    async def _read(self, script: str, path: str) -> bytes:
        with self._span():
            done = await self._inside(
                ["/bin/bash", "-c", script],
                timeout_s=_TRANSFER_TIMEOUT_S,
                limit_bytes=(self.disk_mb + 1) << 20,
                kill_over_limit=True,
            )
        if done.return_code == 66:
            raise FileNotFoundError(path)
        if done.truncated or done.return_code != 0:
            raise SandboxError(
                "sandbox.download",
                f"{path} can't be read out of the sandbox.",
                evidence=f"over {self.disk_mb} MB"
                if done.truncated
                else done.stderr.decode(errors="replace"),
            )
        return done.stdout

    @contextlib.contextmanager
    def _on_the_host(self) -> Iterator[None]:
        """Notes that the host failed: what is done inside raises nothing of the kind."""
        try:
            yield
        except (OSError, MemoryError):
            self.broken = True
            raise

    @contextlib.contextmanager
    def _span(self) -> Iterator[None]:
        start = time.time()
        try:
            yield
        finally:
            self.spans.append(("sandbox", start, time.time()))


def _group(memory_bytes: int, processes: int) -> Group:
    try:
        return Group.create(str(next(_numbers)), memory_bytes, processes)
    except OSError as error:
        raise SandboxError(
            "sandbox.limits",
            "The sandbox's limits can't be set.",
            evidence=f"{error.strerror}: {error.filename}",
        ) from error
