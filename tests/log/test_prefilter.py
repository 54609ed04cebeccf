"""A search for many expressions at once finds at least what Python finds."""

from __future__ import annotations

import re

import pytest

from liverl.log.dull import Context, Dull
from liverl.log.prefilter import prefilter_of
from liverl.log.scanner import Expression
from liverl.log.sieve import Sieve

pytest.importorskip("hyperscan")

_ZERO = r"\b[Rr]eward['\"]?[=:] ?-?0(?:\.0+)?(?![\d.])"
_LONG = "step:7 - " + " - ".join(f"actor/metric_{number}:0.123" for number in range(40))


@pytest.mark.parametrize("text", ["reward:0.0 - x", "reward:0", "reward=-0.00,"])
def test_what_python_meets_is_never_left_out(text: str) -> None:
    found = prefilter_of({5: _ZERO})
    assert re.search(_ZERO, text)
    assert found is not None and found.may_meet(text) == {5}


def test_what_must_not_follow_is_looked_at() -> None:
    found = prefilter_of({5: _ZERO})
    assert found is not None and found.may_meet("timing_s/reward:0.343 - x") == frozenset()


def test_of_a_text_with_other_letters_nothing_is_left_out() -> None:
    found = prefilter_of({1: "lost", 2: "(?i:out of) memory"})
    assert found is not None and found.may_meet("nothing of it: é") == {1, 2}
    assert found.may_meet("OUT OF memory") == {2}


@pytest.mark.parametrize("text", ["caf\u00e9", "a{,5}b", "[a[b]x", r"(?x)a b", r"(\w)\1", ".{0,160}x", "("])
def test_of_an_expression_that_means_something_else_there_nothing_is_said(text: str) -> None:
    assert prefilter_of({1: text}) is None


def test_a_long_line_is_tried_with_what_it_may_meet_though_it_holds_all_strings() -> None:
    asked = [Expression(_ZERO), Expression(r"(?i:metric_3 is lost)"), Expression(r"caf\u00e9|step")]
    sieve = Sieve(asked, _LONG)
    assert sieve.worth(_LONG) == {2}
    assert sieve.worth(_LONG + " - reward:0.0") == {0, 2}
    assert sieve.worth(_LONG + " METRIC_3 is lost") == {1, 2}


def test_of_words_that_are_others_each_time_nothing_more_is_asked() -> None:
    dull = Dull()
    for number in range(6000):
        line = bytearray(f"{number:016b} rollout {number * 7919 % 99991:017b} lost".encode())
        dull.miss(1, line, line.index(b"rollout") + 7)
    assert 1 not in dull.often


def test_the_same_words_are_still_passed_over() -> None:
    dull, line = Dull(), bytearray(b"INFO 17 rollout of 12 is done")
    place = line.index(b"rollout") + 7
    for _ in range(700):
        dull.miss(1, line, place)
    assert 1 in dull.often
    assert dull.knows(1, Context(line), place)
