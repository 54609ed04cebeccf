"""The chain tried before a run: LiteLLM really started once, and nothing of it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from liverl.config import RunConfig
from liverl.probe.chain import answer as try_chain
from tests.probe.conftest import LAPTOP, ROOT, answer, resolved, start


@pytest.mark.claude
def test_a_call_with_a_tool_passes_the_real_litellm_and_is_remembered(
    model_folder: Path, tmp_path: Path
) -> None:
    config = resolved(LAPTOP, model__path=str(model_folder))
    told = answer(start("chain", config, tmp_path))
    assert (told["broken"], told["replica"], told["cached"]) == ([], "cpu", False)
    again = answer(start("chain", config, tmp_path, "--light"))
    assert (again["broken"], again["cached"]) == ([], True)
    other = resolved(LAPTOP, model__path=str(model_folder), model__served_name="other")
    assert answer(start("chain", other, tmp_path, "--light")) == {"untried": True}


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_no_litellm_stays_when_the_probe_is(
    ending: signal.Signals, model_folder: Path, tmp_path: Path
) -> None:
    (work := tmp_path / "tmp").mkdir()
    (config := tmp_path / "resolved.yaml").write_text(resolved(LAPTOP, model__path=str(model_folder)))
    process = subprocess.Popen(
        [sys.executable, "-m", "liverl.probe", "chain", "--json", "--config", str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(work)},
        cwd=ROOT,
    )
    try:
        limit = time.monotonic() + 60
        while not (doors := psutil.Process(process.pid).children()):
            assert time.monotonic() < limit
            time.sleep(0.02)
        process.send_signal(ending)
        process.wait(30)
        _, alive = psutil.wait_procs(doors, timeout=60)  # one that still imports sees it late
        assert not alive
        assert ending == signal.SIGKILL or list(work.iterdir()) == []
    finally:
        process.kill()
        process.wait()


def scripted_program(folder: Path, text: str) -> str:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return str(program)


def vllm_config(model_folder: Path) -> RunConfig:
    return RunConfig.model_validate({"model": {"path": str(model_folder)}, "engine": {"rollout": "vllm"}})


def test_a_litellm_that_ends_is_told_with_its_last_words(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", scripted_program(tmp_path, "echo no such callback; exit 3"))
    (broken,) = try_chain(vllm_config(model_folder), 60.0)["broken"]
    assert broken["link"] == "litellm"
    assert "exit status 3: no such callback" in broken["seen"]


def test_a_litellm_that_does_not_answer_in_time_is_late_and_not_remembered(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", scripted_program(tmp_path, "exec sleep 60"))
    told = try_chain(vllm_config(model_folder), 0.1)
    assert told["broken"] == []
    assert "it printed nothing" in told["late"]
    assert try_chain(vllm_config(model_folder), 60.0, True) == {"untried": True}


def test_a_call_that_the_parser_does_not_read_is_not_sent(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", scripted_program(tmp_path, "exec sleep 60"))
    tree = {"model": {"path": str(model_folder)}, "rollout": {"tool_parser": "qwen3_coder"}}
    assert try_chain(RunConfig.model_validate(tree), 60.0)["unread"] is True
