"""What a collector of logs put before each line is taken away, and nothing that a program printed itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.log.collected import mending
from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern

PRINTED = [
    "(TaskRunner pid=81) step:1 - critic/score/mean:0.25 - actor/grad_norm:0.5",
    "(TaskRunner pid=81) step:2 - critic/score/mean:0.50 - actor/grad_norm:0.6",
    "Traceback (most recent call last):",
    '  File "a.py", line 1, in <module>',
    "",
    "KeyError: 'answer'",
]
KEY_ERROR = LinePattern("key", r"(?:^|Z )KeyError: 'answer'")


TIME = "2026-03-04T10:11:12.123456789Z"


def mark(form: str) -> Callable[[str], str]:
    """What a collector makes of a line that it puts something before."""
    return form.format


cri = mark(f"{TIME} stderr F {{}}")
kubectl = mark("[pod/rl-train-0/trainer] {}")
compose = mark("trainer-1  | {}")
srun = mark(" 0: {}")
ts = mark("[2026-03-04 10:11:12] {}")
platform = mark("2026-03-04 10:11:12 [stderr] {}")
ts_as_it_comes = mark("Mar  4 10:11:12 {}")
journal = mark("Mar  4 10:11:12 gpu-7 train.sh[4121]: {}")
journal_iso = mark("2026-03-04T10:11:12+0100 gpu-7 train.sh[4121]: {}")


def docker(line: str) -> str:
    row = {"log": f"{line}\n", "stream": "stdout", "time": TIME}
    return json.dumps(row, separators=(",", ":"))


def cloud(line: str) -> str:
    return json.dumps({"timestamp": 1772619072.25, "level": "info", "stream": "stdout", "message": line})


def told(text: str) -> str | None:
    mend = mending(text.encode())
    return None if mend is None else mend(text.encode()).decode()


STAMPED = dict.fromkeys((ts, platform, journal_iso), "2026-03-04T10:11:12.000000 ") | dict.fromkeys(
    (ts_as_it_comes, journal), "03-04T10:11:12.000000 "
)


@pytest.mark.parametrize("mark", [cri, kubectl, compose, srun, docker, cloud, *STAMPED])
def test_collected_log_is_read_as_printed(tmp_path: Path, mark: Callable[[str], str]) -> None:
    log = tmp_path / "pod.log"
    log.write_text("".join(mark(line) + "\n" for line in PRINTED))
    stamp = TIME + " " if mark in (cri, docker) else STAMPED.get(mark, "")
    assert told(log.read_text()) == "".join(stamp + line + "\n" for line in PRINTED)
    found = Reader(log, [KEY_ERROR]).read()
    assert found.series.steps.tolist() == [1, 2]
    assert [each.number for each in found.sightings["key"].first] == [6]


def test_collected_log_is_read_on_as_it_grows(tmp_path: Path) -> None:
    log = tmp_path / "pod.log"
    log.write_text("".join(kubectl(line) + "\n" for line in PRINTED[:5]))
    reader = Reader(log, [KEY_ERROR])
    assert "key" not in reader.read().sightings
    log.write_text("".join(kubectl(line) + "\n" for line in PRINTED))
    assert [each.number for each in reader.read().sightings["key"].first] == [6]


def test_container_without_its_last_line_break_is_read(tmp_path: Path) -> None:
    text = "".join(compose(line) + "\n" for line in PRINTED)
    assert told(text.rstrip("\n")) == "\n".join(PRINTED)


@pytest.mark.parametrize(
    "text",
    [
        "".join(line + "\n" for line in PRINTED),
        # A level of a logger before a bar, rows of a table, a log of two collectors, times of the program's own.
        "".join(f"INFO     | line {at}\n" for at in range(9)),
        "".join(f"metric_{at}  | {at}.5\n" for at in range(9)),
        "".join(f"{at}: item\n" for at in range(9)),
        "".join((compose if at % 2 else kubectl)(f"line {at}") + "\n" for at in range(9)),
        # What a program's own logger writes; two processes of a unit.
        "".join(f"[2026-03-04 10:11:1{at}] INFO loaded shard {at}\n" for at in range(9)),
        "".join(f"2026-03-04 10:11:1{at},123 WARNING shard {at} is late\n" for at in range(9)),
        "".join(f"Mar  4 10:11:1{at} gpu-7 train[{at % 2}]: shard {at}\n" for at in range(9)),
        # Two containers: their marks say who said it. Two splits, which the program itself tells apart.
        "".join(f"{'gw-1' if at % 2 else 'trainer-1'}  | line {at}\n" for at in range(9)),
        "".join(f"{'val  ' if at % 2 else 'train'} | iter {at}: reward=0.{at}\n" for at in range(9)),
        "".join(f"2026-03-04T10:11:1{at}Z loaded shard {at}\n" for at in range(9)),
        # Rows that measure something beside what they say; messages of several lines, whose numbers would be lost.
        '{"message": "step", "loss": 0.25}\n' * 9,
        '{"message": "Traceback (most recent call last):\\n  File"}\n' * 9,
        "0: one line\n",
        "",
    ],
)
def test_what_a_program_printed_itself_stays(text: str) -> None:
    assert told(text) is None


@pytest.mark.parametrize(
    "row",
    [
        '{"message": "rollout failed", "error": "CUDA out of memory. Tried to allocate 2.00 GiB", "level": "ERROR"}',
        '{"message": "Unhandled exception", "exc_info": "Traceback (most recent call last):\\nValueError: 7"}',
        '{"message": "step done", "step": 7, "reward": 1}',
        '{"message": "step done", "metrics": {"step": 7, "reward": 0.5}}',
        '{"message": "step done", "step_time": 7.5}',
    ],
)
def test_a_line_that_tells_more_than_its_text_stays(row: str) -> None:
    plain = [
        f'{{"message": "loading shard {at}", "level": "INFO", "ts": 17.{at}, "pid": 7}}' for at in range(9)
    ]
    said = [f"loading shard {at}" for at in range(9)]
    assert told("\n".join([*plain, row, plain[0]])) == "\n".join([*said, row, said[0]])


def test_line_that_docker_did_not_write_stays_in_its_place() -> None:
    lines = [docker(f"line {at}") for at in range(30)]
    lines[17] = '{"log":"cut he'
    found = told("\n".join(lines) + "\n")
    assert found is not None
    assert found.split("\n")[15:19] == [
        f"{TIME} line 15",
        f"{TIME} line 16",
        '{"log":"cut he',
        f"{TIME} line 18",
    ]


def test_level_of_a_message_is_told_with_it() -> None:
    rows = [
        {"level": "INFO", "message": "the batch is drawn"},
        {"level": "ERROR", "message": "the sandbox is gone"},
        {"severity": "ERROR", "message": "Traceback (most recent call last):"},
        {"severity": "ERROR", "message": '  File "a.py", line 1, in go'},
        {"severity": "ERROR", "message": "KeyError: 'answer'"},
        {"level": "error", "message": "[ERROR] told already"},
    ]
    found = told("".join(json.dumps(row) + "\n" for row in rows))
    assert found is not None
    assert found.splitlines() == [
        "the batch is drawn",
        "ERROR the sandbox is gone",
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in go',
        "KeyError: 'answer'",
        "[ERROR] told already",
    ]


def test_long_log_is_mended_piece_by_piece(tmp_path: Path) -> None:
    log = tmp_path / "pod.log"
    lines = [f"line {at} {'x' * 90}" for at in range(40_000)] + PRINTED
    log.write_text("".join(cri(line) + "\n" for line in lines))
    found = Reader(log, [KEY_ERROR]).read()
    assert [each.number for each in found.sightings["key"].first] == [40_006]
    assert found.series.steps.tolist() == [1, 2]


def test_line_that_was_cut_in_pieces_is_one_again() -> None:
    pieces = [f"{TIME} stdout P abc", f"{TIME} stdout P def", f"{TIME} stdout F ghi", cri("next")]
    found = told("".join(line + "\n" for line in [cri("first"), *pieces]))
    assert found is not None
    assert found.split("\n") == [f"{TIME} first", f"{TIME} abcdefghi", "", "", f"{TIME} next", ""]
    cut = docker("abc").replace("\\n", "")
    assert told("".join(line + "\n" for line in [docker("a"), cut, docker("def"), docker("b")])) == (
        f"{TIME} a\n{TIME} abcdef\n\n{TIME} b\n"
    )
