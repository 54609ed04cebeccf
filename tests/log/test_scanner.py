"""Lines that are looked for, whatever the blocks are in which a log is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from liverl.log import blocks
from liverl.log.clean import LINE_BYTES
from liverl.log.fedlines import FedLines
from liverl.log.formats.steps import StepLines
from liverl.log.literals import needles_of
from liverl.log.matcher import ByHyperscan, ByNumpy, matcher
from liverl.log.reader import Reader
from liverl.log.segments import cleaned
from liverl.log.sighting import LinePattern

PATTERNS = (
    LinePattern("oom", r"CUDA out of memory\. Tried to allocate (?P<size>[\d.]+ \w+)"),
    LinePattern("port", r"(?i)address already in use", unless="retrying"),
    LinePattern("either", r"(?:disk|quota) exceeded"),
    LinePattern("anchored", r"^Killed$"),
)
_SAID = [
    b"CUDA out of memory. Tried to allocate 2.5 GiB",
    b"Address already in use",
    b"ADDRESS ALREADY IN USE, retrying",
    b"quota exceeded on /data",
    b"Killed",
    b"\x1b[36m(WorkerDict pid=7)\x1b[0m Killed",
    b"(raylet) disk exceeded [repeated 3x across cluster]",
    b"\xff\xfe\x00 binary",
    b"Loading:  45%|####| 45/100 [00:10<00:12,  4.5it/s]",
]
_ENDS = [b"\n", b"\n", b"\n", b"\r", b"\r\n", b"", b" "]
_LONG = st.tuples(st.sampled_from([b"x", b"\x00", b"Ki"]), st.integers(1, 3 * LINE_BYTES)).map(
    lambda part: part[0] * part[1]
)
_CONTENT = st.lists(
    st.tuples(st.one_of(st.sampled_from(_SAID), st.binary(max_size=40), _LONG), st.sampled_from(_ENDS)),
    max_size=25,
).map(lambda parts: b"".join(text + end for text, end in parts))


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scanned")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    # As long as what is told of a line: the smallest that there may be.
    monkeypatch.setattr(blocks, "BLOCK_BYTES", LINE_BYTES)


def reference(content: bytes, patterns: Sequence[LinePattern]) -> Iterator[tuple[str, int, int, int]]:
    """Each line that meets a pattern, found the slow way: its pattern, number, offset and how often it was said."""
    offset = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        for drawn in line.split(b"\r"):
            told = cleaned(drawn[:LINE_BYTES])
            for each in patterns:
                held = [
                    n
                    for n in needles_of(each)
                    if n.text in (drawn.lower() if n.caseless else drawn)[:LINE_BYTES]
                ]
                unwanted = each.unless and re.search(each.unless, told.text)
                if held and re.search(each.pattern, told.text) and not unwanted:
                    yield each.key, number, offset, told.times
            offset += len(drawn) + 1


def seen(path: Path, patterns: Sequence[LinePattern] = PATTERNS) -> dict[str, tuple[int, list[int], int]]:
    told = Reader(path, patterns).read().sightings
    return {
        key: (each.count, [line.offset for line in each.first], each.last.number)
        for key, each in told.items()
    }


def expected(
    content: bytes, patterns: Sequence[LinePattern] = PATTERNS
) -> dict[str, tuple[int, list[int], int]]:
    found: dict[str, list[tuple[int, int, int]]] = {}
    for key, number, offset, times in reference(content, patterns):
        found.setdefault(key, []).append((number, offset, times))
    return {
        key: (sum(times for *_, times in each), [offset for _, offset, _ in each[:8]], each[-1][0])
        for key, each in found.items()
    }


@given(content=_CONTENT)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_blocks_tell_what_the_lines_tell(content: bytes, folder: Path) -> None:
    path = folder / "console.log"
    path.write_bytes(b"a log\n" + content)  # never a table
    assert seen(path) == expected(b"a log\n" + content)


@given(content=st.binary(max_size=4000), extra=st.lists(st.sampled_from(_SAID), max_size=20))
@settings(max_examples=60, deadline=None)
def test_with_and_without_hyperscan_the_same_literals_are_found(content: bytes, extra: list[bytes]) -> None:
    pytest.importorskip("hyperscan")
    needles = [needle for each in PATTERNS for needle in needles_of(each)]
    block = bytearray(content + b"".join(extra))
    assert sorted(ByNumpy(needles).find(block)) == sorted(ByHyperscan(needles).find(block))


def test_without_hyperscan_a_log_tells_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "console.log"
    path.write_bytes(b"\n".join(_SAID * 5) + b"\n")
    fast = seen(path)
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert matcher([]).name == "numpy"
    reader = Reader(path, PATTERNS)
    reader.read()
    assert reader.search == "numpy"
    assert seen(path) == fast
    assert fast == expected(path.read_bytes())


def test_a_line_that_is_said_a_million_times_is_counted_and_its_last_one_found(folder: Path) -> None:
    path = folder / "console.log"
    line = b"(WorkerDict pid=7) quota exceeded on /data\n"
    path.write_bytes(b"noise\n" + line * 5000 + b"more noise\n" * 100)
    sighting = Reader(path, PATTERNS).read().sightings["either"]
    assert sighting.count == 5000
    assert [each.number for each in sighting.first] == list(range(2, 10))
    assert sighting.last.number == 5001
    assert sighting.last.lines_after == 100


def test_the_one_line_that_counts_is_found_among_many_that_look_like_it(folder: Path) -> None:
    path = folder / "console.log"
    dull = b"2026-11-21 13:17:59,251 the tool ended with exit code 0\n"
    pattern = LinePattern("exit", r"exit code [1-9]\d*")
    path.write_bytes(dull * 3000 + b"2026-11-21 13:18:00,251 the tool ended with exit code 7\n" + dull * 3000)
    sighting = Reader(path, [pattern]).read().sightings["exit"]
    assert (sighting.count, sighting.last.number) == (1, 3001)


def test_what_must_be_near_is_looked_for_forty_lines_around(folder: Path) -> None:
    path = folder / "console.log"
    near = LinePattern("near", "Killed", near="memory pressure")
    apart = LinePattern("apart", "Killed", not_near="memory pressure")
    for distance, is_near in ((40, True), (41, False)):
        path.write_bytes(b"x\n" * 99 + b"Killed\n" + b"x\n" * (distance - 1) + b"memory pressure\n")
        assert set(seen(path, [near, apart])) == ({"near"} if is_near else {"apart"})
        path.write_bytes(b"memory pressure\n" + b"x\n" * (distance - 1) + b"Killed\n" + b"x\n" * 99)
        assert set(seen(path, [near, apart])) == ({"near"} if is_near else {"apart"})


def test_at_the_end_are_the_last_twenty_five_lines_that_say_something(folder: Path) -> None:
    path = folder / "console.log"
    pattern = LinePattern("end", r"waiting for \w+", at_end=True)
    path.write_bytes(b"waiting for weights\n" + b"noise\n\n" * 24)
    assert seen(path, [pattern])["end"][2] == 1
    path.write_bytes(b"waiting for weights\n" + b"noise\n\n" * 25)
    assert seen(path, [pattern]) == {}


def test_a_pattern_without_a_literal_is_tried_on_alarming_lines_and_at_the_end(folder: Path) -> None:
    path = folder / "console.log"
    pattern = LinePattern("slow", r"[a-f]\d\d[a-f]")
    path.write_bytes(b"a11b\n" + b"noise\n" * 300 + b"an Error of c22d\n" + b"noise\n" * 300 + b"e33f\n")
    assert seen(path, [pattern])["slow"][0] == 2


def test_a_line_knows_its_step_its_time_its_actor_and_its_groups(folder: Path) -> None:
    path = folder / "console.log"
    step = "(TaskRunner pid=1) step:{} - actor/lr:1e-06 - critic/score/mean:0.5 - timing_s/step:2.0\n"
    oom = "2026-11-21T10:00:03.123456789Z (WorkerDict pid=9, ip=10.0.0.3) CUDA out of memory. Tried to allocate 3 GiB\n"
    path.write_text(step.format(4) + step.format(5) + oom + step.format(6))
    line = Reader(path, PATTERNS).read().sightings["oom"].last
    assert (line.number, line.step, line.steps_after, line.lines_after) == (3, 5, 1, 1)
    assert (line.time, line.actor, line.groups) == ("2026-11-21T10:00:03Z", "WorkerDict", {"size": "3 GiB"})


def test_a_step_line_is_fed_once_however_many_bars_and_literals_it_holds(folder: Path) -> None:
    path = folder / "console.log"
    bar = b"Training Progress:  %d%%|#| %d/10 [00:%02d<00:30,  1.00s/it]"
    step = b"step:%d - critic/score/mean:0.5 - critic/rewards/mean:0.5 - actor/grad_norm:1.0\n"
    path.write_bytes(b"".join(bar % (n, n, n) + b"\r" + bar % (n, n, n) + step % n for n in range(1, 8)))
    told = Reader(path, PATTERNS).read()
    assert told.series.steps.tolist() == list(range(1, 8))
    assert told.series.lines.tolist() == list(range(1, 8))
    assert told.facts["steps_total"] == 10


def test_needles_of_steps_are_never_passed_over(folder: Path) -> None:
    path = folder / "console.log"
    path.write_bytes(b"".join(b"step:%d - critic/score/mean:0.25\n" % n for n in range(3000)))
    assert len(Reader(path, PATTERNS).read().series) == 3000
    assert StepLines.needles


def test_a_pattern_is_met_in_a_progress_bar_too(folder: Path) -> None:
    path = folder / "bars.log"
    path.write_text(
        "".join(f"Loading shards: {n}% Completed | {n}/9 [00:01<00:09, 1.20s/it]\n" for n in range(9))
    )
    seen = Reader(path, (LinePattern("bar", r"\| 7/9 \[", has=("s/it]",)),)).read().sightings
    assert seen["bar"].count == 1


def test_of_bars_without_a_drawing_only_the_last_is_kept(folder: Path) -> None:
    lines = FedLines(StepLines())
    data = bytearray(b"".join(b"Loading shards: | %d/9 [00:01, 1.2s/it]\n" % number for number in range(9)))
    block = blocks.Block(data, len(data), 0, 1)
    for found in re.finditer(rb"s/it\]", data):
        lines.draw(block, found.end())
    assert len(lines._drawn) == 1
