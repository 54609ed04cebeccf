"""The phrase book: which words of a docstring ask for which token of the code, one table a fault family.

Demonstrations use it to find the places of a training program where a fault can sit, and to turn a program into its
siblings (another phrase, and the token that goes with it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Tokens that can stand in for one another, and the phrases that tell them apart.

    `pattern` finds the token (group `token`) in the code of a function, with the text beside it (group `context`);
    `render(token, context)` is the text that stands there, which is also what an edit replaces.
    """

    name: str
    phrases: dict[str, tuple[str, ...]]
    pattern: re.Pattern[str]
    render: Callable[[str, str], str]

    def token_of(self, phrase: str) -> str:
        """The token that a phrase asks for."""
        return next(token for token, all_ in self.phrases.items() if phrase.lower() in all_)

    @property
    def phrase_pattern(self) -> re.Pattern[str]:
        """Any phrase of the family as whole words, the longest first."""
        words = sorted((p for all_ in self.phrases.values() for p in all_), key=len, reverse=True)
        return re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)


def _operator(token: str, _: str) -> str:
    return f"{token} "


def _word(token: str, _: str) -> str:
    return f" {token} "


def _call(token: str, context: str) -> str:
    return f"{token}({context}"


def _closed(token: str, _: str) -> str:
    return f"{token}]"


def _range(token: str, context: str) -> str:
    return f" + 1{context}" if token == "closed" else context


def _family(
    name: str, phrases: dict[str, tuple[str, ...]], pattern: str, render: Callable[[str, str], str]
) -> Family:
    return Family(name, phrases, re.compile(pattern), render)


FAMILIES: tuple[Family, ...] = (
    _family(
        "comparison",
        {
            ">=": ("at least",),
            ">": ("more than", "above"),
            "<=": ("at most", "up to"),
            "<": ("less than", "below", "under"),
        },
        r"(?<= )(?P<token>>=|<=|>|<) (?P<context>)",
        _operator,
    ),
    _family(
        "aggregate",
        {
            "max": ("largest", "highest", "longest"),
            "min": ("smallest", "lowest", "shortest"),
            "sum": ("total", "sum"),
            "len": ("number", "count"),
        },
        r"\b(?P<token>max|min|sum|len)\((?P<context>)",
        _call,
    ),
    _family(
        "arithmetic",
        {
            "+": ("plus", "increased by"),
            "-": ("minus", "reduced by"),
            "*": ("times", "multiplied by"),
            "/": ("divided by", "shared by"),
        },
        r"(?<= )(?P<token>[-+*/]) (?P<context>)",
        _operator,
    ),
    _family(
        "accumulate",
        {"+=": ("add",), "-=": ("subtract",)},
        r"(?<= )(?P<token>\+=|-=) (?P<context>)",
        _operator,
    ),
    _family(
        "range",
        {"closed": ("included",), "open": ("excluded",)},
        r"(?<=\w)(?P<token> \+ 1)?(?P<context>\)\))",
        _range,
    ),
    _family("index", {"0": ("first",), "-1": ("last",)}, r"(?<=\[)(?P<token>0|-1)\](?P<context>)", _closed),
    _family(
        "slice", {"1:": ("first",), ":-1": ("last",)}, r"(?<=\[)(?P<token>1:|:-1)\](?P<context>)", _closed
    ),
    _family(
        "logic",
        {"and": ("both",), "or": ("either",)},
        r" (?P<token>and|or) (?P<context>)",
        _word,
    ),
    _family(
        "quantifier",
        {"all": ("every",), "any": ("any",)},
        r"\b(?P<token>all|any)\((?P<context>)",
        _call,
    ),
    _family(
        "membership",
        {"not in": ("missing from",), "in": ("present in", "listed in", "found in")},
        r" (?P<token>not in|in) (?P<context>)",
        _word,
    ),
    _family(
        "normalisation",
        {
            "lower": ("lower case",),
            "upper": ("upper case",),
            "title": ("title case",),
            "strip": ("stripped",),
        },
        r"(?<=\.)(?P<token>lower|upper|title|strip)\((?P<context>\))",
        _call,
    ),
    _family(
        "rounding",
        {"floor": ("rounded down",), "ceil": ("rounded up",)},
        r"\b(?P<token>floor|ceil)\((?P<context>)",
        _call,
    ),
    _family(
        "sort",
        {"reverse=True": ("descending",), "reverse=False": ("ascending",)},
        r"(?P<token>reverse=(?:True|False))(?P<context>)",
        lambda token, _: token,
    ),
    _family(
        "affix",
        {"startswith": ("starting with",), "endswith": ("ending with",)},
        r"(?<=\.)(?P<token>startswith|endswith)\((?P<context>)",
        _call,
    ),
)
