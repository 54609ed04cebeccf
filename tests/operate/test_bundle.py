"""What a maintainer would ask for, in one file, without secrets."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import RunError
from liverl.operate.bundle import write_bundle
from liverl.operate.diagnose import diagnose_file, diagnose_run
from tests.operate.made import Made
from tests.operate.test_diagnose import OOM, healthy_step

KEY = "sk-" + "a1b2" * 8


def contents(path: Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        return {
            member.name.partition("/")[2]: archive.extractfile(member).read().decode()  # type: ignore[union-attr]
            for member in archive.getmembers()
        }


def test_a_runs_bundle_has_versions_configuration_findings_last_step_and_logs(
    made: Made, tmp_path: Path
) -> None:
    run = made("r", state="failed", reason="the trainer failed")
    for step in range(1, 13):
        healthy_step(run, step)
    run.attempt_log(1).write_text(f"OPENAI_API_KEY={KEY}\nAuthorization: Bearer {KEY}\n{OOM}")
    made_bundle = write_bundle(diagnose_run(run), tmp_path / "bundle.tar.gz", run)
    held = contents(made_bundle.path)
    assert {"diagnosis.json", "summary.txt", "config.yaml", "run.json", "versions.json", "log.tail"} <= set(
        held
    )
    assert "memory:cuda-update" in held["diagnosis.json"] and "CUDA out of memory" in held["log.tail"]
    assert '"step": 12' in held["last_good_step.json"]
    assert held["summary.txt"].startswith("sick: ") and "first error: " in held["summary.txt"]
    assert not any(KEY in text for text in held.values())


def test_a_files_bundle_has_its_end(tmp_path: Path) -> None:
    log = tmp_path / "theirs.log"
    log.write_text("x\n" * 5000 + OOM)
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert held["theirs.log.tail"].endswith("79.25 GiB") and len(held["theirs.log.tail"].splitlines()) == 400


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(OOM)
    with pytest.raises(RunError, match="there already"):
        write_bundle(diagnose_file(log), log, None, log)
    assert log.read_text() == OOM


def test_the_last_good_step_is_the_one_before_the_first_cause(made: Made, tmp_path: Path) -> None:
    run = made("r")
    for step in range(1, 16):
        healthy_step(run, step, **({"actor/grad_norm": float("nan")} if step > 12 else {}))
    held = contents(write_bundle(diagnose_run(run), tmp_path / "b.tar.gz", run).path)
    assert '"step": 12' in held["last_good_step.json"] and '"step": 15' in held["metrics.jsonl"]
    assert '"torch": "' in held["machine.json"]


def test_a_bundle_that_can_not_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log"
    log.write_text(OOM)
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(tarfile.TarFile, "addfile", lambda *_: (_ for _ in ()).throw(full))
    with pytest.raises(RunError, match="could not be written"):
        write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log"]


def test_no_name_in_a_bundle_leads_out_of_it(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(OOM)
    with tarfile.open(write_bundle(diagnose_file(log), tmp_path / ".tar.gz", None, log).path) as archive:
        assert all(name.startswith("bundle/") for name in archive.getnames())


def test_the_first_error_is_shown_with_the_lines_around_it(made: Made, tmp_path: Path) -> None:
    run = made("r", state="failed", reason="the trainer failed")
    run.attempt_log(1).write_text(
        "before\n" * 100 + OOM + "cannot schedule new futures after shutdown\n" * 900
    )
    held = contents(write_bundle(diagnose_run(run), tmp_path / "b.tar.gz", run).path)
    assert "104: torch.OutOfMemoryError: CUDA out of memory" in held["first_error.txt"]
    assert "101: Traceback" in held["first_error.txt"] and "84: before" in held["first_error.txt"]
    assert "OutOfMemoryError" not in held["log.tail"]


def test_each_component_has_its_last_lines_however_much_another_says(made: Made, tmp_path: Path) -> None:
    run = made("r")
    said = ["(TaskRunner pid=1) the trainer's last line", "(CpuServer pid=2) the server's last line"]
    said += [f"(AgentLoopWorker pid=3) call {'x' * number}" for number in range(900)]
    run.attempt_log(1).write_text("\n".join(said))
    held = contents(write_bundle(diagnose_run(run), tmp_path / "b.tar.gz", run).path)
    assert "the trainer's last line" not in held["log.tail"]
    assert "the trainer's last line" in held["log.trainer.tail"]
    assert "the server's last line" in held["log.rollout.tail"]
    assert held["log.gateway.tail"].endswith("x" * 899)


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: data.decode().encode("utf-16")])
def test_what_is_packed_or_in_utf_16_is_told_as_text_without_secrets(pack: Any, tmp_path: Path) -> None:
    log = tmp_path / "theirs.log"
    log.write_bytes(pack(f"OPENAI_API_KEY={KEY}\n{OOM}".encode()))
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert held["theirs.log.tail"].startswith("OPENAI_API_KEY=sk-***\n") and "CUDA" in held["theirs.log.tail"]
    assert "5: torch.OutOfMemoryError" in held["first_error.txt"]
    assert not any(KEY in text.replace("\0", "") for text in held.values())


def test_a_files_steps_and_the_last_good_one_are_in_its_bundle(tmp_path: Path) -> None:
    log = tmp_path / "theirs.csv"
    rows = [f"{step},{'nan' if step > 20 else 0.5},0.{step}" for step in range(1, 31)]
    log.write_text("\n".join(["Step,actor/grad_norm,critic/score/mean", *rows]))
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert '"step": 20' in held["last_good_step.json"]
    assert len(held["metrics.jsonl"].splitlines()) == 30 and '"not finite"' in held["metrics.jsonl"]


def test_a_private_key_of_several_lines_is_in_no_bundle(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    body = ["q7" * 32] * 3
    log.write_text("\n".join(["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----", OOM]))
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert not any("q7q7" in text for text in held.values())


def test_a_files_bundle_has_the_versions_and_settings_of_the_run_apart_from_this_machines(
    tmp_path: Path,
) -> None:
    log = tmp_path / "theirs.log"
    log.write_text(
        "Using vLLM version 0.11.0\nray==2.49.1 torch 2.8.0+cu128\n"
        "(TaskRunner pid=1) {'trainer': {'nnodes': 2, 'wandb_api_key': 'q7q7q7q7'},\n"
        "(TaskRunner pid=1)  'actor_rollout_ref': {'actor': {'strategy': 'fsdp2'}}}\n" + OOM
    )
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    said = json.loads(held["run_says.json"])
    assert said["versions"] == {"vllm": "0.11.0", "ray": "2.49.1", "torch": "2.8.0+cu128"}
    assert said["settings"]["engine"] == "fsdp2"
    assert said["configured"]["trainer.nnodes"] == "2"
    assert set(json.loads(held["machine.json"])) == {"diagnosed_on"}
    assert not any("q7q7" in text for text in held.values())


def test_a_log_that_says_nothing_of_its_run_has_no_such_part(tmp_path: Path) -> None:
    log = tmp_path / "theirs.log"
    log.write_text(OOM)
    assert "run_says.json" not in write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).names


def test_each_component_of_a_file_has_its_last_lines_by_its_name(tmp_path: Path) -> None:
    log = tmp_path / "theirs.log"
    said = [
        "(WorkerDict pid=1) the first worker's",
        "(WorkerDict pid=2) the second worker's",
        "(raylet) the raylet's",
    ]
    said += [f"(EngineCore_DP0 pid=3) call {'x' * number}" for number in range(900)]
    log.write_text("\n".join([*said, OOM]))
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert held["theirs.log.WorkerDict.tail"] == "the first worker's\nthe second worker's"
    assert held["theirs.log.raylet.tail"] == "the raylet's"
    assert len(held["theirs.log.EngineCore_DP0.tail"].splitlines()) == 40


def test_an_exception_before_the_first_finding_is_told_too(tmp_path: Path) -> None:
    log = tmp_path / "theirs.log"
    early = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nFooError: the first\n'
    log.write_text(early + "x\n" * 300 + OOM)
    held = contents(write_bundle(diagnose_file(log), tmp_path / "b.tar.gz", None, log).path)
    assert "3: FooError: the first" in held["first_error.txt"]
    assert "CUDA out of memory" in held["first_error.txt"]
