"""The sections of a run's configuration: every key, its type, range, default and meaning.

One class a section, and `RunConfig`, which holds them all. Defaults are those of a machine without a GPU, the same as
in `profiles/cpu.yaml`; the other profiles hold what differs elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, Strict, field_validator, model_validator

# A strict model takes no text for a Path; YAML has no other way to write one.
Folder = Annotated[Path, Strict(False)]
Port = Annotated[int, Field(ge=1024, le=65535)]
Count = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0)]
Ratio = Annotated[float, Field(gt=0, le=1)]
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
NAME_OR_EMPTY = r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$"
SCAFFOLD = r"^(shell|claude-code|[A-Za-z_][\w.]*:[A-Za-z_]\w*)$"


class Section(BaseModel):
    """One section of `config.yaml`: immutable, typed strictly, no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Experiment(Section):
    """What the run is called, where it lies, and its randomness."""

    project: str = Field(default="liverl", pattern=NAME)
    """Groups runs in trackers."""
    name: str = Field(default="", pattern=NAME_OR_EMPTY)
    """The run's folder under run_root; empty: a readable name is made at launch."""
    run_root: Folder = Path("runs")
    """The folder that holds run directories."""
    seed: Natural = 1
    """Seeds the policy's making, the order of tasks and the sampling."""


class Model(Section):
    """The policy that is trained."""

    path: str = ""
    """A Hugging Face model folder; empty: the small policy that `liverl policy build` makes."""
    built_path: Folder = Path("models/policy")
    """Where the small policy is built, used when path is empty."""
    served_name: str = Field(default="policy", pattern=NAME)
    """The model's name at the gateway; scaffolds ask for it."""

    @property
    def folder(self) -> Path:
        """The model folder that the run reads."""
        return Path(self.path) if self.path else self.built_path


class Data(Section):
    """Folders of task folders in Harbor's format."""

    train: Folder = Path("tasks/train")
    """Tasks to learn from."""
    val: Folder = Path("tasks/val")
    """Tasks to measure on, never learned from."""


class Infrastructure(Section):
    """Machines, ports and temporary space."""

    nnodes: Count = 1
    """Machines that take part."""
    gpus_per_node: Count = 1
    """GPUs of each machine; on a machine without any, the number of trainer processes."""
    litellm_port: Port = 8002
    """The one door through which every scaffold reaches the model."""
    ray_port: Port = 6379
    """Port of Ray's head."""
    ray_dashboard_port: Port = 8265
    """Port of Ray's dashboard."""
    temp_dir: str = ""
    """Folder for Ray's sockets, short (a path is at most 107 bytes); empty: a private one is made."""


class Environment(Section):
    """The Python environment of the run."""

    venv: str = ""
    """A virtual environment with requirements.txt; empty: `.venv` beside config.yaml, else the one of `liverl`."""


class Engine(Section):
    """How verl runs the policy: the rollout server and the sharding of the trainer."""

    rollout: Literal["cpu", "vllm"] = "cpu"
    """What generates: this package's own server on CPUs, or vLLM on GPUs."""
    strategy: Literal["fsdp2", "fsdp"] = "fsdp2"
    """How verl shards the trainer."""
    tensor_parallel: Count = 1
    """GPUs a replica is split over."""
    gpu_memory_utilization: Ratio = 0.6
    """Share of a GPU's memory that vLLM takes."""
    max_num_seqs: Count = 64
    """Sequences a replica generates at once."""
    cpu_threads: Natural = 0
    """Threads of the replica and of each trainer process; 0: as many as there are cores."""


