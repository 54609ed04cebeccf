"""How a run is doing."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace
from typing import Any

import pytest

from liverl.errors import LiveRLError
from liverl.operate.answer import as_json
from liverl.operate.status import Observer, status, watch
from liverl.record.clock import to_utc, utc_now
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.runfile import read_run, write_run
from liverl.record.trials import append_trial
from liverl.run.stop import stop
from tests.operate.made import Made, add_step, at, silence
from tests.record.rows import trial_row
from tests.run.scripted import Launch, made_pids, process, until

BOOT = {
    "boot_usual": {"environment": 1.0, "replicas": 60.0},
    "boot_limits": {"environment": 180.0, "replicas": 1800.0, "first_trial": 300.0},
}


def validation(step: int, *rewards: float | None) -> tuple[dict[str, Any], ...]:
    """The trials of one validation."""
    return tuple(
        {
            "split": "val",
            "step": step,
            "reward": reward,
            "outcome": "infrastructure" if reward is None else "solved" if reward else "unsolved",
        }
        for reward in rewards
    )


def move(run: RunDir, **changes: Any) -> None:
    """Change the last attempt of a run's record."""
    record = read_run(run)
    write_run(run, record.with_attempt(replace(record.last, **changes)))


def test_a_running_run_tells_step_reward_trials_rate_and_time_left(made: Made) -> None:
    run = made(steps=((1, 0.1), (2, 0.2), (3, 0.5)), trials=({"step": 4}, {"step": 4}, {"step": 4}))
    now = status(run)
    assert (now.state, now.phase) == ("training", "training")
    assert (now.step, now.steps_total, now.reward) == (3, 30, 0.5)
    assert (now.trials_done, now.trials_total) == (3, 4)
    assert now.rate_s == pytest.approx(10.0)
    assert now.eta_s is not None and now.eta_s <= 27 * 10.0
    assert now.last_event is not None and now.last_event["step"] == 3
    assert now.rewards == ((1, 0.1), (2, 0.2), (3, 0.5))
    assert now.last_write is not None and now.last_write.age_s < 30


def test_the_json_holds_state_and_the_first_and_last_validation(made: Made) -> None:
    run = made(steps=((0, 0.0), (10, 0.5)), trials=(*validation(0, 0.0, 1.0), *validation(10, 1.0, 1.0)))
    told = as_json(status(run))
    assert told["state"] == "training"
    assert {key: told["validation"][key] for key in ("first", "last", "trials")} == {
        "first": 0.5,
        "last": 1.0,
        "trials": 2,
    }


def test_what_is_not_known_is_not_in_the_json(made: Made) -> None:
    told = as_json(status(made()))
    assert None not in told.values()
    assert not {"validation", "reward", "trend", "left_s", "health"} & set(told)


def test_a_validation_that_goes_on_is_the_state_and_not_yet_a_result(made: Made) -> None:
    now = status(made(trials=validation(0, 1.0)))
    assert (now.state, now.phase, now.trials_done, now.trials_total) == ("validating", "validating", 1, 2)
    assert now.validation.first is None


def test_trials_without_a_reward_do_not_enter_the_validations_mean(made: Made) -> None:
    found = status(made(steps=((0, 0.0),), trials=validation(0, 1.0, None))).validation
    assert (found.first, found.trials) == (1.0, 1)


def test_of_a_step_that_two_attempts_validated_the_later_one_counts(made: Made) -> None:
    early = tuple({**row, "time": at(5)} for row in validation(10, 0.0, 0.0))
    run = made(steps=((10, 0.5),), starts=(0.0, 100.0), trials=(*early, *validation(10, 1.0, 1.0)))
    append_event(run, "step", attempt=1, step=10, validation=0.0)
    assert status(run).validation.last == 1.0


def test_the_best_validation_is_kept_among_many_and_an_event_alone_tells_it(made: Made) -> None:
    run = made(steps=((1, 0.1),))
    for step in range(0, 400, 10):
        append_event(run, "step", attempt=1, step=step, validation=0.9 if step == 50 else 0.4)
    found = status(run).validation
    assert (found.first_step, found.last_step, found.best_step, found.best) == (0, 390, 50, 0.9)
    assert found.trials == 2  # those of a full validation, by the plan


