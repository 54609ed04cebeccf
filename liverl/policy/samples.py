"""Demonstrations as weighted tokens: whole conversations, and excerpts from reading a function to editing it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from transformers import PreTrainedTokenizerFast

from liverl.policy.demonstrations import Demonstration
from liverl.policy.warmstart import Sample
from liverl.scaffold.shell import TOOLS

ANSWER = re.compile(r"(?<=<\|im_start\|>assistant\n).*?<\|im_end\|>", re.DOTALL)
REQUEST_END = "<|im_end|>\n<|im_start|>assistant\n"
# The part of an edit that says what becomes of what.
SUBSTITUTION = re.compile(r"(?<=\$/s)\|[^']*\|[^']*\|p?'")


@dataclass(frozen=True)
class Weights:
    """Weights in the loss: of what the policy reads, of its answers, and of what becomes of what in an edit.

    The words before it weigh no more than those of other answers: else edits would come up more often than shown.
    """

    read: float = 0.1
    answer: float = 1.0
    edit: float = 4.0


Piece = tuple[str, float]


def render(tokenizer: PreTrainedTokenizerFast, demonstration: Demonstration) -> str:
    """The conversation as the policy reads it."""
    text = tokenizer.apply_chat_template(list(demonstration.messages), tools=TOOLS, tokenize=False)
    assert isinstance(text, str)
    return text


def conversation(text: str, demonstration: Demonstration, weights: Weights) -> list[Piece]:
    """The whole rendered conversation in weighted pieces; answers that are not imitated weigh nothing."""
    imitated = iter(demonstration.imitated)
    pieces: list[Piece] = []
    for number, (start, end) in enumerate(_edges(text)):
        if number % 2 == 0:
            pieces.append((text[start:end], weights.read))
        elif not next(imitated):
            pieces.append((text[start:end], 0.0))
        elif found := SUBSTITUTION.search(text, start, end):
            pieces.append((text[start : found.start()], weights.answer))
            pieces.append((found.group(0), weights.edit))
            pieces.append((text[found.end() : end], weights.answer))
        else:
            pieces.append((text[start:end], weights.answer))
    return pieces


def excerpt(text: str, demonstration: Demonstration, weights: Weights) -> list[Piece]:
    """The conversation from the last line of the request on, without system prompt and symptom.

    The same lesson in little more than half the tokens: what is to be fixed where, and how that is done.
    """
    end = text.index(REQUEST_END)
    return conversation(text[text.rindex("\n", 0, end) + 1 :], demonstration, weights)


def encode(tokenizer: PreTrainedTokenizerFast, pieces: Iterable[Piece]) -> Sample:
    """Token ids of the pieces, each encoded for itself, as answers are when they are sampled."""
    kept = [piece for piece in pieces if piece[0]]
    encoded = tokenizer([text for text, _ in kept], add_special_tokens=False)["input_ids"]
    return Sample(
        [token for ids in encoded for token in ids],
        [weight for ids, (_, weight) in zip(encoded, kept, strict=True) for _ in ids],
    )


def _edges(text: str) -> list[tuple[int, int]]:
    """Spans of what is read and of what is answered, in turns."""
    marks = [0, *(edge for match in ANSWER.finditer(text) for edge in match.span()), len(text)]
    return list(pairwise(marks))