class Training(Section):
    """How many steps, how large, measured and resumed when."""

    steps: Count = 20
    """Updates of the policy in the whole run."""
    prompts_per_step: Count = 8
    """Tasks a step; times rollout.n is the trials a step."""
    mini_batch_size: Natural = 0
    """Tasks an optimizer step; 0: all of a step's, which keeps the update on-policy."""
    micro_batch_size: Count = 8
    """Sequences of full length a pass holds on each device; more short ones share it."""
    val_before_train: bool = True
    """Measure before the first step, so that there is something to compare with."""
    test_freq: Count = 10
    """Steps between two validations; the last step is always validated."""
    resume: Literal["auto", "never"] = "auto"
    """auto: go on from the run's last checkpoint."""

    @model_validator(mode="before")
    @classmethod
    def _one_update_a_step(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("mini_batch_size", 0) == 0:
            prompts = values.get("prompts_per_step", cls.model_fields["prompts_per_step"].default)
            return {**values, "mini_batch_size": prompts if isinstance(prompts, int) else 1}
        return values


class Algorithm(Section):
    """Advantages, loss and optimizer."""

    adv_estimator: Literal["grpo"] = "grpo"
    """How a group's rewards become advantages; verl 0.9.1 counts a trial once with this one only."""
    policy_loss: Literal["gspo", "vanilla", "geo_mean", "cispo", "sapo", "gpg"] = "gspo"
    """verl's policy loss."""
    learning_rate: float = Field(default=4e-4, gt=0, lt=1)
    """Peak learning rate; constant after the warm-up."""
    lr_warmup_steps: Natural = 0
    """Steps over which the learning rate rises from 0."""
    clip_ratio_low: float = Field(default=0.2, gt=0, lt=1)
    """Lower clip of the importance ratio; GSPO's ratio is length-normalised, hence small for large models."""
    clip_ratio_high: float = Field(default=0.28, gt=0, lt=10)
    """Upper clip of the importance ratio."""
    use_kl_loss: bool = False
    """Hold the policy near the reference policy; costs a second forward pass."""
    kl_loss_coef: float = Field(default=0.001, ge=0)
    """Weight of that loss."""
    entropy_coeff: float = Field(default=0.0, ge=0)
    """Weight of the entropy bonus."""
    loss_agg_mode: Literal[
        "seq-mean-token-mean", "token-mean", "seq-mean-token-sum", "seq-mean-token-sum-norm"
    ] = "seq-mean-token-mean"
    """How token losses become one number."""
    grad_clip: float = Field(default=1.0, gt=0)
    """Largest norm of a gradient."""
    weight_decay: float = Field(default=0.0, ge=0)
    """AdamW's weight decay."""

    @field_validator("adv_estimator", mode="before")
    @classmethod
    def _counts_a_trial_once(cls, value: object) -> object:
        # verl/trainer/ppo/v1/utils.py: compute_advantage_for_multi_trajectories passes all others through.
        if isinstance(value, str) and value != "grpo":
            raise ValueError(
                "is not grpo: verl 0.9.1 counts a trial with any other once for each of its sequences"
            )
        return value


class Rollout(Section):
    """How the policy is sampled, and how long a trial may get, in tokens."""

    n: Count = 8
    """Trials of each task in a step: the group."""
    temperature: float = Field(default=1.0, gt=0, le=2)
    """Sampling temperature in training."""
    top_p: Ratio = 1.0
    """Nucleus sampling; 1: off. Below 1 the trained distribution is not the sampled one."""
    top_k: int = Field(default=-1, ge=-1)
    """Sample from the k likeliest tokens; -1: off."""
    val_n: Count = 8
    """Trials of each validation task."""
    val_temperature: float = Field(default=1.0, ge=0, le=2)
    """Sampling temperature in validation; 0: greedy."""
    max_prompt_length: Count = 256
    """Longest first prompt of a trial: instruction, system prompt and tools."""
    max_response_length: Count = 512
    """Longest rest of a trial: everything sampled and everything observed."""
    workers: Count = 1
    """Agent-loop workers; each has its own gateway."""
    tool_parser: Literal["hermes", "qwen3_coder"] = "hermes"
    """How the model writes a tool call; has to match its chat template."""


class Scaffold(Section):
    """The agent program."""

    name: str = Field(default="shell", pattern=SCAFFOLD)
    """`shell`, `claude-code`, or module:Class of any Harbor agent."""
    max_turns: Count = 6
    """Model calls a trial may make."""
    max_tokens_per_turn: Count = 96
    """Tokens a model call may sample."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Passed to the agent's constructor as they are."""


class Sandbox(Section):
    """Where a trial runs, and what it may use there."""

    backend: Literal["bubblewrap", "docker", "kubernetes"] = "bubblewrap"
    """What isolates a trial; with the others preflight checks the client, and refuses: trials run in bubblewrap."""
    memory_mb: int = Field(default=256, ge=16)
    """Memory of one sandbox."""
    processes: int = Field(default=64, ge=4)
    """Processes and threads of one sandbox."""
    disk_mb: int = Field(default=64, ge=1)
    """What one sandbox may write."""
    command_timeout_s: Seconds = 10.0
    """One command of the agent."""


class Trial(Section):
    """One attempt of one task."""

    concurrency: Count = 16
    """Trials that run at once."""
    agent_timeout_s: Seconds = 60.0
    """The agent's time from first to last turn."""
    verifier_timeout_s: Seconds = 60.0
    """The grading's time."""
    retries: Natural = 2
    """New attempts after a failure that is not the agent's."""
    keep_tokens_steps: Natural = 20
    """Steps whose trajectories keep their tokens; failed trials always do."""


class Checkpoint(Section):
    """What is kept of the policy."""

    save_freq: Count = 10
    """Steps between two checkpoints; the last step is always saved."""
    keep: Count = 3
    """Newest checkpoints that stay, beside the best."""
    export: bool = True
    """Write the final policy as a Hugging Face folder."""


class Logging(Section):
    """Where metrics go."""

    console: bool = True
    """verl's line a step in the attempt's log."""
    file: bool = True
    """verl's JSON lines, from which metrics.jsonl is made."""
    tensorboard: bool = False
    """TensorBoard event files in the run directory."""
    wandb: Literal["disabled", "offline", "online"] = "disabled"
    """Weights & Biases; online needs WANDB_API_KEY in the environment."""
    stop_on: list[str] = []
    """Ids of fatal findings on which the run is stopped, such as policy:nan or disk:*; empty: none."""


class RunConfig(Section):
    """Everything a run is told, resolved: all values present, all paths absolute."""

    profile: str = "cpu"
    """What fills the values that config.yaml leaves open: auto, a name in profiles/, or a YAML file."""
    experiment: Experiment = Experiment()
    model: Model = Model()
    data: Data = Data()
    infrastructure: Infrastructure = Infrastructure()
    environment: Environment = Environment()
    engine: Engine = Engine()
    training: Training = Training()
    algorithm: Algorithm = Algorithm()
    rollout: Rollout = Rollout()
    scaffold: Scaffold = Scaffold()
    sandbox: Sandbox = Sandbox()
    trial: Trial = Trial()
    checkpoint: Checkpoint = Checkpoint()
    logging: Logging = Logging()
    verl: dict[str, Any] = Field(default_factory=dict)
    """Any verl key verbatim, dotted: wins over what this package derives."""

    @classmethod
    def parse_resolved(cls, text: str) -> Self:
        """A configuration from the text of a `resolved.yaml`; raises pydantic's error where it isn't one."""
        return cls.model_validate(yaml.safe_load(text))

    @classmethod
    def read_resolved(cls, path: Path) -> Self:
        """A configuration from a `resolved.yaml`, with no look at profiles or the machine."""
        return cls.parse_resolved(path.read_text(encoding="utf-8"))