def test_the_trials_of_an_earlier_attempt_are_not_counted_as_done_now(made: Made) -> None:
    run = made(starts=(0.0, 100.0), steps=((3, 0.1),), trials=({"step": 4, "time": at(5)}, {"step": 4}))
    assert status(run).trials_done == 1


def test_an_attempt_without_a_step_stands_at_its_checkpoint(made: Made) -> None:
    run = made(starts=(0.0, 100.0))
    (run.checkpoints / "global_step_20").mkdir()
    (run.checkpoints / "latest_checkpointed_iteration.txt").write_text("20")
    assert status(run).step == 20


def test_after_a_resume_the_later_steps_of_the_earlier_attempt_do_not_count(made: Made) -> None:
    run = made(starts=(0.0, 100.0))
    for step in range(1, 31):
        add_step(run, step, 0.9, attempt=1)
    for step in range(11, 14):
        add_step(run, step, 0.2, attempt=2)
    now = status(run)
    assert (now.step, now.reward) == (13, 0.2)
    assert now.rewards[-4:] == ((10, 0.9), (11, 0.2), (12, 0.2), (13, 0.2))


def test_the_health_of_the_last_ten_steps_is_one_line(made: Made) -> None:
    run = made()
    for step in range(1, 13):
        was_bad = step <= 2
        add_step(
            run,
            step,
            0.5,
            **{
                "trial/count": 10,
                "trial/outcome/infrastructure": 10 if was_bad else 1,
                "trial/outcome/max_turns": 1,
                "trial/outcome/timeout": 1,
                "timing_s/step": 20.0,
                "timing_s/gen": 12.0,
                "timing_s/update_actor": 5.0,
                "timing_s/old_log_prob": 1.0,
                "training/off_policy/trajectory_staleness/mean": 0.5,
            },
        )
    health = status(run).health
    assert (health.lost, health.cut_off, health.staleness) == pytest.approx((0.1, 0.2, 0.5))
    assert health.line == "lost 10%, cut off 20%, staleness 0.5, gen 60% update 30% other 10%"


def test_a_heart_that_does_not_beat_is_told_of_a_run_that_goes_on(made: Made) -> None:
    run = made(steps=((1, 0.1),))
    os.utime(run.heartbeat, (time.time() - 600,) * 2)
    told = as_json(status(run))
    assert (told["state"], told["reason"]) == (
        "training",
        "no heartbeat for 600 s although its supervisor lives",
    )


def test_what_was_not_measured_is_said_so(made: Made) -> None:
    line = status(made(steps=((1, 0.1),))).health.line
    assert line == "not measured: lost trials, cut-off trials, staleness, time split"


def test_a_trend_is_told_only_where_it_is_no_noise(made: Made) -> None:
    rising = made("rising", steps=tuple((step, 0.1 if step <= 10 else 0.6) for step in range(1, 21)))
    noisy = made("noisy", steps=tuple((step, 0.1 + 0.8 * (step % 2)) for step in range(1, 21)))
    assert as_json(status(rising))["trend"] == "+0.50 over 10 steps"
    assert as_json(status(noisy))["trend"] == "flat over 10 steps"
    assert status(made("young", steps=((1, 0.1), (2, 0.9)))).trend is None


def test_a_boot_is_told_by_its_stage_beside_its_usual_time_and_limit(made: Made) -> None:
    run = made(state="starting", plan=BOOT)
    append_event(run, "boot", stage="replicas", ready=1, of=2)
    now = status(run)
    assert (now.state, now.phase) == ("starting", "booting")
    assert now.boot is not None
    assert now.boot.line == f"replicas 1 of 2, {now.boot.lasts_s:.0f} s of usually 60 s, limit 1800 s"
    assert as_json(now)["boot"] == now.boot.line


def test_a_boot_that_makes_its_policy_is_told_with_that_and_its_usual_time(made: Made) -> None:
    run = made(state="starting", plan=BOOT)
    append_event(run, "boot", stage="environment", message="building the policy: 40 %", usual_s=115)
    now = status(run)
    assert now.boot is not None
    assert "s of usually 115 s" in now.boot.line and now.boot.line.endswith(": building the policy: 40 %")


