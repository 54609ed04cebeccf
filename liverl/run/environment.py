"""What every process of the data plane finds in its environment, however it was started."""

from __future__ import annotations

import os
from pathlib import Path

# Nothing may reach for the network or ask a question while a run goes on.
FIXED = {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HARBOR_TELEMETRY": "0",
    "RAY_DEDUP_LOGS": "0",
    "PYTHONUNBUFFERED": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


def package_environment() -> dict[str, str]:
    """This process's environment, in which this very package is found and a working folder's code is not."""
    package_root = str(Path(__file__).resolve().parents[2])
    path = [package_root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(path)), "PYTHONSAFEPATH": "1"}
