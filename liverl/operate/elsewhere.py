"""A cure for a run that was made elsewhere: nobody here has its configuration, so the cure is told and never made.

is_elsewhere   whether a file is of no run of LiveRL
Advice         what a cure would set there
advise         the advice of a finding
refused        the error for who asks to have it made all the same
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.diagnose.finding import Finding
from liverl.errors import ConfigError
from liverl.operate.answer import cut
from liverl.operate.config_text import as_yaml
from liverl.operate.in_force import VERL, new_value, plain
from liverl.record.layout import RunDir
from liverl.run.roots import is_run

_ACTOR, _ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
# verl's names of what cures set; a test keeps them those that the engine gives.
VERL_NAMES = {
    "algorithm.clip_ratio_high": f"{_ACTOR}.clip_ratio_high",
    "algorithm.entropy_coeff": f"{_ACTOR}.entropy_coeff",
    "algorithm.grad_clip": f"{_ACTOR}.grad_clip",
    "algorithm.kl_loss_coef": f"{_ACTOR}.kl_loss_coef",
    "algorithm.learning_rate": f"{_ACTOR}.optim.lr",
    "algorithm.loss_agg_mode": f"{_ACTOR}.loss_agg_mode",
    "algorithm.lr_warmup_steps": f"{_ACTOR}.optim.lr_warmup_steps",
    "engine.gpu_memory_utilization": f"{_ROLLOUT}.gpu_memory_utilization",
    "engine.max_num_seqs": f"{_ROLLOUT}.max_num_seqs",
    "engine.tensor_parallel": f"{_ROLLOUT}.tensor_model_parallel_size",
    "rollout.max_prompt_length": "data.max_prompt_length",
    "rollout.max_response_length": "data.max_response_length",
    "rollout.n": f"{_ROLLOUT}.n",
    "training.mini_batch_size": f"{_ACTOR}.ppo_mini_batch_size",
    "training.prompts_per_step": "data.train_batch_size",
    "training.test_freq": "trainer.test_freq",
    "training.val_before_train": "trainer.val_before_train",
}
# Where 0 stands for all there are: how many that is.
_ALL = {"training.mini_batch_size": "data.train_batch_size"}
_SPOKEN = {"*": "times", "+": "plus", "-": "minus", "<=": "at most", ">=": "at least"}
_RELATIVE = re.compile(r"([*+-]|[<>]=)\s*(\S+)")
_NOTE = "LiveRL has no configuration of this run"


@dataclass(frozen=True)
class Setting:
    """A key that a cure would set: to which value (`wanted`: relative to what it is), and both values where the file
    tells what it is. `verl` is verl's own name of it, "" where that is the key."""

    key: str
    wanted: Any
    verl: str = ""
    old: str = ""
    new: str = ""

    def __str__(self) -> str:
        if self.new:
            return f"{self.key} {self.old} -> {self.new}"
        if isinstance(self.wanted, str) and (found := _RELATIVE.fullmatch(self.wanted.strip())):
            return f"{self.key} {_SPOKEN[found[1]]} {found[2]}"
        every = " (all of a step)" if self.key in _ALL and self.wanted == 0 else ""
        return f"{self.key} = {as_yaml(self.wanted)}{every}"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = {"key": self.key, "verl": self.verl, "old": self.old, "new": self.new}
        return {name: value for name, value in told.items() if value} | {"wanted": self.wanted}


@dataclass(frozen=True)
class Advice:
    """What the cure of a finding would set; `there` is what the file tells to be so; `command` names the run's
    configuration to who has it."""

    finding: str
    settings: tuple[Setting, ...] = ()
    there: tuple[str, ...] = ()
    writeup: str = ""
    command: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is anything to set."""
        return bool(self.settings)

    @property
    def summary(self) -> str:
        """The keys, and what they would be."""
        if self.settings:
            return f"the cure of {self.finding} would set {', '.join(map(str, self.settings))}"
        if self.there:
            told = f"by its log the run had what the cure of {self.finding} sets: {', '.join(self.there)}"
            return cut(told, 200)
        return f"no setting cures {self.finding}"

    @property
    def next_action(self) -> str:
        """Who can make it."""
        if not self.settings:
            return f"read {self.writeup}: its cause is another one" if self.there else f"read {self.writeup}"
        return f"{_NOTE}: change it where the run is configured, or name its config.yaml: {self.command}"

    def payload(self) -> dict[str, Any]:
        """The same as plain JSON."""
        would_set = [each.as_dict() for each in self.settings]
        return {"would_set": would_set, **({"there": list(self.there)} if self.there else {})}

    def lines(self) -> list[str]:
        """The same for a person."""
        already = [f"  by its log already: {text}" for text in self.there if self.settings]
        names = [f"{each.key} is {each.verl}" for each in self.settings if each.verl]
        in_verl = [f"  in verl: {', '.join(names)}"] if names else []
        return [self.summary, *in_verl, *already, f"  next: {self.next_action}"]


def is_elsewhere(path: Path) -> bool:
    """Whether a file lies in no run directory."""
    return not any(is_run(RunDir(folder)) for folder in path.expanduser().resolve().parents)


def advise(finding: Finding, configured: Mapping[str, str], command: str) -> Advice:
    """What a finding's cure would set in a run of which no more is known than these values, by verl's names."""
    settings, there = [], []
    for key, wanted in finding.changes.items():
        name = VERL_NAMES.get(key, "")
        old = _value(configured, name or key.removeprefix(VERL))
        if key in _ALL and wanted == 0:
            every = _value(configured, _ALL[key])
            wanted = wanted if every is None else every
        new = new_value(old, wanted)
        if old is None:
            settings.append(Setting(key, wanted, name))
        elif new == old:
            there.append(f"{name or key} is {as_yaml(old)}")
        else:
            settings.append(Setting(key, wanted, name, as_yaml(old), "" if new is None else as_yaml(new)))
    return Advice(finding.id, tuple(settings), tuple(there), f"troubleshooting/{finding.writeup}", command)


def _value(configured: Mapping[str, str], name: str) -> Any:
    return plain(configured[name]) if name in configured else None


def refused(advice: Advice) -> ConfigError:
    """The error for who asks to have an advice made."""
    return ConfigError(
        "config.not_of_this_run",
        f"Nothing was changed: {_NOTE}.",
        evidence=advice.summary,
        next_action=advice.next_action.removeprefix(f"{_NOTE}: "),
    )
