"""Consistent renaming of a program's own words, in identifiers and sentences alike."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from liverl.policy.words import kept_words, new_word

WORD = re.compile(r"[A-Za-z]+")
KEPT = kept_words()


@dataclass(frozen=True)
class Renaming:
    """A one-to-one map of lower-case words; applied to text it keeps each word's capitals."""

    words: dict[str, str]

    def __call__(self, text: str) -> str:
        return WORD.sub(self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        old = match.group(0)
        new = self.words.get(old.lower())
        if new is None:
            return old
        if old.isupper() and len(old) > 1:
            return new.upper()
        return new.capitalize() if old[0].isupper() else new


def draw_renaming(texts: Iterable[str], share: float, rng: random.Random) -> Renaming:
    """New words for about `share` of the words in the texts, never for those of Python or of the phrase book.

    A plural in -s follows its singular.
    """
    old = sorted({word.lower() for text in texts for word in WORD.findall(text)} - KEPT)
    taken, words = set(old) | KEPT, {}
    for word in old:
        if word.endswith("s") and word[:-1] in words:
            words[word] = words[word[:-1]] + "s"
        elif rng.random() < share:
            words[word] = _fresh(taken, rng)
    return Renaming(words)


def _fresh(taken: set[str], rng: random.Random) -> str:
    while True:
        word = new_word(rng)
        if word not in taken:
            taken |= {word, word + "s"}
            return word
