"""What a run will write and take, from its numbers and from the steps of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig, render_resolved
from liverl.preflight.cost import (
    Earlier,
    checkpoint_bytes,
    find_earlier,
    step_bytes,
    train_trials,
    val_trials,
    validations,
)
from tests.preflight.conftest import MakeConfig
from tests.preflight.shapes import gpu_profile

MakeRun = Callable[[str, RunConfig, list[Any]], Path]
FSDP = "actor_rollout_ref.actor.fsdp_config"


@pytest.fixture
def make_run() -> MakeRun:
    def made(name: str, config: RunConfig, rows: list[Any]) -> Path:
        folder = Path(config.experiment.run_root) / name
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
        (folder / "resolved.yaml").write_text(render_resolved(config, {}))
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
        return folder

    return made


def test_validations_are_before_the_first_step_between_and_after_the_last(make_config: MakeConfig) -> None:
    def count(steps: int, often: int, before: bool) -> int:
        training = {"steps": steps, "test_freq": often, "val_before_train": before}
        return validations(make_config(training=training))

    assert count(20, 10, True) == 3
    assert count(20, 10, False) == 2
    assert count(25, 10, False) == 3
    assert count(3, 10, False) == 1


def test_trials_are_counted_for_the_whole_run(make_config: MakeConfig) -> None:
    config = make_config(training={"steps": 20, "prompts_per_step": 8, "test_freq": 10}, rollout={"n": 8})
    assert train_trials(config) == 1280
    assert val_trials(config, 32) == 3 * 32 * 8


def test_a_checkpoint_holds_masters_and_two_states_in_their_dtype(tmp_path: Path) -> None:
    def each(**verl: object) -> int:
        return checkpoint_bytes(gpu_profile(tmp_path, verl=dict(verl)), 1)

    assert each() == 12
    assert each(**{f"{FSDP}.model_dtype": "bfloat16"}) == 6
    assert each(**{"actor_rollout_ref.model.lora_rank": 32}) == 4
    assert each(**{"actor_rollout_ref.actor.checkpoint.save_contents": ["model", "hf_model"]}) == 8
    # Two copies of the model, sharded over four GPUs each, write their own.
    assert each(**{f"{FSDP}.fsdp_size": 4}) == 24


def test_a_step_writes_its_share_of_a_checkpoint_and_its_trials(make_config: MakeConfig) -> None:
    config = make_config(checkpoint={"save_freq": 5})
    assert step_bytes(config, 10**9, 0) == pytest.approx(12 * 10**9 / 5, rel=0.01)


def test_an_earlier_run_of_the_same_profile_says_how_long_a_step_takes(
    make_config: MakeConfig, make_run: MakeRun
) -> None:
    config = make_config()
    rows = [
        {"step": 0},
        {"step": 1, "timing_s/step": 20.0},
        {"step": 2, "timing_s/step": 22.0, "timing_s/testing": 30.0},
    ]
    make_run("first", config, rows)
    assert find_earlier(config) == Earlier("first", 36.0)


def test_a_run_of_another_kind_says_nothing(make_config: MakeConfig, make_run: MakeRun) -> None:
    config = make_config()
    make_run("small", make_config(training={"prompts_per_step": 4}), [{"step": 1, "timing_s/step": 5.0}])
    make_run("other", make_config(scaffold={"name": "claude-code"}), [{"step": 1, "timing_s/step": 5.0}])
    assert find_earlier(config) is None


@pytest.mark.parametrize(
    "rows",
    [
        [],
        ["\x00"],
        [[1]],
        [{"step": 1}],
        [{"timing_s/step": "NaN"}],
        [{"timing_s/step": None}],
        [{"timing_s/step": 10**400}],
        [{"timing_s/step": float("inf")}],
    ],
)
def test_rows_without_a_time_say_nothing(rows: list[Any], make_config: MakeConfig, make_run: MakeRun) -> None:
    config = make_config()
    make_run("broken", config, rows)
    assert find_earlier(config) is None


def test_a_run_whose_configuration_is_torn_is_passed_over(make_config: MakeConfig, make_run: MakeRun) -> None:
    config = make_config()
    folder = make_run("torn", config, [{"step": 1, "timing_s/step": 5.0}])
    (folder / "resolved.yaml").write_text("training: [")
    assert find_earlier(config) is None


def test_only_the_end_of_a_long_file_is_read(make_config: MakeConfig, make_run: MakeRun) -> None:
    config = make_config()
    old = [{"step": step, "timing_s/step": 999.0, "pad": "x" * 1000} for step in range(300)]
    new = [{"step": step, "timing_s/step": 10.0, "pad": "x" * 1000} for step in range(300, 600)]
    make_run("long", config, [*old, *new])
    assert find_earlier(config) == Earlier("long", 10.0)


def test_without_runs_nothing_is_known(make_config: MakeConfig) -> None:
    assert find_earlier(make_config()) is None
