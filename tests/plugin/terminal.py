"""Interactive Claude Code in a pseudo-terminal: keys in, text out."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import termios
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from tests.plugin.claude import ROOT, environment

ENTER, SPACE, DOWN, RIGHT = "\r", " ", "\x1b[B", "\x1b[C"
_ROWS, _COLUMNS = 60, 160
_LIMIT_S = 40.0
_AGAIN_S = 3.0
# A dialog takes no key in its first half second, against keys that were meant for what it covers.
_DEAF_S = 0.6
_CONTROL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[(][0-9;?<>=]*[A-Za-z]|\x1b[=>78]")


class Terminal:
    """What was drawn since it began, as text without blanks: the cursor is moved rather than blanks drawn."""

    def __init__(self, main: int) -> None:
        self._main = main
        self._drawn = b""
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(main, self._read)

    def _read(self) -> None:
        try:
            self._drawn += os.read(self._main, 65536)
        except OSError:
            asyncio.get_running_loop().remove_reader(self._main)
        self._changed.set()

    def text(self, since: int = 0) -> str:
        """The text without blanks."""
        return re.sub(r"\s+", "", _CONTROL.sub("", self._drawn[since:].decode(errors="replace")))

    async def until(self, wanted: str, since: int = 0, limit_s: float = _LIMIT_S) -> int:
        """Wait until this was drawn; where the drawing ends then."""
        squeezed = re.sub(r"\s+", "", wanted)
        try:
            async with asyncio.timeout(limit_s):
                while squeezed not in self.text(since):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(
                f"{wanted!r} was not drawn; the last was: {self.text(since)[-1500:]}"
            ) from None
        return len(self._drawn)

    async def press_until(self, key: str, wanted: str, since: int) -> int:
        """Press a key in a dialog that was just drawn, and again where nothing comes of it."""
        await asyncio.sleep(_DEAF_S)
        with contextlib.suppress(AssertionError):
            await self.press(key)
            return await self.until(wanted, since, _AGAIN_S)
        await self.press(key)
        return await self.until(wanted, since)

    async def press(self, *keys: str) -> int:
        """Press keys, each seen on its own; where the drawing ended before."""
        before = len(self._drawn)
        for key in keys:
            os.write(self._main, key.encode())
            await asyncio.sleep(0.15)  # an escape and the next key within one read would be another key
        return before


@contextlib.asynccontextmanager
async def terminal(
    binary: Path, project: Path, home: Path, url: str, options: Sequence[str] = ()
) -> AsyncIterator[Terminal]:
    """Claude Code with the plugin in a project that its user trusts, ready for a prompt."""
    _settle(home, project)
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    process = await asyncio.create_subprocess_exec(
        str(binary), "--plugin-dir", str(ROOT), *options,
        stdin=side, stdout=side, stderr=side,
        cwd=project,
        env=environment(home, url, TERM="xterm-256color"),
        start_new_session=True,
    )  # fmt: skip
    os.close(side)
    try:
        shown = Terminal(main)
        await shown.until("shift+tab to cycle")
        yield shown
    finally:
        asyncio.get_running_loop().remove_reader(main)
        os.killpg(process.pid, signal.SIGTERM)
        os.close(main)
        await process.wait()


def _settle(home: Path, project: Path) -> None:
    """What a user has answered once: the introduction, trust in the folder, the key."""
    home.mkdir(exist_ok=True)
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    settled = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "projects": {str(project): trusted},
        "customApiKeyResponses": {"approved": ["sk-scripted"], "rejected": []},
    }
    (home / ".claude.json").write_text(json.dumps(settled))
