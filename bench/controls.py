"""Does the reward come from reading? `python -m bench.controls --policy runs/NAME/policy`, about 5 minutes on 2 cores.

Two controls on the validation tasks: the best fixed sequence of edits, blind to every observation (bench/blind.py), and
the trained policy when it is shown what another task's trial saw. Writes bench/results/controls.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.blind import Fixed, best_sequence
from bench.estimate import Estimate, estimate
from bench.evaluate import ROOT, evaluate, read_config
from bench.result import Measure, Result, Table, save
from bench.table import plain
from liverl.engine.tables import task_folders
from liverl.errors import LiveRLError
from liverl.record.layout import RunDir
from liverl.record.trajectory import read_trajectory
from liverl.record.trials import read_trials

BAR = 0.2
NOTE = (
    "An action of the fixed sequence is one substitution, as in every demonstration, in the function and the "
    "file that the instruction names; a trial has as many as turns. They are chosen by beam search with knowledge of "
    "all solutions, which no policy has. With two substitutions to a command more tasks fall, as would with any "
    "number: that row has no bar. The swapped trials run every command in the task's own sandbox; the policy "
    "reads, turn by turn, what a trial of another program's task saw."
)


def swapped_observations(run: RunDir, tasks: Sequence[Path]) -> dict[str, list[str]]:
    """Instruction → what a trial of another program's task saw, from a run directory with trials of all tasks.

    Raises `ValueError` when a task has no trial that ran a command.
    """
    seen: Mapping[str, list[str]] = defaultdict(list)
    for row in read_trials(run):
        found = [
            message["content"]
            for message in read_trajectory(run.root / row.path).messages
            if message["role"] == "tool"
        ]
        # The trial that saw most, so that something new is shown at every turn.
        if len(found) > len(seen[row.task]):
            seen[row.task][:] = found
    donors = {}
    for number, task in enumerate(tasks):
        # Tasks are in the order of their names, so half the list away lies another program.
        other = tasks[(number + len(tasks) // 2) % len(tasks)].name
        if not seen[other]:
            raise ValueError(f"no trial of {other} ran a command")
        donors[(task / "instruction.md").read_text().strip()] = seen[other]
    return donors


def result(fixed: Fixed, doubled: Fixed, tasks: int, own: Estimate, swapped: Estimate) -> Result:
    """The file of both controls."""
    measures = [
        Measure(
            "fixed", "best fixed edits, one a turn", len(fixed.solved) / tasks, "reward", "lower", BAR, 0.03
        ),
        Measure("doubled", "the same with two a turn", len(doubled.solved) / tasks, "reward"),
        Measure("own", "trained policy", own.mean, "reward", "higher", noise=0.05),
        Measure("swapped", "with another task's observations", swapped.mean, "reward", "lower", BAR, 0.03),
    ]
    rows = [[edit.old, edit.new] for edit in fixed.edits]
    details = {"solved": sorted(fixed.solved), "trials": swapped.trials, "tasks": tasks}
    table = Table("The fixed sequence", ("from", "to"), rows)
    return Result("controls", "Whether reading decides", measures, [table], NOTE, details)


def main() -> int:
    """Measure both and write them; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.controls", description=__doc__)
    parser.add_argument("--policy", type=Path, required=True, help="a trained policy's folder")
    parser.add_argument("--trials", type=int, default=8, help="of each task")
    parser.add_argument("--config", type=Path, default=ROOT / "config.yaml")
    arguments = parser.parse_args()
    try:
        config = read_config(arguments.policy, arguments.config)
        tasks = task_folders(config.data.val.resolve())
        with tempfile.TemporaryDirectory(prefix="liverl-controls-") as scratch:
            work = Path(scratch).resolve()
            own = estimate(evaluate(config, tasks, 1.0, arguments.trials, work / "own"))
            donors = work / "donors.json"
            donors.write_text(json.dumps(swapped_observations(RunDir(work / "own"), tasks)))
            given = ["scaffold.name=bench.swapped:SwappedAgent", f"scaffold.options.donors={donors}"]
            other = read_config(arguments.policy, arguments.config, given)
            swapped = estimate(evaluate(other, tasks, 1.0, arguments.trials, work / "swapped"))
        turns = config.scaffold.max_turns
        fixed, doubled = (best_sequence(tasks, length) for length in (turns, 2 * turns))
    except (LiveRLError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    found = result(fixed, doubled, len(tasks), own, swapped)
    print(f"{plain(found)}\n\nwritten: {save(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
