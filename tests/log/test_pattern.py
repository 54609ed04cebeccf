"""Regular expressions in bounded time."""

from __future__ import annotations

import time

import pytest

from liverl.errors import RunError
from liverl.log.pattern import Search, TookTooLong, backtracks_little, compiled, required_word


def starts(pattern: str, *lines: str, limit_s: float = 5.0) -> list[int]:
    with Search(pattern, limit_s) as search:
        return search.starts(lines)


@pytest.mark.parametrize("pattern", [r"b\d+", "(?:a|b)+.*(?:[0-9]+)+", r"(\d)\1*"])
def test_a_match_is_told_by_where_it_starts(pattern: str) -> None:
    assert starts(pattern, "xx b12", "nothing")[1] == -1
    assert starts(pattern, "xx b12", "nothing")[0] >= 0


@pytest.mark.parametrize("pattern", ["(", "*", "[z-a]", "a{99999999999}", "x" * 501, "(?P<a"])
def test_what_is_no_expression_is_refused_with_the_cure(pattern: str) -> None:
    with pytest.raises(RunError) as refused:
        Search(pattern)
    assert refused.value.code == "log.bad_pattern"
    assert refused.value.next_action


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"(a|aa)+$", r"(a?){40}a{40}", "a?" * 40 + "a" * 40, r"(.*a){20}b"]
)
def test_an_expression_that_never_ends_is_ended(pattern: str) -> None:
    begun = time.monotonic()
    with pytest.raises(TookTooLong):
        starts(pattern, "a" * 39 + "!", "a" * 5000 + "!", limit_s=0.3)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("pattern", "is_quick"),
    [
        ("Error", True),
        (r"step:\d+ - ", True),
        ("(error|warn|fatal)", True),
        (r"\d{4}-\d\d", True),
        ("a.*b.*c", False),
        ("(a+)+", False),
        ("(?:ab|cd)*", False),
        (r"(\w)\1", False),
        ("a(?=b)", False),
        ("a?" * 20, False),
        ("(?:a{0,8}){8}", False),
    ],
)
def test_only_what_hardly_backtracks_is_tried_in_this_process(pattern: str, is_quick: bool) -> None:
    assert backtracks_little(compiled(pattern)[1]) is is_quick


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        (r"step:\d+ .*reward/mean", b"reward"),
        (r"\bOutOfMemory", b"OutOfMemory"),
        ("(abc) d", b"abc"),
        ("abc?d", b"ab"),
        ("abc|defg", b""),
        ("(?i)error", b""),
        ("(?i:error)", b""),
        ("fünf", b"nf"),
    ],
)
def test_the_word_without_which_nothing_matches(pattern: str, word: bytes) -> None:
    expression, parsed = compiled(pattern)
    assert required_word(parsed, expression.flags) == word
