"""A fresh checkout's first run: `liverl run --smoke` with the shipped tasks and profile, which builds its policy."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.site import REPOSITORY, Site, free_ports

pytestmark = pytest.mark.slow

NAME = "first"


@dataclass(frozen=True)
class FirstRun:
    """The copy of the checkout, and what `liverl run --smoke` in it printed and ended with."""

    site: Site
    exit_code: int
    printed: str


def copy_tracked(out: Path) -> None:
    """What git knows of this checkout, as it is in the working tree: no policy, no runs, no environment."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"git does not tell which files belong to the checkout: {error}")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (REPOSITORY / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, out / name)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstRun]:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    copy = tmp_path_factory.mktemp("fresh") / "liverl"
    copy_tracked(copy)
    site = Site(copy)
    litellm, ray, dashboard = free_ports(3)
    values = [
        "profile=cpu",
        f"infrastructure.litellm_port={litellm}",
        f"infrastructure.ray_port={ray}",
        f"infrastructure.ray_dashboard_port={dashboard}",
    ]
    given = [word for value in values for word in ("--set", value)]
    try:
        # PYTHONPATH comes before this checkout's editable installation: the copy is what runs.
        done = site.liverl("run", "--yes", "--smoke", "--name", NAME, *given, PYTHONPATH=str(copy))
        yield FirstRun(site, done.returncode, done.stdout + done.stderr)
    finally:
        # A command that took too long was killed, its run was not; one that is over refuses.
        site.liverl("stop", NAME, PYTHONPATH=str(copy))


def test_it_ends_well_by_the_copys_own_code(first_run: FirstRun) -> None:
    print(first_run.printed)
    assert first_run.exit_code == 0
    told = first_run.site.liverl("config", "show", "--json", PYTHONPATH=str(first_run.site.root))
    assert f"{first_run.site.root}/models/policy" in told.stdout
    resolved = first_run.site.run_dir(NAME).resolved.read_text()
    assert f"{first_run.site.root}/tasks/train" in resolved
    assert str(REPOSITORY) + "/" not in resolved


def test_the_run_has_built_the_policy_itself(first_run: FirstRun) -> None:
    policy = first_run.site.root / "models" / "policy"
    assert f"building the policy in {policy}" in first_run.printed
    for name in ("config.json", "model.safetensors", "tokenizer.json", "policy.json"):
        assert (policy / name).is_file(), name
    assert [path.name for path in policy.parent.iterdir()] == ["policy"]


def test_it_prints_a_validation_before_and_one_after(first_run: FirstRun) -> None:
    measured = re.findall(r"^validation at step (\d+): (\d\.\d\d) of (\d+) trials", first_run.printed, re.M)
    assert [int(step) for step, _, _ in measured] == [0, 3]
    tasks = sum(1 for _ in (first_run.site.root / "tasks" / "val").glob("*/task.toml"))
    assert 0 < int(measured[0][2]) <= 2 * tasks
    assert re.search(r"^  learned +validation reward \d\.\d\d → \d\.\d\d", first_run.printed, re.M)


def test_it_leaves_the_trained_policy_as_a_folder(first_run: FirstRun) -> None:
    exported = first_run.site.run_dir(NAME).policy
    assert (exported / "config.json").is_file()
    assert list(exported.glob("*.safetensors"))
    assert str(exported) in first_run.printed
