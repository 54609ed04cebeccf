"""Where in a documented function a fault can sit, and what the function looks like with another token there."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from liverl.policy.phrases import FAMILIES, Family

NUMBER = re.compile(r"(?<![\w.\[(-])\d+(?![\w\]])|(?<=\()\d+(?=\))")
# Numbers that people write: few enough that each gets a token of its own.
ROUND = (24, 25, 28, 30, 32, 35, 36, 40, 42, 45, 48, 50, 54, 55, 60, 64, 65, 70, 72, 75, 80, 84, 90, 96)
NUMBERS = tuple(map(str, (*range(2, 21), *ROUND)))


@dataclass(frozen=True)
class Site:
    """A token of the code that a phrase of the docstring decides.

    `phrases` maps each choice to the words that ask for it; `texts` maps it to the text at `span` of the code.
    """

    family: str
    phrase_span: tuple[int, int]
    span: tuple[int, int]
    choice: str
    phrases: dict[str, tuple[str, ...]]
    texts: dict[str, str]


@dataclass(frozen=True)
class Faulty:
    """A function with one wrong token: its faulty text, and the edit that mends it.

    `wrong` holds further texts that could stand in the token's place and would be wrong too.
    """

    text: str
    old: str
    new: str
    wrong: tuple[str, ...]
    family: str

    def edited(self, old: str, new: str) -> str:
        """The function after one substitution a line, as sed would leave it."""
        return "\n".join(line.replace(old, new, 1) for line in self.text.split("\n"))


def split_docstring(text: str) -> tuple[str, str]:
    """Head with docstring, and code. The code is empty when the function has no docstring."""
    parts = re.match(r'(.*?""".*?""")(.*)', text, re.DOTALL)
    return (parts.group(1), parts.group(2)) if parts else (text, "")


def find_sites(text: str, rng: random.Random) -> list[Site]:
    """Sites of the families and of numbers, each only where phrase and token are unambiguous."""
    head, code = split_docstring(text)
    start = head.index('"""') if code else len(head)
    sites = [site for family in FAMILIES if (site := _family_site(family, head, start, code))]
    sites += _number_sites(head, start, code, rng)
    return _without_overlaps(sites)


def break_function(text: str, rng: random.Random) -> Faulty | None:
    """A sibling of the function (other phrases, the tokens that go with them) with one wrong token.

    None when the function has no site, or the edit would touch more than the token.
    """
    sites = find_sites(text, rng)
    if not sites:
        return None
    right = {id(site): site.choice if rng.random() < 0.35 else rng.choice(list(site.texts)) for site in sites}
    faulty = rng.choice(sites)
    others = [choice for choice in faulty.texts if choice != right[id(faulty)]]
    bad = rng.choice(others)
    head, code = split_docstring(text)
    for site in sorted(sites, key=lambda s: s.phrase_span, reverse=True):
        phrase = rng.choice(site.phrases[right[id(site)]])
        head = _put(head, site.phrase_span, phrase)
    for site in sorted(sites, key=lambda s: s.span, reverse=True):
        code = _put(code, site.span, site.texts[bad if site is faulty else right[id(site)]])
    old, new = faulty.texts[bad], faulty.texts[right[id(faulty)]]
    if not _single(old, head, code):
        return None
    wrong = tuple(faulty.texts[choice] for choice in others if choice != bad)
    return Faulty(head + code, old, new, wrong, faulty.family)


def _put(text: str, span: tuple[int, int], new: str) -> str:
    old = text[span[0] : span[1]]
    if old[:1].isupper() and new[:1].islower() and old[1:2].islower():
        new = new[0].upper() + new[1:]
    return text[: span[0]] + new + text[span[1] :]


def _single(old: str, head: str, code: str) -> bool:
    """True if sed finds the text once in the code and not in the `def` line. A dot matches anything there."""
    pattern = re.compile(re.escape(old).replace(r"\.", "."))
    return len(pattern.findall(code)) == 1 and not pattern.search(head.split("\n")[0])


def _without_overlaps(sites: list[Site]) -> list[Site]:
    kept: list[Site] = []
    for site in sites:
        if not any(_touch(site.span, o.span) or _touch(site.phrase_span, o.phrase_span) for o in kept):
            kept.append(site)
    return kept


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _family_site(family: Family, head: str, start: int, code: str) -> Site | None:
    phrases = list(family.phrase_pattern.finditer(head, start))
    tokens = list(family.pattern.finditer(code))
    if len(phrases) != 1 or len(tokens) != 1:
        return None
    match, choice = tokens[0], family.token_of(phrases[0].group(1))
    context = match["context"]
    texts = {token: family.render(token, context) for token in family.phrases}
    span = (match.start(), match.start() + len(texts[choice]))
    if code[span[0] : span[1]] != texts[choice]:
        return None
    return Site(family.name, phrases[0].span(1), span, choice, family.phrases, texts)


def _number_sites(head: str, start: int, code: str, rng: random.Random) -> list[Site]:
    said, used = list(NUMBER.finditer(head, start)), list(NUMBER.finditer(code))
    sites = []
    for match in said:
        number = match.group(0)
        places = [place for place in used if place.group(0) == number]
        if len(places) != 1 or sum(other.group(0) == number for other in said) != 1:
            continue
        others = {number} | {rng.choice(NUMBERS) for _ in range(4)}
        numbers = {other: (other,) for other in sorted(others)}
        texts = {other: other for other in numbers}
        sites.append(Site("constant", match.span(), places[0].span(), number, numbers, texts))
    return sites
