"""Where would the data plane import its packages from? Its own interpreter is asked, and imports nothing for it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.programs import Said, ask_program, time_for
from liverl.run.environment import package_environment

# What decides numbers, and what a checkout or a folder of the same name most often stands in for.
MODULES = (
    "verl",
    "torch",
    "ray",
    "vllm",
    "litellm",
    "harbor",
    "transformers",
    "tensordict",
    "transfer_queue",
)
LIMIT_S = 10.0
# find_spec of a name without a dot looks along sys.path, through editable installations too, and runs nothing of it.
_PROGRAM = """
import importlib.util, json, site, sys, sysconfig
def place(name):
    spec = importlib.util.find_spec(name)
    return spec and (spec.origin or (list(spec.submodule_search_locations or []) or [""])[0])
own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
print(json.dumps({"own": sorted(own), "found": {name: place(name) for name in sys.argv[1:]}}))
"""


def check_origins(context: Context) -> list[Finding]:
    """An error where a package that matters would be imported from outside the environment."""
    try:
        said = ask_program(
            [context.python, "-c", _PROGRAM, *MODULES], time_for(context, LIMIT_S), package_environment()
        )
    except OSError as error:
        cure = "bash scripts/setup_env.sh   makes it"
        return [Finding("packages:python", "fatal", f"{context.python} can't be started", str(error), cure)]
    if said.status is None:
        title = f"{context.python} did not answer in time; where packages come from is not known"
        return [
            Finding(
                "packages:unknown", "skipped", title, "", f"{context.python} -c pass   shows whether it hangs"
            )
        ]
    answer = _read(said)
    if not answer:
        cure = "bash scripts/setup_env.sh   makes the environment again"
        return [Finding("packages:python", "fatal", f"{context.python} does not work", said.last_words, cure)]
    return judge_origins(answer["own"], answer["found"], os.environ.get("PYTHONPATH", ""))


def _read(said: Said) -> dict[str, Any]:
    try:
        answer = json.loads(said.out.strip().splitlines()[-1]) if said.worked else {}
    except (ValueError, IndexError):  # a hook of the environment's own prints
        answer = {}
    return answer if isinstance(answer, dict) else {}


def judge_origins(own: Sequence[str], found: Mapping[str, str | None], python_path: str) -> list[Finding]:
    """The findings for the environment's own folders and the files that would be imported (None: there is none)."""
    findings = []
    for name, origin in found.items():
        if not origin or any(Path(origin).is_relative_to(folder) for folder in own):
            continue
        folder = Path(origin).parent if Path(origin).suffix else Path(origin)
        by_path = _entry_of(folder, python_path)
        if by_path:
            rest = os.pathsep.join(part for part in python_path.split(os.pathsep) if part and part != by_path)
            cure = f"export PYTHONPATH={rest}" if rest else "unset PYTHONPATH"
        else:
            cure = f"uv pip uninstall {name} && bash scripts/setup_env.sh   it is installed as editable"
        title = f"{name} would be imported from outside the environment"
        seen = f"found {folder}, not {own[0]}/{name}"
        findings.append(Finding("packages:elsewhere", "error", title, seen, cure))
    return findings


def _entry_of(folder: Path, python_path: str) -> str:
    """The entry of PYTHONPATH that a package lies in."""
    entries = [part for part in python_path.split(os.pathsep) if part]
    return next((entry for entry in entries if folder.parent == Path(entry).absolute()), "")
