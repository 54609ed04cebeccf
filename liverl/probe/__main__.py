"""`python -m liverl.probe NAME --json`: one question, one JSON object on the last line.

sandbox  can a sandbox be made here, by which limits
tasks    does each task's solution score 1 and doing nothing 0
scaffold can the agent program be run
model    does Transformers read the model folder, and can trials be run with it
template does a conversation with a tool survive the model's chat template
verl     do verl's schema and validation accept the composed command
chain    does a call with a tool pass LiteLLM and the gateway unchanged
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from liverl.config import RunConfig
from liverl.errors import LiveRLError

NAMES = ("sandbox", "tasks", "scaffold", "model", "template", "verl", "chain")
Answer = Callable[[RunConfig, float, bool], dict[str, Any]]


def main(arguments: list[str] | None = None) -> int:
    """Print the answer; returns 0 when there is one, 1 when the answer is an error."""
    options = _parse(arguments)
    signal.signal(signal.SIGTERM, _leave)  # so that sandboxes are taken down on the way out
    try:
        # Libraries print; the answer has to stand alone.
        with contextlib.redirect_stdout(sys.stderr):
            config = _read(options.config)
            answer: Answer = importlib.import_module(f"liverl.probe.{options.name}").answer
            told = answer(config, options.timeout_s, options.light)
    except LiveRLError as error:
        told = {"error": error.as_dict()}
    except Exception as error:  # the process's edge: whoever asked reads JSON, not a traceback
        told = {"error": _unexpected(options.name, error)}
    print(json.dumps(told) if options.json else yaml.safe_dump(told, sort_keys=False), flush=True)
    return 1 if "error" in told else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m liverl.probe", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--json", action="store_true", help="one line of JSON rather than YAML")
    parser.add_argument(
        "--config", default="", metavar="FILE", help="a resolved.yaml; - reads standard input"
    )
    parser.add_argument("--timeout-s", type=float, default=90.0, help="what the answer may take, in seconds")
    parser.add_argument(
        "--light", action="store_true", help="only what is quick or remembered: nothing is tried out"
    )
    return parser.parse_args(arguments)


def _read(place: str) -> RunConfig:
    if place == "-":
        return RunConfig.parse_resolved(sys.stdin.read())
    return RunConfig.read_resolved(Path(place)) if place else RunConfig()


def _leave(number: int, frame: object) -> None:
    sys.exit(128 + number)


def _unexpected(name: str, error: Exception) -> dict[str, str]:
    text = f"{type(error).__name__}: {error}"
    return {
        "code": f"probe.{name}",
        "message": f"The question '{name}' failed",
        "evidence": text if len(text) < 600 else f"{text[:600]}…",
        "next_action": "Read the evidence; bash scripts/setup_env.sh makes the environment again",
    }


if __name__ == "__main__":
    sys.exit(main())
