"""The literals that an expression shows."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liverl.log.literals import Needle, end_rarity, needles_of, represented
from liverl.log.sighting import LinePattern


def needles(pattern: str, *has: str) -> set[bytes]:
    return {each.text for each in needles_of(LinePattern("x", pattern, has))}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"No module named '(?P<module>[^']+)'", {b"No module named '"}),
        (r"NCCL (?:timeout|error)", {b"NCCL timeout", b"NCCL error"}),
        (r"^\s*Killed$", {b"Killed"}),
        (r"colou?r mismatch", {b"color mismatch", b"colour mismatch"}),
        (r"[Ff]ailed to bind", {b"Failed to bind", b"failed to bind"}),
        (r"(?:gpu){2}lost", {b"gpulost"}),
        (r"\d+ errors?: \w+ xid of (?:a|b)+", {b"xid of a", b"xid of b"}),
    ],
)
def test_the_rarest_part_that_every_match_holds_is_taken(pattern: str, expected: set[bytes]) -> None:
    assert needles(pattern) == expected


@pytest.mark.parametrize("pattern", [r"\d+", r"(?:foobar|x)y", r"a.b.c", r"(?:foobar)?\d"])
def test_an_expression_without_a_literal_shows_none(pattern: str) -> None:
    assert needles(pattern) == set()


def test_literals_that_are_given_stand_in_for_those_that_are_not_shown() -> None:
    assert needles(r"\d+ (?:KB|MB)", "quota of") == {b"quota of"}
    assert needles(r"\d+", "KiB ", "MiB ") == {b"KiB ", b"MiB "}


@pytest.mark.parametrize("pattern", ["(?i)Address already in use", "(?i:ADDRESS) already in use"])
def test_letters_of_either_case_are_looked_for_where_the_expression_takes_them(pattern: str) -> None:
    assert needles_of(LinePattern("x", pattern)) == (
        Needle(b"address already in use"[:21].rstrip(), True),
    ) or all(
        each.caseless and each.text == each.text.lower() for each in needles_of(LinePattern("x", pattern))
    )


def test_an_end_that_other_text_has_is_left_out() -> None:
    assert needles("Unable to register worker") < {
        b"Unable to register worker"[:end] for end in range(14, 25)
    }
    assert end_rarity(b"XID 79 GPU_LOST") > end_rarity(b"was not found in the worker")


_PARTS = st.recursive(
    st.sampled_from(["abcd", "efghi", "xyz1", r"\d", ".", r"\b", "[ab]", "[^x]", "Qw"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        inner.map(lambda part: f"(?:{part})?"),
        inner.map(lambda part: f"(?:{part})+"),
        inner.map(lambda part: f"(?:{part}){{2}}"),
        inner.map(lambda part: f"(?P<n>{part})" if "?P<n>" not in part else part),
    ),
    max_leaves=8,
)


@given(pattern=_PARTS, text=st.text(alphabet="abcdefghixyz1Qw7 ", max_size=60))
@settings(max_examples=300, deadline=None)
def test_every_match_holds_one_of_the_literals(pattern: str, text: str) -> None:
    try:
        regex = re.compile(pattern)
    except re.error:
        return
    found = needles(pattern)
    if found and regex.search(text):
        assert any(each.decode() in text for each in found)


def test_a_literal_that_holds_a_rare_one_is_looked_for_by_that() -> None:
    short, long = Needle(b"quaternions"), Needle(b"too many quaternions here")
    other, caseless = Needle(b"zeppelin overflow"), Needle(b"no quaternions", caseless=True)
    told = represented(frozenset((short, long, other, caseless)))
    assert told == {short: short, long: short, other: other, caseless: caseless}


def test_a_literal_of_a_few_bytes_stands_for_nothing_else() -> None:
    assert represented(frozenset((Needle(b"quart"), Needle(b"quartz"))))[Needle(b"quartz")] == Needle(
        b"quartz"
    )


def test_of_the_literals_of_one_pattern_none_holds_another() -> None:
    assert needles("quaternions are lost|x", "quaternions", "quaternions are") == {b"quaternions"}
