"""What a dead run has left: listed first, removed for good, and nothing else with it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.operate.clean import Cleaning, Wanted, clean, plan_clean, run_to_clean
from liverl.operate.find import Place
from liverl.record.asks import ask_stop
from liverl.record.events import append_event, read_events
from liverl.record.layout import RunDir
from liverl.record.plan import read_plan
from liverl.record.trials import read_trials
from liverl.run import leavings
from liverl.run.foreign import FORCE_VARIABLE
from liverl.run.processes import start_ticks
from liverl.run.removal import check_inside
from tests.operate.made import Made

ALL = Wanted.of(everything=True)


@pytest.fixture
def dead(made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunDir]:
    """A failed run that has left everything a run can leave, on a machine without kubectl and GPUs."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    monkeypatch.setenv("PATH", str(bin_folder))
    run = made(state="failed", reason="the trainer was killed", steps=((1, 0.5),), trials=({"step": 1},))
    run.scratch.mkdir(mode=0o700)
    (run.scratch / "ray").mkdir()
    (run.scratch / "ray" / "gcs.out").write_text("x" * 1000)
    for path in (
        run.data / "door" / "litellm.yaml",
        run.root / ".run.json.123.456",
        run.requests / ".event-1.json.77",
        run.checkpoints / ".removing_3" / "weights",
        run.checkpoints / "global_step_5" / "weights",
        run.policy / "config.json",
        run.root / "policy.partial" / "config.json",
        run.trials / "train" / "v0000" / "a" / "trajectory.json.gz",
        run.root / "tensorboard" / "events",
        run.root / "wandb" / "run",
        run.logs / "attempt_1.log",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    ask_stop(run, "too late")
    yield run
    subprocess.run(["/bin/rm", "-rf", str(run.scratch)], check=True)


def kinds(found: Cleaning) -> dict[str, int]:
    return dict(found.payload()["kinds"])


def removed(run: RunDir, wanted: Wanted) -> Cleaning:
    """A clean whose list was confirmed as it is."""
    return clean(run, wanted, plan_clean(run, wanted))


def script(folder: Path, name: str, text: str) -> None:
    """Somebody else's program, as a shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_the_dry_list_names_everything_with_its_size_and_changes_nothing(dead: RunDir) -> None:
    before = sorted(dead.root.rglob("*"))
    planned = plan_clean(dead, Wanted())
    assert kinds(planned) == {"ray": 1, "litellm": 1, "draft": 4, "request": 1}
    assert planned.size_bytes >= 1000
    assert (planned.ok, planned.done, planned.is_empty) == (True, False, False)
    assert planned.next_action == f"liverl clean {dead.name}"
    assert any(str(dead.scratch) in line for line in planned.lines())
    assert sorted(dead.root.rglob("*")) == before
    assert dead.scratch.is_dir()


def test_what_was_trained_and_measured_stays_whatever_is_wanted(dead: RunDir) -> None:
    done = removed(dead, ALL)
    assert done.ok and done.done
    for path in (
        dead.checkpoints / "global_step_5" / "weights",
        dead.policy / "config.json",
        dead.metrics_jsonl,
        dead.root / "tensorboard" / "events",
        dead.root / "wandb" / "run",
        dead.run_json,
    ):
        assert path.exists(), path
    assert len(read_trials(dead)) == 1
    assert list(dead.trials.iterdir()) == []
    assert list(dead.logs.iterdir()) == []
    assert not dead.scratch.exists()
    assert not (dead.data / "door").exists()
    assert list(dead.requests.iterdir()) == []
    assert [path.name for path in dead.root.glob(".*")] == []
    told = read_events(dead)[-1]
    assert (told.kind, told.fields["count"]) == ("removed", len(done.leavings))
    assert plan_clean(dead, ALL).is_empty


def test_the_logs_are_archived_before_they_go(dead: RunDir) -> None:
    removed(dead, Wanted.of(logs=True))
    tail = dead.root.parent / "archives" / "run_001" / "log_tail.txt"
    assert tail.read_text() == "content\n"


def test_posted_events_that_nobody_has_read_yet_stay(dead: RunDir) -> None:
    (dead.requests / "event-1.json").write_text("{}")
    removed(dead, ALL)
    assert [path.name for path in dead.requests.iterdir()] == ["event-1.json"]


def test_the_link_beside_the_config_goes_with_the_logs_and_others_links_stay(
    dead: RunDir, tmp_path: Path
) -> None:
    links = tmp_path / "logs"
    links.mkdir()
    for name, target in (("mine.log", dead.attempt_log(1)), ("other.log", tmp_path / "other.log")):
        (links / name).symlink_to(os.path.relpath(target, links))
    plan = read_plan(dead, 1)
    for name in ("mine.log", "other.log"):
        told = asdict(replace(plan, launch_link=str(links / name)))
        dead.attempt_plan(1).write_text(json.dumps(told))
        removed(dead, Wanted.of(logs=True))
    assert [path.name for path in links.iterdir()] == ["other.log"]


@pytest.mark.parametrize("wanted", [Wanted(), ALL])
def test_a_run_that_is_alive_is_refused(made: Made, wanted: Wanted) -> None:
    run = made(state="running")
    nothing = Cleaning(run.name, False, ())
    for act in (plan_clean, partial(clean, confirmed=nothing)):
        with pytest.raises(RunError) as caught:
            act(run, wanted)
        assert caught.value.code == "clean.alive"
        assert caught.value.next_action == f"liverl stop {run.name}"


def test_links_are_not_followed(dead: RunDir, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("")
    (dead.scratch / "ray" / "out").symlink_to(outside)
    (dead.trials / "out").symlink_to(outside)
    (dead.data / "door" / "out").symlink_to(outside)
    removed(dead, ALL)
    subprocess.run(["/bin/rm", "-rf", str(dead.logs)], check=True)
    dead.logs.symlink_to(outside)
    assert "logs" not in kinds(plan_clean(dead, ALL))
    removed(dead, ALL)
    assert (outside / "precious").exists()


def test_a_scratch_folder_that_somebody_else_made_is_left_alone(dead: RunDir, tmp_path: Path) -> None:
    subprocess.run(["/bin/rm", "-rf", str(dead.scratch)], check=True)
    dead.scratch.symlink_to(tmp_path)
    assert "ray" not in kinds(plan_clean(dead, ALL))
    removed(dead, ALL)
    assert dead.scratch.is_symlink()


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "checkpoints", "policy", "metrics.jsonl", "../other", "wandb", ".", "checkpoints/.."],
)
def test_what_is_outside_or_always_stays_is_never_removed(dead: RunDir, path: str) -> None:
    with pytest.raises(RunError) as caught:
        check_inside(dead, dead.root / path)
    assert caught.value.code == "clean.outside"


def test_a_process_that_carries_the_runs_mark_is_ended_and_no_other(dead: RunDir) -> None:
    script_text = "import time; time.sleep(600)"
    mine, other = (
        subprocess.Popen([sys.executable, "-c", script_text], env={"LIVERL_RUN_DIR": str(root)})
        for root in (dead.root, dead.root.parent / "other")
    )
    try:
        while str(dead.root) not in Path(f"/proc/{mine.pid}/environ").read_text():
            continue
        assert [item["pid"] for item in plan_clean(dead, Wanted()).payload()["items"] if item["pid"]] == [
            mine.pid
        ]
        assert removed(dead, Wanted()).ok
        assert start_ticks(mine.pid) is None
        assert start_ticks(other.pid) is not None
    finally:
        for process in (mine, other):
            process.kill()
            process.wait()


def test_the_empty_groups_of_its_dead_workers_are_listed_and_no_others(
    dead: RunDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    for pid in (gone.pid, os.getpid()):
        append_event(dead, "boot", stage="litellm", done=True, worker=pid)
    for name in (
        f"liverl-sandbox-{gone.pid}-1",
        f"liverl-sandbox-{os.getpid()}-1",
        f"liverl-sandbox-{gone.pid}9-1",
    ):
        (tmp_path / "cgroup" / "memory" / name).mkdir(parents=True)
    found = leavings.groups_of
    monkeypatch.setattr(leavings, "groups_of", lambda pids: found(pids, tmp_path / "cgroup"))
    done = removed(dead, Wanted())
    assert [Path(item["name"]).name for item in done.payload()["items"] if item["kind"] == "sandbox"] == [
        f"liverl-sandbox-{gone.pid}-1"
    ]
    assert len(list((tmp_path / "cgroup" / "memory").iterdir())) == 2


def test_what_appears_after_the_list_was_shown_is_named_and_stays(dead: RunDir) -> None:
    shown = plan_clean(dead, ALL)
    (dead.root / ".late.json.1.2").write_text("")
    (dead.root / ".run.json.123.456").unlink()
    done = clean(dead, ALL, shown)
    assert done.ok and (dead.root / ".late.json.1.2").exists()
    assert len(done.leavings) == len(shown.leavings) - 1
    assert any("left alone: draft .late.json.1.2" in line for line in done.outcome())


@pytest.mark.parametrize(
    ("wanted", "flags"),
    [(Wanted(), ""), (Wanted.of(logs=True, trials=True), " --logs --trials"), (ALL, " --all")],
)
def test_the_next_action_keeps_the_run_and_the_flags(dead: RunDir, wanted: Wanted, flags: str) -> None:
    planned = plan_clean(dead, wanted)
    assert planned.next_action == f"liverl clean {dead.name}{flags}"
    failed = replace(planned, done=True, failed=((planned.leavings[0], "why"),))
    assert failed.next_action == f"liverl clean {dead.name}{flags} --dry-run"


def test_what_was_not_on_the_list_stays_though_it_is_wanted(dead: RunDir) -> None:
    done = clean(dead, ALL, plan_clean(dead, Wanted()))
    assert {"logs", "trials"}.isdisjoint(kinds(done))
    assert dead.attempt_log(1).exists()


def test_a_process_that_this_user_may_not_end_is_named_and_the_rest_goes(
    dead: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(600)"],
        env={"LIVERL_RUN_DIR": str(dead.root)},
        stdout=subprocess.PIPE,
    )

    def scripted_kernel(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    try:
        assert other.stdout is not None and other.stdout.readline()
        with monkeypatch.context() as patched:
            patched.setattr(os, "kill", scripted_kernel)
            done = removed(dead, Wanted())
        assert [leaving.process and leaving.process.pid for leaving, _ in done.failed] == [other.pid]
        assert "another user's" in done.outcome()[0]
        assert not dead.scratch.exists()
    finally:
        other.kill()
        other.communicate()


def test_where_kubectl_knows_no_pod_of_the_run_that_is_said(dead: RunDir, tmp_path: Path) -> None:
    script(tmp_path / "bin", "kubectl", 'case "$*" in *liverl-run=*) ;; *) echo pod/of-somebody-else;; esac')
    planned = plan_clean(dead, Wanted.of(pods=True))
    assert "pod" not in kinds(planned)
    assert planned.notes == ("no pods of this run: no sandbox backend makes pods in this version",)


def test_pods_are_asked_of_kubectl_by_both_labels_of_the_run(dead: RunDir, tmp_path: Path) -> None:
    said = tmp_path / "said"
    script(
        tmp_path / "bin", "kubectl", f'echo "$@" >> {said}; case "$2" in get) echo pod/a; echo pod/b;; esac'
    )
    assert kinds(plan_clean(dead, Wanted.of(pods=True)))["pod"] == 2
    assert removed(dead, Wanted.of(pods=True)).ok
    lines = said.read_text().splitlines()
    digest = hashlib.sha256(str(dead.root.resolve()).encode()).hexdigest()[:40]
    assert f"get pods -l harbor-run={dead.name},liverl-run={digest} -o name" in lines[0]
    assert lines[-1].endswith("delete --ignore-not-found --wait=false pod/a pod/b")


def test_without_kubectl_pods_are_an_error_and_all_is_the_rest(dead: RunDir) -> None:
    with pytest.raises(RunError) as caught:
        plan_clean(dead, Wanted.of(pods=True))
    assert caught.value.code == "clean.no_kubectl"
    assert "kubectl is not installed" in plan_clean(dead, ALL).notes[0]


def test_a_kubectl_that_fails_is_named_with_what_it_said(dead: RunDir, tmp_path: Path) -> None:
    script(tmp_path / "bin", "kubectl", "echo no route to host >&2; exit 1")
    with pytest.raises(RunError) as caught:
        plan_clean(dead, Wanted.of(pods=True))
    assert (caught.value.code, caught.value.evidence) == ("clean.kubectl_failed", "no route to host")
    script(tmp_path / "bin", "kubectl", "echo 'denied: Authorization: Basic dXNlcjpwdw==' >&2; exit 1")
    with pytest.raises(RunError) as caught:
        plan_clean(dead, Wanted.of(pods=True))
    assert caught.value.evidence == "denied: Authorization: Basic ***"


def test_other_peoples_gpu_processes_go_only_by_the_variable_and_come_first(
    dead: RunDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    script(tmp_path / "bin", "nvidia-smi", f"echo {other.pid}")
    try:
        assert "gpu_process" not in kinds(plan_clean(dead, ALL))
        removed(dead, ALL)
        assert start_ticks(other.pid) is not None
        monkeypatch.setenv(FORCE_VARIABLE, "1")
        first = plan_clean(dead, ALL).leavings[0]
        assert (first.kind, first.process and first.process.pid) == ("gpu_process", other.pid)
        assert removed(dead, ALL).ok
        assert start_ticks(other.pid) is None
    finally:
        other.kill()
        other.wait()


def test_gpu_processes_of_a_live_run_are_not_even_listed(
    dead: RunDir, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = made("alive", state="running")
    other = subprocess.Popen(
        [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(600)"],
        env={"LIVERL_RUN_DIR": str(alive.root)},
        stdout=subprocess.PIPE,
    )
    try:
        assert other.stdout is not None and other.stdout.readline()
        script(tmp_path / "bin", "nvidia-smi", f"echo {other.pid}")
        monkeypatch.setenv(FORCE_VARIABLE, "1")
        assert "gpu_process" not in kinds(plan_clean(dead, ALL))
    finally:
        other.kill()
        other.communicate()


@pytest.mark.parametrize(("case", "why"), [("elsewhere", "unreachable"), ("broken", "can't be read")])
def test_gpu_processes_of_a_run_that_may_be_alive_are_named_and_left_alone(
    dead: RunDir, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, why: str
) -> None:
    run = made(case, state="running", host="elsewhere", boot_id="another", pid_namespace="another")
    os.utime(run.heartbeat, (1, 1))
    if case == "broken":
        run.run_json.write_text("{")
    other = subprocess.Popen(
        [sys.executable, "-c", "print(1, flush=True); import time; time.sleep(600)"],
        env={"LIVERL_RUN_DIR": str(run.root)},
        stdout=subprocess.PIPE,
    )
    try:
        assert other.stdout is not None and other.stdout.readline()
        script(tmp_path / "bin", "nvidia-smi", f"echo {other.pid}")
        monkeypatch.setenv(FORCE_VARIABLE, "1")
        planned = plan_clean(dead, Wanted())
        assert "gpu_process" not in kinds(planned)
        assert f"(pid {other.pid})" in planned.notes[0] and why in planned.notes[0]
        clean(dead, Wanted(), planned)
        assert start_ticks(other.pid) is not None
    finally:
        other.kill()
        other.communicate()


def test_without_a_name_the_one_that_left_something_is_meant(dead: RunDir, made: Made) -> None:
    finished = made("clean-run", state="finished")
    (finished.data / "door").mkdir()
    place = Place(dead.root, dead.root.parent)
    assert run_to_clean(place) == dead
    other = made("other-run", state="failed")
    (other.root / ".run.json.1.2").write_text("")
    with pytest.raises(RunError) as caught:
        run_to_clean(place)
    assert caught.value.code == "clean.several"
    assert dead.name in caught.value.evidence and other.name in caught.value.evidence
    for run in (dead, other):
        removed(run, Wanted())
    with pytest.raises(RunError, match="has left anything"):
        run_to_clean(place)
