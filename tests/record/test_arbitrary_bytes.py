"""Whatever bytes a file of a run holds, its reader returns or says what is wrong; nothing else ever comes out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from liverl.errors import LiveRLError
from liverl.record.archive import archive_attempt
from liverl.record.asks import ask_stop, take_stop
from liverl.record.events import each_posted, read_events
from liverl.record.jsonl import encode
from liverl.record.layout import RunDir
from liverl.record.ledger import LedgerRow, read_ledger
from liverl.record.metrics import MetricsFile, flatten, read_metrics, trial_metrics
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, read_run
from liverl.record.stages import read_boot
from liverl.record.tail import cause_line, last_words
from liverl.record.trajectory import Segment, read_trajectory
from liverl.record.trials import read_trials
from liverl.run.bootwatch import BootWatch
from liverl.run.ingest import Ingest
from liverl.run.liveness import read_liveness
from liverl.run.processes import is_alive
from liverl.run.retention import checkpoint_steps, newest_complete
from tests.record.rows import trial_row

WRITTEN = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)

ANYTHING = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
HARD = some.sampled_from(
    [
        b"", b"\0", b"\xff\xfe", b"[]", b"null", b'"x"', b"{", b"{}" * 3, b"1" * 5000, b"[" * 100_000, b"1e999",
        b'{"a": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"a": ' * 3000 + b"1" + b"}" * 3000, b"-1",
        b"\xc2\xb2", b"9" * 300, b'{"a": "\\ud800"}', b'{"step": 1e999}', b"\n\n\r", b"NaN",
    ]
)  # fmt: skip

ATTEMPT = Attempt(1, "2026-01-01T00:00:00.000Z", "h", "b", "p", processes=(ProcessRef("supervisor", 7, 9),))
RECORD = asdict(RunRecord("r", "2026-01-01T00:00:00.000Z", 30, {"litellm": 8002}, (ATTEMPT,)))
PLAN = asdict(AttemptPlan(1, "r", 30, ("x",), env={"A": "1"}, ports={"ray": 1}, boot_limits={"ray": 1.0}))
EVENT = {
    "time": "2026-01-01T00:00:00.000Z",
    "kind": "boot",
    "stage": "replicas",
    "ready": 1,
    "of": 2,
    "done": True,
}
ROW = {"step": 1, "attempt": 1, "time": "", "trial/reward/mean": 0.5, "trial/val/reward/mean": 0.5}
LEDGER_ROW = asdict(LedgerRow("run_001", "r", 1, "", "", "completed", 0))
ASK = {"time": "", "reason": "x", "kill": True}
TRAJECTORY = {"segments": [asdict(Segment([1], [2], [1], [-1.0]))], "messages": [{}], "calls": [{}]}


def nearly(good: dict[str, Any]) -> some.SearchStrategy[bytes]:
    """A good object with one value, at any depth, replaced by anything, left out, or torn off somewhere."""
    paths = list(_paths(good))

    def changed(path: tuple[Any, ...], value: Any, end: int) -> bytes:
        copy = json.loads(json.dumps(good))
        inner = copy
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        content = json.dumps(copy).encode()
        return content[: len(content) * end // 100]

    whole = some.just(100) | some.integers(0, 100)
    return some.builds(changed, some.sampled_from(paths), ANYTHING, whole)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Any:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list | tuple)
        else ()
    )
    for key, inner in items:
        yield (*at, key)
        yield from _paths(inner, (*at, key))


def content(good: dict[str, Any]) -> some.SearchStrategy[bytes]:
    return some.binary(max_size=60) | HARD | nearly(good)


def lines(good: dict[str, Any]) -> some.SearchStrategy[bytes]:
    return some.lists(content(good), max_size=4).map(b"\n".join)


def survives(read: Callable[[], Any]) -> None:
    """A reader returns, or raises the one error that people and tools can act on."""
    try:
        found = read()
    except LiveRLError as error:
        assert json.dumps(error.as_dict()).encode()
        return
    repr(found).encode(errors="strict")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    return RunDir.create(tmp_path_factory.mktemp("arbitrary") / "r")


@WRITTEN
@given(content(RECORD))
def test_run_json(place: RunDir, written: bytes) -> None:
    place.run_json.write_bytes(written)
    survives(lambda: [is_alive(item) for item in read_run(place).last.processes])
    survives(lambda: read_liveness(place))
    place.run_json.unlink()


@WRITTEN
@given(content(PLAN))
def test_a_plan(place: RunDir, written: bytes) -> None:
    place.attempt_plan(1).write_bytes(written)
    survives(lambda: read_plan(place, newest_attempt(place)))
    place.attempt_plan(1).unlink()


@WRITTEN
@given(lines(EVENT))
def test_events(place: RunDir, written: bytes) -> None:
    place.events_jsonl.write_bytes(b'{"kind": "started"}\n' + written)
    survives(lambda: [encode(event.as_dict()) for event in read_events(place)])
    survives(lambda: read_boot(read_events(place)))
    watch = BootWatch(place, AttemptPlan(1, "r", 1, (), boot_limits={"replicas": 0.0}))
    for event in read_events(place):
        watch.see(event)
    survives(watch.overdue)


@WRITTEN
@given(lines(trial_row().as_dict()))
def test_trials(place: RunDir, written: bytes) -> None:
    place.trials_jsonl.write_bytes(written)
    survives(lambda: encode(trial_metrics(read_trials(place))))


@WRITTEN
@given(lines(ROW))
def test_metrics(place: RunDir, written: bytes) -> None:
    place.metrics_jsonl.write_bytes(written)
    survives(lambda: encode({"rows": read_metrics(place)}))
    survives(lambda: max(MetricsFile(place).values("trial/reward/mean").values(), default=0.0) + 1)
    plan = AttemptPlan(1, "r", 1, ())
    survives(lambda: archive_attempt(place, ATTEMPT, plan, 0))
    place.metrics_jsonl.unlink(missing_ok=True)


@WRITTEN
@given(lines({"step": 1, "data": {"a": 1.0, "step": 2}}), lines(trial_row().as_dict()), lines(EVENT))
def test_what_the_data_plane_wrote(
    tmp_path_factory: pytest.TempPathFactory, verl: bytes, trials: bytes, event: bytes
) -> None:
    run = RunDir.create(tmp_path_factory.mktemp("ingest") / "r")
    run.attempt_metrics(1).write_bytes(verl + b"\n")
    run.trials_jsonl.write_bytes(trials + b"\n")
    (run.requests / "event-1.json").write_bytes(event)
    ingest = Ingest(run, AttemptPlan(1, "r", 1, (), keep_checkpoints=1, keep_tokens_steps=1), ATTEMPT.started)
    ingest.catch_up()
    ingest.poll()
    assert all(
        row["step"] == flatten({"step": row["step"], "data": {}}, 1)["step"] for row in read_metrics(run)
    )  # type: ignore[index]
    assert list(run.requests.iterdir()) == []


@WRITTEN
@given(content(ASK) | content(EVENT))
def test_requests(place: RunDir, written: bytes) -> None:
    ask_stop(place, "x")
    (place.requests / "stop.json").write_bytes(written)
    (place.requests / "event-1.json").write_bytes(written)
    survives(lambda: take_stop(place))
    survives(lambda: [encode(event.as_dict()) for event in each_posted(place)])
    assert list(place.requests.iterdir()) == []


@WRITTEN
@given(some.binary(max_size=20) | HARD | some.integers().map(lambda number: str(number).encode()))
def test_the_newest_checkpoint(place: RunDir, written: bytes) -> None:
    (place.checkpoints / "latest_checkpointed_iteration.txt").write_bytes(written)
    survives(lambda: newest_complete(place.checkpoints))


@pytest.mark.parametrize("name", ["²", "٣", "-1", "1_0", "", "9" * 200, "x"])
def test_names_of_folders_that_are_no_steps(tmp_path: Path, name: str) -> None:
    run = RunDir.create(tmp_path / "r")
    (run.checkpoints / f"global_step_{name}").mkdir()
    (run.checkpoints / "global_step_3").mkdir()
    (run.root / f"attempt_{name}.json").write_text("")
    assert {3} <= set(checkpoint_steps(run.checkpoints)) <= {3, int("9" * 200)}
    assert newest_attempt(run) in (0, int("9" * 200))


@WRITTEN
@given(lines(LEDGER_ROW))
def test_the_ledger(place: RunDir, written: bytes) -> None:
    root = place.root.parent
    (root / "ledger.jsonl").write_bytes(written)
    survives(lambda: [encode(asdict(row)) for row in read_ledger(root)])
    (root / "ledger.jsonl").unlink()


@WRITTEN
@given(some.binary(max_size=40) | content(TRAJECTORY).map(lambda plain: gzip.compress(plain, mtime=0)))
def test_a_trajectory(place: RunDir, written: bytes) -> None:
    path = place.trials / "trajectory.json.gz"
    path.write_bytes(written)
    survives(lambda: [(segment.sampled, segment.masked) for segment in read_trajectory(path).segments])


@WRITTEN
@given(some.binary(max_size=200) | HARD)
def test_a_log(place: RunDir, written: bytes) -> None:
    place.attempt_log(1).write_bytes(written)
    survives(lambda: cause_line(last_words(place.attempt_log(1))))


@WRITTEN
@given(some.binary(max_size=10))
def test_a_heartbeat(place: RunDir, written: bytes) -> None:
    place.heartbeat.write_bytes(written)
    place.run_json.write_text(json.dumps(RECORD))
    survives(lambda: read_liveness(place))
    place.run_json.unlink()
