"""What the public detectors say of metric series; runs in an environment of its own (scripts/setup_rivals.sh).

Reads JSON lines {"file", "rows": [{"step", verl's names}]} from standard input and prints {"file", TOOL: [names of what
it warns of]} a line, null where the tool could not read the series. Each gets the series under the names that its own
recorder takes, with its own defaults. Nothing of LiveRL is imported.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import tempfile
from contextlib import redirect_stdout
from typing import Any

Row = dict[str, float]
_RLWATCH = {
    "actor/entropy": "entropy", "actor/kl_loss": "kl_divergence", "critic/score/mean": "reward_mean",
    "critic/score/std": "reward_std", "actor/pg_loss": "loss", "actor/lr": "learning_rate",
    "actor/pg_clipfrac": "clip_fraction", "actor/grad_norm": "grad_norm",
}  # fmt: skip
_RLPROBE = {
    "critic/score/mean": "reward_mean", "critic/score/std": "reward_std", "critic/score/min": "reward_min",
    "critic/score/max": "reward_max", "actor/kl_loss": "kl_mean", "actor/entropy": "entropy_mean",
    "actor/pg_clipfrac": "clip_fraction", "critic/advantages/mean": "adv_mean", "actor/pg_loss": "loss",
    "reward/zero_std_share": "zero_variance_group_frac", "actor/lr": "lr", "actor/grad_norm": "grad_norm",
    "response_length/mean": "completion_len_mean", "response_length/max": "completion_len_max",
    "response_length/clip_ratio": "truncation_rate", "timing_s/step": "step_time_s",
    "timing_s/gen": "generation_time_s", "critic/vf_explained_var": "value_explained_variance",
}  # fmt: skip


def rlwatch(rows: list[Row]) -> list[str]:
    """Its alerts at their defaults, the names of the detectors."""
    from rlwatch.config import RLWatchConfig
    from rlwatch.detectors import DetectorSuite

    suite, found = DetectorSuite(RLWatchConfig()), set()
    for row in rows:
        known = {_RLWATCH[name]: value for name, value in row.items() if name in _RLWATCH}
        found |= {alert.detector for alert in suite.check_step(int(row["step"]), **_taken(suite, known))}
    return sorted(found)


def _taken(suite: Any, known: Row) -> Row:
    names = suite.check_step.__code__.co_varnames
    return {name: value for name, value in known.items() if name in names}


def rldoctor(rows: list[Row]) -> list[str]:
    """Its findings at warning or above."""
    from rl_doctor.detectors.base import Severity
    from rl_doctor.diagnosis import diagnose
    from rl_doctor.ingest.base import run_from_records

    found = diagnose(run_from_records(rows)).findings
    return sorted(each.detector for each in found if each.severity >= Severity.WARNING)


def rlprobe(rows: list[Row]) -> list[str]:
    """Its findings, fed as by its own recorder."""
    from rlprobe.doctor.engine import diagnose_view
    from rlprobe.doctor.runview import RunView
    from rlprobe.schemas import RunManifest, StepRecord

    records = [
        StepRecord(step=int(row["step"]), **{_RLPROBE[name]: row[name] for name in row if name in _RLPROBE})
        for row in rows
    ]
    manifest = RunManifest(run_id="r", created_at="2026-01-01T00:00:00Z", algorithm="grpo")
    return sorted({_name(each) for each in diagnose_view(RunView(manifest, records))})


def _name(finding: Any) -> str:
    return str(
        getattr(finding, "signature", None)
        or getattr(finding, "id", None)
        or getattr(finding, "detector", "?")
    )


def main() -> int:
    """Answer each line."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory():
        for line in sys.stdin:
            given = json.loads(line)
            said: dict[str, Any] = {"file": given["file"]}
            for tool in (rlwatch, rldoctor, rlprobe):
                with redirect_stdout(io.StringIO()):
                    try:
                        said[tool.__name__] = tool(given["rows"]) if given["rows"] else None
                    except Exception as error:  # somebody else's program: what it can't read is a result
                        print(f"{tool.__name__} {given['file']}: {error!r}"[:300], file=sys.stderr)
                        said[tool.__name__] = None
            print(json.dumps(said), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
