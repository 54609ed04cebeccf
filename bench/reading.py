"""How fast a long run is read: `python -m bench.reading`.

Makes a run directory under a temporary folder: a log of 2 GB in the form of real ones, 100,000 steps of 72 metrics,
their events, 200,000 trials. Measures the first index of the log beside `wc -l` and `grep -c` over the same file, in
turns; then `status` and the kinds of `tail` in one process, while the run writes on between the calls; then what is
read after the log has grown by a megabyte. Everything is deleted at the end. Writes bench/results/reading.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

from bench.learned import row, spelt
from bench.result import FOLDER, Measure, Result, Table, save
from bench.table import plain
from liverl.errors import LiveRLError, RunError
from liverl.log.index import LogIndex, index_of
from liverl.operate.status import Observer
from liverl.operate.tail import Wanted, tail
from liverl.record.clock import to_utc
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import Attempt, RunRecord, write_run
from liverl.record.trials import TrialRow
from liverl.run.processes import boot_id, pid_namespace, reference

STEPS = 100_000
KEYS = 58
TRIALS = 200_000
LOG_BYTES = 2_000_000_000
STEP_S = 20.0
ROUNDS = 3
CALLS = 200
P95_BAR_MS = 10.0
INDEX_BAR = 0.5
_RAY = "\x1b[36m({} pid={})\x1b[0m "


def make_run(root: Path, log_bytes: int, steps: int, trials: int) -> RunDir:
    """A run of this very process that has made so many steps, with everything a real one has written by then."""
    run = RunDir.create(root)
    began_s = time.time() - steps * STEP_S
    me = reference("supervisor", os.getpid())
    attempt = Attempt(
        1, to_utc(began_s), socket.gethostname(), boot_id(), pid_namespace(), "running", processes=(me,)
    )
    write_run(run, RunRecord(run.name, to_utc(began_s), 2 * steps, {}, (attempt,)))
    write_plan(run, AttemptPlan(1, run.name, 2 * steps, ("x",), trials_per_step=64, validation_trials=256))
    run.heartbeat.touch()
    with run.attempt_log(1).open("wb", buffering=1 << 20) as log:
        between = _between((log_bytes // steps) - len(_step_line(steps)))
        for step in range(steps):
            log.write(between)
            log.write(_step_line(step))
    with run.metrics_jsonl.open("w") as metrics, run.events_jsonl.open("w") as events:
        events.write(json.dumps({"time": to_utc(began_s), "kind": "started", "attempt": 1}) + "\n")
        for step in range(steps):
            metrics.write(_metrics_row(step, began_s))
            events.write(_event(step, began_s))
    with run.trials_jsonl.open("w") as rows:
        for number in range(trials):
            rows.write(_trial(steps - (trials - number) // 64, began_s))
    return run


def times_ms(call: Callable[[], object], between: Callable[[], None], calls: int) -> tuple[float, float]:
    """The median and the 95th percentile of a call's milliseconds, something happening between the calls."""
    taken = []
    for _ in range(calls):
        between()
        begun = time.perf_counter()
        call()
        taken.append(1000 * (time.perf_counter() - begun))
    return median(taken), quantiles(taken, n=20)[18]


def index_speeds(log: Path, rounds: int) -> dict[str, float]:
    """Gigabytes a second of the first index and of its peers, the median of several rounds in turns."""
    gigabytes = log.stat().st_size / 1e9
    ways: dict[str, Callable[[], object]] = {
        "index": lambda: LogIndex(log).update(),
        "wc -l": lambda: _run(["wc", "-l", str(log)]),
        "grep -c": lambda: _run(["grep", "-c", " step:", str(log)]),
    }
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begun = time.perf_counter()
            way()
            speeds[name].append(gigabytes / (time.perf_counter() - begun))
    return {name: median(found) for name, found in speeds.items()}


