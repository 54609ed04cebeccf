"""Everything that can be wrong, each told with its line, value, reason and cure, and all of it at once."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from liverl.config import ConfigProblems, Facts, Problem, load
from tests.config.conftest import Write

# text of config.yaml, key to blame, its line, a word of the reason, a word of the cure
CASES = {
    "misspelt key": ("training:\n  stepz: 3", "training.stepz", 2, "not a key", "training.steps"),
    "key of another section": (
        "training:\n  learning_rate: 0.1",
        "training.learning_rate",
        2,
        "not a key",
        "algorithm.learning_rate",
    ),
    "unknown key": ("sandbox:\n  zebra: 3", "sandbox.zebra", 2, "not a key", "memory_mb"),
    "unknown section": ("\nzebra: {a: 1}", "zebra.a", 2, "not a key", "config show"),
    "misspelt section": ("trainings: {steps: 1}", "trainings.steps", 1, "not a key", "training.steps"),
    "value for a section": ("sandbox: 4", "sandbox", 1, "is a section", "indented"),
    "text for a number": ('training:\n  steps: "30"', "training.steps", 2, "is text", "whole number from 1"),
    "fraction for a whole number": ("training: {steps: 1.5}", "training.steps", 1, "not a whole", "from 1"),
    "truth for a number": ("rollout: {workers: yes}", "rollout.workers", 1, "true or false", "from 1"),
    "number for truth": ("checkpoint: {export: 1}", "checkpoint.export", 1, "whole number", "true or false"),
    "number for text": ("experiment: {name: 3}", "experiment.name", 1, "whole number", "text"),
    "section for a value": ("training: {steps: {a: 1}}", "training.steps", 1, "not a whole", "from 1"),
    "nothing for a value": ("training: {steps: }", "training.steps", 1, "empty", "from 1"),
    "list for a mapping": ("scaffold: {options: [1]}", "scaffold.options", 1, "list", "mapping"),
    "too small": ("checkpoint:\n  save_freq: 0", "checkpoint.save_freq", 2, "out of range", "from 1"),
    "too large": ("rollout: {top_p: 1.5}", "rollout.top_p", 1, "out of range", "up to 1"),
    "port of the system": (
        "infrastructure: {litellm_port: 80}",
        "infrastructure.litellm_port",
        1,
        "range",
        "1024",
    ),
    "no such choice": ("engine: {rollout: gpu}", "engine.rollout", 1, "not one of", "cpu, vllm"),
    "estimator that counts sequences": (
        "algorithm:\n  adv_estimator: rloo",
        "algorithm.adv_estimator",
        2,
        "for each of its sequences",
        "Write grpo",
    ),
    "name with a slash": ("model: {served_name: a/b}", "model.served_name", 1, "letters", "policy"),
    "bad scaffold": ("scaffold: {name: my agent}", "scaffold.name", 1, "module:Class", "shell"),
    "set twice": ("training:\n  steps: 1\n  steps: 2", "training.steps", 3, "set twice", "line 2"),
    "section twice": ("trial: {retries: 1}\ntrial: {retries: 1}", "trial", 2, "set twice", "line 1"),
    "verl key twice": ("verl:\n  a.b: 1\n  a: {b: 2}", "verl.a.b", 3, "set twice", "line 2"),
    "placeholder": ("model: {path: <your model>}", "model.path", 1, "placeholder", "Write"),
    "literal human": ("data: {train: human}", "data.train", 1, "placeholder", "folder"),
    "placeholder for verl": ("verl: {a.b: REPLACE_ME}", "verl.a.b", 1, "placeholder", "real value"),
    "mini batch too large": (
        "training:\n  mini_batch_size: 16\n  prompts_per_step: 8",
        "training.mini_batch_size",
        2,
        "more than",
        "at most 8",
    ),
    "mini batch does not divide": (
        "training: {mini_batch_size: 5}",
        "training.mini_batch_size",
        1,
        "does not divide",
        "to 4",
    ),
    "group of one": ("rollout: {n: 1}", "rollout.n", 1, "grpo", "2 or more"),
    "turn longer than a trial": (
        "scaffold: {max_tokens_per_turn: 5000}",
        "scaffold.max_tokens_per_turn",
        1,
        "more than a whole trial",
        "512",
    ),
    "greedy many times": ("rollout: {val_temperature: 0}", "rollout.val_n", 0, "greedy", "val_n to 1"),
    "clip upside down": ("algorithm: {clip_ratio_low: 0.5}", "algorithm.clip_ratio_low", 1, "above", "0.28"),
    "endless warm-up": (
        "algorithm: {lr_warmup_steps: 99}",
        "algorithm.lr_warmup_steps",
        1,
        "never",
        "below 20",
    ),
    "weightless KL": (
        "algorithm: {use_kl_loss: true, kl_loss_coef: 0}",
        "algorithm.kl_loss_coef",
        1,
        "change nothing",
        "above 0",
    ),
    "trials do not share out": (
        "infrastructure: {gpus_per_node: 3}",
        "training.prompts_per_step",
        0,
        "3 trainer processes",
        "multiple of 3",
    ),
    "vllm without GPUs": ("engine:\n  rollout: vllm", "engine.rollout", 2, "has none", "profile: cpu"),
    "replica over CPUs": (
        "engine: {tensor_parallel: 2}",
        "engine.tensor_parallel",
        1,
        "rollout is cpu",
        "to 1",
    ),
    "sharding that CPUs refuse": ("engine: {strategy: fsdp}", "engine.strategy", 1, "CPUs", "fsdp2"),
    "CPUs of two machines": ("infrastructure: {nnodes: 2}", "infrastructure.nnodes", 1, "several", "to 1"),
    "one port twice": (
        "infrastructure:\n  ray_port: 8002",
        "infrastructure.ray_port",
        2,
        "is also infrastructure.litellm_port",
        "8003",
    ),
    "no metrics": ("logging: {file: false}", "logging.file", 1, "without metrics", "true"),
    "no such model": ("model:\n  path: nowhere", "model.path", 2, "does not exist", "model.path"),
    "no such tasks": ("data:\n  val: nowhere", "data.val", 2, "does not exist", "data.val"),
    "no such environment": (
        "environment: {venv: nowhere}",
        "environment.venv",
        1,
        "not exist",
        "environment.venv",
    ),
    "not YAML": ("training:\n  steps: [1", "(file)", 2, "not YAML", "syntax"),
    "not a mapping": ("- a\n- b", "(file)", 1, "no sections", "section:"),
    "a date that is none": ("experiment: {name: 2026-13-45}", "(file)", 0, "not YAML", "quote"),
}


def problems_of(path: Path, facts: Facts) -> tuple[Problem, ...]:
    with pytest.raises(ConfigProblems) as caught:
        load(path, facts)
    return caught.value.problems


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_one_mistake_is_one_problem_with_line_reason_and_cure(
    case: tuple[str, str, int, str, str], write: Write, laptop: Facts
) -> None:
    text, key, line, reason, cure = case
    (problem,) = problems_of(write(text), laptop)
    assert problem.key == key
    assert reason in problem.reason
    assert cure in problem.cure
    if line:
        assert (problem.file, problem.line) == ("config.yaml", line)


def test_all_problems_are_told_at_once_in_the_order_of_their_lines(write: Write, laptop: Facts) -> None:
    text = """\
