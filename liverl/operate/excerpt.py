"""A part of a log as an answer: which lines are wanted, and which are given."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from liverl.log.fold import Shown
from liverl.operate.answer import as_json

MOST_LINES = 200
DEFAULT_LINES = 40
LINE_CHARS = 400
# UTF-8 bytes / 3.5 of the whole answer as JSON; who asks for more lines than the default gets more, in proportion.
DEFAULT_TOKENS = 1500
BYTES_A_TOKEN = 3.5
_BEFORE_MATCH_CHARS = 100


@dataclass(frozen=True)
class Wanted:
    """Which lines: the newest `lines`, or those since (before, from) a `cursor`, or from a `step`'s line on.

    Only those that match `pattern`, a regular expression, and that `component` printed: all, trainer, rollout,
    gateway, litellm or trial:NAME. `raw` keeps the noise.
    """

    lines: int = DEFAULT_LINES
    cursor: str = ""
    pattern: str = ""
    component: str = "all"
    step: int | None = None
    raw: bool = False

    @property
    def options(self) -> str:
        """What narrows the lines, as `liverl logs` takes it."""
        component = f" --component {shlex.quote(self.component)}" if self.component != "all" else ""
        pattern = f" --grep {shlex.quote(self.pattern)}" if self.pattern else ""
        return f"{component}{pattern}{' --raw' if self.raw else ''}"


@dataclass(frozen=True)
class Tail:
    """Lines of a log, oldest first. `cursor` gives what comes after them, `earlier` what stands before them.

    `first_line` is the number of the first line where that is known; `truncated` says what was left out and why;
    `collapsed` counts by kind the lines that are not shown because they are noise; `note` is said of the log itself.
    `options` are what a cursor has to be given with to mean the same lines.
    """

    name: str
    log: str
    lines: tuple[str, ...]
    cursor: str = ""
    earlier: str = ""
    first_line: int | None = None
    truncated: str = ""
    collapsed: dict[str, int] = field(default_factory=dict)
    note: str = ""
    options: str = ""
    ok: bool = True

    @property
    def summary(self) -> str:
        """How many lines of which log."""
        told = f"{len(self.lines)} lines of {Path(self.log).name} of {self.name[:80]}"
        return f"{told}: {self.note}" if self.note else told

    @property
    def next_action(self) -> str:
        """What follows these lines."""
        cursor = f" --cursor {self.cursor}" if self.cursor else ""
        return f"liverl logs {self.name}{cursor}{self.options}"

    def payload(self) -> dict[str, Any]:
        """The lines and where they stand."""
        return {
            "log": self.log,
            "lines": list(self.lines),
            "first_line": self.first_line,
            "cursor": self.cursor,
            "earlier": self.earlier,
            "truncated": self.truncated,
            "collapsed": self.collapsed,
        }


def line_text(shown: Shown) -> str:
    """A line as it is told: at most 400 characters with a match among them, and for how many it stands."""
    times = f" (×{shown.times})" if shown.times > 1 else ""
    text, match = shown.text, shown.match
    if len(text) <= LINE_CHARS:
        return text + times
    start = match - _BEFORE_MATCH_CHARS if match > LINE_CHARS - _BEFORE_MATCH_CHARS else 0
    end = start + LINE_CHARS - (2 if start else 1)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "") + times


def fitting(made: Tail, wanted: Wanted, lines: list[Shown]) -> list[Shown]:
    """As many of some lines, from the first on, as the answer has room for; at least one."""
    share = max(1.0, wanted.lines / DEFAULT_LINES)
    room = int(DEFAULT_TOKENS * BYTES_A_TOKEN * share) - _json_bytes(as_json(_widest(made)))
    kept = 0
    for shown in lines:
        room -= _json_bytes(line_text(shown)) + len(", ")
        if room < 0 and kept:
            break
        kept += 1
    return lines[:kept]


def _widest(made: Tail) -> Tail:
    """The answer without its lines, everything else as long as it may get."""
    return replace(
        made,
        lines=("",),
        cursor="x" * 36,
        earlier="x" * 36,
        truncated="x" * 100,
        first_line=10**10,
        collapsed={kind: 10**7 for kind in ("repeated", "progress", "nccl", "ray")},
    )


def _json_bytes(content: Any) -> int:
    return len(json.dumps(content, ensure_ascii=False).encode(errors="surrogatepass"))
