"""Sampled text with the letters of several writings in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from liverl.log.garbled import garbled
from liverl.log.reader import Reader

SALAD = "plane 觉得 ForeignKey ت privile 拒绝 concer"


@pytest.mark.parametrize("text", [SALAD, json.dumps({"text": SALAD}), "Norris ريبكلا 중식 unfold"])
def test_letters_of_three_writings_among_each_other_are_garbled(text: str) -> None:
    assert garbled([text, "The answer is 42."], 2) == 1


@pytest.mark.parametrize(
    "text",
    [
        "reward 0.4 已完成 step 3",
        "これは test の 例 です",
        "한국어 漢字 mixed",
        "languages: English, 中文, العربية, Русский",
        "grad_norm=0.3",
    ],
)
def test_a_language_or_two_and_a_list_of_them_are_not(text: str) -> None:
    assert garbled([text], 1) == 0


def test_a_longer_log_needs_five_of_them() -> None:
    more = "ทรprepare wird OMX цел coatingsっぽ당지 ungleعب"
    assert garbled([SALAD], 200) == 0
    assert garbled([SALAD, more], 200) == 1


def test_a_short_log_and_a_short_document_tell_how_many_lines_are(tmp_path: Path) -> None:
    log = tmp_path / "rollout.log"
    log.write_text(f"rollout 0: The answer is 4.\nrollout 1: {SALAD}\n")
    assert Reader(log, []).read().facts["garbled"] == 1
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"step": at, "reward": 0.5, "text": SALAD * at}) + "\n" for at in (0, 1))
    )
    told = Reader(rows, []).read()
    assert told.facts["garbled"] == 1 and told.facts["steps"] == 2
    log.write_text("all is well\n" * 200 + SALAD + "\n")
    assert "garbled" not in Reader(log, []).read().facts
