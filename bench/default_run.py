"""What the default run costs: `python -m bench.default_run`, about 14 minutes on 2 cores with nothing else to do.

Makes the policy and trains it with the config.yaml that ships. Writes bench/results/default_run.json, and seconds.json
of the same run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench import seconds
from bench.result import Measure, Result, save
from bench.seed import Seed, measure
from bench.table import plain
from liverl.errors import LiveRLError
from liverl.record.layout import RunDir

GIB = 2**30
NOTE = (
    "From the start of the policy's making to the end of `liverl run`, after set-up. Memory is the sum of PSS over the "
    "processes of each, sampled every 4 seconds."
)


def result(seed: Seed) -> Result:
    """The file of this run."""
    memory = max(seed.run_bytes, seed.build_bytes) / GIB
    learned = seed.learned
    measures = [
        Measure("total_s", "policy build and run", seed.total_s, "s", "lower", 900.0, 30.0),
        Measure("build_s", "of that the policy build", seed.build_s, "s", "lower", 180.0, 10.0),
        Measure("steps", "steps", learned.steps, "", "lower", 40),
        Measure("memory_gib", "peak memory", memory, "GiB", "lower", 12.0, 0.2),
        Measure("before", "validation reward before", learned.before.mean, "reward"),
        Measure("after", "validation reward after", learned.after.mean, "reward", "higher", noise=0.05),
    ]
    return Result("default_run", "What the default run costs", measures, (), NOTE)


def main() -> int:
    """Measure it and write what it gave; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.default_run", description=__doc__)
    parser.add_argument("--work", type=Path, help="a folder for policy and run; default: a new one in /tmp")
    arguments = parser.parse_args()
    work = arguments.work or Path(tempfile.mkdtemp(prefix="liverl-default-"))
    work.mkdir(parents=True, exist_ok=True)
    try:
        # 1 is the experiment.seed of config.yaml.
        seed = measure(1, work.resolve(), ())
        run = RunDir(Path(seed.run_dir))
        save(seconds.result(seconds.account(run), run.name))
    except (LiveRLError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    found = result(seed)
    print(f"{plain(found)}\n\nwritten: {save(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
