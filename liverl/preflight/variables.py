"""Which environment variables of this shell would break a run, have no effect on it, or not reach all of it?

The supervisor passes its whole environment on, and Ray's workers on this machine inherit it; what the supervisor and
verl's command set themselves wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.masking import shown
from liverl.preflight.packages import site_folders
from liverl.run.environment import FIXED

# Set by the supervisor and by verl's command for every run, and for one on CPUs.
OVERWRITTEN = frozenset(FIXED) | {
    "HYDRA_FULL_ERROR",
    "LIVERL_ATTEMPT",
    "LIVERL_DOOR_KEY",
    "LIVERL_DOOR_URL",
    "LIVERL_EXPORT",
    "LIVERL_RUN_DIR",
    "RAY_GCS_SERVER_PORT",
    "TENSORBOARD_DIR",
    "VERL_FILE_LOGGER_PATH",
    "VERL_USE_EXTERNAL_MODULES",
    "WANDB_DIR",
    "WANDB_MODE",
}
OVERWRITTEN_ON_CPU = frozenset(
    {
        "CUDA_VISIBLE_DEVICES",
        "OMP_NUM_THREADS",
        "RAY_prestart_worker_first_driver",
        "RAY_worker_niceness",
        "VERL_ENGINE_DEVICE",
        "VERL_PLATFORM",
    }
)
# Ray 2.60 reads neither where it is told address="local" and _temp_dir, as on one machine it is.
_IGNORED_LOCALLY = ("RAY_ADDRESS", "RAY_TMPDIR")
# verl's runtime environment takes these to workers of other machines (verl/trainer/constants_ppo.py), all else stays.
_FORWARDED = frozenset(
    {
        "CUBLAS_WORKSPACE_CONFIG",
        "FLASH_ATTENTION_DETERMINISTIC",
        "NCCL_ALGO",
        "NCCL_DETERMINISTIC",
        "PYTHONHASHSEED",
        "VERL_FULL_DETERMINISM",
        "VERL_RL_INSIGHT_ENABLE",
        "VLLM_BATCH_INVARIANT",
    }
)
_OF_WORKERS = ("NCCL_", "VLLM_", "VERL_", "TORCH_", "PYTORCH_", "HF_", "GLOO_", "UCX_", "FLASHINFER_")
_MOST = 8


def check_variables(context: Context) -> list[Finding]:
    """Fatal and warning findings for what would break the run, and one that says what has no effect."""
    return judge_variables(context.config, os.environ, _vllm_knows(context))


def judge_variables(
    config: RunConfig, environment: Mapping[str, str], vllm_knows: frozenset[str] = frozenset()
) -> list[Finding]:
    """The findings for an environment; `vllm_knows` are the variables that the installed vLLM reads, if any."""
    findings = [*_breaking(config, environment), *_unread(environment, vllm_knows)]
    if config.infrastructure.nnodes > 1:
        findings += _elsewhere(environment)
    return findings or [_without_effect(config, environment)]


def _breaking(config: RunConfig, environment: Mapping[str, str]) -> Iterator[Finding]:
    on_gpus = config.engine.rollout == "vllm"
    given = {name: value for name, value in environment.items() if value}
    if "DATABASE_URL" in given:  # proxy_server.py of LiteLLM 1.105.2 opens it, and ends without its client
        yield _fatal(
            "DATABASE_URL", "LiteLLM would keep its tables in that database and does not start", "***"
        )
    if given.get("VERL_USE_MODELSCOPE", "").lower() == "true":  # verl/__init__.py
        yield _fatal(
            "VERL_USE_MODELSCOPE", "verl would take models from ModelScope, which is not installed", "true"
        )
    if on_gpus and environment.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        yield _fatal(
            "CUDA_VISIBLE_DEVICES", "No GPU is visible to the run", environment["CUDA_VISIBLE_DEVICES"]
        )
    platform = given.get("VERL_PLATFORM", "nvidia")
    if on_gpus and platform.strip().lower() not in ("nvidia", "amd"):
        yield _fatal("VERL_PLATFORM", "verl would not use the GPUs", platform)
    if given.get("PYTHONOPTIMIZE", "0") != "0":  # python -O leaves assertions out
        title = "PYTHONOPTIMIZE takes verl's own checks away, which are assertions"
        yield Finding("variables:unchecked", "warn", title, "", "unset PYTHONOPTIMIZE")
    if on_gpus and given.get("CUDA_LAUNCH_BLOCKING", "0") != "0":
        title = "CUDA_LAUNCH_BLOCKING makes the CPU wait for every kernel"
        yield Finding("variables:slow", "warn", title, "", "unset CUDA_LAUNCH_BLOCKING")


def _fatal(name: str, title: str, value: str) -> Finding:
    return Finding("variables:break", "fatal", title, f"{name}={shown(name, value)}", f"unset {name}")


def _unread(environment: Mapping[str, str], vllm_knows: frozenset[str]) -> Iterator[Finding]:
    if not vllm_knows:
        return
    unread = sorted(name for name in environment if name.startswith("VLLM_") and name not in vllm_knows)
    if unread:
        title = "Variables are set that the installed vLLM does not read"
        cure = f"unset {' '.join(unread[:_MOST])}"
        yield Finding("variables:unread", "warn", title, _names(unread), cure)


def _elsewhere(environment: Mapping[str, str]) -> Iterator[Finding]:
    own = OVERWRITTEN | _FORWARDED
    staying = sorted(name for name in environment if name.startswith(_OF_WORKERS) and name not in own)
    if staying:
        title = "Variables are set here that workers on the other machines do not see"
        cure = "Set them in the shell that runs `ray start` on each machine"
        yield Finding("variables:unseen", "warn", title, _names(staying), cure)


def _without_effect(config: RunConfig, environment: Mapping[str, str]) -> Finding:
    replaced = OVERWRITTEN | (OVERWRITTEN_ON_CPU if config.engine.rollout == "cpu" else frozenset())
    ignored = _IGNORED_LOCALLY if config.infrastructure.nnodes == 1 else ()
    found = sorted(name for name in environment if name in replaced or name in ignored)
    title = "No variable of this shell stands in the way; Ray's workers see them all"
    return Finding("variables:passed", "info", title, f"without effect: {_names(found)}" if found else "")


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"{', '.join(names[:_MOST])}{more}"


def _vllm_knows(context: Context) -> frozenset[str]:
    """The names in the installed vLLM's own list, vllm/envs.py; empty where the run does without vLLM."""
    if context.config.engine.rollout != "vllm":
        return frozenset()
    for folder in site_folders(context):
        try:
            text = (Path(folder) / "vllm" / "envs.py").read_text(encoding="utf-8")
        except OSError:
            continue
        return frozenset(re.findall(r"\bVLLM_[A-Z0-9_]+", text))
    return frozenset()
