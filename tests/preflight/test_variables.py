"""Variables that would break a run are named with the cure; the others are not dwelt upon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.engine.command import compose, thread_environment
from liverl.preflight.context import Context
from liverl.preflight.variables import (
    OVERWRITTEN,
    OVERWRITTEN_ON_CPU,
    check_variables,
    judge_variables,
)
from liverl.run.environment import FIXED
from tests.preflight.conftest import MakeConfig

MakeContext = Callable[..., Context]
GPU: dict[str, dict[str, object]] = {"engine": {"rollout": "vllm"}}
NODES = {**GPU, "infrastructure": {"nnodes": 2}}


def test_an_ordinary_shell_is_fine(make_config: MakeConfig) -> None:
    (finding,) = judge_variables(make_config(), {"PATH": "/bin", "HOME": "/root", "WANDB_API_KEY": "x"})
    assert (finding.id, finding.severity, finding.evidence) == ("variables:passed", "info", "")


def test_a_database_would_keep_litellm_from_starting_and_its_password_is_not_shown(
    make_config: MakeConfig,
) -> None:
    (finding,) = judge_variables(make_config(), {"DATABASE_URL": "postgresql://me:pa55@db/x"})
    assert (finding.id, finding.severity, finding.cure) == ("variables:break", "fatal", "unset DATABASE_URL")
    assert "pa55" not in str(finding)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CUDA_VISIBLE_DEVICES", ""),
        ("CUDA_VISIBLE_DEVICES", "-1"),
        ("VERL_PLATFORM", "cpu"),
        ("VERL_USE_MODELSCOPE", "True"),
    ],
)
def test_what_breaks_a_run_on_gpus_is_fatal(make_config: MakeConfig, name: str, value: str) -> None:
    (finding,) = judge_variables(make_config(**GPU), {name: value})
    assert (finding.id, finding.severity, finding.cure) == ("variables:break", "fatal", f"unset {name}")
    assert f"{name}={value}".lower() in finding.evidence.lower()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CUDA_VISIBLE_DEVICES", ""),
        ("VERL_PLATFORM", "nvidia"),
        ("VERL_USE_EXTERNAL_MODULES", "my.plugin"),
        ("OMP_NUM_THREADS", "1"),
        ("HF_HUB_OFFLINE", "0"),
        ("RAY_ADDRESS", "10.0.0.1:6379"),
        ("RAY_TMPDIR", "/x"),
        ("WANDB_MODE", "online"),
    ],
)
def test_what_a_run_on_the_cpu_sets_itself_has_no_effect(
    make_config: MakeConfig, name: str, value: str
) -> None:
    (finding,) = judge_variables(make_config(), {name: value})
    assert (finding.severity, finding.evidence) == ("info", f"without effect: {name}")


def test_the_right_platform_is_left_alone_on_gpus(make_config: MakeConfig) -> None:
    (finding,) = judge_variables(make_config(**GPU), {"VERL_PLATFORM": "nvidia"})
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("environment", "id_"),
    [
        ({"PYTHONOPTIMIZE": "1"}, "variables:unchecked"),
        ({"CUDA_LAUNCH_BLOCKING": "1"}, "variables:slow"),
    ],
)
def test_what_only_harms_is_a_warning(make_config: MakeConfig, environment: dict[str, str], id_: str) -> None:
    (finding,) = judge_variables(make_config(**GPU), environment)
    assert (finding.id, finding.severity) == (id_, "warn")


def test_variables_that_the_installed_vllm_does_not_read_are_named(
    make_context: MakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = tmp_path / "venv" / "lib" / "python3.12" / "site-packages" / "vllm" / "envs.py"
    envs.parent.mkdir(parents=True)
    envs.write_text(
        'environment_variables = {"VLLM_LOGGING_LEVEL": lambda: os.getenv("VLLM_LOGGING_LEVEL")}\n'
    )
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "INFO")
    monkeypatch.setenv("VLLM_ATTENTION_BACKEND", "FLASH_ATTN")
    context = make_context(**GPU, environment={"venv": str(tmp_path / "venv")})
    found = [each for each in check_variables(context) if each.id == "variables:unread"]
    assert [(each.severity, each.evidence) for each in found] == [("warn", "VLLM_ATTENTION_BACKEND")]
    assert found[0].cure == "unset VLLM_ATTENTION_BACKEND"


def test_variables_that_stay_on_this_machine_are_named_where_there_are_others(
    make_config: MakeConfig,
) -> None:
    given = {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_ALGO": "Ring", "HF_HUB_OFFLINE": "1", "HOME": "/root"}
    (finding,) = judge_variables(make_config(**NODES), given)
    assert (finding.id, finding.evidence) == ("variables:unseen", "NCCL_SOCKET_IFNAME")
    assert judge_variables(make_config(**GPU), given)[0].severity == "info"


def test_what_is_said_to_have_no_effect_is_what_a_run_sets(make_config: MakeConfig, tmp_path: Path) -> None:
    on_cpu = set(compose(make_config(), tmp_path / "run").env)
    on_gpus = set(compose(make_config(**GPU), tmp_path / "run").env)
    by_supervisor = {"LIVERL_DOOR_URL", "LIVERL_DOOR_KEY"}
    assert set(FIXED) | on_gpus | by_supervisor == OVERWRITTEN
    by_boot = {"CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"}
    assert "OMP_NUM_THREADS" in thread_environment(make_config(), 2)
    assert (on_cpu - on_gpus - set(FIXED)) | by_boot == OVERWRITTEN_ON_CPU
