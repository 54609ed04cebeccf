"""A program of others is asked within a limit, and what it started ends with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run import foreign
from liverl.run.processes import start_ticks
from liverl.run.programs import ask_program
from tests.run.scripted import until


def scripted_program(folder: Path, name: str, text: str) -> Path:
    """Somebody else's program, as a shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_what_a_program_prints_and_its_status_are_told(tmp_path: Path) -> None:
    said = ask_program(
        [str(scripted_program(tmp_path, "x", 'echo "$1"; echo oops >&2; exit 3')), "hello"], 10
    )
    assert (said.status, said.out, said.err, said.worked) == (3, "hello\n", "oops\n", False)


def test_a_kubectl_that_hangs_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    # What it started holds its output open: a wait for that output would last as long.
    scripted_program(tmp_path, "kubectl", f"/bin/sleep 600 & echo $! > {pids}; /bin/sleep 600")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(foreign, "_LIMIT_S", 1.0)
    with pytest.raises(RunError) as caught:
        foreign.pods_of(RunDir(tmp_path / "run"))
    assert caught.value.evidence == "no answer in 1 s"
    assert until(lambda: start_ticks(int(pids.read_text())) is None)


def test_an_nvidia_smi_that_hangs_knows_of_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_program(tmp_path, "nvidia-smi", "/bin/sleep 600 & /bin/sleep 600")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(foreign, "_LIMIT_S", 0.5)
    assert foreign.gpu_processes() == []
