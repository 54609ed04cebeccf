"""Keeps the logs of drills as labelled material: `python -m bench.drilled RUNS`.

RUNS is a folder of drills' run directories (`drill-NAME`, or `healthy`). Of each the log in which its failure stands is
kept as bench/drills/NAME.log.gz, and where none is told right the last attempt's: what is told wrong is kept as
well, and counts. Lines that say again what a line before said are left out where that changes neither the primary
finding nor the verdict. INDEX.jsonl has a line a log, as bench/diagnosis reads it; the category of a drill is the id
that it is found by.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.diagnosis import DRILLS
from liverl.log.clean import parse_line
from liverl.log.fold import Fold
from liverl.operate.diagnose import diagnose_file
from liverl.operate.drill_list import DRILLS as KNOWN
from liverl.record.layout import RunDir
from liverl.record.masking import mask

# Folders of the machine that a drill ran on, and its address.
_PLACE = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/[\w./-]{1,80}?(?=/(?:liverl|\.venv|site-packages)/)")
_ADDRESS = re.compile(r"\b(?:10|172|192)(?:\.\d{1,3}){3}\b")


def trimmed(log: Path, runs: Path) -> str:
    """A log without what it says again, and without the machine's own paths and address."""
    fold = Fold()
    offset = 0
    kept = []
    for raw in log.read_bytes().split(b"\n"):
        before = len(fold.shown)
        fold.add(offset, parse_line(raw))
        offset += len(raw) + 1
        if len(fold.shown) > before:
            kept.append(raw.decode("utf-8", "replace"))
    return _placeless("\n".join(kept) + "\n", runs)


def _placeless(text: str, runs: Path) -> str:
    text = mask(text).replace(str(runs.resolve()), "/opt/liverl/runs")
    return _ADDRESS.sub("10.0.0.2", _PLACE.sub("/opt/liverl", text))


def primary(log: Path) -> str:
    """The id of the primary finding of a log, or its verdict."""
    found = diagnose_file(log).diagnosis
    return found.primary.id if found.primary else found.verdict


def kept(run: RunDir, name: str, expected: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The log of a drill that shows what is expected, else the last attempt's, as (file name, text); none where the
    run left no log."""
    logs = [
        log
        for log in (run.attempt_log(2), run.attempt_log(1), run.component_log(1, "litellm"))
        if log.is_file()
    ]
    if not logs:
        return
    log = next((each for each in logs if primary(each) in expected), logs[0])
    text = trimmed(log, run.root.parent)
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / f"{name}.log"
        trial.write_text(text)
        if primary(trial) != primary(log):
            text = _placeless(log.read_text(errors="replace"), run.root.parent)
    yield f"{name}.log.gz", text


def main(arguments: Sequence[str] | None = None) -> int:
    """Write bench/drills; returns 1 where a drill that is known left no log."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path)
    runs = parser.parse_args(arguments).runs
    wanted = {each.name: each.expects for each in KNOWN.values()} | {"healthy": ("healthy",)}
    DRILLS.mkdir(exist_ok=True)
    index, missing = [], []
    for name, expected in wanted.items():
        run = next((RunDir(runs / each) for each in (f"drill-{name}", name) if (runs / each).is_dir()), None)
        found = list(kept(run, name, expected)) if run else []
        for file, text in found:
            # Without a time in it the same log gives the same file.
            (DRILLS / file).write_bytes(gzip.compress(text.encode(), mtime=0))
            verdict = "healthy" if name == "healthy" else "problem"
            category = "healthy" if name == "healthy" else expected[0]
            index.append({"file": file, "verdict": verdict, "category": category, "source": "liverl drill"})
        if not found:
            missing.append(name)
    (DRILLS / "INDEX.jsonl").write_text("".join(json.dumps(row) + "\n" for row in index))
    print(f"{len(index)} logs kept" + (f"; no log was left by: {', '.join(missing)}" if missing else ""))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
