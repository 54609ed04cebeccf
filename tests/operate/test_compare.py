"""Runs beside each other."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from liverl.config import render_resolved
from liverl.config.schema import RunConfig
from liverl.errors import RunError
from liverl.operate.answer import SUMMARY_CHARS, as_json
from liverl.operate.compare import compare
from liverl.operate.comparison import NOT_MEASURED, Comparison
from liverl.operate.comparison_text import WIDTH
from liverl.operate.curves import METRICS, Curve, common_points, read_measurements
from liverl.operate.difference import Sample, difference
from liverl.record.jsonl import append_object
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from tests.operate.made import Made

PAYLOAD_TOKENS = 2500


def write_config(run: RunDir, **sections: dict[str, Any]) -> None:
    """resolved.yaml with some sections changed."""
    run.resolved.write_text(render_resolved(RunConfig.model_validate(sections), {}))


def measure(run: RunDir, steps: range, **values: float) -> None:
    """Rows with the same values at each step; `_` in a name stands for `/`."""
    for step in steps:
        row = {name.replace("__", "/"): value for name, value in values.items()}
        append_object(run.metrics_jsonl, {"step": step, "attempt": 1, "time": "", **row})


def validate(run: RunDir, step: int, reward: float, trials: int, spread: float | None = None) -> None:
    """A row with a validation of binary rewards."""
    spread = math.sqrt(reward * (1 - reward)) if spread is None else spread
    keys = {"reward/mean": reward, "reward/std": spread, "scored": trials}
    row = {f"trial/val/{key}": value for key, value in keys.items()}
    append_object(run.metrics_jsonl, {"step": step, "attempt": 1, "time": "", **row})


def courses(found: Comparison, metric: str) -> Any:
    """The payload of one metric's curves."""
    return found.payload()["curves"][metric]


def two(made: Made) -> tuple[RunDir, RunDir]:
    """Two runs with the same config."""
    runs = made("one"), made("two", state="finished")
    for run in runs:
        write_config(run)
    return runs


def test_only_the_keys_whose_values_differ_are_told(made: Made) -> None:
    one, two = made("one"), made("two")
    write_config(one, rollout={"n": 4}, experiment={"seed": 1})
    write_config(two, rollout={"n": 8}, experiment={"seed": 2}, verl={"trainer.project_name": "x"})
    config = compare([one, two]).payload()["config"]
    assert config == {
        "rollout.n": [4, 8],
        "verl.trainer.project_name": ["not set", "x"],
        "experiment.seed": [1, 2],
    }
    assert list(config)[-1] == "experiment.seed"


def test_paths_are_shown_without_what_they_have_in_common(made: Made) -> None:
    one, two = made("one"), made("two")
    write_config(one, model={"path": "/shared/models/small/a"})
    write_config(two, model={"path": "/shared/models/large/a"})
    assert compare([one, two]).payload()["config"] == {"model.path": ["…/small/a", "…/large/a"]}


def test_the_states_are_those_of_the_runs(made: Made) -> None:
    assert [side.state for side in compare(two(made)).sides] == ["running", "finished"]


def test_few_steps_are_all_told_and_the_last_and_the_best(made: Made) -> None:
    one = made("one", steps=((1, 0.1), (2, 0.9), (3, 0.5)))
    two = made("two", steps=((2, 0.2), (3, 0.3), (4, 0.4)))
    reward = courses(compare([one, two]), "reward")
    assert reward["steps"] == [2, 3]
    assert reward["runs"] == [
        {"last": 0.5, "last_step": 3, "best": 0.9, "best_step": 2, "values": [0.9, 0.5]},
        {"last": 0.4, "last_step": 4, "best": 0.4, "best_step": 4, "values": [0.2, 0.3]},
    ]


def test_many_steps_are_means_of_equal_parts_of_the_common_range() -> None:
    long, late = Curve(range(0, 100), [float(n) for n in range(100)]), Curve(range(50, 70), [1.0] * 20)
    steps, (ours, theirs) = common_points([long, late])
    assert steps == [51, 53, 55, 57, 59, 61, 63, 65, 67, 69]
    assert ours[:2] == [50.5, 52.5]
    assert theirs == [1.0] * 10


def test_a_part_without_a_value_of_each_run_is_no_common_step() -> None:
    dense, sparse = Curve(range(100), [1.0] * 100), Curve([0, 55, 99], [1.0, 2.0, 3.0])
    steps, values = common_points([dense, sparse])
    assert steps == [9, 59, 99]
    assert values == [[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]]


def test_runs_that_share_no_step_have_no_points_but_their_ends(made: Made) -> None:
    reward = courses(compare([made("one", steps=((1, 0.1),)), made("two", steps=((9, 0.4),))]), "reward")
    assert reward["steps"] == []
    assert [run["last"] for run in reward["runs"]] == [0.1, 0.4]


