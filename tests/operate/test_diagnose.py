"""What is wrong with a run or a file, as an answer."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from liverl.diagnose.catalogue import catalogue
from liverl.diagnose.finding import Began, Diagnosis, Finding
from liverl.diagnose.prose import command
from liverl.diagnose.writeup import Severity
from liverl.errors import LiveRLError, RunError
from liverl.operate.answer import as_json
from liverl.operate.diagnose import Doctor, diagnose, diagnose_file, diagnose_run
from liverl.operate.diagnosed import Diagnosed, Stack
from liverl.operate.find import Place
from liverl.operate.pointed import at_file, at_run
from liverl.operate.remembered import recall
from liverl.operate.status import status
from liverl.record.layout import RunDir
from tests.operate.made import Made, add_step
from tests.troubleshooting.case import _case

NAN = float("nan")
OOM = """Traceback (most recent call last):
  File "trainer.py", line 10, in update_actor
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.12 GiB. GPU 0 has a total capacity of 79.25 GiB
"""


def healthy_step(run: RunDir, step: int, **values: float) -> None:
    told = {"actor/grad_norm": 0.3, "critic/score/mean": 0.02 * step, "actor/entropy": 0.2, **values}
    add_step(run, step, 0.02 * step, **told)


@pytest.fixture
def run(made: Made) -> RunDir:
    """A run of twelve healthy steps that goes on."""
    run = made("r")
    for step in range(1, 13):
        healthy_step(run, step)
    run.attempt_log(1).write_text("step:1 - critic/score/mean:0.02\nall is well\n")
    return run


def test_a_run_without_findings_is_healthy(run: RunDir) -> None:
    found = diagnose_run(run)
    assert (found.ok, found.diagnosis.verdict) == (True, "healthy")
    assert found.summary == "healthy: 12 of 30 steps, no finding"


def test_a_run_of_few_steps_is_not_measured(made: Made) -> None:
    run = made("r")
    healthy_step(run, 1)
    found = diagnose_run(run)
    assert found.diagnosis.verdict == "not_measured"
    assert found.summary == "not measured: only 1 step is told, 10 are needed"


def test_the_first_line_tells_cause_id_severity_and_step(run: RunDir) -> None:
    for step in (13, 14, 15):
        healthy_step(run, step, **{"actor/grad_norm": NAN, "actor/pg_loss": NAN})
    found = diagnose_run(run)
    assert not found.ok
    assert found.summary.startswith(
        "sick: The gradients or the loss are not finite (nan or inf) [policy:nan, fatal, since step 13"
    )
    assert "read troubleshooting/policy/nan.md" in found.next_action


def test_a_doctor_reads_only_what_is_new(run: RunDir) -> None:
    doctor = Doctor(run)
    assert doctor.look().diagnosis.verdict == "healthy"
    with run.attempt_log(1).open("a") as log:
        log.write(OOM)
    found = doctor.look()
    assert found.diagnosis.primary is not None and found.diagnosis.primary.id == "memory:cuda-update"
    assert found.diagnosis.primary.began.line == 6


def test_a_line_of_litellms_own_log_is_told_with_its_file(run: RunDir) -> None:
    run.component_log(1, "litellm").write_text(OOM)
    found = diagnose_run(run)
    assert any("litellm line 4" in line for each in found.diagnosis.findings for line in each.evidence)


def test_what_an_earlier_attempt_died_of_is_not_told_of_the_one_that_runs(made: Made) -> None:
    run = made("r", starts=(0.0, 50.0))
    for step in range(1, 13):
        healthy_step(run, step)
    run.attempt_log(1).write_text(OOM)
    run.attempt_log(2).write_text("all is well\n")
    assert diagnose_run(run).diagnosis.verdict == "healthy"


def test_a_file_from_somewhere_else_is_diagnosed_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "theirs.log"
    path.write_text(_case("oom", {"at": 12, "cut": True, "lines": OOM}).text)
    found = diagnose(str(path), Place(tmp_path))
    assert not found.is_run and found.diagnosis.primary is not None
    assert found.diagnosis.primary.id == "memory:cuda-update"


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 5000, bytes(range(256)) * 40, b"\xff\xfe" + "step".encode("utf-16-le")]
)
def test_any_bytes_are_answered(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_bytes(content)
    try:
        found = diagnose_file(path)
    except LiveRLError as error:
        assert error.next_action
    else:
        assert found.diagnosis.verdict == "not_measured" and found.summary


def test_a_folder_that_is_no_run_is_refused_with_the_logs_in_it(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").touch()
    with pytest.raises(RunError) as raised:
        diagnose(str(tmp_path / "logs"), Place(tmp_path))
    assert raised.value.code == "diagnose.folder" and "a.log" in raised.value.evidence


def test_an_answer_with_very_much_to_say_has_900_tokens_at_most(tmp_path: Path) -> None:
    path = tmp_path / "much.log"
    words = (
        "OSError: [Errno 28] No space left on device",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB",
        "ModuleNotFoundError: No module named 'x'",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
    )
    noise = "é" * 3000
    trace = f"Traceback (most recent call last):\n  File {noise}\n"
    path.write_text("".join(f"{trace}{word} {noise}\n" for word in words * 9))
    found = diagnose_file(path)
    size = len(json.dumps(as_json(found), ensure_ascii=False, separators=(",", ":")).encode())
    assert len(found.diagnosis.findings) >= 3 and size <= 900 * 3.5
    whole = as_json(diagnose(str(path), Place(tmp_path), is_whole=True))
    assert len(whole["findings"]) == len(found.diagnosis.findings)


def diagnosed(*findings: Finding, **given: Any) -> Diagnosed:
    return Diagnosed("r", Diagnosis("sick" if any(each.is_alarm for each in findings) else "healthy", findings), True,
                     **given)  # fmt: skip


def finding(identity: str, severity: Severity = "error", title: str = "It broke", **given: Any) -> Finding:
    return Finding(identity, severity, title, "high", Began(7, 70), (), "do it", "a/b.md", **given)


def test_a_long_title_leaves_room_for_the_id() -> None:
    found = diagnosed(finding("area:what", title="word " * 100))
    assert len(found.summary) <= 200 and found.summary.endswith("[area:what, error, since step 7, line 70]")


def _steps(first: int, last: int) -> str:
    row = "step:{} - actor/grad_norm:0.3{} - actor/entropy:0.2{} - critic/score/mean:{:.3f}\n"
    told = ((step, step * 7 % 10) for step in range(first, last + 1))
    return "".join(row.format(step, u, u, 0.2 + 0.008 * step + 0.01 * u) for step, u in told)


def test_the_last_of_several_attempts_is_judged_and_the_others_are_named(tmp_path: Path) -> None:
    log = tmp_path / "a log"
    log.write_text("begin\n" + _steps(1, 40) + "begin\n" + _steps(1, 14))
    found = diagnose_file(log)
    assert found.summary == "healthy: 14 steps of the last of 2 attempts, no finding"
    assert found.note == (
        "judged is the last of 2 attempts, from line 42 on; "
        f"those before it: head -n 41 '{log}' | liverl diagnose -"
    )


def test_a_run_that_was_resumed_is_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("begin\n" + _steps(1, 40) + "begin\n" + _steps(31, 60))
    assert diagnose_file(log).summary == "healthy: 60 steps, no finding"


@pytest.mark.parametrize("letter", ["x", "é", "火", "\U0001f525", '"'])
def test_any_number_of_long_findings_fits_in_900_tokens(letter: str) -> None:
    told = [
        replace(finding(f"a:{index}", title=letter * 900), evidence=(letter * 900,) * 9, cure=letter * 2000,
                confirm="x" * 400, changes={f"training.key_{number}": "* 0.5" for number in range(4)})
        for index in range(60)
    ]  # fmt: skip
    stacks = tuple(Stack("worker", index, (letter * 300,) * 8) for index in range(12))
    found = diagnosed(*told, stacks=stacks, note=letter * 900)
    size = len(json.dumps(as_json(found), ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= 900 * 3.5 and len("\n".join(found.lines()).encode()) <= 900 * 3.5


def test_what_is_only_info_is_one_line_with_its_title() -> None:
    found = diagnosed(finding("a:b", "info", "All is as it should be"), steps=12)
    assert found.summary == "healthy: 12 steps, nothing at warn or above"
    (line,) = [line for line in found.lines() if "All is as it should be" in line]
    assert line.startswith("also  ") and not any("cure" in line for line in found.lines())


def test_the_first_line_tells_how_a_healthy_run_ended() -> None:
    found = diagnosed(finding("run:stopped-by-user", "info", "The run was stopped by a person"), steps=54)
    assert found.summary == (
        "healthy: 54 steps, nothing at warn or above; the run was stopped by a person [run:stopped-by-user, info]"
    )


def test_commands_speak_of_what_was_diagnosed(
    run: RunDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in (13, 14, 15):
        healthy_step(run, step, **{"actor/grad_norm": NAN})
    # By its name alone it is not found from here.
    assert f"liverl logs {run.root} --grep" in diagnose_run(run).next_action
    monkeypatch.setenv("LIVERL_RUNS", str(run.root.parent))
    assert "liverl logs r --grep" in diagnose_run(run).next_action
    theirs = tmp_path / "their log.jsonl"
    theirs.write_bytes(run.metrics_jsonl.read_bytes())
    action = diagnose(str(theirs), Place(tmp_path)).next_action
    assert "liverl" not in action and shlex.quote(str(theirs)) in action


def test_a_run_of_another_machine_is_not_called_dead(made: Made) -> None:
    run = made("r", host="another-host", boot_id="another-boot")
    run.heartbeat.unlink()
    for step in range(1, 13):
        healthy_step(run, step)
    run.attempt_log(1).write_text("step:1 - critic/score/mean:0.02\n" * 50 + "in the middle of")
    assert status(run).state == "unreachable" and diagnose_run(run).diagnosis.verdict == "healthy"


def test_a_runs_own_ports_stand_in_its_commands() -> None:
    told = at_run(
        "curl http://127.0.0.1:8002/health; ss | grep ':6379'", "r", {"litellm": 46621, "ray": 46517}
    )
    assert told == "curl http://127.0.0.1:46621/health; ss | grep ':46517'"


def test_every_confirming_command_can_be_pointed() -> None:
    for writeup in catalogue():
        to_confirm = command(writeup.sections["Confirm"])
        told = at_file(to_confirm, Path("/their log.txt"))
        assert "RUN.log" not in told, writeup.id
        assert not re.search(r"liverl (?!diagnose '/their log.txt')", told), writeup.id
        for verb in re.findall(
            r"liverl (?:logs|trials|show|status|diagnose)\b(.{0,16})", at_run(to_confirm, "my-run")
        ):
            assert "my-run" in verb, writeup.id


@pytest.mark.parametrize("name", ["nothing.log", "./nothing", "a/b", "\0.log"])
def test_a_file_that_is_not_there_is_no_missing_run(name: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not there") as raised:
        diagnose(name, Place(tmp_path))
    assert raised.value.code == "diagnose.missing"


def test_a_log_that_may_not_be_read_is_told_beside_the_verdict(run: RunDir) -> None:
    run.attempt_log(1).unlink()
    os.mkfifo(run.attempt_log(1))
    found = diagnose_run(run)
    assert "is a pipe, no file" in found.note and any("note: " in line for line in found.lines())


def test_status_tells_what_the_last_diagnosis_said(run: RunDir) -> None:
    assert status(run).payload()["findings"].startswith("not looked for")
    for step in (13, 14, 15):
        healthy_step(run, step, **{"actor/grad_norm": NAN})
    diagnose_run(run)
    told = recall(run)
    assert told is not None and (told.verdict, told.step, told.attempt) == ("sick", 15, 1)
    assert status(run).payload()["findings"].startswith("1 fatal, first policy:nan (at step 15, ")


def test_what_was_said_of_an_earlier_attempt_is_not_told_of_a_new_one(run: RunDir, made: Made) -> None:
    diagnose_run(run)
    other = made("s", starts=(0.0, 50.0))
    healthy_step(other, 1)
    assert status(other).findings == ""


def test_a_slow_search_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "theirs.log"
    path.write_text(OOM)
    assert diagnose_file(path).note == ""
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    found = diagnose_file(path)
    assert "hyperscan is not installed" in found.note and found.note in "\n".join(found.lines())
    assert found.diagnosis.primary is not None and found.diagnosis.primary.id.startswith("memory:")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 8, "the file is no text"),
        (b"PK\x03\x04" + bytes(200), "packed by zip"),
    ],
)
def test_a_file_that_is_no_log_is_told_as_that(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "some.bin"
    path.write_bytes(content)
    assert told in diagnose(str(path), Place(tmp_path)).note


def test_a_text_without_a_word_of_training_is_not_called_binary(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.log", tmp_path / "packed.log.gz"
    plain.write_text("nothing of interest\n" * 20)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [diagnose(str(path), Place(tmp_path)).note for path in (plain, packed)] == ["", ""]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_what_a_packed_file_that_is_cut_still_holds_is_judged_and_told_to_be_cut(
    suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    packed = pack(_steps(1, 400).encode())
    for kept in (packed[: len(packed) * 3 // 4], packed):
        (tmp_path / f"a.log{suffix}").write_bytes(kept)
        found = diagnose(str(tmp_path / f"a.log{suffix}"), Place(tmp_path))
        assert ("the packed file is cut" in found.note) == (kept != packed)
        assert found.steps >= 10 and (found.steps < 400) == (kept != packed)


def test_rows_of_a_packed_file_that_is_cut_are_told_to_be_cut(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"step": step, "loss": step * 7 % 10}) + "\n" for step in range(400))
    packed = gzip.compress(rows.encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    found = diagnose(str(tmp_path / "a.jsonl.gz"), Place(tmp_path))
    assert 0 < found.steps < 400 and "the packed file is cut" in found.note


def test_a_setting_that_is_evidently_on_is_no_advice(tmp_path: Path) -> None:
    setting = "verl.actor_rollout_ref.rollout.calculate_log_probs=true"
    hints = []
    for more in ("", " - training/rollout_probs_diff_mean:0.001"):
        path = tmp_path / "a.log"
        path.write_text("".join(f"{line}{more}\n" for line in _steps(1, 20).splitlines()))
        hints.append([each.setting for each in diagnose_file(path).diagnosis.not_measured])
    assert setting in hints[0] and setting not in hints[1]


def test_a_log_that_ends_its_lines_by_returns_alone_tells_where_it_ended(tmp_path: Path) -> None:
    text = _case("oom", {"at": 12, "cut": True, "lines": OOM}).text
    told = []
    for end in ("\n", "\r"):
        path = tmp_path / "theirs.log"
        path.write_bytes(text.replace("\n", end).encode())
        told.append(diagnose_file(path).summary)
    assert told[0] == told[1] and "memory:cuda-update, fatal" in told[1]


def test_a_run_somewhere_else_is_diagnosed_by_its_path(run: RunDir, tmp_path: Path) -> None:
    found = diagnose(str(run.root), Place(tmp_path / "elsewhere"))
    assert (found.is_run, found.diagnosis.verdict) == (True, "healthy")
