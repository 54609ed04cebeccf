"""A cure as a change of config.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.diagnose.finding import Began, Finding
from liverl.errors import ConfigError
from liverl.operate.find import Place
from liverl.operate.fix import Fix, apply, propose
from liverl.operate.launch import Yes

CONFIG = """# My run.
profile: cpu

training:
  steps: 20        # updates
algorithm:
  learning_rate: 1e-6
verl:
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 32768   # measured
"""


def finding(**changes: Any) -> Finding:
    keys = {key.replace("__", "."): value for key, value in changes.items()}
    return Finding("a:b", "fatal", "It broke", "high", Began(), (), "", "a/b.md", changes=keys)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "config.yaml").write_text(CONFIG)
    return Place(tmp_path)


def text(place: Place) -> str:
    return (place.cwd / "config.yaml").read_text()


def test_a_value_is_shown_as_a_diff_and_nothing_is_changed(place: Place) -> None:
    fix = propose(finding(training__steps=40), place)
    assert fix.changes == (("training.steps", "20", "40"),)
    assert "-  steps: 20        # updates" in fix.diff and "+  steps: 40        # updates" in fix.diff
    assert text(place) == CONFIG and fix.next_action == "liverl diagnose --fix --apply"


def test_a_relative_value_starts_from_what_it_is(place: Place) -> None:
    key = "verl.actor_rollout_ref.actor.ppo_max_token_len_per_gpu"
    fix = propose(finding(**{key: "* 0.5"}), place)
    assert fix.changes == ((key, "32768", "16384"),)
    assert propose(finding(training__steps="+ 5"), place).changes[0][2] == "25"


def test_a_relative_value_of_what_the_file_does_not_tell_is_left_to_a_person(place: Place) -> None:
    fix = propose(finding(**{"verl.actor_rollout_ref.actor.no_such_key": "* 0.5"}), place)
    assert not fix.ok and "nothing here tells" in fix.summary


def test_a_key_and_a_section_that_are_not_there_are_added(place: Place) -> None:
    fix = propose(finding(training__test_freq=5, checkpoint__keep=2), place)
    assert "training:\n  test_freq: 5\n  steps: 20" in fix.text and fix.text.endswith(
        "checkpoint:\n  keep: 2\n"
    )


def test_what_is_right_already_is_not_changed(place: Place) -> None:
    fix = propose(finding(training__steps=20), place)
    assert not fix.ok and fix.there == ("training.steps is 20",) and fix.left == ()
    assert fix.summary == "the cure of a:b is in force already: training.steps is 20"
    assert fix.next_action.endswith("read troubleshooting/a/b.md") and len(fix.lines()) == 2


def test_an_applied_change_keeps_comments_and_the_old_file(place: Place) -> None:
    done = apply(propose(finding(training__steps=40), place), place, Yes("test"))
    assert done.is_applied and done.next_action == "liverl check"
    assert text(place) == CONFIG.replace("steps: 20", "steps: 40")
    assert (place.cwd / "config.yaml.before").read_text() == CONFIG


def test_the_file_before_the_first_change_stays(place: Place) -> None:
    for steps in (40, 50):
        apply(propose(finding(training__steps=steps), place), place, Yes("test"))
    assert (place.cwd / "config.yaml.before").read_text() == CONFIG
    assert "steps: 40" in (place.cwd / "config.yaml.before2").read_text() and "steps: 50" in text(place)


def test_a_change_that_the_strict_reader_refuses_is_not_made(place: Place) -> None:
    with pytest.raises(ConfigError, match="not made"):
        apply(propose(finding(training__steps="many"), place), place, Yes("test"))
    assert text(place) == CONFIG and sorted(path.name for path in place.cwd.iterdir()) == ["config.yaml"]


def test_without_a_config_the_file_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        propose(finding(training__steps=40), Place(tmp_path))
    assert "--config FILE" in raised.value.next_action


def changed(text: str, tmp_path: Path, **changes: Any) -> Fix:
    (tmp_path / "config.yaml").write_bytes(text.encode())
    return propose(finding(**changes), Place(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "training: {steps: 20}\n",
        "training:\n  steps: &n 20\n  test_freq: *n\n",
        "training:\n  steps: 20\n  steps: 30\n",
        '"training":\n  steps: 20\n',
        "x: |\n  y\ntraining:\n  steps: >\n    20\n",
        "training:\n  ? steps\n  : 20\n",
        "- 1\n- 2\n",
    ],
)
def test_what_no_change_of_one_line_fits_is_left_to_a_person(text: str, tmp_path: Path) -> None:
    fix = changed(text, tmp_path, training__steps=40)
    assert not fix.ok and fix.text == text
    assert fix.left == ("set training.steps to 40: it is written in a form that no change of one line fits",)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("training:\n    test_freq: 5\n", "training:\n    steps: 40\n    test_freq: 5\n"),
        ("training:\n  # steps: 20\nmodel:\n", "training:\n  steps: 40\n  # steps: 20\nmodel:\n"),
        ("training:   # all\n", "training:   # all\n  steps: 40\n"),
        ("training: {}\n", "training:\n  steps: 40\n"),
        ("training:\n  steps: '20'  # was 10\n", "training:\n  steps: 40  # was 10\n"),
        ("a: 1\r\ntraining:\r\n  steps: 20\r\n", "a: 1\r\ntraining:\r\n  steps: 40\r\n"),
        ("", "\ntraining:\n  steps: 40\n"),
        ("training:\n  steps: 20", "training:\n  steps: 40\n"),
    ],
)
def test_comments_indents_and_ends_of_lines_stay(text: str, wanted: str, tmp_path: Path) -> None:
    assert changed(text, tmp_path, training__steps=40).text == wanted


@pytest.mark.parametrize("text", ["training:\n\tsteps: 20\n", "a: [", "a: 2020-99-99\n", "\x00"])
def test_a_config_that_is_no_yaml_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no YAML"):
        changed(text, tmp_path, training__steps=40)


def test_a_config_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"training:\n  x: \xff\n")
    with pytest.raises(ConfigError, match="no UTF-8"):
        propose(finding(training__steps=40), Place(tmp_path))


def test_a_file_that_has_changed_since_it_was_shown_is_not_overwritten(place: Place) -> None:
    fix = propose(finding(training__steps=40), place)
    (place.cwd / "config.yaml").write_text(CONFIG + "# mine\n")
    with pytest.raises(ConfigError, match="has changed since"):
        apply(fix, place, Yes("test"))
    assert text(place) == CONFIG + "# mine\n"


def test_a_link_stays_a_link_and_a_mode_stays(place: Place) -> None:
    there = place.cwd / "config.yaml"
    real = there.rename(place.cwd / "real.yaml")
    real.chmod(0o600)
    there.symlink_to(real)
    apply(propose(finding(training__steps=40), place), place, Yes("test"))
    assert there.is_symlink() and "steps: 40" in real.read_text() and real.stat().st_mode & 0o777 == 0o600


def test_a_cure_that_is_in_no_config_needs_none(tmp_path: Path) -> None:
    fix = propose(finding(), Place(tmp_path))
    assert not fix.ok and "no change of config.yaml cures a:b" in fix.summary


def test_the_next_command_names_what_was_diagnosed(place: Place) -> None:
    fix = propose(finding(training__steps=40), place, None, "my run.log")
    assert fix.next_action == "liverl diagnose 'my run.log' --fix --apply"


def test_a_cure_that_is_no_setting_names_the_write_up(place: Place) -> None:
    assert (
        propose(finding(), place).next_action == "read troubleshooting/a/b.md: the cure is not in config.yaml"
    )


def test_where_no_config_is_found_the_next_command_is_about_the_same_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as found:
        propose(finding(training__steps=40), Place(tmp_path), str(tmp_path / "none.yaml"), "theirs.log")
    assert found.value.next_action == "name it: liverl diagnose theirs.log --fix --config FILE"


def test_the_next_command_looks_for_the_run_where_it_was_found(place: Place) -> None:
    fix = propose(finding(training__steps=40), Place(place.cwd, Path("/their/runs")), None, "r")
    assert fix.next_action == "liverl diagnose r --fix --run-root /their/runs --apply"
