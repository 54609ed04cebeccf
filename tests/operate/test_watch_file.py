"""A file that another program writes, watched: its first verdict, its findings, and a log that is replaced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.log.blocks import Blocks
from liverl.operate.watch_file import _WatchedFile


def step(number: int, reward: float = 0.5, loss: float = 0.1) -> str:
    wave = 0.01 * (number % 5)
    return (
        f"step:{number} - critic/score/mean:{reward + wave:.3f} - actor/pg_loss:{loss:.3f}"
        f" - actor/entropy:{1.2 + wave:.3f} - actor/grad_norm:{0.4 + wave:.3f}"
        f" - response_length/mean:{300 + number % 7} - timing_s/step:{20 + wave:.2f}\n"
    )


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text("".join(step(number) for number in range(1, 31)))
    return path


@pytest.fixture
def look(log: Path) -> Callable[[], list[str]]:
    watched = _WatchedFile(log)
    return lambda: [each.line for each in watched.look()]


def grow(log: Path, *lines: str) -> None:
    with log.open("a") as stream:
        stream.writelines(lines)


def test_the_verdict_comes_first_and_a_finding_when_it_appears(
    log: Path, look: Callable[[], list[str]]
) -> None:
    assert look()[-1].startswith("train.log is healthy: 30 steps")
    assert look() == []
    grow(log, *(step(number) for number in range(31, 35)))
    assert look() == []
    grow(log, *(step(number, loss=float("nan")) for number in range(35, 38)))
    (told,) = look()
    assert told.startswith("train.log now shows policy:nan (fatal, since step 35")


def test_each_look_reads_only_what_is_new(
    log: Path, look: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    read = Blocks.read

    def counted(self: Blocks, descriptor: int, size: int) -> object:
        begun.append(self.offset)
        return read(self, descriptor, size)

    monkeypatch.setattr(Blocks, "read", counted)
    grow(log, *(f"a line of no account, number {number}\n" for number in range(2000)))
    look()
    size = log.stat().st_size
    grow(log, step(31))
    look()
    assert begun == [0, size]


def test_a_log_that_is_away_for_a_while_or_replaced(log: Path, look: Callable[[], list[str]]) -> None:
    look()
    log.unlink()
    assert [each for each in look() if "can't be read" in each] and look() == []
    other = log.with_name("new")
    other.write_text("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"
                     "ModuleNotFoundError: No module named 'flash_attn'\n")  # fmt: skip
    other.replace(log)
    assert any("now shows" in each and "flash_attn" in each for each in look())