def measure(run: RunDir, steps: int, calls: int, rounds: int) -> Result:
    """All the numbers of one run directory."""
    log = run.attempt_log(1)
    speeds = index_speeds(log, rounds)
    begun = time.perf_counter()
    observer = Observer(run)
    observer.read()
    first_ms = 1000 * (time.perf_counter() - begun)
    writer = _Writer(run, steps)
    status_p50, status_p95 = times_ms(observer.read, writer.write, calls)
    index_of(log).update()
    kinds = _tails(run, steps, writer, calls)
    growth = _grow(log)
    rows = [(name, f"{p50:.2f}", f"{p95:.2f}") for name, (p50, p95) in kinds.items()]
    usual = ("the last lines", "since a cursor", "from a step on", "a rare word", "one component")
    measures = [
        Measure("index_gb_s", "first index of the log, GB a second", speeds["index"], "", "higher", INDEX_BAR, 0.1),
        Measure("wc_gb_s", "`wc -l` over the same file", speeds["wc -l"], ""),
        Measure("grep_gb_s", "`grep -c ' step:'` over the same file", speeds["grep -c"], ""),
        Measure("first_status_ms", "first `status` of a process", first_ms, "ms", "lower", noise=30.0),
        Measure("status_p50_ms", "`status`, median", status_p50, "ms", "lower", noise=1.0),
        Measure("status_p95_ms", "`status`, 95th percentile", status_p95, "ms", "lower", P95_BAR_MS, 1.0),
        Measure("tail_p50_ms", "`tail`, slowest usual kind, median", max(kinds[name][0] for name in usual), "ms",
                "lower", noise=1.0),
        Measure("tail_p95_ms", "`tail`, slowest usual kind, 95th percentile", max(kinds[name][1] for name in usual),
                "ms", "lower", P95_BAR_MS, 1.0),
        Measure("growth_mb", "read by the index after the log grew by 1 MB", growth[0] / 1e6, "MB", "lower", noise=0.1),
        Measure("growth_ms", "that took", growth[1], "ms", "lower", noise=1.0),
    ]  # fmt: skip
    sizes = {
        path.name: path.stat().st_size
        for path in (log, run.metrics_jsonl, run.events_jsonl, run.trials_jsonl)
    }
    note = (
        f"A log of {sizes[log.name] / 1e9:.1f} GB, {steps} steps of {KEYS} metrics ({sizes['metrics.jsonl'] / 1e6:.0f} "
        f"MB), events of {sizes['events.jsonl'] / 1e6:.0f} MB, trials of {sizes['trials.jsonl'] / 1e6:.0f} MB, all in "
        f"the page cache. {calls} calls of each kind; between two calls the run writes a trial, an event, a row of "
        "metrics and 20 kB of log. The last three kinds of `tail` look through as much of the log as one call may; the "
        "bar is for the others."
    )
    table = Table("The kinds of `tail`", ("kind", "median ms", "95th percentile ms"), rows)
    return Result("reading", "Reading a long run", measures, [table], note, details={"bytes": sizes})


class _Writer:
    """The run, writing on."""

    def __init__(self, run: RunDir, step: int) -> None:
        self._run = run
        self._step = step
        self._between = _between(20_000)

    def write(self) -> None:
        """One step more."""
        began_s = time.time() - self._step * STEP_S
        for path, text in (
            (self._run.attempt_log(1), (self._between + _step_line(self._step)).decode()),
            (self._run.metrics_jsonl, _metrics_row(self._step, began_s)),
            (self._run.events_jsonl, _event(self._step, began_s)),
            (self._run.trials_jsonl, _trial(self._step + 1, began_s)),
        ):
            with path.open("a") as stream:
                stream.write(text)
        self._step += 1


