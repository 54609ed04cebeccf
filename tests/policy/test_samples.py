"""Which tokens of a demonstration weigh how much, and that excerpts are the end of their conversations."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.policy.demonstrations import Demonstration, Habits, make_demonstrations
from liverl.policy.programs import read_programs
from liverl.policy.samples import Weights, conversation, encode, excerpt, render
from liverl.policy.tokenizer import renderer, train_tokenizer

TRAIN = Path(__file__).resolve().parents[2] / "tasks" / "train"
WEIGHTS = Weights(read=0.1, answer=1.0, edit=4.0)


@pytest.fixture(scope="module")
def lessons() -> list[tuple[str, Demonstration]]:
    habits = Habits(preview=0.5, wrong=0.5)
    made = make_demonstrations(read_programs(TRAIN), 20, habits, "samples")
    return [(render(renderer(), demonstration), demonstration) for demonstration in made]


def test_the_pieces_are_the_conversation(lessons: list[tuple[str, Demonstration]]) -> None:
    for text, demonstration in lessons:
        assert "".join(piece for piece, _ in conversation(text, demonstration, WEIGHTS)) == text


def test_what_becomes_of_what_weighs_most_and_the_words_before_it_as_much_as_any_answer(
    lessons: list[tuple[str, Demonstration]],
) -> None:
    for text, demonstration in lessons:
        pieces = conversation(text, demonstration, WEIGHTS)
        heavy = [piece for piece, weight in pieces if weight == WEIGHTS.edit]
        assert heavy
        assert all(piece.startswith("|") and piece.endswith("'") for piece in heavy)
        before = [piece for (piece, weight) in pieces if weight == WEIGHTS.answer and piece.endswith("$/s")]
        assert len(before) == len(heavy)


def test_a_wrong_edit_weighs_nothing(lessons: list[tuple[str, Demonstration]]) -> None:
    skipped = 0
    for text, demonstration in lessons:
        nothing = [piece for piece, weight in conversation(text, demonstration, WEIGHTS) if weight == 0.0]
        assert len(nothing) == demonstration.imitated.count(False)
        skipped += len(nothing)
    assert skipped


def test_an_excerpt_begins_with_the_requests_last_line(lessons: list[tuple[str, Demonstration]]) -> None:
    for text, demonstration in lessons:
        whole = "".join(piece for piece, _ in excerpt(text, demonstration, WEIGHTS))
        assert text.endswith(whole)
        request = str(demonstration.messages[1]["content"])
        assert whole.startswith(request.splitlines()[-1])


def test_every_token_carries_the_weight_of_its_piece(lessons: list[tuple[str, Demonstration]]) -> None:
    tokenizer = train_tokenizer([text for text, _ in lessons], 600)
    pieces = conversation(*lessons[0], WEIGHTS)
    sample = encode(tokenizer, pieces)
    assert tokenizer.decode(sample.ids) == lessons[0][0]
    assert len(sample.ids) == len(sample.weights)
    assert set(sample.weights) == {weight for _, weight in pieces}
