"""The verl command that a run's configuration means: Hydra overrides and environment, nothing hidden.

`compose` is pure: it reads no machine state, so that `liverl config show --verl` prints exactly what `boot` runs.

    python -m liverl.engine.command < resolved.yaml     the command as JSON: argv, env, cwd
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.record.layout import RunDir

MODULE = "verl.trainer.main_ppo"
Overrides = dict[str, Any]


@dataclass(frozen=True)
class VerlCommand:
    """`argv` starts with the interpreter; `env` is what is added to the environment; `cwd` is an empty folder."""

    argv: list[str]
    env: dict[str, str]
    cwd: Path

    @property
    def overrides(self) -> list[str]:
        """The Hydra overrides alone."""
        return self.argv[self.argv.index(MODULE) + 1 :]


def compose(config: RunConfig, run_dir: Path, attempt: int = 1) -> VerlCommand:
    """The command for one attempt of a run; keys under `verl:` come last and win."""
    run = RunDir(run_dir)
    cpu = config.engine.rollout == "cpu"
    values: Overrides = {
        **_data(config, run),
        **_model(config),
        **_actor(config),
        **_rollout(config, run),
        **_algorithm(config),
        **_trainer(config, run),
        **_ray(config, run, cpu),
        **(_cpu() if cpu else {}),
    }
    values.update(flatten(config.verl))
    argv = [sys.executable, "-m", MODULE, "hydra.run.dir=.", "hydra.output_subdir=null"]
    argv += [f"{_plus(key)}{key}={_text(value)}" for key, value in values.items()]
    return VerlCommand(argv, _environment(config, run, attempt, cpu), run.data / "cwd")


def flatten(nested: Mapping[str, Any], prefix: str = "") -> Overrides:
    """`{"a": {"b": 1}, "c.d": 2}` as `{"a.b": 1, "c.d": 2}`."""
    flat: Overrides = {}
    for key, value in nested.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


_ADDED = ("ray_kwargs.ray_init.", "actor_rollout_ref.model.override_config.")
"""Places where verl's schema is open: a key there is added (`+`), everywhere else it has to exist."""

_KNOWN_OPEN = ("ray_kwargs.ray_init.num_cpus",)


def _plus(key: str) -> str:
    opened = key.startswith(_ADDED) or key.endswith(".mixed_precision")
    return "++" if opened and key not in _KNOWN_OPEN else ""


# Words that Hydra's grammar reads as something else than a name.
_NOT_NAMES = ("nan", "inf", "true", "false", "null")


