"""What is wrong around a drill's run, and with which plan it is launched."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest

from liverl.drill.door import renamed
from liverl.errors import RunError
from liverl.gateway.door import served_name
from liverl.operate import drill_world
from liverl.operate.drill_form import NEVER
from liverl.operate.drill_list import DRILLS
from liverl.operate.drill_world import World, change
from liverl.operate.find import Place
from liverl.operate.planning import plan_attempt
from liverl.operate.profile import Asked, Profile, read_profile
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan

Planned = Callable[[str], AttemptPlan]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    return RunDir.create(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def profile(run: RunDir) -> Profile:
    root = run.root.parent
    for split in ("train", "val"):
        (root / split).mkdir()
    config = root / "config.yaml"
    config.write_text("profile: cpu\ndata: {train: train, val: val}\n")
    return read_profile(Asked(str(config)), Place(root, root))


@pytest.fixture(scope="module")
def ordinary(run: RunDir, profile: Profile) -> AttemptPlan:
    return plan_attempt(profile.config, run)


@pytest.fixture
def planned(run: RunDir, profile: Profile, ordinary: AttemptPlan) -> Planned:
    """The plan of a drill's first attempt, by its name."""
    return lambda name: change(ordinary, run, World(run.root.parent, DRILLS[name], profile))


@pytest.mark.parametrize("name", [name for name, drill in DRILLS.items() if drill.at != NEVER])
def test_a_failure_inside_the_run_is_named_in_its_environment_and_booted_by_the_drills(
    run: RunDir, planned: Planned, name: str
) -> None:
    plan = planned(name)
    assert plan.trainer[1:] == ("-m", "liverl.drill.boot", str(run.root))
    assert plan.env["LIVERL_DRILL"] == f"{name}:{DRILLS[name].at}"


@pytest.mark.parametrize("name", [name for name, drill in DRILLS.items() if drill.at == NEVER])
def test_any_other_failure_leaves_the_runs_own_code_as_it_is(
    run: RunDir, planned: Planned, name: str
) -> None:
    plan = planned(name)
    assert plan.trainer[-3:] == ("-m", "liverl.engine.boot", str(run.root))
    assert "LIVERL_DRILL" not in plan.env


@pytest.mark.sandbox
def test_a_small_disk_is_full_for_the_trainer_alone(run: RunDir, planned: Planned) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    prefix = planned("disk-full").trainer[:-4]
    file = run.checkpoints / "weights"
    done = subprocess.run(
        [*prefix, "dd", "if=/dev/zero", f"of={file}", "bs=1M", "count=40"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
    assert not file.exists()


def test_a_path_without_bubblewrap_has_everything_else(planned: Planned) -> None:
    path = planned("sandbox-start").env["PATH"]
    assert shutil.which("bwrap", path=path) is None
    assert shutil.which("bash", path=path) is not None


def test_a_taken_port_is_free_again_when_the_drill_is_over(
    run: RunDir, profile: Profile, ordinary: AttemptPlan
) -> None:
    (port,) = drill_world._free_ports(1)
    world = World(run.root.parent, DRILLS["port-taken"], profile)
    plan = replace(ordinary, ports={"litellm": port})
    with contextlib.ExitStack() as around:
        change(plan, run, world, around)
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))


def test_the_drills_litellm_serves_another_name_than_it_is_asked_for(planned: Planned) -> None:
    door = planned("model-name").door
    assert door[1:3] == ("-m", "liverl.drill.door")
    assert door[3:] == planned("nan").door[3:]
    (model,) = renamed()["model_list"]  # type: ignore[misc]
    assert model["model_name"] != served_name()


def test_little_memory_is_less_than_all_and_more_than_is_used(planned: Planned) -> None:
    threshold = float(planned("host-memory").env["RAY_memory_usage_threshold"])
    assert 0.1 < threshold < 1


def test_a_machine_with_little_memory_is_spared(planned: Planned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill_world, "available_bytes", lambda: 4 * 1024**3)
    with pytest.raises(RunError) as refused:
        planned("host-memory")
    assert refused.value.code == "drill.memory"
    assert "4 GiB" in refused.value.evidence
