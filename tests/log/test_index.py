"""Where the lines and steps of a growing log are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from liverl.log import index as index_module
from liverl.log.index import LogIndex, index_of

STEP = "\x1b[36m(TaskRunnerV1 pid=7)\x1b[0m step:{} - actor/lr:1e-06 - training/global_step:{} - timing_s/step:1.5\n"


def step_line(step: int) -> bytes:
    return STEP.format(step, step).encode()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "BLOCK_BYTES", 512)


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


def made(path: Path, steps: int) -> bytes:
    """A log of steps with noise of any length between them."""
    chance = random.Random(steps)
    for step in range(steps):
        for _ in range(chance.randrange(4)):
            append(path, b"noise " * chance.randrange(1, 120) + b"\n")
        append(path, step_line(step))
    return path.read_bytes()


def test_every_step_is_found_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    content = made(path, 60)
    index = LogIndex(path)
    assert index.update() == len(content)
    assert (index.size, index.lines, index.steps) == (len(content), content.count(b"\n"), 60)
    assert index.step_range == (0, 59)
    for step in range(60):
        at = index.offset_of_step(step)
        assert at is not None and content[at:].startswith(step_line(step))
    assert index.offset_of_step(60) is None


def test_a_log_that_grows_by_any_pieces_has_the_same_index(tmp_path: Path) -> None:
    content = made(tmp_path / "whole", 40)
    whole = LogIndex(tmp_path / "whole")
    whole.update()
    path, chance, at = tmp_path / "grown", random.Random(1), 0
    grown = LogIndex(path)
    while at < len(content):
        piece = content[at : at + chance.randrange(1, 300)]
        append(path, piece)
        assert grown.update() == len(piece)
        at += len(piece)
    assert grown.update() == 0
    assert [grown.offset_of_step(step) for step in range(40)] == [
        whole.offset_of_step(step) for step in range(40)
    ]
    assert (grown.lines, grown.size) == (whole.lines, whole.size)


def test_every_line_has_the_number_of_its_place(tmp_path: Path) -> None:
    path = tmp_path / "log"
    content = made(path, 40) + b"not whole yet"
    path.write_bytes(content)
    index = LogIndex(path)
    index.update()
    starts = [0, *(at + 1 for at, byte in enumerate(content) if byte == 10)]
    assert [index.line_at(start) for start in starts] == list(range(1, len(starts) + 1))
    assert index.line_at(starts[3] + 1) == 4


@pytest.mark.parametrize(
    "line",
    [b"footstep:1 - a:1\n", b"step:x - a\n", b"step:12\xff - a\n", b"global_step:4 - \n", b"step:5, done\n"],
)
def test_other_lines_are_no_steps(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(line * 3)
    index = LogIndex(path)
    index.update()
    assert index.steps == 0


def test_several_lines_of_a_step_are_told_by_the_first(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"step:1 - a:1\nstep:2 - a:2\nstep:2 - b:3\n")
    index = LogIndex(path)
    index.update()
    assert index.offset_of_step(2) == len(b"step:1 - a:1\n")


def test_steps_that_go_back_are_found_too(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"".join(step_line(step) for step in (8, 9, 3, 4)))
    index = LogIndex(path)
    index.update()
    assert index.offset_of_step(3) == 2 * len(step_line(8))
    assert index.offset_of_step(7) is None


def test_a_truncated_and_a_replaced_log_are_indexed_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    made(path, 20)
    index = LogIndex(path)
    index.update()
    path.write_bytes(step_line(5))
    assert index.update() == len(step_line(5))
    assert (index.steps, index.lines, index.offset_of_step(5)) == (1, 1, 0)
    path.unlink()
    assert (index.update(), index.size, index.steps) == (0, 0, 0)


def test_with_very_many_steps_some_are_forgotten_and_the_way_to_them_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "_MOST_STEPS", 16)
    path = tmp_path / "log"
    path.write_bytes(b"".join(step_line(step) for step in range(100)))
    index = LogIndex(path)
    index.update()
    assert index.steps <= 17
    for step in range(100):
        at = index.offset_of_step(step)
        assert at is not None and at <= path.read_bytes().index(step_line(step))


def test_a_process_keeps_one_index_a_log(tmp_path: Path) -> None:
    assert index_of(tmp_path / "a") is index_of(tmp_path / "a")
    assert index_of(tmp_path / "a") is not index_of(tmp_path / "b")
