"""A configuration as a plan, and tasks by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.errors import TaskError
from liverl.operate.planning import boot_limits, plan_attempt, ports_of, python_of
from liverl.operate.policy import is_missing
from liverl.operate.single import find_task
from liverl.record.layout import RunDir
from liverl.record.stages import STAGES


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    for name in ("train/leap-year", "train/cart-total", "val/bank-fee", "val/no-task"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("train/leap-year", "train/cart-total", "val/bank-fee"):
        (tmp_path / name / "task.toml").write_text("")
    plain = {
        "data": {"train": str(tmp_path / "train"), "val": str(tmp_path / "val")},
        "model": {"built_path": str(tmp_path / "policy")},
    }
    return RunConfig.model_validate(plain)


def test_a_plan_counts_trials_and_names_the_processes(config: RunConfig, tmp_path: Path) -> None:
    plan = plan_attempt(config, RunDir(tmp_path / "r"), 3)
    assert plan.attempt == 3
    assert plan.trials_per_step == config.training.prompts_per_step * config.rollout.n
    assert plan.validation_trials == 1 * config.rollout.val_n
    assert plan.trainer[1:] == ("-m", "liverl.engine.boot", str(tmp_path / "r"))
    assert "liverl.gateway.door" in plan.door
    assert plan.door_url == f"http://127.0.0.1:{config.infrastructure.litellm_port}"
    assert plan.ports == ports_of(config)


def test_a_plan_says_what_the_run_is_made_with_who_said_yes_and_how_long_its_boot_may_take(
    config: RunConfig, tmp_path: Path
) -> None:
    plan = plan_attempt(config, RunDir(tmp_path / "r"), confirmed_by="prompt")
    assert plan.versions["liverl"]
    assert plan.confirmed_by == "prompt"
    assert tuple(plan.boot_limits) == tuple(plan.boot_usual) == STAGES


def test_the_first_trial_may_use_up_every_limit_that_it_has(config: RunConfig) -> None:
    trial = config.trial.model_copy(
        update={"retries": 1, "agent_timeout_s": 2400.0, "verifier_timeout_s": 600.0}
    )
    longer = config.model_copy(update={"trial": trial})
    assert boot_limits(longer)["first_trial"] >= 2 * (2400 + 600)
    assert boot_limits(longer)["replicas"] == boot_limits(config)["replicas"]


def test_the_data_planes_interpreter_is_that_of_the_configured_environment(config: RunConfig) -> None:
    other = config.model_copy(
        update={"environment": config.environment.model_copy(update={"venv": "/opt/v"})}
    )
    assert python_of(other) == "/opt/v/bin/python"


def test_a_policy_is_missing_until_its_folder_holds_a_model(config: RunConfig) -> None:
    assert is_missing(config)
    config.model.built_path.mkdir()
    (config.model.built_path / "config.json").write_text("{}")
    assert not is_missing(config)


def test_a_task_is_found_by_path_or_by_name_in_either_split(config: RunConfig) -> None:
    assert find_task(config, "bank-fee") == config.data.val / "bank-fee"
    assert find_task(config, str(config.data.train / "leap-year")) == config.data.train / "leap-year"
    with pytest.raises(TaskError) as caught:
        find_task(config, "leap-yer")
    assert "leap-year" in caught.value.next_action