def test_what_a_run_did_not_measure_is_said(made: Made) -> None:
    one, two = made("one"), made("two")
    measure(one, range(1, 3), actor__entropy=0.5)
    measure(two, range(1, 3), actor__grad_norm=0.5)
    found = compare([one, two])
    assert courses(found, "entropy")["runs"][1] == NOT_MEASURED
    assert courses(found, "seconds a step") == NOT_MEASURED
    assert any(NOT_MEASURED in line for line in found.lines())


def test_where_the_trials_were_not_measured_verls_own_numbers_count(made: Made) -> None:
    one, two = made("one"), made("two")
    for run in (one, two):
        row = {"critic/score/mean": 0.25, "val-core/val/reward/mean@8": 0.5}
        append_object(run.metrics_jsonl, {"step": 1, "attempt": 1, "time": "", **row})
    found = compare([one, two])
    assert courses(found, "reward")["runs"][0]["last"] == 0.25
    assert courses(found, "validation")["runs"][0]["last"] == 0.5
    # Nobody counted these trials, so there is no interval.
    assert found.payload()["validation"]["differences"] == [
        {"run": "two", "claim": "none", "interval": NOT_MEASURED}
    ]


def test_a_difference_beyond_chance_is_claimed_with_its_interval(made: Made) -> None:
    one, other = two(made)
    validate(one, 20, 0.25, 256)
    validate(other, 20, 0.5, 256)
    found = compare([one, other])
    assert found.payload()["validation"]["differences"] == [
        {"run": "two", "difference": 0.25, "interval": [0.167, 0.3281], "claim": "higher"}
    ]
    assert found.summary == (
        "validation at step 20: two 0.500, one 0.250: +0.250 (95% +0.167 to +0.328), two is higher"
    )


def test_a_difference_that_chance_explains_is_not_claimed(made: Made) -> None:
    one, other = two(made)
    validate(one, 20, 0.5, 16)
    validate(other, 20, 0.75, 16)
    assert compare([one, other]).summary.endswith("no difference can be claimed")


def test_the_validations_of_the_last_common_step_are_held_against_each_other(made: Made) -> None:
    one, other = two(made)
    validate(one, 10, 0.5, 64)
    validate(one, 20, 1.0, 64)
    validate(other, 10, 0.5, 64)
    assert compare([one, other]).payload()["validation"]["step"] == 10


def test_runs_without_a_common_validation_claim_nothing(made: Made) -> None:
    one, other = two(made)
    validate(one, 10, 0.5, 64)
    assert (
        compare([one, other]).summary == "no step was validated by all of them: no difference can be claimed"
    )


def test_validations_on_other_tasks_claim_nothing(made: Made, tmp_path: Path) -> None:
    runs = made("one"), made("two")
    for run, tasks in zip(runs, ("a", "b"), strict=True):
        (tmp_path / tasks / f"task-{tasks}").mkdir(parents=True)
        (tmp_path / tasks / f"task-{tasks}" / "task.toml").touch()
        write_config(run, data={"val": str(tmp_path / tasks)})
        validate(run, 1, 0.0 if tasks == "a" else 1.0, 64)
    assert compare(runs).summary.startswith("they were validated on different tasks")


def test_of_several_runs_each_is_held_against_the_first(made: Made) -> None:
    runs = [made(name) for name in ("base", "up", "down", "same")]
    for run, reward in zip(runs, (0.5, 0.9, 0.1, 0.5), strict=True):
        write_config(run)
        validate(run, 5, reward, 100)
    found = compare(runs)
    assert [item["claim"] for item in found.payload()["validation"]["differences"]] == [
        "higher",
        "lower",
        "none",
    ]
    assert found.summary == (
        "validation at step 5 against base (95% for all together): up higher; down lower; "
        "no difference can be claimed for the other 1"
    )


