"""`python -m liverl.policy --out DIR --seed N`: builds the policy and prints what was made."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from liverl.errors import LiveRLError
from liverl.policy.build import build


def main() -> int:
    """Exit code 0, or 1 after an error that is printed."""
    parser = argparse.ArgumentParser(prog="python -m liverl.policy", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the policy to")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train", type=Path, default=Path("tasks/train"), help="folder of training tasks")
    arguments = parser.parse_args()
    shown = -1

    def progress(stage: str, share: float) -> None:
        nonlocal shown
        if int(share * 20) != shown:
            shown = int(share * 20)
            print(f"{share:4.0%}  {stage}", flush=True)

    try:
        report = build(arguments.out, arguments.train, arguments.seed, progress)
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{report.path}: {report.parameters / 1e6:.2f} M parameters, vocabulary {report.vocabulary}, "
        f"{report.demonstrations} demonstrations, loss {report.loss:.3f}, {report.seconds:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
