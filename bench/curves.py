"""Which failures of learning are told from their curves alone: `python -m bench.curves`.

Draws each failure and each kind of healthy run (bench/drawn.py) at several lengths and as a few rows of a long run,
under the names of several trainers, on several scales of the reward, writes it as metrics.jsonl, and diagnoses that.
Formulas are no runs: what real ones show besides, only logs tell (bench/diagnosis.py); but what is missed here is
missed there as well. A failure is told where its own write-up is the primary finding; a healthy run is flagged where
anything at warn or above is found.
Writes bench/results/curves.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.drawn import DIALECTS, FAILURES, HEALTHY, SCALES, Curve, picked, scaled
from bench.result import FOLDER, Measure, Result, Table, save
from bench.table import plain
from liverl.diagnose.finding import Finding
from liverl.errors import LiveRLError
from liverl.operate.diagnose import diagnose_file

LENGTHS = (16, 25, 40, 80, 200)
# So many rows that somebody picked out of a run of 200.
PICKED, OF = (5, 8, 12), 200
SEEDS = (1, 2)
_LOUD = ("warn", "error", "fatal")


class Asked(NamedTuple):
    """One curve: its name, how many rows of it, whose names, which scale, the seed of its noise; whether the rows are
    picked out of a longer run."""

    name: str
    steps: int
    dialect: str
    scale: str
    seed: int
    is_picked: bool = False

    @property
    def rows(self) -> str:
        """How many there are."""
        return f"{self.steps} of {OF}" if self.is_picked else str(self.steps)


def found(asked: Asked, folder: Path) -> list[Finding]:
    """What is found at warn or above in a curve, the primary finding first."""
    chance = np.random.default_rng((asked.seed, asked.steps))
    draw = FAILURES[asked.name].draw if asked.name in FAILURES else HEALTHY[asked.name]
    path = folder / "metrics.jsonl"
    curve = scaled(draw(OF if asked.is_picked else asked.steps, chance), asked.scale)
    at = list(range(asked.steps))
    if asked.is_picked:
        curve, at = picked(curve, asked.steps)
    path.write_text(written(curve, at, DIALECTS[asked.dialect]), "utf-8")
    return [each for each in diagnose_file(path).diagnosis.findings if each.severity in _LOUD]


def written(curve: Curve, at: Sequence[int], names: Mapping[str, str]) -> str:
    """A curve as lines of JSON, of these rows of a run: nan was not measured, infinite was no number."""
    lines = []
    for row, step in enumerate(at):
        told: dict[str, float] = {"step": step + 1}
        for name, values in curve.items():
            if name in names and not np.isnan(values[row]):
                told[names[name]] = float(values[row]) if np.isfinite(values[row]) else float("nan")
        lines.append(json.dumps(told) + "\n")
    return "".join(lines)


def failures() -> Iterator[Asked]:
    """Every failure under all names that have its metrics: several seeds on the scale of 0 to 1, one on the others."""
    for name, failure in FAILURES.items():
        for dialect, names in DIALECTS.items():
            # What becomes of the parts of a reward is told only where that is the failure.
            if not all(each in names for each in failure.needs) or (
                "form" in names and "form" not in failure.needs
            ):
                continue
            lengths = [(steps, False) for steps in LENGTHS if steps >= failure.fewest]
            lengths += [(steps, True) for steps in PICKED if steps >= failure.fewest_picked]
            for (steps, is_picked), scale in product(lengths, SCALES):
                for seed in SEEDS if scale == "0 to 1" else SEEDS[:1]:
                    yield Asked(name, steps, dialect, scale, seed, is_picked)


def healthy() -> Iterator[Asked]:
    """Every kind of healthy run."""
    lengths = [*((steps, False) for steps in LENGTHS), *((steps, True) for steps in PICKED)]
    for name, dialect, (steps, is_picked) in product(HEALTHY, DIALECTS, lengths):
        for scale, seed in zip(SCALES, (*SEEDS, 3), strict=True):
            yield Asked(name, steps, dialect, scale, seed, is_picked)


def is_right(asked: Asked, findings: Sequence[Finding]) -> bool:
    """Whether the primary finding is of a failure's own write-up; whether there is none of a healthy run."""
    if asked.name in HEALTHY:
        return not findings
    return bool(findings) and findings[0].id in FAILURES[asked.name].told_by


def measure(folder: Path) -> Result:
    """All the numbers."""
    told: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for asked in failures():
        told[asked.name, asked.rows].append(is_right(asked, found(asked, folder)))
    flagged: dict[str, list[bool]] = defaultdict(list)
    for asked in healthy():
        flagged[asked.name].append(not is_right(asked, found(asked, folder)))
    every = [each for some in told.values() for each in some]
    quiet = [each for some in flagged.values() for each in some]
    lengths = [*map(str, LENGTHS), *(f"{steps} of {OF}" for steps in PICKED)]
    rows = [(name, *(_share(told.get((name, length), ())) for length in lengths)) for name in FAILURES]
    return Result(
        "curves",
        "Failures that are drawn",
        [
            Measure("told", "failures told by their cause", 100 * sum(every) / len(every), "%", "higher", 86.7, 1.0),
            Measure("flagged", "healthy runs flagged", 100 * sum(quiet) / len(quiet), "%", "lower", 4.0, 0.5),
            Measure("failures", "curves of failures", len(every)),
            Measure("healthy", "healthy curves", len(quiet)),
        ],
        [
            Table("Told, by how many rows there are, or were picked", ("failure", *lengths), rows),
            Table(
                "Flagged, of runs that are healthy",
                ("run", "flagged"),
                [(name, _share(some)) for name, some in flagged.items()],
            ),
        ],
        note=(
            f"Drawn by formula, as JSON lines under the names of {', '.join(DIALECTS)}, with rewards of "
            f"{', '.join(SCALES)}. The bars are those of real logs; the "
            "signs were made with these curves at hand, so that this is no figure of what nobody has drawn."
        ),
    )  # fmt: skip


def _share(some: Sequence[bool]) -> str:
    return f"{sum(some)} of {len(some)}" if some else ""


def main() -> int:
    """Measure, print, write; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.curves", description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the result files")
    parser.add_argument(
        "--missed", action="store_true", help="print what is missed or flagged, and write nothing"
    )
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="liverl-curves-") as name:
            folder = Path(name)
            if arguments.missed:
                for asked in (*failures(), *healthy()):
                    findings = found(asked, folder)
                    if not is_right(asked, findings):
                        print(*asked, "->", ", ".join(each.id for each in findings[:3]) or "nothing")
                return 0
            result = measure(folder)
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    print(plain(result))
    print(f"written: {save(result, arguments.results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
