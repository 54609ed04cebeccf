"""What a file tells, while it grows, is replaced, or can't be read."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from liverl.errors import LiveRLError
from liverl.log.formats.detect import detect
from liverl.log.reader import Reader
from liverl.log.sighting import LONG_LINES, LinePattern
from liverl.log.told import Told

PATTERNS = (
    LinePattern("oom", r"CUDA out of memory"),
    LinePattern("near", r"Killed", near="memory pressure"),
    LinePattern("apart", r"Killed", not_near="memory pressure"),
    LinePattern("end", r"waiting for weights", at_end=True),
    LinePattern("slow", r"[a-f]\d\d[a-f]"),
)
STEP = "(TaskRunner pid=1) step:{} - actor/grad_norm:0.5 - critic/score/mean:{} - timing_s/step:2.0"
_SAID = st.sampled_from(
    [
        *(STEP.format(step, step / 10) for step in range(1, 7)),
        "RuntimeError: CUDA out of memory. Tried to allocate 1 GiB",
        "Traceback (most recent call last):",
        "Killed",
        "memory pressure",
        "waiting for weights",
        "an Error of c22d",
        "noise",
        "",
        "Training Progress:  10%|#         | 1/10 [00:02<00:18,  2.00s/it]",
    ]
)


def same(left: Told, right: Told) -> None:
    assert left.kind == right.kind
    assert left.sightings == right.sightings
    assert left.facts == right.facts
    assert left.series.steps.tolist() == right.series.steps.tolist()
    assert left.series.lines.tolist() == right.series.lines.tolist()
    assert set(left.series.columns) == set(right.series.columns)
    for name, values in left.series.columns.items():
        np.testing.assert_array_equal(values, right.series.columns[name])


@given(lines=st.lists(_SAID, max_size=120), cuts=st.lists(st.integers(0, 6000), max_size=6))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_log_that_grew_tells_what_one_that_is_read_at_once_tells(
    lines: list[str], cuts: list[int], tmp_path: Path
) -> None:
    content = "\n".join(["a log", *lines]).encode()
    growing, whole = tmp_path / "growing.log", tmp_path / "whole.log"
    growing.write_bytes(b"")
    reader, before = Reader(growing, PATTERNS), 0
    for cut in sorted(cuts):
        with growing.open("ab") as stream:
            stream.write(content[before:cut])
        before = max(before, cut)
        reader.read()
    with growing.open("ab") as stream:
        stream.write(content[before:])
    whole.write_bytes(content)
    same(reader.read(), Reader(whole, PATTERNS).read())


def test_a_log_that_grows_is_read_only_where_it_is_new(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("noise\n" * 50_000 + STEP.format(1, 0.1) + "\n")
    reader = Reader(path, PATTERNS)
    reader.read()
    # Whoever read it again would now read something else.
    with path.open("r+b") as stream:
        stream.seek(1000 * len("noise\n"))
        stream.write(b"oom! CUDA out of memory\n")
    with path.open("ab") as stream:
        stream.write(f"{STEP.format(2, 0.2)}\nKilled".encode())
    told = reader.read()
    assert told.series.steps.tolist() == [1, 2]
    assert "oom" not in told.sightings
    assert told.sightings["apart"].last.number == 50_003
    assert told.facts["lines"] == 50_003


def test_a_truncated_and_a_replaced_log_are_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("the first log\n" + "CUDA out of memory\n" * 3)
    reader = Reader(path, PATTERNS)
    assert reader.read().sightings["oom"].count == 3
    path.write_text("the second log\nCUDA out of memory\n")
    assert reader.read().sightings["oom"].count == 1
    draft = tmp_path / "draft"
    draft.write_text("the third log\nis longer than the second one\n")
    draft.replace(path)
    assert reader.read().sightings == {}


def test_of_a_log_that_vanished_the_last_answer_is_given_again(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("CUDA out of memory\n")
    reader = Reader(path, PATTERNS)
    told = reader.read()
    path.unlink()
    assert reader.read() is told


def test_a_log_that_is_written_truncated_and_rotated_while_it_is_read_breaks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("start\n")
    over = threading.Event()

    def write() -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            with path.open("ab") as stream:
                stream.write(f"{STEP.format(turn, 0.5)}\nnoise\nCUDA out of".encode() * 200)
            if turn % 5 == 0:
                os.truncate(path, 100)
            if turn % 7 == 0:
                path.rename(tmp_path / "a.log.1")
                path.write_text("a new one\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        reader = Reader(path, PATTERNS)
        for _ in range(60):
            try:
                assert reader.read().facts["lines"] >= 0
            except LiveRLError as error:
                assert error.code == "log.missing"  # between the rename and the new file
    finally:
        over.set()
        writer.join()
    (tmp_path / "b.log").write_bytes(path.read_bytes())
    final, fresh = reader.read(), Reader(tmp_path / "b.log", PATTERNS).read()
    assert final.facts["lines"] == fresh.facts["lines"]


def test_a_log_that_grew_during_a_look_and_was_cut_back_behind_it_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.log"
    path.write_text("start\n" + "noise\n" * 2000)
    size = path.stat().st_size
    reader = Reader(path, PATTERNS)

    def grow(head: bytes, name: str) -> str:
        with path.open("a") as stream:
            stream.write("CUDA out of memory\n" * 10)
        return detect(head, name)

    monkeypatch.setattr(
        "liverl.log.reader.detect", grow
    )  # the writer's moment: between the mark and the lines
    reader.read()
    monkeypatch.undo()
    os.truncate(path, size)
    assert reader.read().sightings == {}
    assert reader.read().facts["lines"] == 2001


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path, code in (
        (tmp_path / "nowhere", "log.missing"),
        (tmp_path, "log.no_file"),
        (fifo, "log.no_file"),
        (Path("/dev/null"), "log.no_file"),
        (tmp_path / "a.log" / "b", "log.missing"),
        (Path(f"{tmp_path}/nul\0name"), "log.unreadable"),
    ):
        with pytest.raises(LiveRLError) as raised:
            Reader(path, PATTERNS).read()
        assert raised.value.code == code
        assert raised.value.next_action


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_log_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("secret\n")
    path.chmod(0)
    with pytest.raises(LiveRLError) as raised:
        Reader(path, PATTERNS).read()
    assert raised.value.code == "log.permission"


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\0" * 5000, b"\xff" * 70_000, b"\r" * 3000, os.urandom(300_000)]
)
def test_whatever_the_bytes_are_a_log_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    told = Reader(path, PATTERNS).read()
    assert told.facts["bytes"] == len(content)
    assert len(told.series) == 0


def test_a_packed_log_is_unpacked_and_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(f"start\n{STEP.format(1, 0.5)}\nCUDA out of memory\n".encode()))
    reader = Reader(path, PATTERNS)
    told = reader.read()
    assert (told.series.steps.tolist(), told.sightings["oom"].last.number) == ([1], 3)
    assert reader.read() is told
    path.write_bytes(gzip.compress(b"start\nanother\n"))
    assert reader.read().sightings == {}


def test_a_table_is_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(f'{{"step": {n}, "critic/score/mean": 0.5}}\n' for n in range(1, 20)))
    reader = Reader(path, PATTERNS)
    assert (reader.read().kind, len(reader.read().series)) == ("jsonl", 19)
    with path.open("a") as stream:
        stream.write('{"step": 20, "critic/score/mean": 0.5}\n')
    assert len(reader.read().series) == 20


def test_a_last_line_without_its_end_counts_for_now(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"start\n{STEP.format(1, 0.25)}\n{STEP.format(2, 0.5)}")
    reader = Reader(path, PATTERNS)
    assert reader.read().series.columns["critic/score/mean"].tolist() == [0.25, 0.5]
    with path.open("a") as stream:
        stream.write(f"\n{STEP.format(3, 0.75)}\n")
    assert reader.read().series.steps.tolist() == [1, 2, 3]


def test_the_last_row_of_a_table_is_read_without_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    rows = "\n".join(f"| {n} | 0.{n} | 0.5 |" for n in range(1, 8))
    path.write_text(f"start\n| step | reward | grad_norm |\n|---|---|---|\n{rows}")
    assert Reader(path, PATTERNS).read().series.steps.tolist() == list(range(1, 8))


def test_objects_over_several_lines_are_read_where_a_log_tells_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    rows = "".join(f'{{\n  "step": {n},\n  "reward": 0.{n},\n  "kl": 0.1\n}}\n' for n in range(1, 8))
    path.write_text(f"what the last steps said:\n{rows}")
    reader = Reader(path, PATTERNS)
    assert reader.read().series.columns["critic/score/mean"].tolist()[:2] == [0.1, 0.2]
    with path.open("a") as stream:
        stream.write("".join(f"{STEP.format(n, 0.75)}\n" for n in range(1, 4)))
    assert reader.read().series.columns["critic/score/mean"].tolist() == [0.75] * 3


def test_only_the_wanted_metrics_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"start\n{STEP.format(1, 0.25)}\n")
    told = Reader(path, (), ["actor/grad_norm"]).read()
    assert "actor/grad_norm" in told.series.columns
    assert "timing_s/step" not in told.series.columns


def test_rows_that_look_alike_are_one_attempt_and_a_second_beginning_is_another(tmp_path: Path) -> None:
    rows = [
        f"step {step} | loss: 0.5 | reward: 0.{step % 10} | lr: 1e-6"
        for step in (100, 115, 118, 120, 124, 130)
    ]
    path = tmp_path / "pasted.log"
    path.write_text("\n".join(rows) + "\n")
    assert Reader(path, ()).read().facts["attempts"] == 1
    started = ["Loading the model from disk", "Starting the trainer now"]
    path.write_text("\n".join([*started, *rows, *started, *rows]) + "\n")
    assert Reader(path, ()).read().facts["attempts"] == 2


def test_a_document_that_quotes_an_error_is_searched_for_it_as_well(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(
        '{"step": 12, "reward": 0.5, "grad_norm": 0.1, "error": "CUDA out of memory. Tried 2 GiB"}\n'
    )

    told = Reader(path, PATTERNS).read()

    assert told.series.steps.tolist() == [12]
    assert "oom" in told.sightings


def test_a_note_of_metrics_is_a_row_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("actor/entropy: 0.4\nresponse_length/clip_ratio: 1.0\ncritic/score/mean: 0.0\n")

    told = Reader(path, PATTERNS).read()

    assert told.kind == "console"
    assert told.series.columns["response_length/clip_ratio"].tolist() == [1.0]


@pytest.mark.parametrize("lines", [LONG_LINES, 400_000])
def test_what_is_only_said_of_excerpts_is_not_looked_for_in_a_long_log(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "run.log"
    looked_for = (LinePattern("brief", "gave up", is_brief=True), LinePattern("any", "gave up"))
    path.write_text("a worker gave up\n")
    assert set(Reader(path, looked_for).read().sightings) == {"brief", "any"}
    path.write_text("a worker gave up\n" + "a line like many\n" * lines)
    assert set(Reader(path, looked_for).read().sightings) == {"any"}
