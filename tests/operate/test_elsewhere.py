"""A cure for a run that was made elsewhere is told, and no config.yaml is taken for that run's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.diagnose.catalogue import catalogue
from liverl.diagnose.finding import Began, Finding
from liverl.engine.command import compose
from liverl.operate.answer import as_json
from liverl.operate.diagnose import diagnose_file
from liverl.operate.elsewhere import VERL_NAMES, Advice, advise, is_elsewhere
from tests.operate.made import Made

ACTOR = "actor_rollout_ref.actor"
COMMAND = "liverl diagnose a.log --fix --config FILE"


def advised(changes: dict[str, Any], **configured: str) -> Advice:
    found = Finding("a:b", "fatal", "It broke", "high", Began(), (), "", "a/b.md", changes=changes)
    return advise(found, {key.replace("__", "."): value for key, value in configured.items()}, COMMAND)


@pytest.mark.parametrize(
    ("key", "wanted", "told"),
    [
        ("algorithm.learning_rate", "* 0.5", "algorithm.learning_rate times 0.5"),
        ("scaffold.max_turns", "<= 64", "scaffold.max_turns at most 64"),
        ("algorithm.entropy_coeff", ">= 0.001", "algorithm.entropy_coeff at least 0.001"),
        ("verl.trainer.balance_batch", True, "verl.trainer.balance_batch = true"),
        ("training.mini_batch_size", 0, "training.mini_batch_size = 0 (all of a step)"),
    ],
)
def test_what_nobody_tells_is_said_as_the_cure_says_it(key: str, wanted: Any, told: str) -> None:
    advice = advised({key: wanted})
    assert advice.ok and advice.summary == f"the cure of a:b would set {told}"
    assert advice.next_action == (
        "LiveRL has no configuration of this run: change it where the run is configured, "
        f"or name its config.yaml: {COMMAND}"
    )


def test_a_value_that_the_log_tells_is_given_with_the_new_one() -> None:
    advice = advised({"algorithm.learning_rate": "* 0.5"}, actor_rollout_ref__actor__optim__lr="0.0001")
    assert advice.summary == "the cure of a:b would set algorithm.learning_rate 0.0001 -> 5.0e-05"
    assert f"  in verl: algorithm.learning_rate is {ACTOR}.optim.lr" in advice.lines()
    assert as_json(advice)["would_set"] == [
        {
            "key": "algorithm.learning_rate", "verl": f"{ACTOR}.optim.lr", "old": "0.0001", "new": "5.0e-05",
            "wanted": "* 0.5",
        }
    ]  # fmt: skip


def test_all_prompts_of_a_step_are_as_many_as_the_log_tells() -> None:
    told = {"data__train_batch_size": "64", "actor_rollout_ref__actor__ppo_mini_batch_size": "16"}
    assert advised({"training.mini_batch_size": 0}, **told).summary.endswith("mini_batch_size 16 -> 64")


def test_what_the_log_says_to_be_so_is_no_change_and_never_called_in_force() -> None:
    advice = advised({"algorithm.entropy_coeff": 0.0}, actor_rollout_ref__actor__entropy_coeff="0.0")
    assert not advice.ok and advice.there == (f"{ACTOR}.entropy_coeff is 0.0",)
    assert "by its log" in advice.summary and not any("in force" in line for line in advice.lines())


def test_a_cure_that_is_no_setting_names_the_write_up() -> None:
    advice = advised({})
    assert not advice.ok and advice.lines() == [
        "no setting cures a:b",
        "  next: read troubleshooting/a/b.md",
    ]


def test_verls_names_are_those_that_the_engine_gives() -> None:
    named = [(each, RunConfig()) for each in VERL_NAMES]
    for key, config in named:
        section, _, name = key.partition(".")
        old = getattr(getattr(config, section), name)
        new = not old if isinstance(old, bool) else "other" if isinstance(old, str) else 3 * (old or 0) + 1
        changed = config.model_copy(update={section: getattr(config, section).model_copy(update={name: new})})
        before, after = (set(compose(each, Path("/runs/r")).overrides) for each in (config, changed))
        assert VERL_NAMES[key] in {text.lstrip("+").partition("=")[0] for text in after - before}, key


def test_every_cure_has_an_advice() -> None:
    for writeup in catalogue():
        advice = advised(dict(writeup.cure))
        assert len(advice.settings) == len(writeup.cure) and advice.lines()


def test_the_highest_rate_of_the_rows_is_what_was_set_unless_a_configuration_is_printed(
    tmp_path: Path,
) -> None:
    row = "step:{} - actor/grad_norm:0.3 - actor/lr:{} - critic/score/mean:0.5\n"
    rows = "".join(row.format(step, step * 1e-5) for step in range(1, 13))
    path = tmp_path / "theirs.log"
    for printed, told in (
        ("", "0.00012"),
        ("{'actor_rollout_ref': {'actor': {'optim': {'lr': 3e-06}}}}\n", "3e-06"),
    ):
        path.write_text(printed + rows)
        assert diagnose_file(path).configured[f"{ACTOR}.optim.lr"] == told


def test_a_log_in_a_run_directory_is_that_runs(made: Made, tmp_path: Path) -> None:
    run = made("r")
    assert not is_elsewhere(run.attempt_log(1)) and not is_elsewhere(run.metrics_jsonl)
    assert is_elsewhere(tmp_path / "theirs.log")
