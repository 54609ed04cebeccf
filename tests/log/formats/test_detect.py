"""Which kind of file it is, by what it holds."""

from __future__ import annotations

import json

import pytest

from liverl.log.formats import detect, encoding_of


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("", "text"),
        (" \n\n", "text"),
        ("step:1 - a/b:0.5 - c/d:1\nstep:2 - a/b:0.5 - c/d:1\n", "console"),
        ("{'loss': 0.5, 'reward': 1.0}\n{'loss': 0.25, 'reward': 1.0}\n", "console"),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n', "console"),
        ("loading, please wait\nready, steady, go\n", "console"),
        ('{"step": 1, "loss": 0.5}\n{"step": 2, "loss": NaN}\n', "jsonl"),
        ('\ufeff{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 1}\n', "jsonl"),
        ('{"step": 1, "data": {"loss": 0.5}}\n', "jsonl"),
        ('{"level": "info", "message": "a"}\n{"level": "info", "message": "b"}\n', "console"),
        ('{"step": 1, "output": "a", "score": 1}\n{"step": 1, "output": "b", "score": 0}\n', "console"),
        ('{"steps": 9, "actor/entropy": {"mean": 1}}', "summary"),
        ('{\n "actor/entropy": [1, 2, 3]\n}\n', "summary"),
        ('[{"step": 1, "loss": 2}, {"step": 2, "loss": 1}]', "summary"),
        ("step,actor_entropy,actor_lr\n1,0.5,1e-6\n2,0.25,1e-6\n", "csv"),
        ("Wall time,Step,Value\n1.5,1,0.5\n2.5,2,0.5\n", "csv"),
        ("iteration\tphase\tloss\n1\twarm\t0.5\n2\twarm\t0.5\n", "csv"),
        ("1,2,3\n4,5,6\n", "console"),
        ('{"x": 0, "total": 90, "unit": "it"}\nStart generating\nbatch 1 made\nbatch 2 made\n', "console"),
        ("\x00\x01\x00\x00" * 100, "text"),
    ],
)
def test_the_kind_is_told_by_the_content(content: str, kind: str) -> None:
    assert detect(content.encode(), "whatever.txt") == kind


def test_a_trainer_state_is_known_even_where_its_end_is_far() -> None:
    history = [{"step": n, "loss": 0.5, "learning_rate": 1e-6} for n in range(3000)]
    for indent in (None, 2):
        text = json.dumps(
            {"best_model_checkpoint": None, "epoch": 1.0, "log_history": history}, indent=indent
        ).encode()
        assert detect(text, "trainer_state.json") == "trainer_state"
        assert detect(text[:65536], "trainer_state.json") == "trainer_state"


def test_a_long_row_that_the_first_bytes_cut_is_still_a_row() -> None:
    row = json.dumps({"step": 1, **{f"metric/{n}": n / 7 for n in range(100)}})
    text = "\n".join([row] * 40).encode()
    assert detect(text[:65536], "m") == "jsonl"


def test_how_bytes_become_text_is_told_by_the_first_of_them() -> None:
    text = "step:1 - actor/entropy:0.5\n" * 10
    assert encoding_of(text.encode()) == ""
    assert encoding_of(text.encode("utf-8-sig")) == "utf-8-sig"
    assert encoding_of(text.encode("utf-16")) == "utf-16-le"
    assert encoding_of(text.encode("utf-16-be")) == "utf-16-be"
    assert encoding_of(b"\x1f\x8b\x08\x00") == "gzip"
    assert encoding_of(b"\x00" * 100) == ""
