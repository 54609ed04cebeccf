"""`liverl diagnose FILE --fix` of what ran elsewhere, beside a config.yaml that is not that run's; a file to watch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Liverl
from tests.cli.test_standard_input import given

CONFIG = "profile: cpu\nalgorithm:\n  learning_rate: 4.0e-4\n"
ROW = "step:{0} - actor/lr:0.0001 - actor/grad_norm:{1} - actor/pg_loss:{1} - critic/score/mean:0.5\n"


@pytest.fixture
def folder(liverl: Liverl, tmp_path: Path) -> Path:
    rows = [ROW.format(step, "nan" if step > 14 else 0.3) for step in range(1, 21)]
    (tmp_path / "theirs.log").write_text("".join(rows))
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def unchanged(folder: Path) -> bool:
    return (folder / "config.yaml").read_text() == CONFIG and not (folder / "config.yaml.before").exists()


def test_a_fix_of_a_log_from_elsewhere_tells_its_own_values_and_no_diff(liverl: Liverl, folder: Path) -> None:
    made = liverl("diagnose", "theirs.log", "--fix")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(
        "the cure of policy:nan would set algorithm.learning_rate 0.0001 -> 5.0e-05\n"
    )
    assert "LiveRL has no configuration of this run" in made.stdout
    assert not any(word in made.stdout for word in ("0.0004", "in force", "---", "+++", "4.0e-4"))
    told = json.loads(liverl("diagnose", "theirs.log", "--fix", "--json").stdout)
    assert (told["ok"], told["would_set"][0]["new"]) == (True, "5.0e-05") and "diff" not in told


def test_an_apply_to_a_log_from_elsewhere_is_refused(liverl: Liverl, folder: Path) -> None:
    made = liverl("diagnose", "theirs.log", "--fix", "--apply", "--yes")
    assert made.returncode == 2 and "config.not_of_this_run" in made.stderr and unchanged(folder)
    assert "next: change it where the run is configured" in made.stderr
    told = json.loads(liverl("diagnose", "theirs.log", "--apply", "--yes", "--json").stdout)
    assert (told["ok"], told["code"]) == (False, "config.not_of_this_run") and unchanged(folder)


def test_a_log_by_standard_input_is_from_elsewhere_too(folder: Path) -> None:
    made = given(folder, "-", "--fix", input=(folder / "theirs.log").read_text())
    assert made.returncode == 0 and "0.0001 -> 5.0e-05" in made.stdout and unchanged(folder)
    assert "liverl diagnose - --fix --config FILE" in made.stdout


def test_a_config_that_is_named_is_the_runs(liverl: Liverl, folder: Path) -> None:
    made = liverl("diagnose", "theirs.log", "--fix", "--config", "config.yaml")
    assert made.returncode == 0 and "learning_rate: 4.0e-4" in made.stdout and unchanged(folder)


def test_a_confirming_command_names_the_file(liverl: Liverl, folder: Path) -> None:
    (folder / "my log").write_bytes((folder / "theirs.log").read_bytes())
    made = liverl("diagnose", "my log", "--json")
    assert "RUN.log" not in made.stdout and "'my log'" in json.loads(made.stdout)["findings"][0]["confirm"]


def test_a_watch_takes_a_file_and_names_what_is_neither(liverl: Liverl, folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "liverl", "watch", "theirs.log", "--json"], stdout=subprocess.PIPE, cwd=folder
    ) as made:
        assert made.stdout is not None
        told = json.loads(made.stdout.readline())
        made.kill()
    assert told["run"] == "theirs.log" and told["change"] == "appeared"
    assert liverl("watch", "nothing").returncode == 4


def test_the_package_is_the_command(folder: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "liverl", "diagnose", "theirs.log"], capture_output=True, text=True, cwd=folder,
        check=False,
    )  # fmt: skip
    assert made.returncode == 1 and made.stdout.startswith("sick: "), made.stderr
