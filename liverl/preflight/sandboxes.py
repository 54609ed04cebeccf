"""Can trials be isolated here: bubblewrap, user namespaces, limits; or another backend's client?"""

from __future__ import annotations

from typing import Any

from liverl.preflight.ask import ask
from liverl.preflight.backends import CLIENTS, check_backend
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding


def check_sandboxes(context: Context) -> list[Finding]:
    """Asks the data plane, which starts a real sandbox; of another backend its own client."""
    if context.config.sandbox.backend in CLIENTS:
        return check_backend(context)
    return judge_sandboxes(ask("sandbox", context))


def judge_sandboxes(answer: dict[str, Any]) -> list[Finding]:
    """One fatal finding a missing thing, or one that says what isolates trials and by which limits."""
    findings = [
        Finding(
            "sandbox:missing",
            "fatal",
            f"Sandboxes can't be made: missing is {each['what']}",
            str(answer.get("evidence", "")),
            str(each["cure"]),
        )
        for each in answer["missing"]
    ]
    if findings:
        return findings
    kind = "rootless" if answer["rootless"] else "as root"
    title = f"Sandboxes work: bubblewrap {answer['version']}, {kind}, limits by {answer['limits']}"
    start_ms = answer.get("start_ms")
    return [Finding("sandbox:works", "info", title, f"one started in {start_ms:.0f} ms" if start_ms else "")]
