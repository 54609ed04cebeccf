"""A small real trainer for the supervisor's tests: writes metrics, starts processes that try to outlive it.

Reads its script from the environment; SCRIPT is JSON with
- `steps`, `pause_s` between them, and `end` (raise or hang)
- `deaf` (to SIGINT), `stubborn` (false: no process that tries to outlive it)
- `orphan` (a namespace's first process whose maker is gone)
- `saving_s` (how long one more checkpoint takes to be written), `stages` (of the boot, that it tells of)

It goes on from the newest checkpoint, as verl does, and writes every pid it makes to data/pids.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from liverl.record.events import post_event
from liverl.record.layout import RunDir

# In a session of its own, deaf to SIGTERM and with a child: what Ray's or a sandbox's processes may be like.
STUBBORN = """
import os, signal, subprocess, sys, time
os.setsid()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "a").write(f"{os.getpid()}\\n{child.pid}\\n")
time.sleep(600)
"""


def main() -> None:
    """Train as scripted."""
    run = Path(os.environ["LIVERL_RUN_DIR"])
    script = json.loads(os.environ["SCRIPT"])
    if script.get("deaf"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    pids = run / "data" / "pids"
    with pids.open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    if script.get("stubborn", True):
        be_stubborn(pids)
    if script.get("orphan"):
        leave_orphan(pids)
    for stage in script.get("stages", ()):
        post_event(RunDir(run), "boot", **stage)
    done = train(run, script)
    if script.get("saving_s"):
        save_slowly(run, done + 1, script["saving_s"])
    if script.get("end") == "raise":
        raise RuntimeError(f"no more tasks after step {done}")
    if script.get("end") == "hang":
        time.sleep(600)


def be_stubborn(pids: Path) -> None:
    """Start what does not end when asked, and wait until it is deaf."""
    before = len(pids.read_text().split())
    subprocess.Popen([sys.executable, "-c", STUBBORN, str(pids)])
    while len(pids.read_text().split()) < before + 2:
        time.sleep(0.02)


def leave_orphan(pids: Path) -> None:
    """Start the first process of a pid namespace, and kill its maker: what a sandbox is that was ended as it began."""
    maker = subprocess.Popen(["unshare", "--user", "--map-root-user", "--pid", "--fork", "sleep", "600"])
    children = Path(f"/proc/{maker.pid}/task/{maker.pid}/children")
    while (
        not (found := children.read_text().split())
        or b"sleep" not in Path(f"/proc/{found[0]}/cmdline").read_bytes()
    ):
        time.sleep(0.02)
    maker.kill()
    maker.wait()
    with pids.open("a") as stream:
        stream.write(f"{found[0]}\n")


def save_slowly(run: Path, step: int, seconds: float) -> None:
    """Write one more checkpoint in many small pieces; only a whole one is declared complete."""
    folder = run / "checkpoints" / f"global_step_{step}"
    folder.mkdir()
    end = time.monotonic() + seconds
    with (folder / "weights").open("w") as stream:
        while time.monotonic() < end:
            print("w" * 100, file=stream, flush=True)
            time.sleep(0.05)
    (run / "checkpoints" / "latest_checkpointed_iteration.txt").write_text(str(step))


def train(run: Path, script: dict[str, object]) -> int:
    """Write metrics and a checkpoint a step; returns the last step."""
    metrics = run / "metrics" / f"attempt_{os.environ['LIVERL_ATTEMPT']}.jsonl"
    latest = run / "checkpoints" / "latest_checkpointed_iteration.txt"
    step = int(latest.read_text()) if latest.exists() else 0
    with metrics.open("wb", buffering=0) as stream:
        while step < int(str(script.get("steps", 3))):
            time.sleep(float(str(script.get("pause_s", 0.02))))
            step += 1
            stream.write(
                json.dumps({"step": step, "data": {"critic/score/mean": step / 10}}).encode() + b"\n"
            )
            folder = run / "checkpoints" / f"global_step_{step}"
            folder.mkdir(exist_ok=True)
            (folder / "weights").write_text("w" * 100)
            latest.write_text(str(step))
    print(f"trained to step {step}", flush=True)
    return step


if __name__ == "__main__":
    main()