def test_a_run_whose_replicas_are_ready_starts_until_its_first_trial_has_ended(made: Made) -> None:
    run = made(plan=BOOT)
    append_event(run, "boot", stage="litellm", done=True)
    now = status(run)
    assert (now.state, now.boot and now.boot.name) == ("starting", "first_trial")
    append_trial(run, trial_row(step=1, time=utc_now()))
    now = status(run)
    assert (now.state, now.boot) == ("training", None)


@pytest.mark.parametrize(("age_s", "state"), [(45, "training"), (60, "stalled")])
def test_a_silent_run_is_stalled_after_five_of_its_own_steps_and_not_before(
    made: Made, age_s: float, state: str
) -> None:
    run = made(steps=tuple((step, 0.5) for step in range(1, 9)))
    silence(run, age_s)
    now = status(run)
    assert now.state == state
    assert ("nothing was written for 60 s, 50 s" in now.reason) is (state == "stalled")


def test_the_silence_of_a_validation_or_a_checkpoint_is_allowed_for(made: Made) -> None:
    run = made()
    for step in range(1, 5):
        add_step(run, step, 0.5, **{"timing_s/step": 10.0})
    long = {"time": at(340), "timing_s/step": 10.0, "timing_s/testing": 290.0}
    add_step(run, 5, 0.5, **long)
    silence(run, 1000)
    assert status(run).state == "training"
    silence(run, 1600)
    assert status(run).state == "stalled"


@pytest.mark.parametrize(("age_s", "state"), [(1700, "starting"), (1900, "stalled")])
def test_a_silent_boot_is_stalled_when_its_stages_limit_has_passed(
    made: Made, age_s: float, state: str
) -> None:
    run = made(state="starting", plan=BOOT)
    append_event(run, "boot", stage="replicas", ready=0, of=2)
    silence(run, age_s)
    assert status(run).state == state


def test_a_checkpoint_that_grows_is_no_silence(made: Made) -> None:
    run = made(steps=tuple((step, 0.5) for step in range(1, 9)))
    folder = run.checkpoints / "global_step_8"
    folder.mkdir()
    silence(run, 500)
    (folder / "model.pt").write_bytes(b"x")
    assert status(run).state == "training"


def test_before_its_first_step_the_longest_stage_of_a_boot_is_the_measure(made: Made) -> None:
    run = made(trials=({"step": 1},), plan=BOOT)
    silence(run, 1700)
    assert status(run).state == "training"
    silence(run, 1900)
    assert status(run).state == "stalled"


def test_a_failed_run_says_why_with_its_last_words_and_what_to_do(made: Made) -> None:
    run = made(state="failed", reason="the trainer ended with exit status 1: ValueError: x")
    append_event(run, "died", process="trainer", lines=["a", "b", "Traceback", "ValueError: x", "c"])
    now = status(run)
    assert now.evidence == ("b", "Traceback", "ValueError: x")
    assert now.next_action == f"liverl resume {run.name}"
    assert (now.phase, now.eta_s, now.ok) == ("", None, False)


def test_the_evidence_of_a_run_of_an_older_version_shows_no_secret(made: Made) -> None:
    run = made(state="failed", reason="the trainer ended")
    append_event(run, "died", process="trainer", lines=["x", "AuthError: key sk-proj-abcdefghijkl", "c"])
    assert status(run).evidence == ("x", "AuthError: key sk-***", "c")


def test_the_death_of_an_earlier_attempt_is_no_evidence_of_this_one(made: Made) -> None:
    run = made(state="failed", reason="x")
    append_event(run, "died", attempt=1, lines=["ValueError: old"])
    append_event(run, "resumed", attempt=2)
    assert status(run).evidence == ()


def test_a_finished_run_says_where_its_policy_and_checkpoints_are(made: Made) -> None:
    run = made(state="finished")
    append_event(run, "exported", step=30, path="policy")
    (run.checkpoints / "global_step_30").mkdir()
    assert [name for name, _ in status(run).artifacts] == ["policy", "checkpoints"]


