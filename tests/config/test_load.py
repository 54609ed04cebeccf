"""Layers, precedence, profiles, and where each value comes from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.config import PROFILES, ConfigProblems, Facts, RunConfig, load, parse_overrides, resolve
from tests.config.conftest import Write


def test_an_empty_file_gives_the_profile_of_the_machine(write: Write, laptop: Facts) -> None:
    config = load(write(""), laptop)
    assert config.profile == "cpu"
    assert config.engine.rollout == "cpu"


def test_a_value_in_the_file_wins_over_the_profile(write: Write, laptop: Facts) -> None:
    resolved = resolve(write("profile: cpu\ntraining:\n  steps: 7\n"), laptop)
    assert resolved.config.training.steps == 7
    assert str(resolved.origins["training.steps"]) == "config.yaml:3"


def test_an_override_wins_over_the_file(write: Write, laptop: Facts) -> None:
    given = parse_overrides(
        ["training.steps=5", "algorithm.learning_rate=1e-3", "verl.trainer.balance_batch=false"]
    )
    resolved = resolve(write("training: {steps: 7}"), laptop, overrides=given)
    assert resolved.config.training.steps == 5
    assert resolved.config.algorithm.learning_rate == 1e-3
    assert resolved.config.verl == {"trainer.balance_batch": False}
    assert str(resolved.origins["training.steps"]) == "override"


def test_a_profile_laid_on_top_wins_over_the_file_and_under_an_override(write: Write, laptop: Facts) -> None:
    path = write("training: {steps: 7, prompts_per_step: 16}")
    resolved = resolve(path, laptop, on_top=["smoke"], overrides={"training.prompts_per_step": 2})
    assert resolved.config.training.steps == 3
    assert resolved.config.training.prompts_per_step == 2
    assert str(resolved.origins["training.steps"]).startswith("profiles/smoke.yaml:")


def test_a_value_of_the_profile_names_the_profiles_line(write: Write, laptop: Facts) -> None:
    origin = resolve(write(""), laptop).origins["training.steps"]
    assert origin.file == "profiles/cpu.yaml"
    assert "steps:" in (PROFILES / "cpu.yaml").read_text().splitlines()[origin.line - 1]


def test_a_value_nobody_gave_is_the_default(write: Write, laptop: Facts) -> None:
    resolved = resolve(write(""), laptop)
    assert str(resolved.origins["algorithm.grad_clip"]) == "default"
    assert str(resolved.origins["profile"]) == "auto, 0 GPUs"


def test_every_value_has_an_origin(write: Write, laptop: Facts) -> None:
    resolved = resolve(write("verl: {a.b: 1}\nscaffold: {options: {x: 1}}"), laptop)
    sections = resolved.config.model_dump()
    named = {"profile", "verl.a.b", "scaffold.options.x"}
    for section, values in sections.items():
        if section not in ("profile", "verl"):
            named |= {f"{section}.{key}" for key in values} - {"scaffold.options"}
    assert set(resolved.origins) == named


def test_auto_takes_the_gpu_profile_from_eight_gpus_on(write: Write, gpu_host: Facts) -> None:
    config = load(write(""), gpu_host, exists=lambda path: True)
    assert config.profile == "gpu_8"
    assert config.engine.rollout == "vllm"


@pytest.mark.parametrize("gpus", [1, 4, 7])
def test_auto_says_what_to_set_on_a_host_with_few_gpus(write: Write, gpus: int) -> None:
    with pytest.raises(ConfigProblems) as caught:
        load(write("\nprofile: auto"), Facts(gpus, 16, 100.0))
    (problem,) = caught.value.problems
    assert (problem.key, problem.line) == ("profile", 2)
    assert f"gpus_per_node to {gpus}" in problem.cure


def test_a_profile_can_be_a_file_of_ones_own(write: Write, laptop: Facts, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("training:\n  steps: 4\n")
    resolved = resolve(write("profile: mine.yaml"), laptop)
    assert resolved.config.training.steps == 4
    assert str(resolved.origins["training.steps"]) == "mine.yaml:2"


def test_an_unknown_profile_names_those_there_are(write: Write, laptop: Facts) -> None:
    with pytest.raises(ConfigProblems, match="cpu, gpu_8"):
        load(write("profile: tpu"), laptop)


def test_relative_paths_are_meant_from_the_files_folder(write: Write, laptop: Facts, tmp_path: Path) -> None:
    config = load(write("experiment: {run_root: out}"), laptop)
    assert config.experiment.run_root == tmp_path / "out"
    assert config.data.train == tmp_path / "tasks" / "train"
    assert config.model.folder == tmp_path / "models" / "policy"


def test_verl_keys_may_be_dotted_or_nested(write: Write, laptop: Facts) -> None:
    config = load(write("verl:\n  a.b: 1\n  a: {c: {d: [1, 2]}}\n  +x.y: {}\n"), laptop)
    assert config.verl == {"a.b": 1, "a.c.d": [1, 2], "+x.y": {}}


def test_the_mini_batch_follows_the_batch_unless_it_is_set(write: Write, laptop: Facts) -> None:
    resolved = resolve(write("training: {prompts_per_step: 12}"), laptop)
    assert resolved.config.training.mini_batch_size == 12
    assert str(resolved.origins["training.mini_batch_size"]) == "derived from training.prompts_per_step"
    assert load(write("training: {mini_batch_size: 4}"), laptop).training.mini_batch_size == 4


def test_a_number_in_scientific_notation_is_a_number(write: Write, laptop: Facts) -> None:
    assert load(write("algorithm: {learning_rate: 1e-6}"), laptop).algorithm.learning_rate == 1e-6


def test_a_word_that_is_no_assignment_is_refused() -> None:
    with pytest.raises(ValueError, match="KEY=VALUE"):
        parse_overrides(["training.steps"])


def test_a_configuration_cannot_be_changed(write: Write, laptop: Facts) -> None:
    config = load(write(""), laptop)
    with pytest.raises(ValueError, match="frozen"):
        config.training.steps = 3  # type: ignore[misc]


def test_the_defaults_alone_are_a_configuration() -> None:
    assert RunConfig().training.mini_batch_size == RunConfig().training.prompts_per_step


def test_a_config_that_is_no_regular_file_or_too_large_is_a_problem_not_a_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")
    with pytest.raises(ConfigProblems, match="no regular file"):
        load(tmp_path / "config.yaml", Facts(0, 2, 24.0))
    (tmp_path / "large.yaml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigProblems, match="larger than"):
        load(tmp_path / "large.yaml", Facts(0, 2, 24.0))
