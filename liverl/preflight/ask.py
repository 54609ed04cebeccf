"""Asks the data plane a question: `python -m liverl.probe NAME --json`, in a process with a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

from liverl.config import render_resolved
from liverl.errors import LiveRLError
from liverl.preflight.context import Context
from liverl.record.masking import mask
from liverl.run.environment import FIXED, package_environment
from liverl.run.processes import dying_with

# Long enough for the probe to take down its sandboxes.
_END_S = 10.0


class NoAnswerError(LiveRLError):
    """A probe that ended without an answer, or took too long."""


def ask(name: str, context: Context, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """The probe's answer, a JSON object; raises LiveRLError with the probe's own error, or NoAnswerError.

    Where live probes are not wanted the probe takes a light look, and answers with what it remembers.
    """
    light = () if context.probe else ("--light",)
    probe = subprocess.Popen(
        [context.python, "-m", "liverl.probe", name, "--json", "--config", "-", *light, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**package_environment(), **FIXED},
        start_new_session=True,
        preexec_fn=dying_with(os.getpid()),
    )
    try:
        # The thread that asks gives up a little later than the probe does.
        given = render_resolved(context.config, context.origins)
        out, err = probe.communicate(given, timeout=max(1.0, context.timeout_s - _END_S - 2))
    except subprocess.TimeoutExpired:
        _end(probe)
        raise NoAnswerError(
            "probe.timeout",
            f"The question '{name}' was not answered within {context.timeout_s:.0f} s",
            next_action=f"{context.python} -m liverl.probe {name} --json   shows what it waits for",
        ) from None
    return _read(name, out, err, probe.returncode)


def _read(name: str, out: str, err: str, status: int) -> dict[str, Any]:
    answer: Any = None
    with contextlib.suppress(json.JSONDecodeError, IndexError):
        answer = json.loads(out.strip().splitlines()[-1])
    if not isinstance(answer, dict):
        last = mask(" / ".join(err.strip().splitlines()[-3:]))
        raise NoAnswerError(
            "probe.failed",
            f"The question '{name}' ended with exit status {status} and no answer",
            evidence=last,
            next_action="bash scripts/setup_env.sh   makes the environment again",
        )
    if "error" in answer:
        told = answer["error"]
        code, message = str(told.get("code", "probe.failed")), mask(str(told.get("message", "")))
        evidence, cure = mask(str(told.get("evidence", ""))), str(told.get("next_action", ""))
        raise LiveRLError(code, message, evidence=evidence, next_action=cure)
    return answer


def _end(probe: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(probe.pid, signal.SIGTERM)
    try:
        probe.communicate(timeout=_END_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(probe.pid, signal.SIGKILL)
        probe.communicate()