def _text(value: Any) -> str:
    """A value in Hydra's override grammar."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_text(item) for item in value) + "]"
    is_plain = not isinstance(value, str) or (value.isidentifier() and value.lower() not in _NOT_NAMES)
    return str(value) if is_plain else json.dumps(value)


def _data(config: RunConfig, run: RunDir) -> Overrides:
    return {
        "data.train_files": str(run.data / "train.parquet"),
        "data.val_files": str(run.data / "val.parquet"),
        "data.train_batch_size": config.training.prompts_per_step,
        "data.max_prompt_length": config.rollout.max_prompt_length,
        "data.max_response_length": config.rollout.max_response_length,
        "data.filter_overlong_prompts": False,
        "data.dataloader_num_workers": 0,
        "data.validation_shuffle": False,
        "data.seed": config.experiment.seed,
    }


def _model(config: RunConfig) -> Overrides:
    return {"actor_rollout_ref.model.path": str(config.model.folder)}


def _window(config: RunConfig) -> int:
    """Longest sequence, in tokens."""
    return config.rollout.max_prompt_length + config.rollout.max_response_length


def _actor(config: RunConfig) -> Overrides:
    algorithm, training = config.algorithm, config.training
    actor = "actor_rollout_ref.actor"
    return {
        f"{actor}.strategy": config.engine.strategy,
        f"{actor}.ppo_mini_batch_size": training.mini_batch_size,
        f"{actor}.use_dynamic_bsz": True,
        f"{actor}.ppo_max_token_len_per_gpu": training.micro_batch_size * _window(config),
        f"{actor}.ppo_epochs": 1,
        f"{actor}.policy_loss.loss_mode": algorithm.policy_loss,
        f"{actor}.loss_agg_mode": algorithm.loss_agg_mode,
        f"{actor}.clip_ratio_low": algorithm.clip_ratio_low,
        f"{actor}.clip_ratio_high": algorithm.clip_ratio_high,
        f"{actor}.entropy_coeff": algorithm.entropy_coeff,
        f"{actor}.use_kl_loss": algorithm.use_kl_loss,
        f"{actor}.kl_loss_coef": algorithm.kl_loss_coef,
        f"{actor}.grad_clip": algorithm.grad_clip,
        f"{actor}.optim.lr": algorithm.learning_rate,
        f"{actor}.optim.lr_warmup_steps": algorithm.lr_warmup_steps,
        f"{actor}.optim.weight_decay": algorithm.weight_decay,
        # Token budgets instead of counts: any number of sequences fits, and short ones share a pass.
        "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz": True,
        "actor_rollout_ref.ref.log_prob_use_dynamic_bsz": True,
    }


def _rollout(config: RunConfig, run: RunDir) -> Overrides:
    sampling, engine = config.rollout, config.engine
    rollout = "actor_rollout_ref.rollout"
    return {
        f"{rollout}.name": "liverl_cpu" if engine.rollout == "cpu" else engine.rollout,
        f"{rollout}.n": sampling.n,
        f"{rollout}.temperature": sampling.temperature,
        f"{rollout}.top_p": sampling.top_p,
        f"{rollout}.top_k": sampling.top_k,
        f"{rollout}.val_kwargs.n": sampling.val_n,
        f"{rollout}.val_kwargs.temperature": sampling.val_temperature,
        f"{rollout}.val_kwargs.do_sample": sampling.val_temperature > 0,
        f"{rollout}.tensor_model_parallel_size": engine.tensor_parallel,
        f"{rollout}.gpu_memory_utilization": engine.gpu_memory_utilization,
        f"{rollout}.max_num_seqs": engine.max_num_seqs,
        f"{rollout}.max_model_len": _window(config),
        f"{rollout}.calculate_log_probs": True,
        f"{rollout}.seed": config.experiment.seed,
        f"{rollout}.agent.num_workers": sampling.workers,
        f"{rollout}.agent.default_agent_loop": "liverl",
        f"{rollout}.agent.agent_loop_config_path": str(run.data / "agent_loop.yaml"),
    }


def _algorithm(config: RunConfig) -> Overrides:
    return {"algorithm.adv_estimator": config.algorithm.adv_estimator, "algorithm.use_kl_in_reward": False}


def _trainer(config: RunConfig, run: RunDir) -> Overrides:
    training = config.training
    return {
        "trainer.project_name": config.experiment.project,
        "trainer.experiment_name": run.name,
        "trainer.logger": _loggers(config),
        "trainer.nnodes": config.infrastructure.nnodes,
        "trainer.n_gpus_per_node": config.infrastructure.gpus_per_node,
        "trainer.total_training_steps": training.steps,
        "trainer.total_epochs": training.steps * training.prompts_per_step,
        "trainer.val_before_train": training.val_before_train,
        "trainer.test_freq": training.test_freq,
        "trainer.save_freq": config.checkpoint.save_freq,
        "trainer.default_local_dir": str(run.checkpoints),
        "trainer.resume_mode": "auto" if training.resume == "auto" else "disable",
        "trainer.checkpoint_callback_class": "liverl.engine.checkpoints.CheckpointEvents",
        "trainer.v1.sampler.custom_sampler.path": "pkg://liverl.engine.sampler",
        "trainer.v1.sampler.custom_sampler.name": "ScoredGroups",
        "reward.num_workers": 1,
    }


def _loggers(config: RunConfig) -> list[str]:
    logging = config.logging
    chosen = {
        "console": logging.console,
        "file": logging.file,
        "tensorboard": logging.tensorboard,
        "wandb": logging.wandb != "disabled",
    }
    return [name for name, wanted in chosen.items() if wanted]


def _ray(config: RunConfig, run: RunDir, cpu: bool) -> Overrides:
    ray: Overrides = {"ray_kwargs.ray_init._temp_dir": str(temp_dir(config, run))}
    if config.infrastructure.nnodes == 1:
        ray["ray_kwargs.ray_init.address"] = "local"
        ray["ray_kwargs.ray_init.include_dashboard"] = not cpu
        if not cpu:
            ray["ray_kwargs.ray_init.dashboard_port"] = config.infrastructure.ray_dashboard_port
    if cpu:
        # Logical numbers: verl's actors ask for more than a laptop has, though they mostly wait for each other.
        ray["ray_kwargs.ray_init.num_cpus"] = 16
        ray["ray_kwargs.ray_init.num_gpus"] = config.infrastructure.gpus_per_node
        ray["ray_kwargs.ray_init.object_store_memory"] = 512 * 1024 * 1024
    return ray


def temp_dir(config: RunConfig, run: RunDir) -> Path:
    """Ray's folder: the configured one, else one in the run's own, since Ray opens it to every user."""
    return Path(config.infrastructure.temp_dir) if config.infrastructure.temp_dir else run.scratch / "ray"


def _cpu() -> Overrides:
    """What makes verl run without an accelerator, in fp32 so that replica and trainer agree to rounding."""
    fp32 = {"param_dtype": "fp32", "reduce_dtype": "fp32", "buffer_dtype": "fp32"}
    values: Overrides = {
        "trainer.device": "cpu",
        "actor_rollout_ref.model.use_remove_padding": False,
        "actor_rollout_ref.model.enable_gradient_checkpointing": False,
        "actor_rollout_ref.model.override_config.attn_implementation": "sdpa",
        "actor_rollout_ref.rollout.dtype": "float32",
        "actor_rollout_ref.rollout.free_cache_engine": False,
        "transfer_queue.backend.SimpleStorage.num_data_storage_units": 1,
    }
    for role in ("actor", "ref"):
        values[f"actor_rollout_ref.{role}.strategy"] = "fsdp2"
        values[f"actor_rollout_ref.{role}.use_torch_compile"] = False
        values[f"actor_rollout_ref.{role}.fsdp_config.use_torch_compile"] = False
        values[f"actor_rollout_ref.{role}.fsdp_config.dtype"] = "float32"
        values[f"actor_rollout_ref.{role}.fsdp_config.mixed_precision"] = fp32
    return values


def thread_environment(config: RunConfig, cores: int) -> dict[str, str]:
    """Threads of the update, which has the machine alone, and of the replica, which shares it with sandboxes."""
    threads = config.engine.cpu_threads or cores
    return {"OMP_NUM_THREADS": str(threads), "LIVERL_REPLICA_THREADS": str(max(1, threads // 2))}


def _environment(config: RunConfig, run: RunDir, attempt: int, cpu: bool) -> dict[str, str]:
    env = {
        "LIVERL_RUN_DIR": str(run.root),
        "LIVERL_ATTEMPT": str(attempt),
        "LIVERL_EXPORT": "1" if config.checkpoint.export else "0",
        "VERL_FILE_LOGGER_PATH": str(run.attempt_metrics(attempt)),
        "TENSORBOARD_DIR": str(run.root / "tensorboard"),
        "WANDB_DIR": str(run.root),
        "WANDB_MODE": config.logging.wandb,
        "VERL_USE_EXTERNAL_MODULES": "liverl.engine.plugin",
        "RAY_GCS_SERVER_PORT": str(config.infrastructure.ray_port),
        "RAY_DEDUP_LOGS": "0",
        "HYDRA_FULL_ERROR": "1",
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HARBOR_TELEMETRY": "0",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    if cpu:
        env |= {
            "VERL_PLATFORM": "cpu",
            # FSDP engines are registered for cuda and npu only; the one for cuda runs on any torch device.
            "VERL_ENGINE_DEVICE": "cuda",
            "HF_HUB_OFFLINE": "1",
            # Ray would start a Python process for each of the logical CPUs before the trainer has one.
            "RAY_prestart_worker_first_driver": "0",
            # Ray's default of 15 would make the trainer wait for every other process of the machine.
            "RAY_worker_niceness": "0",
        }
    return env


def main() -> None:
    """Print the command that the configuration on standard input means."""
    config = RunConfig.parse_resolved(sys.stdin.read())
    name = config.experiment.name or "NAME"
    command = compose(config, Path(config.experiment.run_root) / name)
    print(json.dumps({"argv": command.argv, "env": command.env, "cwd": str(command.cwd)}))


if __name__ == "__main__":
    main()