def _tails(run: RunDir, steps: int, writer: _Writer, calls: int) -> dict[str, tuple[float, float]]:
    cursors = [tail(run, Wanted()).cursor]

    def since() -> None:
        cursors[0] = tail(run, Wanted(cursor=cursors[0])).cursor

    some_steps = cycle(range(1, steps, max(1, steps // calls)))
    ways: dict[str, Callable[[], object]] = {
        "the last lines": lambda: tail(run, Wanted()),
        "since a cursor": since,
        "from a step on": lambda: tail(run, Wanted(step=next(some_steps))),
        "a rare word": lambda: tail(run, Wanted(pattern="Saving checkpoint", lines=5)),
        "one component": lambda: tail(run, Wanted(component="trainer")),
    }
    found = {name: times_ms(way, writer.write, calls) for name, way in ways.items()}
    slow: dict[str, Callable[[], object]] = {
        "a component that is not there, 4 MB": lambda: tail(run, Wanted(component="rollout")),
        "a word that is nowhere, 64 MB": lambda: tail(run, Wanted(pattern="nowhere_at_all")),
        "an expression, 40 matches": lambda: tail(run, Wanted(pattern=r"step:\d+ - .*score/mean:0\.\d")),
    }
    return found | {name: times_ms(way, writer.write, max(20, calls // 10)) for name, way in slow.items()}


def _grow(log: Path) -> tuple[int, float]:
    index = index_of(log)
    index.update()
    with log.open("ab") as stream:
        stream.write(_between(1_000_000))
    begun = time.perf_counter()
    read = index.update()
    return read, 1000 * (time.perf_counter() - begun)


def _between(size: int) -> bytes:
    """Lines as a run prints them between two steps, most of them again and again."""
    lines = [
        _RAY.format("AgentLoopWorkerTQ", 4711) + "DEBUG:2026-11-21 13:17:59,251:Collecting main service artifacts\n",
        _RAY.format("SimpleStorageUnit", 4712) + "2026-11-21 13:17:59,654 - WARNING - transfer_queue.utils.common - "
        "target_num_threads 8 should not exceed total physical CPU cores 2. Setting to 2.\n",
        _RAY.format("AgentLoopWorkerTQ", 4713) + "ERROR:2026-11-21 13:17:58,980:Failed to decode tool call: Invalid "
        "control character at: line 2 column 66 (char 66)\n",
        _RAY.format("TaskRunnerV1", 4714) + "Training Progress: 100%|██████████| 20/20 [10:13<00:00, 30.66s/it]\n",
        "".join(_RAY.format("WorkerDict", 4715) + f"layer {number} of the model was gathered in 0.1 s\n"
                for number in range(5)),
    ]  # fmt: skip
    text = "".join(lines).encode()
    saved = (
        _RAY.format("TaskRunnerV1", 4714) + "INFO:2026-11-21 13:18:00,828:Saving checkpoint to step\n"
    ).encode()
    return saved + text * max(1, (size - len(saved)) // len(text))


def _step_line(step: int) -> bytes:
    values = " - ".join(spelt(name, value) for name, value in row(step).items())
    head = _RAY.format("TaskRunnerV1", 4714)
    saved = f"{head}INFO:2026-11-21 13:18:00,828:Saving checkpoint to checkpoints/global_step_{step}\n"
    return f"{saved}{head}step:{step} - {values}\n".encode()


def _metrics_row(step: int, began_s: float) -> str:
    told = row(step)
    own = {"step": step, "attempt": 1, "time": to_utc(began_s + step * STEP_S),
           "trial/reward/mean": told["critic/score/mean"], "trial/count": 64, "trial/outcome/max_turns": 2}  # fmt: skip
    return json.dumps(own | told) + "\n"


def _event(step: int, began_s: float) -> str:
    row = {
        "time": to_utc(began_s + step * STEP_S),
        "kind": "step",
        "attempt": 1,
        "step": step,
        "reward": 0.515625,
    }
    validation = {"validation": 0.62890625} if step % 10 == 0 else {}
    return json.dumps({**row, **validation, "seconds": 17.458663347000765, "trials": 64}) + "\n"


def _trial(step: int, began_s: float) -> str:
    row = TrialRow(
        to_utc(began_s + step * STEP_S), "apiary-weakest", "apiary-weakest-2702-4", "train", step, step, "g" * 36,
        "unsolved", "", 0.0, 3, 435, 43, 1, 1, {"total": 1.4466}, [("generation", 1.5e9, 1.5e9)] * 16, "trials/x",
    )  # fmt: skip
    return json.dumps(asdict(row)) + "\n"


def _run(command: list[str]) -> None:
    # The plain C locale: without it grep decodes every byte.
    # A pipe, too: to /dev/null it would end at the first match.
    subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C"})


def main() -> int:
    """Measure in a temporary folder that is removed again; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.reading", description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the result files")
    parser.add_argument(
        "--folder", type=Path, help="where the run directory is made (default: a temporary folder)"
    )
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="liverl-reading-", dir=arguments.folder) as folder:
            free = shutil.disk_usage(folder).free
            if free < 3 * LOG_BYTES:
                raise RunError(
                    "bench.no_room",
                    f"{folder} has {free / 1e9:.1f} GB free; {3 * LOG_BYTES / 1e9} are wanted.",
                )
            run = make_run(Path(folder) / "runs" / "long", LOG_BYTES, STEPS, TRIALS)
            result = measure(run, STEPS, CALLS, ROUNDS)
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    print(plain(result))
    print(f"written: {save(result, arguments.results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
