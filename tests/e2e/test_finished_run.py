"""What a run to the end prints and leaves in its directory."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from liverl.operate.find import Place, find_run
from liverl.record.clock import to_seconds
from liverl.record.events import Event, read_events
from liverl.record.metrics import read_metrics
from liverl.record.runfile import read_run
from liverl.record.trials import OUTCOMES, PHASES, SPAN_KINDS, read_trials
from liverl.run.retention import checkpoint_steps, newest_complete
from tests.conftest import STEPS, FinishedRun
from tests.e2e.breaking import until
from tests.e2e.traces import processes_of

pytestmark = pytest.mark.run

TRIALS_A_STEP = 16
VALIDATION_TRIALS = 4


def events(finished: FinishedRun, *kinds: str) -> list[Event]:
    return [event for event in read_events(finished.run) if event.kind in kinds]


def test_the_command_succeeds_and_prints_what_was_learned_where_it_lies_and_what_to_do_next(
    finished_run: FinishedRun,
) -> None:
    printed = finished_run.printed
    print(f"the run took {finished_run.seconds:.0f} s")
    assert finished_run.exit_code == 0, printed
    assert "SAFE TO RUN: YES" in printed
    for step in range(1, STEPS + 1):
        assert f"step {step}/{STEPS}  reward" in printed
    assert f"validation at step {STEPS}" in printed
    learned = printed[printed.index("  learned") :]
    assert f"(step 0 → {STEPS}, {VALIDATION_TRIALS} trials each)" in learned
    for where in (finished_run.run.root, finished_run.run.root / "policy", finished_run.run.checkpoints):
        assert str(where) in learned
    assert learned.rstrip().splitlines()[-1].split()[:3] == ["next", "liverl", "trials"]


def test_the_run_file_says_that_it_finished(finished_run: FinishedRun) -> None:
    record = read_run(finished_run.run)
    assert (record.name, record.steps, len(record.attempts)) == (finished_run.run.name, STEPS, 1)
    assert (record.last.state, record.last.exit_status) == ("finished", 0)
    assert {process.name for process in record.last.processes} == {"guard", "supervisor", "door", "trainer"}
    assert record.last.ended > record.last.started


def test_no_process_of_the_run_is_left(finished_run: FinishedRun) -> None:
    assert len(finished_run.watch.processes) > 8, "the watch must have seen Ray's processes"
    run, watch = finished_run.run, finished_run.watch
    until(lambda: not watch.alive() and not processes_of(run), 5.0, run)


def test_there_is_one_row_of_metrics_a_step_with_verls_keys_and_the_trials(finished_run: FinishedRun) -> None:
    rows = read_metrics(finished_run.run)
    assert [row["step"] for row in rows] == list(range(STEPS + 1))
    for row in rows[1:]:
        assert {"actor/grad_norm", "critic/score/mean", "timing_s/gen", "timing_s/update_actor"} <= row.keys()
        assert (row["trial/count"], row["trial/scored"]) == (TRIALS_A_STEP, TRIALS_A_STEP)
        assert row["trial/reward/mean"] == pytest.approx(row["critic/score/mean"])
    for row in (rows[0], rows[-1]):
        assert row["trial/val/count"] == VALIDATION_TRIALS
        assert row["trial/val/reward/mean"] == pytest.approx(row["val-core/val/reward/mean@2"])


def test_replica_and_trainer_agree_on_every_tokens_probability(finished_run: FinishedRun) -> None:
    for row in read_metrics(finished_run.run)[1:]:
        assert row["training/rollout_probs_diff_valid"] == 1
        assert row["training/rollout_probs_diff_mean"] < 1e-6
        assert row["training/rollout_probs_diff_max"] < 1e-3


def test_the_policy_is_moved_by_rewards_that_differ(finished_run: FinishedRun) -> None:
    rows = read_metrics(finished_run.run)[1:]
    assert any(row["trial/reward/std"] > 0 for row in rows)
    assert any(row["actor/grad_norm"] > 0 for row in rows)


def test_every_trial_has_a_complete_row(finished_run: FinishedRun) -> None:
    rows = read_trials(finished_run.run)
    assert len(rows) == STEPS * TRIALS_A_STEP + 2 * VALIDATION_TRIALS
    assert len({row.trial for row in rows}) == len(rows)
    for row in rows:
        assert row.outcome in OUTCOMES and row.reward in (0.0, 1.0)
        # An agent that was cut off may have solved its task before.
        assert row.outcome != "solved" if row.reward == 0.0 else row.outcome != "unsolved"
        assert (row.blame, row.error, row.tries) == ("", "", 1)
        assert row.turns > 0 and row.prompt_tokens > 0 and row.completion_tokens > 0
        assert row.weight_version == (row.step if row.split == "val" else row.step - 1)
        assert row.seconds.keys() == set(PHASES)
        assert all(spent >= 0 for spent in row.seconds.values())
    groups = {row.group for row in rows if row.split == "train"}
    assert {len([row for row in rows if row.group == group]) for group in groups} == {4}


def test_the_spans_of_every_trial_lie_within_the_run(finished_run: FinishedRun) -> None:
    attempt = read_run(finished_run.run).last
    began, ended = to_seconds(attempt.started), to_seconds(attempt.ended)
    for row in read_trials(finished_run.run):
        assert {kind for kind, _, _ in row.spans} >= {"generation", "sandbox", "verifier"}
        for kind, start, end in row.spans:
            assert kind in SPAN_KINDS
            assert began < start < end < ended, (row.trial, kind)
        generations = [end - start for kind, start, end in row.spans if kind == "generation"]
        assert len(generations) == row.turns
        assert sum(generations) == pytest.approx(row.seconds["generation"], abs=0.01)


def test_every_trials_folder_has_what_harbor_and_the_verifier_wrote(finished_run: FinishedRun) -> None:
    for row in read_trials(finished_run.run):
        folder = finished_run.run.root / row.path
        assert folder.parent.name == (f"{row.step:04d}" if row.split == "val" else f"v{row.step - 1:04d}")
        for name in ("result.json", "trajectory.json.gz", "verifier/reward.txt", "verifier/test-stdout.txt"):
            assert (folder / name).is_file(), folder / name


def test_events_tell_the_run_in_order(finished_run: FinishedRun) -> None:
    kinds = [event.kind for event in events(finished_run, "started", "ready", "step", "exported", "finished")]
    assert kinds == ["started", "ready", *["step"] * STEPS, "exported", "step", "finished"]
    assert [event.fields["step"] for event in events(finished_run, "step")] == list(range(STEPS + 1))
    assert [event.fields["step"] for event in events(finished_run, "checkpoint")] == [1, 2, 3]
    moments = [to_seconds(event.time) for event in read_events(finished_run.run)]
    # Posted ones keep the time of the posting, which is at most a poll of the supervisor earlier.
    assert all(after > before - 1.0 for before, after in pairwise(moments))


def test_the_newest_checkpoints_stay_and_the_removal_of_others_is_an_event(finished_run: FinishedRun) -> None:
    run = finished_run.run
    (removed,) = events(finished_run, "removed")
    assert (removed.fields["what"], removed.fields["step"]) == ("checkpoint", 1)
    assert removed.fields["size_bytes"] > 1_000_000
    assert checkpoint_steps(run.checkpoints) == [2, 3]
    assert newest_complete(run.checkpoints) == STEPS
    for step in (2, 3):
        actor = run.checkpoints / f"global_step_{step}" / "actor"
        assert {path.name.partition("_world")[0] for path in actor.glob("*.pt")} == {
            "model",
            "optim",
            "extra_state",
        }


def test_tensorboard_and_weights_and_biases_have_the_metrics(finished_run: FinishedRun) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    root = finished_run.run.root
    board = EventAccumulator(str(root / "tensorboard"))
    board.Reload()
    shown = {scalar.step: scalar.value for scalar in board.Scalars("critic/score/mean")}
    written = {row["step"]: row["critic/score/mean"] for row in read_metrics(finished_run.run)[1:]}
    assert shown == pytest.approx(written)
    (offline,) = (root / "wandb").glob("offline-run-*/run-*.wandb")
    assert offline.stat().st_size > 10_000


def test_the_run_is_found_from_its_folder_without_a_name(finished_run: FinishedRun) -> None:
    assert find_run(None, Place(finished_run.site.root)).root == finished_run.run.root


def test_nothing_is_written_into_the_folder_but_the_run(finished_run: FinishedRun) -> None:
    names = {path.name for path in Path(finished_run.site.root).iterdir()}
    assert names == {"config.yaml", "tasks", "runs", "logs", "state", "printed.txt"}
