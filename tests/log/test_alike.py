"""Step lines of a kind that is known are searched as any line is: nothing in them is missed, and nothing is added."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from liverl.log.alike import AlikeRows
from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern
from liverl.log.told import Told

PATTERNS = (
    LinePattern("told", r"\bstep:\d+ - "),
    LinePattern("zero", r"critic/score/mean:0\.0\b"),
    LinePattern("negative", r"actor/pg_loss:-0\.9"),
    LinePattern("after", r"the pool is gone"),
)


def row(step: int, score: float = 0.5, loss: float = 0.01) -> str:
    more = " - ".join(f"timing_s/part_{number}:{step * 0.37 + number:.6f}" for number in range(20))
    return (
        f"\x1b[36m(TaskRunner pid=4711)\x1b[0m step:{step} - critic/score/mean:{score} - actor/pg_loss:{loss} - {more}"
        f" - training/global_step:{step}\n"
    )


def told_of(path: Path, *, knows: bool, monkeypatch: pytest.MonkeyPatch) -> Told:
    if not knows:
        monkeypatch.setattr(AlikeRows, "learn", lambda *_: None)
    told = Reader(path, PATTERNS).read()
    monkeypatch.undo()
    return told


@pytest.mark.parametrize(
    "between",
    ["", "(WorkerDict pid=4) the pool is gone\n", "a bar:  50%|#####     | 5/10 [00:10<00:10,  1.0s/it]\n"],
)
def test_a_log_tells_the_same_whether_kinds_are_known_or_not(
    between: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    lines = [
        row(step, 0.0 if step % 50 == 49 else 0.5, -0.9 if step == 777 else 0.01)
        + (between if step % 7 == 0 else "")
        for step in range(1500)
    ]
    path.write_text("".join(lines))
    quick, slow = (told_of(path, knows=knows, monkeypatch=monkeypatch) for knows in (True, False))
    assert {key: (each.count, each.first, each.last) for key, each in quick.sightings.items()} == {
        key: (each.count, each.first, each.last) for key, each in slow.sightings.items()
    }
    assert quick.sightings["zero"].count == 30 and quick.sightings["negative"].first[0].text.startswith(
        "step:777 "
    )
    assert quick.series.steps.tolist() == slow.series.steps.tolist() == list(range(1500))
    assert quick.series.lines.tolist() == slow.series.lines.tolist()
    assert quick.facts == slow.facts


def test_the_last_line_is_the_last_also_where_rows_and_others_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    # Behind two hundred lines a pattern is full, and further ones are only counted; what is cut is of no kind.
    cut = [row(step).rstrip("\n")[: 200 + step % 90] + "\n" for step in range(900, 903)]
    path.write_text("".join(row(step) for step in range(900)) + "".join(cut))
    quick, slow = (told_of(path, knows=knows, monkeypatch=monkeypatch) for knows in (True, False))
    assert quick.sightings["told"].last == slow.sightings["told"].last
    assert quick.sightings["told"].last.number == 903


def test_without_the_fast_search_no_kind_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(row(step, 0.0 if step % 50 == 49 else 0.5) for step in range(200)))
    fast = Reader(path, PATTERNS).read()
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    learned: list[bytes] = []
    monkeypatch.setattr(AlikeRows, "learn", lambda _self, raw, *_: learned.append(raw))
    slow = Reader(path, PATTERNS).read()
    assert not learned and slow.sightings["zero"].count == fast.sightings["zero"].count == 4


def test_a_row_that_is_no_longer_a_number_is_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(row(step) for step in range(300)) + row(300, loss=float("nan")) + row(301))
    told = Reader(path, (LinePattern("nan", r"actor/pg_loss:nan"),)).read()
    assert told.sightings["nan"].count == 1 and told.series.lines.tolist() == list(range(1, 303))
