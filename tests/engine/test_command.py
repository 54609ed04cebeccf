"""The composed verl command is what the configuration says, and verl accepts it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.config import Facts, RunConfig, load
from liverl.engine.command import compose, flatten

ROOT = Path(__file__).parents[2]


def _values(config: RunConfig) -> dict[str, str]:
    overrides = compose(config, Path("/runs/r")).overrides
    return dict(item.lstrip("+").split("=", 1) for item in overrides)


def _load(gpus: int, **overrides: Any) -> RunConfig:
    return load(
        ROOT / "config.yaml",
        Facts(gpus=gpus, cores=2, memory_gb=24.0),
        overrides=overrides,
        exists=lambda _: True,
    )


def test_the_loss_is_gspo_over_grpo_advantages() -> None:
    values = _values(_load(0))
    assert values["algorithm.adv_estimator"] == "grpo"
    assert values["actor_rollout_ref.actor.policy_loss.loss_mode"] == "gspo"


def test_a_cpu_run_is_fp32_through_our_replica() -> None:
    command = compose(_load(0), Path("/runs/r"))
    assert command.env["VERL_PLATFORM"] == "cpu"
    assert "actor_rollout_ref.rollout.name=liverl_cpu" in command.overrides
    assert any("mixed_precision={param_dtype:fp32" in item for item in command.overrides)


def test_the_gpu_host_runs_vllm_and_none_of_a_cpus_parts() -> None:
    command = compose(_load(8), Path("/runs/r"))
    assert command.env["VERL_USE_EXTERNAL_MODULES"] == "liverl.engine.plugin"
    assert not {"VERL_PLATFORM", "VERL_ENGINE_DEVICE"} & command.env.keys()
    assert "actor_rollout_ref.rollout.name=vllm" in command.overrides


def test_keys_under_verl_win(tmp_path: Path) -> None:
    config = RunConfig(verl={"actor_rollout_ref": {"actor": {"grad_clip": 0.5}}, "trainer.nnodes": 3})
    values = _values(config)
    assert values["actor_rollout_ref.actor.grad_clip"] == "0.5"
    assert values["trainer.nnodes"] == "3"


def test_nested_and_dotted_keys_mean_the_same() -> None:
    assert flatten({"a": {"b": {"c": 1}}, "d.e": 2}) == {"a.b.c": 1, "d.e": 2}


@pytest.mark.parametrize("name", ["nan", "inf", "true", "null", "1e5", "a-b"])
def test_a_name_that_looks_like_a_number_stays_a_name(name: str) -> None:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    from liverl.engine.command import _text

    (override,) = OverridesParser.create().parse_overrides([f"trainer.experiment_name={_text(name)}"])
    assert override.value() == name or str(override.value()).strip("'\"") == name
    assert isinstance(override.value(), str) or type(override.value()).__name__ == "QuotedString"


def test_no_secret_is_in_the_command() -> None:
    command = compose(_load(0), Path("/runs/r"))
    assert not [
        item for item in [*command.argv, *command.env] if "KEY" in item.upper() and "wandb" in item.lower()
    ]


@pytest.mark.parametrize("gpus", [0, 8])
def test_hydra_and_verls_own_validation_accept_it(gpus: int) -> None:
    from hydra import compose as hydra_compose
    from hydra import initialize_config_module
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    command = compose(_load(gpus), Path("/runs/r"))
    with initialize_config_module("verl.trainer.config", version_base=None):
        overrides = [item for item in command.overrides if not item.startswith("hydra.")]
        config = hydra_compose("ppo_trainer", overrides=overrides)
    validate_config(config, need_reference_policy(config), need_critic(config))
    assert config.actor_rollout_ref.rollout.n == 8
