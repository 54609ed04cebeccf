"""What keeps a run from being started: named, with its cure, and nothing is started or made."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.breaking import path_without
from tests.e2e.painting import write_tasks
from tests.e2e.site import Site, make_site

pytestmark = pytest.mark.fault

Finding = dict[str, Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, painter: Path) -> Site:
    return make_site(tmp_path_factory.mktemp("refused"), painter, {})


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A set of tasks of the test's own, to break."""
    write_tasks(tmp_path / "tasks")
    return tmp_path / "tasks"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "small", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"mount is not allowed here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def refused(site: Site, code: str, *arguments: str, **env: str) -> Finding:
    """The one finding, of that code, with which `liverl check` says that a run would not work."""
    done = site.liverl("check", "--json", *arguments, **env)
    assert done.returncode == 1, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    (finding,) = [each for each in answer["findings"] if each["severity"] == "fatal"]
    assert (answer["ok"], finding["id"]) == (False, code)
    assert answer["next"] == finding["cure"] != ""
    found: Finding = finding
    return found


def assert_not_started(site: Site, finding: Finding, *arguments: str) -> None:
    """`liverl run` says the same and makes nothing."""
    done = site.liverl("run", *arguments)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Nothing was started" in done.stderr
    assert finding["title"] in done.stderr
    assert not site.runs.exists()


def test_a_taken_port_is_named_with_its_owner_and_the_next_free_one(site: Site) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        wanted = ("--set", f"infrastructure.litellm_port={port}")
        finding = refused(site, "port:conflict", *wanted)
        assert_not_started(site, finding, *wanted)
        assert str(port) in finding["title"] and str(os.getpid()) in finding["evidence"]
        free = int(finding["cure"].partition("litellm_port: ")[2].partition("`")[0])
    assert free > port


def test_missing_bubblewrap_is_named_with_the_command_that_installs_it(site: Site, tmp_path: Path) -> None:
    finding = refused(site, "sandbox:missing", PATH=path_without("bwrap", tmp_path / "bin"))
    assert "bubblewrap" in finding["title"]
    assert "bubblewrap" in finding["cure"]


def test_a_task_without_tests_is_named(site: Site, tasks: Path) -> None:
    shutil.rmtree(tasks / "train" / "paint-gate" / "tests")
    finding = refused(site, "task:no_tests", "--set", f"data.train={tasks / 'train'}")
    assert "paint-gate" in finding["title"]


def test_a_task_whose_solution_fails_is_named_with_what_to_mend(site: Site, tasks: Path) -> None:
    solve = tasks / "val" / "paint-bench" / "solution" / "solve.sh"
    solve.write_text("#!/bin/bash\necho blue > /app/colour.txt\n")
    finding = refused(site, "task:oracle", "--set", f"data.val={tasks / 'val'}")
    assert "paint-bench" in finding["title"]
    assert str(solve) in finding["cure"]


def test_a_model_folder_that_is_not_there_is_named(site: Site, tmp_path: Path) -> None:
    done = site.liverl("check", "--json", "--set", f"model.path={tmp_path / 'nothing-here'}")
    assert done.returncode == 2
    (finding,) = json.loads(done.stdout)["findings"]
    assert "nothing-here" in finding["title"] and finding["cure"]


def test_a_model_folder_that_cannot_be_read_is_named(site: Site, tmp_path: Path, painter: Path) -> None:
    shutil.copytree(painter, tmp_path / "torn")
    (tmp_path / "torn" / "config.json").write_text('{"architectures": [')
    finding = refused(site, "model:no_config", "--set", f"model.path={tmp_path / 'torn'}")
    assert "torn" in finding["cure"]


def test_a_model_without_weights_is_named(site: Site, tmp_path: Path, painter: Path) -> None:
    shutil.copytree(painter, tmp_path / "hollow")
    (tmp_path / "hollow" / "model.safetensors").unlink()
    finding = refused(site, "model:no_weights", "--set", f"model.path={tmp_path / 'hollow'}")
    assert "hollow" in finding["evidence"]


def test_a_disk_that_does_not_hold_two_checkpoints_is_refused(site: Site, small_disk: Path) -> None:
    wanted = ("--set", f"experiment.run_root={small_disk / 'runs'}")
    finding = refused(site, "disk:full", *wanted)
    assert_not_started(site, finding, *wanted)
    assert str(small_disk) in finding["evidence"]
    assert list(small_disk.iterdir()) == []


def test_every_problem_of_the_configuration_is_told_at_once(site: Site) -> None:
    done = site.liverl("check", "--json", "--set", "training.stepz=3", "--set", "rollout.n=none")
    assert done.returncode == 2
    findings = json.loads(done.stdout)["findings"]
    told = " ".join(f"{finding['title']} {finding['evidence']}" for finding in findings)
    assert len(findings) == 2
    assert "stepz" in told and "rollout.n" in told
