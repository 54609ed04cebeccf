"""A run's summary, log and metrics as resources, and the prompt for triage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver.exceptions import ResourceError
from pydantic import Field

from mcp_server.runs import observer, run_of

if TYPE_CHECKING:
    from mcp.server import MCPServer

_LOG_LINES = 200
_METRIC_BYTES = 32_000
_READ_BYTES = 1_000_000


@contextmanager
def _reading() -> Iterator[None]:
    """Within it what goes wrong reaches the reader as one text with its next action."""
    from liverl.errors import LiveRLError

    try:
        yield
    except (LiveRLError, OSError) as error:
        raise ResourceError(str(error)) from error


def run_summary(run: str) -> str:
    """The status of a run, as the tool status gives it."""
    from liverl.operate.answer import as_json

    with _reading():
        return json.dumps(as_json(observer(run_of(run)).read()), ensure_ascii=False)


def run_log(run: str) -> str:
    """The last lines of a run's log, without noise."""
    from liverl.operate.tail import Wanted, tail

    with _reading():
        return "\n".join(tail(run_of(run), Wanted(lines=_LOG_LINES)).lines)


def run_metrics(run: str) -> str:
    """The newest rows of a run's metrics, one JSON object a step, at most 32 kB of them and at least one."""
    from liverl.record.jsonl import recent_objects

    with _reading():
        rows, _ = recent_objects(run_of(run).metrics_jsonl, _READ_BYTES)
    kept: list[str] = []
    for row in reversed(rows):
        line = json.dumps(row, ensure_ascii=False)
        if kept and sum(map(len, kept)) + len(line) > _METRIC_BYTES:
            break
        kept.insert(0, line)
    return "\n".join(kept)


def triage(
    run: Annotated[str, Field(description="a run's name; empty: the newest")] = "",
) -> str:
    """Find out what is wrong with a run, with evidence, changing nothing."""
    which = f"the run {run}" if run else "the newest run"
    return (
        f"Find out how {which} is doing and, where something is wrong, why. Use only the tools that read: status "
        "and diagnose first, then tail_log (by component, by pattern), trials (failed), show_trial. Follow the "
        "first cause, not what came after it. Every claim names the line, step or trial that shows it; what was not "
        "measured is said to be not measured. End with: the cause, the evidence, one change that cures it, and how to "
        "confirm it. Start, stop and remove nothing."
    )


def add_resources(server: MCPServer) -> None:
    """Register the resources and the prompt."""
    server.resource("run://{run}/summary", title="Status of a run", mime_type="application/json")(run_summary)
    server.resource("run://{run}/log", title="Log of a run", mime_type="text/plain")(run_log)
    server.resource("run://{run}/metrics", title="Metrics of a run", mime_type="application/x-ndjson")(
        run_metrics
    )
    server.prompt(title="Triage of a run")(triage)
