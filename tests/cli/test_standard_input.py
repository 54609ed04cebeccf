"""A log by standard input, a bundle without a name, a change that is shown once, and paths of the wrong kind."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Liverl, command
from tests.operate.test_diagnose import OOM
from tests.troubleshooting.case import _case

SICK = _case("oom", {"at": 12, "cut": True, "lines": OOM}).text


@pytest.fixture
def folder(liverl: Liverl, tmp_path: Path) -> Path:
    (tmp_path / "sick.log").write_text(SICK)
    return tmp_path


def given(folder: Path, *words: str, **stdin: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run(
        command("diagnose", *words), cwd=folder, env=env, capture_output=True, text=True, timeout=120,
        check=False, **stdin,
    )  # fmt: skip


def test_a_log_from_a_pipe_is_diagnosed_and_nothing_stays_of_it(folder: Path) -> None:
    made = given(folder, "-", input=SICK)
    assert made.returncode == 1 and made.stdout.startswith("sick: "), made.stderr
    assert "memory:" in made.stdout and "/proc/" not in made.stdout and " FILE" in made.stdout
    assert list((folder / "tmp").iterdir()) == []


def test_a_log_that_the_shell_gives_is_called_by_its_name(folder: Path) -> None:
    with (folder / "sick.log").open() as stream:
        made = given(folder, "--json", stdin=stream)
    told = json.loads(made.stdout)
    assert told["verdict"] == "sick" and told["source"] == "sick.log" and "sick.log" in told["next"]


@pytest.mark.parametrize("words", [("-",), ()])
def test_an_empty_standard_input_ends_in_a_clear_answer(words: tuple[str, ...], folder: Path) -> None:
    made = given(folder, *words, stdin=subprocess.DEVNULL)
    assert made.returncode in (0, 4) and "Traceback" not in made.stderr
    assert "the file is empty" in made.stdout or "no run" in made.stderr.lower()


def test_without_a_name_a_pipe_is_not_waited_for(folder: Path) -> None:
    reader, writer = os.pipe()  # nobody ever writes to it, nor closes it
    try:
        made = given(folder, stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert made.returncode == 4


def test_a_list_that_a_shell_reads_line_by_line_is_no_log(folder: Path) -> None:
    (folder / "list.txt").write_text("one\ntwo\n")
    with (folder / "list.txt").open("rb", buffering=0) as stream:
        stream.read(4)
        assert given(folder, stdin=stream).returncode == 4


def test_a_bundle_gets_a_name_that_nothing_has(folder: Path) -> None:
    made = [given(folder, "sick.log", "--bundle", "--json") for _ in range(2)]
    files = [json.loads(each.stdout)["file"] for each in made]
    assert len(set(files)) == 2 and all(name.startswith("diagnosis-sick-log-") for name in files)
    with tarfile.open(folder / files[0]) as archive:
        assert any(name.endswith("/sick.log.tail") for name in archive.getnames())
    piped = json.loads(given(folder, "-", "--bundle", "--json", input=SICK).stdout)
    assert piped["file"].startswith("diagnosis-standard-input-") and "input.tail" in piped["holds"]


def test_a_change_that_is_made_is_shown_once(folder: Path) -> None:
    (folder / "config.yaml").write_text("profile: cpu\ntraining:\n  micro_batch_size: 8\n")
    made = given(folder, "sick.log", "--fix", "--apply", "--yes", "--config", "config.yaml")
    assert made.returncode == 0, made.stderr + made.stdout
    assert made.stdout.count("--- config.yaml") == 1 and made.stdout.count("would change") == 1
    assert (
        "\nchanged config.yaml" in made.stdout
        and "micro_batch_size: 4" in (folder / "config.yaml").read_text()
    )


def test_a_file_in_the_place_of_a_folder_is_called_that(liverl: Liverl, folder: Path) -> None:
    made = liverl("drill", "nan", "--run-root", str(folder / "sick.log"))
    assert made.returncode == 2 and "is no folder" in made.stderr and "free space" not in made.stderr


def test_a_model_that_does_not_answer_leaves_the_diagnosis_and_fails(liverl: Liverl, folder: Path) -> None:
    dead = ("--endpoint", "http://127.0.0.1:1", "--model", "m")
    (folder / "fine.log").write_text(_case("fine", {"lines": ""}).text)
    fine, sick = (liverl("triage", name, *dead) for name in ("fine.log", "sick.log"))
    assert fine.returncode == 3 and not fine.stdout.startswith("sick")
    assert "gave no conclusion" in fine.stdout
    assert sick.returncode == 1 and sick.stdout.startswith("sick: ")
    assert liverl("triage", "fine.log", "--offline").returncode == 0
