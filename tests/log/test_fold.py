"""Noise, told once."""

from __future__ import annotations

from liverl.log.clean import parse_line
from liverl.log.fold import Fold

BAR = "(TaskRunnerV1 pid=1) Training Progress:  {}%|███       | {}/20 [01:25<08:46, 30.94s/it]"
LONG = "(WorkerDict pid=1) 2026-11-21 13:17:59,{:03d} - WARNING - threads should not exceed the cores"


def folded(*lines: str, is_raw: bool = False) -> Fold:
    fold = Fold(is_raw)
    for at, line in enumerate(lines):
        fold.add(at, parse_line(line.encode()))
    return fold


def test_a_bars_redraws_are_one_line() -> None:
    fold = folded(BAR.format(5, 1), BAR.format(10, 2), "(TaskRunnerV1 pid=1) step:2 - a:1", BAR.format(15, 3))
    assert [shown.text[:40] for shown in fold.shown] == [
        "(TaskRunnerV1) Training Progress:  5%|██",
        "(TaskRunnerV1) step:2 - a:1",
    ]
    assert fold.folded == {"progress": 2}


def test_lines_that_differ_only_in_their_time_are_one_that_says_how_often() -> None:
    fold = folded(
        LONG.format(1), "(WorkerDict pid=1) something else altogether", LONG.format(2), LONG.format(3)
    )
    assert [shown.times for shown in fold.shown] == [3, 1]
    assert fold.folded == {"repeated": 2}


def test_other_numbers_make_another_line() -> None:
    assert len(folded("epoch 1 of the training begins", "epoch 2 of the training begins").shown) == 2


def test_short_lines_stand_as_they_are() -> None:
    assert len(folded("}", "}", "}").shown) == 3


def test_nccl_and_the_autoscalers_chatter_go_and_warnings_stay() -> None:
    fold = folded(
        "host:1:2 [0] NCCL INFO Channel 00/02",
        "host:1:2 [0] NCCL WARN Cuda failure",
        "(autoscaler +3s) Resized to 8 CPUs",
        "",
    )
    assert [shown.text for shown in fold.shown] == ["host:1:2 [0] NCCL WARN Cuda failure"]
    assert fold.folded == {"nccl": 1, "ray": 1}


def test_what_ray_deduplicated_is_counted() -> None:
    fold = folded("(W pid=1) a line that is long enough [repeated 7x across cluster] (Ray deduplicates)")
    assert (fold.shown[0].times, fold.folded["repeated"]) == (7, 6)


def test_raw_keeps_everything() -> None:
    assert len(folded(BAR.format(5, 1), BAR.format(6, 1), "", "NCCL INFO x", is_raw=True).shown) == 4