# Newcombe 1998, table II, method 10.
@pytest.mark.parametrize(
    ("one", "base", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_the_interval_is_newcombes(one: Any, base: Any, low: float, high: float) -> None:
    (a, m), (b, n) = one, base
    found = difference(Sample(a / m, 0.0, m), Sample(b / n, 0.0, n))
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_an_interval_of_several_comparisons_is_wider() -> None:
    one, base = Sample(0.6, 0.4, 50), Sample(0.5, 0.4, 50)
    alone, together = difference(one, base), difference(one, base, comparisons=3)
    assert alone is not None and together is not None
    assert together.low < alone.low < alone.high < together.high


def test_rewards_outside_0_to_1_have_no_interval() -> None:
    assert difference(Sample(0.2, 0.98, 50), Sample(0.1, 0.3, 50)) is None


def test_a_run_without_metrics_is_compared_by_its_config(made: Made) -> None:
    one, two = made("one", steps=((1, 0.5),)), made("two")
    two.metrics_jsonl.unlink(missing_ok=True)
    write_config(one, rollout={"n": 4})
    write_config(two, rollout={"n": 8})
    found = compare([one, two])
    assert found.payload()["config"] == {"rollout.n": [4, 8]}
    assert found.payload()["runs"][1]["last_step"] == NOT_MEASURED
    assert "two: it has no metrics yet." in found.notes


def test_a_run_without_a_readable_config_is_compared_by_its_curves(made: Made) -> None:
    one, two, three = (made(name, steps=((1, 0.5),)) for name in ("one", "two", "three"))
    write_config(one, rollout={"n": 4})
    write_config(two, rollout={"n": 8})
    three.resolved.write_bytes(b"rollout:\n  n: \xff[")
    found = compare([one, two, three])
    assert found.payload()["config"] == {"rollout.n": [4, 8, "unknown"]}
    assert "three: its resolved.yaml" in found.notes[0]


def test_too_few_runs_too_many_and_the_same_one_twice_are_refused(made: Made, tmp_path: Path) -> None:
    run = made("one")
    link = tmp_path / "link"
    link.symlink_to(run.root)
    for runs, code in (
        ([run], "compare.count"),
        ([run] * 9, "compare.count"),
        ([run, RunDir(link)], "compare.same_run"),
        ([run, RunDir(tmp_path / "nothing")], "run.no_run_file"),
    ):
        with pytest.raises(RunError) as caught:
            compare(runs)
        assert caught.value.code == code
        assert caught.value.next_action


def test_runs_of_one_name_are_told_apart_by_their_folders(made: Made) -> None:
    one = made("same")
    one.root.parent.rename(one.root.parent.with_name("earlier"))
    runs = RunDir(one.root.parent.with_name("earlier") / "same"), made("same")
    assert len({side.name for side in compare(runs).sides}) == 2


def wide(made: Made, count: int, steps: int = 40) -> Comparison:
    """Runs with long names, every metric, and configs that differ in nearly every key."""
    runs = [made(f"qwen3-30b-a3b-claude-code-{'long' * 5}-1121{chr(97 + n)}") for n in range(count)]
    rng = random.Random(1)
    for number, run in enumerate(runs, 1):
        write_config(
            run,
            model={"path": f"/a/very/long/path/to/models/of/this/kind/number-{number}"},
            training={"steps": number, "prompts_per_step": number, "test_freq": number},
            algorithm={"learning_rate": number * 1e-6, "clip_ratio_high": 0.2 + number / 1000},
            rollout={"n": number, "temperature": number / 10, "max_prompt_length": 100 * number},
            verl={f"actor_rollout_ref.actor.some_key_of_verl_{key}": [number] * 40 for key in range(40)},
        )
        for step in range(1, steps + 1):
            row = {key: rng.random() * 1e-3 for metric in METRICS for key in metric.keys}
            append_object(run.metrics_jsonl, {"step": step, "attempt": 1, "time": "", **row})
        validate(run, steps, number / 10, 256)
    return compare(runs)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_the_json_of_runs_that_differ_in_everything_fits_its_budget(made: Made, count: int) -> None:
    found = wide(made, count)
    text = json.dumps(as_json(found), ensure_ascii=False)
    print(f"{len(text.encode()) / 3.5:.0f} tokens")
    assert len(text.encode()) / 3.5 < PAYLOAD_TOKENS * (1 if count <= 4 else 1.5)
    assert "null" not in text and found.payload()["config_keys_left_out"] > 0
    assert len(found.summary) <= SUMMARY_CHARS


@pytest.mark.parametrize("count", [2, 3])
def test_the_text_fits_a_terminal(made: Made, count: int) -> None:
    lines = wide(made, count).lines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1].startswith("next: liverl ")


def test_the_rows_of_several_attempts_count_as_they_do_everywhere_else(made: Made) -> None:
    run = made("one")
    rng = random.Random(2)
    for _ in range(300):
        row = {"step": rng.randrange(20), "attempt": rng.randrange(1, 4)}
        append_object(run.metrics_jsonl, row | rng.choice(({}, {"actor/entropy": rng.random()})))
    expected = {row["step"]: row.get("actor/entropy") for row in read_metrics(run)}
    curve = read_measurements(run).curve(METRICS[3])
    assert [curve.at(step) for step in range(20)] == [expected.get(step) for step in range(20)]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_in_the_files_runs_are_compared(made: Made, seed: int) -> None:
    rng = random.Random(seed)
    one, two = made("one", steps=((1, 0.5),)), made("two", steps=((1, 0.5),))
    whole = one.metrics_jsonl.read_bytes()
    odd = (b"[" * 5000, b'{"step": 1e999, "attempt": 1}', b'{"step": true, "attempt": 1}', rng.randbytes(300),
           b'{"step": 1%s, "attempt": 1}' % (b"0" * 400), whole[: rng.randrange(len(whole))],
           b'{"step": 2, "attempt": 1, "actor/entropy": 1%s, "trial/reward/mean": 1e308}' % (b"0" * 400),
           b'{"step": 3, "attempt": 1, "trial/reward/mean": {"a": []}, "trial/val/scored": "x"}')  # fmt: skip
    one.metrics_jsonl.write_bytes(b"\n".join(rng.choices(odd, k=8)))
    one.resolved.write_bytes(
        rng.choice((rng.randbytes(200), b"[" * 5000, b"a: &x [*x]", b"? [1]: 2\n", b"a: {b: 2020-13-45}"))
    )
    found = compare([one, two])
    json.dumps(as_json(found), allow_nan=False)
    assert found.lines()
