"""How well logs are diagnosed, beside public detectors: `python -m bench.diagnosis [FOLDER]`.

FOLDER holds logs and INDEX.jsonl, a line {"file", "verdict": "healthy" or "problem", "category"} a log. A healthy
log is flagged where anything at warn or above is found. The cause of a problem is right where the primary finding's
write-up is one that the category can mean (bench/labels.py); a problem whose category no write-up knows is named and
not judged. Problems whose category means failures of learning for the most part, and whose log tells rows of metrics,
count as metric series, all others as crash, hang and configuration. rlwatch, rldoctor and rlprobe get the same
series (scripts/setup_rivals.sh), under the names of their own recorders; they read no text. Without a folder the logs
that the drills have left in bench/drills are taken, each made on purpose. --save writes results/diagnosis.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if __package__ in (None, ""):
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from bench.labels import meant  # noqa: E402
from bench.result import Measure, Result, Table, save  # noqa: E402
from bench.table import plain  # noqa: E402
from liverl.diagnose.catalogue import catalogue, patterns  # noqa: E402
from liverl.diagnose.diagnose import diagnose  # noqa: E402
from liverl.diagnose.finding import Diagnosis  # noqa: E402
from liverl.diagnose.snapshot import Snapshot  # noqa: E402
from liverl.diagnose.writeup import WriteUp  # noqa: E402
from liverl.errors import LiveRLError  # noqa: E402
from liverl.log.reader import Reader  # noqa: E402
from liverl.log.series import Series  # noqa: E402

DRILLS = ROOT / "bench" / "drills"
LEARNING = ("policy", "reward", "sync", "async", "perf", "val")
TOOLS = ("rlwatch", "rldoctor", "rlprobe")
# What each public detector's names can be right about, by our areas' labels; read generously.
CAUSES = {
    "rlwatch": {
        "entropy_collapse": ("entropy", "mode_collapse"), "kl_explosion": ("kl",), "reward_hacking": ("hack",),
        "advantage_variance": ("advantage",), "loss_nan": ("nan",), "gradient_norm_spike": ("grad",),
        "reward_mean_drift": ("reward",),
    },
    "rldoctor": {
        "advantage_collapse": ("advantage", "zero", "reward"), "entropy_collapse": ("entropy", "mode_collapse"),
        "clip_saturation": ("clip", "offpolicy"), "gradient_pathology": ("grad", "nan"), "kl_drift": ("kl",),
        "length_pathology": ("trunc", "length"), "plateau": ("plateau",), "reward_hacking": ("hack",),
        "reward_composition": ("hack",),
    },
    "rlprobe": {
        "KL_BLOWUP": ("kl",), "ENTROPY_COLLAPSE": ("entropy", "mode_collapse"), "GRAD_PATHOLOGY": ("grad", "nan"),
        "DEGENERATE_GROUPS": ("zero", "advantage", "reward"), "ADV_COLLAPSE": ("advantage", "zero"),
        "REWARD_STD_DEATH": ("mode_collapse", "zero", "reward"), "TRUNCATION_STARVE": ("trunc",),
        "THROUGHPUT_ROT": ("throughput",), "CLIP_SATURATION": ("clip", "offpolicy"), "REWARD_HACK_LENGTH": ("hack",),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """A log with its label."""

    path: Path
    is_healthy: bool
    category: str


@dataclass(frozen=True)
class Judged:
    """What was said of one log, how long it took, and what the other tools say (None: they can't read it)."""

    log: Labelled
    diagnosis: Diagnosis | None
    series: Series
    seconds: float
    is_learning: bool
    is_right: bool
    is_known: bool = True
    error: str = ""
    others: tuple[tuple[str, tuple[str, ...] | None], ...] = ()

    @property
    def is_flagged(self) -> bool:
        """Whether anything at warn or above was found."""
        return self.diagnosis is not None and self.diagnosis.verdict == "sick"


def labelled(folder: Path) -> list[Labelled]:
    """The logs of a folder's INDEX.jsonl; raises `OSError` where there is none."""
    rows = [json.loads(line) for line in (folder / "INDEX.jsonl").read_text().splitlines() if line.strip()]
    return [
        Labelled(folder / row["file"], row["verdict"] == "healthy", str(row.get("category", "")))
        for row in rows
    ]


def judge(log: Labelled, writeups: Sequence[WriteUp]) -> Judged:
    """Diagnose one log."""
    begun = time.perf_counter()
    known = meant(log.category, writeups)
    of_learning = sum(each.id.split(":")[0] in LEARNING for each in known)
    is_learning = 2 * of_learning > len(known)
    try:
        told = Reader(log.path, patterns(tuple(writeups))).read()
    except LiveRLError as error:
        seconds = time.perf_counter() - begun
        return Judged(log, None, Series.empty(), seconds, False, False, bool(known), error.code)
    snapshot = Snapshot(log.path.name, told.kind, told.series, told.sightings, told.facts, told.settings)
    found = diagnose(snapshot, writeups)
    right = found.primary is not None and any(each.id == found.primary.id for each in known)
    return Judged(
        log,
        found,
        told.series,
        time.perf_counter() - begun,
        is_learning and len(told.series) > 0,
        right,
        bool(known),
    )


def with_rivals(judged: Sequence[Judged], python: str) -> list[Judged]:
    """The same with what the other tools say of the same series."""
    asked = "".join(
        json.dumps({"file": each.log.path.name, "rows": _rows(each.series)}) + "\n" for each in judged
    )
    done = subprocess.run(
        [python, str(ROOT / "bench" / "rivals.py")], input=asked, capture_output=True, text=True, check=True
    )
    said = {row["file"]: row for row in map(json.loads, done.stdout.splitlines())}
    told = []
    for each in judged:
        row = said.get(each.log.path.name, {})
        others = tuple((tool, None if row.get(tool) is None else tuple(row[tool])) for tool in TOOLS)
        told.append(Judged(**{**vars(each), "others": others}))
    return told


def _rows(series: Series) -> list[dict[str, float]]:
    rows = []
    for index, step in enumerate(series.steps.tolist()):
        values = {
            name: float(column[index])
            for name, column in series.columns.items()
            if not np.isnan(column[index])
        }
        # JSON has no infinity; what was not finite was told as nan in nearly every log.
        rows.append(
            {
                "step": step,
                **{name: value if np.isfinite(value) else float("nan") for name, value in values.items()},
            }
        )
    return rows


def _is_right(tool: str, names: Sequence[str], category: str) -> bool:
    return any(part in category for name in names for part in CAUSES[tool].get(name, ()))


def measures(judged: Sequence[Judged]) -> tuple[tuple[Measure, ...], Table]:
    """The shares, beside those of the other tools."""
    healthy = [each for each in judged if each.log.is_healthy]
    problems = [each for each in judged if not each.log.is_healthy and each.is_known]
    sick = [each for each in problems if each.is_learning]
    broken = [each for each in problems if not each.is_learning]

    def share(count: int, of: Sequence[Judged]) -> float | None:
        return round(count / len(of), 3) if of else None

    flagged = sum(each.is_flagged for each in healthy)
    rows: list[list[str | int | float | None]] = [
        ["LiveRL", f"{flagged} of {len(healthy)}", f"{sum(e.is_flagged for e in sick)} of {len(sick)}",
         f"{sum(e.is_right for e in sick)} of {len(sick)}", f"{sum(e.is_right for e in broken)} of {len(broken)}"]
    ]  # fmt: skip
    for tool in TOOLS if judged and judged[0].others else ():
        names = {each.log.path: dict(each.others).get(tool) for each in judged}
        rows.append([
            tool,
            f"{sum(bool(names[e.log.path]) for e in healthy)} of {len(healthy)}",
            f"{sum(bool(names[e.log.path]) for e in sick)} of {len(sick)}",
            f"{sum(_is_right(tool, names[e.log.path] or (), e.log.category) for e in sick)} of {len(sick)}",
            f"0 of {len(broken)} (reads no text)",
        ])  # fmt: skip
    seconds = sum(each.seconds for each in judged)
    found = (
        Measure("healthy_flagged", "healthy logs flagged", share(flagged, healthy), "share", "lower", 0.1),
        Measure("series_right", "sick series, right cause", share(sum(e.is_right for e in sick), sick), "share",
                "higher", 13 / 15),
        Measure("broken_right", "crash, hang and configuration, right cause",
                share(sum(e.is_right for e in broken), broken), "share", "higher", 0.9),
        Measure("seconds", "all logs", round(seconds, 1), "s", "lower"),
    )  # fmt: skip
    columns = (
        "detector",
        "healthy flagged",
        "sick series flagged",
        "with the right cause",
        "crash, hang, config: right cause",
    )
    return found, Table("LiveRL and public detectors on the same logs", columns, rows)


def listed(judged: Sequence[Judged]) -> list[str]:
    """A line a log: label, verdict, cause."""
    lines = []
    for each in sorted(
        judged, key=lambda one: (not one.log.is_healthy, not one.is_learning, one.log.category)
    ):
        primary = each.diagnosis.primary if each.diagnosis else None
        if each.log.is_healthy:
            mark = "FLAGGED" if each.is_flagged else "quiet"
        else:
            mark = "right" if each.is_right else "WRONG" if each.is_known else "unknown"
        verdict = each.diagnosis.verdict if each.diagnosis else each.error
        told = f"{primary.id}: {primary.title}" if primary else ""
        kind = "healthy" if each.log.is_healthy else "series" if each.is_learning else "broken"
        lines.append(
            f"{mark:8}{kind:8}{each.log.category:32.31}{each.log.path.name:48.47}{verdict:13}{told[:90]}"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a log and the shares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="logs with INDEX.jsonl; default: the drills' logs"
    )
    parser.add_argument("--save", action="store_true", help="write bench/results/diagnosis.json")
    parser.add_argument("--no-rivals", action="store_true", help="leave the other tools out")
    given = parser.parse_args(arguments)
    folder = given.folder or DRILLS
    if given.folder is None:
        print(f"no folder was given: the drills' own logs ({DRILLS.relative_to(ROOT)}) are taken\n")
    if not (folder / "INDEX.jsonl").is_file():
        parser.error(f"{folder} has no INDEX.jsonl")
    writeups = catalogue()
    judged = [judge(log, writeups) for log in labelled(folder)]
    if not given.no_rivals:
        python = subprocess.run(
            ["bash", str(ROOT / "scripts" / "setup_rivals.sh")], capture_output=True, text=True, check=True
        )
        judged = with_rivals(judged, python.stdout.strip())
    print("\n".join(listed(judged)), end="\n\n")
    unknown = sorted({e.log.category for e in judged if not e.log.is_healthy and not e.is_known})
    if unknown:
        print(f"not judged, for no write-up knows the category: {', '.join(unknown)}\n")
    found, table = measures(judged)
    what = f"{len(judged)} labelled logs" + (" that the drills made" if given.folder is None else "")
    result = Result("diagnosis", "Diagnosis", found, (table,), what)
    print(plain(result))
    if given.save:
        save(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
