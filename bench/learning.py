"""What a run learns: `python -m bench.learning [--seeds 0,1,2] [--set KEY=VALUE]`, about 13 minutes a seed on 2 cores.

For each seed a policy is made and trained with the config.yaml that ships. Writes bench/results/learning.json.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.result import FOLDER, Cell, Measure, Result, Table, save
from bench.seed import Seed, measure
from bench.table import plain
from liverl.errors import LiveRLError

GIB = 2**30
MEAN_BAR, LARGEST_BAR = 1e-6, 1e-3
NOTE = (
    "Of several seeds the worst is told, except the reward before, which is their mean. Both intervals are 95 "
    "%: over trials is Wilson's, as if all trials were independent; over tasks draws whole tasks anew "
    "(bootstrap, percentiles), since a task's trials are alike. Intervals count as apart when both kinds are. "
    "Greedy decoding is one trial a task at temperature 0. Seconds are of whatever else the machine did; "
    "bench.default_run tells what a run takes. The difference of probabilities is verl's own metric, over every "
    "trained token of each step; that of logprobs compares the replica with a plain fp32 forward pass of the "
    "same weights, over every token of the first and the last validation."
)


def result(seeds: Sequence[Seed]) -> Result:
    """The file of these seeds."""
    measures = [*_rewards(seeds), *_lengths(seeds), *_agreement(seeds)]
    details = {"seeds": [{**asdict(seed), "run_dir": Path(seed.run_dir).name} for seed in seeds]}
    return Result("learning", "What a run learns", measures, [_table(seeds)], NOTE, details)


def _rewards(seeds: Sequence[Seed]) -> list[Measure]:
    learned = [seed.learned for seed in seeds]
    estimates = [found for one in learned for found in (one.before, one.after)]
    before = sum(one.before.mean for one in learned) / len(seeds)
    after = min(one.after.mean for one in learned)
    rise = min(one.rise for one in learned)
    apart = sum(one.are_apart for one in learned)
    greedy_before = max(seed.greedy_before for seed in seeds)
    greedy_rise = min(seed.greedy_after - seed.greedy_before for seed in seeds)
    return [
        Measure("seeds", "seeds", len(seeds)),
        Measure("tasks", "validation tasks", min(one.tasks for one in estimates), "", "higher", 12),
        Measure("trials", "trials of a validation", min(one.trials for one in estimates), "", "higher", 96),
        Measure("before", "validation reward before", before, "reward"),
        Measure("after", "validation reward after (a goal)", after, "reward", "higher", 0.8, 0.05),
        Measure("rise", "rise", rise, "reward", "higher", 0.3, 0.05),
        Measure("apart", "seeds whose 95 % intervals are apart", apart, "", "higher", len(seeds)),
        Measure("greedy_before", "greedy decoding before", greedy_before, "reward", "lower", 0.6, 0.1),
        Measure("greedy_rise", "rise of greedy decoding", greedy_rise, "reward", "higher", 0.01, 0.1),
    ]


def _lengths(seeds: Sequence[Seed]) -> list[Measure]:
    steps = max(seed.learned.steps for seed in seeds)
    lost = sum(seed.learned.lost_trials for seed in seeds)
    return [
        Measure("steps", "steps", steps, "", "lower", 40),
        Measure("lost", "trials lost, not by the agent's fault", lost, "", "lower", noise=1),
    ]


def _agreement(seeds: Sequence[Seed]) -> list[Measure]:
    learned = [seed.learned for seed in seeds]
    plain_pass = [difference for one in learned for difference in one.logprobs]
    of_probs, of_logprobs = "replica and trainer, probabilities: ", "replica and plain pass, logprobs: "
    rows = (
        (
            "probs_mean",
            f"{of_probs}mean difference of the worst step",
            _most(one.probs_mean for one in learned),
            MEAN_BAR,
        ),
        ("probs_max", f"{of_probs}largest", _most(one.probs_max for one in learned), LARGEST_BAR),
        ("logprobs_mean", f"{of_logprobs}mean difference", _most(one.mean for one in plain_pass), MEAN_BAR),
        ("logprobs_max", f"{of_logprobs}largest", _most(one.largest for one in plain_pass), LARGEST_BAR),
    )
    return [Measure(key, label, found, "", "lower", bar, bar / 10) for key, label, found, bar in rows]


def _most(values: Iterable[float | None]) -> float | None:
    """The largest; None as soon as one was not measured."""
    found = list(values)
    measured = [number for number in found if number is not None]
    return max(measured) if found and len(measured) == len(found) else None


def _table(seeds: Sequence[Seed]) -> Table:
    columns = (
        "seed",
        "before",
        "over trials",
        "over tasks",
        "after",
        "over trials ",
        "over tasks ",
        "rise",
        "rise over tasks",
        "greedy",
        "build s",
        "run s",
        "GiB",
    )
    rows: list[list[Cell]] = []
    for seed in seeds:
        one = seed.learned
        rows.append(
            [
                seed.seed,
                f"{one.before.mean:.2f}",
                str(one.before.over_trials),
                str(one.before.over_tasks),
                f"{one.after.mean:.2f}",
                str(one.after.over_trials),
                str(one.after.over_tasks),
                f"{one.rise:+.2f}",
                str(one.rise_over_tasks),
                f"{seed.greedy_before:.2f} → {seed.greedy_after:.2f}",
                f"{seed.build_s:.0f}",
                f"{seed.run_s:.0f}",
                f"{seed.run_bytes / GIB:.1f}",
            ]
        )
    return Table("Each seed", columns, rows)


def main() -> int:
    """Measure the seeds one after the other and write what they gave; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning", description=__doc__)
    parser.add_argument("--seeds", default="0,1,2", help="comma between them")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="as for `liverl run`")
    parser.add_argument(
        "--work", type=Path, help="a folder for policies and runs; default: a new one in /tmp"
    )
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the result files")
    arguments = parser.parse_args()
    work = (arguments.work or Path(tempfile.mkdtemp(prefix="liverl-learning-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    print(f"policies, runs and logs: {work}", flush=True)
    done = []
    try:
        for seed in map(int, arguments.seeds.split(",")):
            print(f"seed {seed} ...", flush=True)
            done.append(measure(seed, work, arguments.set))
            made = result(done)
            print(plain(made), flush=True)
        print(f"written: {save(made, arguments.results)}")
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
