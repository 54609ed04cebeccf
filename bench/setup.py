"""How long the environment takes to make in an empty folder: `python -m bench.setup [--committed]`.

Copies the working tree (or clones what is committed), runs scripts/setup_env.sh there, and tries the `liverl` that it
made. The package cache is warm where this machine has made the environment before. Writes bench/results/setup.json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.result import FOLDER, Measure, Result, save
from bench.table import plain
from liverl.errors import LiveRLError, RunError

ROOT = Path(__file__).resolve().parents[1]
BAR_S = 600.0


def copy_checkout(target: Path, *, committed: bool) -> None:
    """Put the checkout into a folder that does not exist: its last commit, or its files as they are now."""
    if committed:
        _run(["git", "clone", "--quiet", str(ROOT), str(target)], ROOT)
        return
    listed = _run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def time_setup(checkout: Path) -> tuple[float, float]:
    """Seconds of the first scripts/setup_env.sh, and of a second one that finds everything there."""
    command = ["bash", "scripts/setup_env.sh"]
    began = time.monotonic()
    _run(command, checkout)
    made = time.monotonic()
    _run(command, checkout)
    again = time.monotonic()
    _run([str(checkout / ".venv" / "bin" / "liverl"), "--help"], checkout)
    return made - began, again - made


def size_bytes(folder: Path) -> int:
    """Bytes on disk of a folder's files, hard links counted once."""
    stats = {(found.st_dev, found.st_ino): found for path in folder.rglob("*") if (found := path.lstat())}
    return sum(found.st_blocks * 512 for found in stats.values())


def _run(command: list[str], cwd: Path) -> str:
    # As a stranger's shell has it: no virtual environment of ours in sight.
    env = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError("bench.failed", f"{' '.join(command)} failed.", evidence=done.stderr[-1500:])
    return done.stdout


def main() -> int:
    """Measure in a temporary folder that is removed again; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.setup", description=__doc__)
    parser.add_argument(
        "--committed", action="store_true", help="clone the last commit instead of copying files"
    )
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the result files")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="liverl-setup-") as folder:
            checkout = Path(folder) / "checkout"
            copy_checkout(checkout, committed=arguments.committed)
            first_s, again_s = time_setup(checkout)
            size = size_bytes(checkout / ".venv")
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    measures = [
        Measure("setup_s", "empty folder to a working `liverl`", first_s, "s", "lower", BAR_S, 10.0),
        Measure("again_s", "the same again, nothing to do", again_s, "s", "lower", noise=2.0),
        Measure("venv_gb", "size of the environment", size / 1e9, "GB", "lower", noise=0.1),
    ]
    made = Result("setup", "Set-up", measures, note="With a warm package cache.")
    print(plain(made))
    print(f"written: {save(made, arguments.results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
