"""Starts `liverl watch` beside a run that has guards or a webhook: a process of its own that ends with the run.

It is no part of the run: when it dies, the run goes on; when the run fails, it lives long enough to say so.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence

from liverl.operate.webhook import address
from liverl.record.layout import RunDir

LOG = "watch.log"


def start_watcher(run: RunDir, guards: Sequence[str]) -> bool:
    """Start the watcher where there are guards or the environment wants one; returns whether it did."""
    if not (guards or address()):
        return False
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIVERL_RUN_DIR")}
    command = [sys.executable, "-m", "liverl.cli", "watch", str(run.root)]
    with contextlib.suppress(OSError), (run.logs / LOG).open("ab") as log:
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True
        )
        return True
    return False