def test_an_observer_sees_what_is_new_and_reads_only_that(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made(steps=((1, 0.5),))
    for step in range(2, 200):
        append_event(run, "step", attempt=1, step=step, reward=0.5, pad="x" * 20_000)
    for _ in range(500):
        append_trial(run, trial_row(step=200, time=utc_now(), error="x" * 2000))
    observer = Observer(run)
    assert observer.read().trials_done == 500
    read_bytes = 0
    pread = os.pread

    def counting(descriptor: int, count: int, offset: int) -> bytes:
        nonlocal read_bytes
        content = pread(descriptor, count, offset)
        read_bytes += len(content)
        return content

    monkeypatch.setattr(os, "pread", counting)
    append_trial(run, trial_row(step=200, time=utc_now()))
    append_event(run, "checkpoint", step=199)
    now = observer.read()
    assert (now.trials_done, now.checkpoint) == (501, 199)
    assert read_bytes < 4096


FILES = ("run.json", "heartbeat", "attempt_1.json", "events.jsonl", "metrics.jsonl", "trials.jsonl",
         "logs/attempt_1.log", "checkpoints/latest_checkpointed_iteration.txt")  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_whatever_stands_in_a_file_a_status_or_an_error_with_a_cure_comes_back(made: Made, name: str) -> None:
    chance = random.Random(name)
    run = made(steps=((1, 0.5), (2, 0.5)), trials=({"step": 3},))
    path = run.root / name
    good = path.read_bytes() if path.exists() else b""
    for number in range(40):
        content = bytearray(good or b"7")
        for _ in range(chance.randrange(1, 6)):
            at_byte = chance.randrange(len(content) or 1)
            content[at_byte : at_byte + chance.randrange(9)] = chance.randbytes(chance.randrange(9))
        content = bytearray(chance.randbytes(300)) if number % 8 == 0 else content
        path.write_bytes(bytes(content[: chance.randrange(len(content) + 1)] if number % 5 == 0 else content))
        try:
            assert status(run).name == run.name
        except LiveRLError as error:
            assert error.next_action


@pytest.mark.parametrize("name", FILES)
def test_a_folder_in_a_files_place_is_no_crash(made: Made, name: str) -> None:
    run = made(steps=((1, 0.5),))
    path = run.root / name
    path.unlink(missing_ok=True)
    path.mkdir()
    try:
        assert status(run).name == run.name
    except LiveRLError as error:
        assert error.next_action


@pytest.mark.parametrize(
    "value",
    ['"x"', "null", "[1]", "{}", "true", "-1", "1e999", "NaN", "1" + "0" * 400],
    ids=lambda value: value[:8],
)
@pytest.mark.parametrize(
    "key", ["step", "attempt", "time", "trial/reward/mean", "timing_s/step", "trial/count"]
)
def test_a_row_with_a_senseless_value_is_no_crash(made: Made, key: str, value: str) -> None:
    run = made(steps=((1, 0.5), (2, 0.5)))
    row = {"step": "3", "attempt": "1", "time": f'"{to_utc(time.time())}"', key: value}
    line = "{" + ", ".join(f'"{name}": {text}' for name, text in row.items()) + "}\n"
    for path in (run.metrics_jsonl, run.events_jsonl, run.trials_jsonl):
        with path.open("a") as stream:
            stream.write(line)
            stream.write(line.replace("{", '{"kind": "step", "validation": ' + value + ", ", 1))
    assert status(run).steps_total == 30


@pytest.mark.fault
def test_watching_ends_with_the_run(launch_run: Launch) -> None:
    run = launch_run(steps=2)
    seen = list(watch(run, 0.1))
    assert seen[-1].state == "finished"
    assert seen[-1].step == 2


@pytest.mark.fault
def test_a_stopped_run_is_no_longer_live(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    made_pids(run)
    until(lambda: status(run).state == "training")
    stop(run, "test", kill=True)
    now = status(run)
    assert now.state == "stopped"
    assert now.next_action == f"liverl resume {run.name}"


@pytest.mark.fault
def test_a_killed_trainer_is_noticed_at_once_and_its_reason_is_told(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    made_pids(run)
    until(lambda: status(run).state == "training")
    os.kill(process(run, "trainer"), signal.SIGKILL)
    killed = time.monotonic()
    now = until(lambda: found if (found := status(run)).state in ("stopping", "failed") else None)
    assert time.monotonic() - killed < 5
    assert "trainer" in now.reason
    assert "SIGKILL" in until(lambda: found if (found := status(run)).state == "failed" else None).reason
