"""What a maintainer would ask for, in one file, without secrets."""

from __future__ import annotations

import tarfile
from pathlib import Path

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
