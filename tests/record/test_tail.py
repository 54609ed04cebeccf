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
    assert tail_lines(path, 10, limit_bytes=12) == ["last", "last"]


SECRET = "sk-proj-abcdefghijklmnop"
REFUSED = f"AuthenticationError: Error code: 401 - Incorrect API key provided: {SECRET}."


def test_neither_the_last_words_nor_the_cause_hold_a_secret(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"(TaskRunner pid=1) sent Authorization: Basic dXNlcjpwdw==\n{REFUSED}\n")
    words = last_words(tmp_path / "log")
    assert words[0] == "sent Authorization: Basic ***"
    assert cause_line(words).endswith("Incorrect API key provided: sk-***.")
    assert SECRET not in cause_line([REFUSED])


def test_a_secret_at_the_width_of_a_line_or_the_limit_of_a_look_is_not_cut_in_two(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"ValueError: {'x' * 276} {SECRET}\n")
    assert "abc" not in "".join(last_words(tmp_path / "log"))
    (tmp_path / "log").write_text(f"{SECRET}\nlast\n")
    assert tail_lines(tmp_path / "log", 10, limit_bytes=15) == ["last"]
