"""The Run Configuration Summary: what would be run, and what it will cost, a short line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from liverl.config import Facts, RunConfig
from liverl.config.parallel import Parallel
from liverl.preflight.cost import Earlier, find_earlier, step_bytes, train_trials, val_trials
from liverl.preflight.estimate import trainer_phases, utilization
from liverl.preflight.finding import Finding
from liverl.preflight.gpu_memory import gpu_memory_bytes
from liverl.preflight.model_facts import ModelFacts, read_facts
from liverl.preflight.reach import answers
from liverl.preflight.server_estimate import rollout_phase
from liverl.preflight.tasks import task_folders
from liverl.preflight.weights import SMALL_POLICY

# Of a value: eighteen of them, with their names, are about 900 bytes of JSON at most.
_WIDTH = 44
# As for any other question that only looks (preflight/run.py).
_LOOK_S = 10.0
# What the checks say where nvidia-smi hangs.
_SILENT_DRIVER = frozenset(("gpu:unknown", "gpus:timeout", "gpu_memory:timeout"))


@dataclass(frozen=True)
class Summary:
    """Names and values in the order they are shown; the last ones are the cost."""

    fields: tuple[tuple[str, str], ...]

    def as_dict(self) -> dict[str, str]:
        """The fields by name, in their order."""
        return dict(self.fields)


def summarise(
    config: RunConfig, facts: Facts, earlier: Earlier | None, *, gpu_bytes: int | None = None
) -> Summary:
    """Every field of the summary; reads the model's config.json and counts the task folders.

    `gpu_bytes` is the memory of one GPU (`gpu_memory.gpu_memory_bytes`); without it the trainer's need alone is told.
    """
    model = read_facts(config.model.folder)
    train, val = len(task_folders(config.data.train)), len(task_folders(config.data.val))
    fields = (
        *_what(config, model, train, val),
        *_how(config, facts),
        *_learning(config, train),
        *_around(config),
        *_cost(config, model, (train, val), earlier, gpu_bytes),
    )
    return Summary(tuple((name, _short(value)) for name, value in fields))


def configuration_summary(
    config: RunConfig, facts: Facts, findings: Sequence[Finding] = ()
) -> dict[str, str]:
    """The summary of a run on this machine: asks the driver for its GPUs and the run root for an earlier run.

    `findings` are what the checks have said: nothing is read where a place hangs, and a driver that did not answer
    is not asked again. Empty too where a place begins to hang now; that takes ten seconds.
    """
    known = {finding.id for finding in findings}
    if "place:hangs" in known:
        return {}
    asks = config.engine.rollout == "vllm" and not known & _SILENT_DRIVER
    gpu_bytes = gpu_memory_bytes() if asks else None
    made: list[Summary] = []
    answers(lambda: made.append(summarise(config, facts, find_earlier(config), gpu_bytes=gpu_bytes)), _LOOK_S)
    return made[0].as_dict() if made else {}


def _what(config: RunConfig, model: ModelFacts | None, train: int, val: int) -> list[tuple[str, str]]:
    size = f", {_count(model.parameters)}" if model and model.parameters else ""
    name = config.model.folder.name if model or config.model.path else "the small policy, built at launch"
    return [
        ("Model", f"{name}{size}"),
        ("Served as", config.model.served_name),
        ("Train data", _place(config.data.train) + (f", {train} tasks" if train else "")),
        ("Val data", _place(config.data.val) + (f", {val} tasks" if val else "")),
        ("Backend", f"{config.sandbox.backend}, {config.trial.concurrency} at once"),
    ]


def _how(config: RunConfig, facts: Facts) -> list[tuple[str, str]]:
    parallel, rollout = Parallel.of(config), config.rollout
    vllm = config.engine.rollout == "vllm"
    unit = "GPU" if vllm else "process"
    split = f", TP {parallel.tensor}, SP {parallel.sequence}" if vllm else ""
    alone = f" + {parallel.rollout_nodes} for rollouts" if parallel.rollout_nodes else ""
    nodes = f"{parallel.trainer_nodes}{alone} x {_many(parallel.trainer_gpus_per_node, unit)}"
    trials = config.training.prompts_per_step * rollout.n
    server = ("CPU server", f"{facts.cores} cores, {config.engine.max_num_seqs} sequences")
    if vllm:
        share = f"{utilization(config):.0%} of a GPU"
        server = (
            "vLLM",
            f"{_many(parallel.replicas, 'replica')}, {share}, {config.engine.max_num_seqs} sequences",
        )
    return [
        ("Parallelism", f"{nodes}{split}, {_many(rollout.workers, 'worker')}"),
        ("Batch", f"{config.training.prompts_per_step} x {rollout.n} = {trials} trials a step"),
        ("Context", f"{rollout.max_prompt_length} + {rollout.max_response_length} tokens"),
        server,
    ]


def _learning(config: RunConfig, train: int) -> list[tuple[str, str]]:
    algorithm, training = config.algorithm, config.training
    epochs = f" = {_epochs(config, train):.1f} epochs" if train else ""
    often = f"save {config.checkpoint.save_freq}, test {training.test_freq}"
    rate = f"{algorithm.learning_rate:g}"
    return [
        ("Algorithm", f"{algorithm.adv_estimator} / {algorithm.policy_loss}, lr {rate}"),
        ("Epochs", f"{training.steps} steps{epochs}, {often}"),
    ]


def _around(config: RunConfig) -> list[tuple[str, str]]:
    experiment, logging, trial = config.experiment, config.logging, config.trial
    chosen = {"console": logging.console, "file": logging.file, "tensorboard": logging.tensorboard}
    loggers = [name for name, wanted in chosen.items() if wanted]
    if logging.wandb != "disabled":
        loggers.append(f"wandb {logging.wandb}")
    limits = f"{trial.agent_timeout_s:.0f} s, {_many(trial.retries, 'retry')}"
    return [
        ("Experiment", f"{experiment.project}, {experiment.name or 'auto'}"),
        ("Loggers", ", ".join(loggers)),
        ("Scaffold", f"{config.scaffold.name}, {limits}"),
    ]


def _cost(
    config: RunConfig,
    model: ModelFacts | None,
    tasks: tuple[int, int],
    earlier: Earlier | None,
    gpu_bytes: int | None,
) -> list[tuple[str, str]]:
    train, val = tasks
    parameters = (model.parameters if model else 0) or SMALL_POLICY
    written = step_bytes(config, parameters, val) / 1e9
    return [
        ("GPU memory", _gpu_memory(config, model, gpu_bytes)),
        ("Disk", f"{written:.2g} GB a step" if written < 10 else f"{written:.0f} GB a step"),
        ("Trials", f"{train_trials(config)} + {val_trials(config, val)} in validation"),
        ("Time", _time(config, train, earlier)),
    ]


def _gpu_memory(config: RunConfig, model: ModelFacts | None, gpu_bytes: int | None) -> str:
    if config.engine.rollout != "vllm":
        return "no GPU"
    if model is None or not model.parameters:
        return "not estimated: no config.json"
    phases = trainer_phases(model, config, gpu_bytes or 0)
    if gpu_bytes:
        phases = [*phases, rollout_phase(model, config, gpu_bytes)]
    needed = max(phase.total for phase in phases) / 1e9
    return f"about {needed:.0f} GB of {gpu_bytes / 1e9:.0f}" if gpu_bytes else f"about {needed:.0f} GB a GPU"


def _time(config: RunConfig, train: int, earlier: Earlier | None) -> str:
    if earlier is None:
        return "not measured yet"
    whole = earlier.seconds_per_step * config.training.steps / 3600
    epochs = _epochs(config, train)
    each = f", {whole / epochs:.1f} an epoch" if epochs else ""
    return f"{whole:.1f} h{each}, as {earlier.run}"


def _epochs(config: RunConfig, train: int) -> float:
    return config.training.steps * config.training.prompts_per_step / train if train else 0.0


def _place(folder: Path) -> str:
    """The last two names of a folder: enough to know it by."""
    return "/".join(folder.parts[-2:])


def _count(parameters: int) -> str:
    if parameters < 1e9:
        return f"{parameters / 1e6:.1f}M"
    return f"{parameters / 1e9:.1f}B"


def _many(count: int, one: str) -> str:
    many = {"process": "processes", "retry": "retries"}.get(one, f"{one}s")
    return f"{count} {one if count == 1 else many}"


def _short(value: str) -> str:
    return value if len(value) <= _WIDTH else value[: _WIDTH - 2] + ".."