training:
  stepz: 3
  steps: "30"
  mini_batch_size: 5
rollout:
  n: 1
  top_p: 3
model:
  path: <path>
data:
  train: nowhere
"""
    problems = problems_of(write(text), laptop)
    assert [problem.line for problem in problems] == [2, 3, 4, 6, 7, 9, 11]


def test_a_combination_with_a_wrong_value_is_not_told_a_second_time(write: Write, laptop: Facts) -> None:
    (problem,) = problems_of(write("training: {prompts_per_step: -5, mini_batch_size: 3}"), laptop)
    assert problem.key == "training.prompts_per_step"


def test_a_missing_file_is_a_problem(tmp_path: Path, laptop: Facts) -> None:
    (problem,) = [p for p in problems_of(tmp_path / "config.yaml", laptop) if p.key == "(file)"]
    assert problem.reason == "does not exist"


def test_a_wrong_override_is_told_like_a_wrong_line(write: Write, laptop: Facts) -> None:
    with pytest.raises(ConfigProblems) as caught:
        load(write(""), laptop, overrides={"trial.retries": -1, "trial.retrys": 1})
    assert [(p.file, p.key) for p in caught.value.problems] == [
        ("override", "trial.retrys"),
        ("override", "trial.retries"),
    ]


def test_gpu_counts_and_splits_have_to_fit_the_host(write: Write) -> None:
    text = "profile: gpu_8\ninfrastructure: {gpus_per_node: 6}\nmodel: {path: tasks}\n"
    text += "data: {train: tasks/train, val: tasks/val}"
    problems = problems_of(write(text), Facts(4, 32, 500.0))
    told = {problem.key: problem.cure for problem in problems}
    assert told["infrastructure.gpus_per_node"] == "Set infrastructure.gpus_per_node to 4"
    assert told["engine.tensor_parallel"] == "Set engine.tensor_parallel to 3"
    assert "multiple of 3" in told["training.prompts_per_step"]


def test_paths_are_asked_of_whoever_loads(write: Write, laptop: Facts) -> None:
    asked: list[Path] = []

    def exists(path: Path) -> bool:
        asked.append(path)
        return True

    load(write("model: {path: /far/away}"), laptop, exists=exists)
    assert Path("/far/away") in asked


def test_the_error_shows_every_problem_and_survives_pickling(write: Write, laptop: Facts) -> None:
    with pytest.raises(ConfigProblems) as caught:
        load(write("a: 1\nb: 2"), laptop)
    error = caught.value
    assert error.code == "config.invalid"
    assert "2 problems" in str(error) and "config.yaml:1  a" in str(error)
    assert pickle.loads(pickle.dumps(error)).problems == error.problems
    assert error.problems[0].as_dict()["key"] == "a"
