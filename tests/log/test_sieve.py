"""Expressions that a line can't meet are left out; none that it meets is."""

from __future__ import annotations

from pathlib import Path

from liverl.log.literals import shown_in
from liverl.log.reader import Reader
from liverl.log.scanner import Expression
from liverl.log.sieve import Sieve
from liverl.log.sighting import LinePattern

_LINE = "RuntimeError: something else"
_EXPRESSIONS = (
    r"RuntimeError: .{0,80}(?:must be set|is required) for \w+",
    r"RuntimeError: (?P<what>\S.*)",
    r"(?i)runtimeerror: GIVE up",
)


def test_a_line_is_tried_with_what_it_may_meet() -> None:
    sieve = Sieve([Expression(each) for each in _EXPRESSIONS], _LINE)
    assert sieve.worth(_LINE) == {1, 2}
    assert sieve.worth("RuntimeError: batch_size must be set for training") == {0, 1, 2}


def test_nothing_is_left_out_where_no_expression_shows_anything() -> None:
    sieve = Sieve([Expression(r"\d+ \w+")], _LINE)
    assert sieve.worth("3 apples") == {0}


def test_every_match_holds_one_of_each_set_of_strings() -> None:
    sets = shown_in(r"ValueError: .{0,9}(?:is not supported|has no support|unsupported \w+)(?= here)")
    matched = ("ValueError: fp8 is not supported here", "ValueError: it has no support here",
               "ValueError: unsupported kind here")  # fmt: skip
    assert sets
    assert all(any(each in line for each in its) for its in sets for line in matched)
    assert not all(any(each in "ValueError: seed is wrong here" for each in its) for its in sets)


def test_an_expression_of_either_case_shows_nothing() -> None:
    assert shown_in(r"(?i)out of memory") == shown_in(r"(?i:out) of memory") == ()


def test_a_rare_line_among_thousands_that_look_like_it_is_met(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    lines = [f"RuntimeError: something number {number} of {number * 7}" for number in range(3000)]
    lines[2500] = "RuntimeError: batch_size must be set for training"
    lines[2700] = "\x1b[31mRuntimeError: the seed is required for evaluation\x1b[0m"
    log.write_text("\n".join(lines) + "\n")
    told = Reader(log, [LinePattern("one", _EXPRESSIONS[0]), LinePattern("all", _EXPRESSIONS[1])]).read()
    one = told.sightings["one"]
    assert (one.count, one.first[0].number, one.last.number) == (2, 2501, 2701)
    assert told.sightings["all"].first[0].number == 1
