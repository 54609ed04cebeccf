"""Why a process ended, from its log."""

from __future__ import annotations

from pathlib import Path

from liverl.record.tail import cause_line, clean, last_words, tail_lines

LOG = """\
(TaskRunnerV1 pid=4242) loading
\x1b[36m(TaskRunnerV1 pid=4242)\x1b[0m Traceback (most recent call last):
(TaskRunnerV1 pid=4242)   File "trainer.py", line 3, in fit
(TaskRunnerV1 pid=4242)     raise RuntimeError("no tasks left")
(TaskRunnerV1 pid=4242) RuntimeError: no tasks left
                         ^^^^^^^
Training Progress:  10%|#         | 1/10
step:1 - actor/lr:0.1
bye
"""


def test_the_line_that_names_the_error_is_found_among_noise(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG)
    words = last_words(tmp_path / "log")
    assert cause_line(words) == "RuntimeError: no tasks left"
    assert not any("Training Progress" in line or "^^^" in line for line in words)


def test_without_an_error_the_last_lines_speak(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("one\ntwo\n\n")
    assert last_words(tmp_path / "log") == ["one", "two"]
    assert cause_line(["one", "two"]) == "two"


def test_a_missing_log_says_nothing(tmp_path: Path) -> None:
    assert last_words(tmp_path / "none") == []
    assert cause_line([]) == ""


def test_colours_and_the_actor_are_taken_off_a_line() -> None:
    assert clean("\x1b[36m(WorkerDict pid=1, ip=10.0.0.1)\x1b[0m hello (pid=2)") == "hello (pid=2)"


def test_only_the_end_of_a_huge_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("x" * 80 + "\n" + "last\n" * 3)
    assert tail_lines(path, 10, limit_bytes=11) == ["", "last", "last"]
