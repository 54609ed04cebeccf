"""Documents as a Python program printed them."""

from __future__ import annotations

from pathlib import Path
from pprint import pformat

import pytest

from liverl.log.formats.pythonic import decoded
from liverl.log.reader import Reader
from liverl.log.told import Told
from tests.log.formats.test_tables import column

HISTORY = [
    {
        "loss": step / 100,
        "grad_norm": 0.5,
        "reward": 0.25,
        "kl": None if step == 2 else 0.1,
        "epoch": step / 9,
        "step": step,
    }
    for step in range(1, 9)
]


def told(tmp_path: Path, text: str) -> Told:
    path = tmp_path / "history.txt"
    path.write_text(text)
    return Reader(path, ()).read()


@pytest.mark.parametrize("form", ["{!r}\n", "log_history = {!r}\n", "history={!r}", "\n{!r}\n\n"])
def test_a_printed_history_is_a_document(tmp_path: Path, form: str) -> None:
    found = told(tmp_path, form.format(HISTORY))
    assert found.kind == "summary" and found.series.steps.tolist() == list(range(1, 9))
    assert column(found.series, "actor/pg_loss") == [step / 100 for step in range(1, 9)]
    assert column(told(tmp_path, pformat(HISTORY)).series, "actor/pg_loss") == column(
        found.series, "actor/pg_loss"
    )


def test_a_long_history_is_read_to_its_end(tmp_path: Path) -> None:
    rows = [row | {"step": step} for step in range(1, 1500) for row in HISTORY[:1]]
    assert len(told(tmp_path, repr(rows)).series) == 1499


def test_columns_and_rows_by_their_step_are_read(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "{'step': [1, 2, 3], 'loss': array([.1, .2, .3]), 'reward': (1., .5, np.float64(0.25)), 'kl': [1, nan, None,]}",
    )
    assert column(found.series, "critic/score/mean") == [1, 0.5, 0.25]
    assert column(found.series, "actor/pg_loss") == [0.1, 0.2, 0.3]
    rows = ", ".join(
        f"{step}: {{'loss': 0.3, 'reward': tensor(0.{step}, device='cuda:0')}}" for step in (1, 2, 3)
    )
    assert column(told(tmp_path, f"{{{rows}}}").series, "critic/score/mean") == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    "content", ["", "[", "{'a': [1, 2}", "['", "{'a': \"it's\"}", "[{'a': 1}] words", "1"]
)
def test_what_is_no_document_is_none(content: str) -> None:
    assert decoded(content.encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        "[{'reward': 0.5, 'completion': 'abc'}, {'reward': 1.0, 'completion': 'x'}]\n",
        "[{'role': 'user', 'content': 'loss'}]\nINFO a log\n",
        "{'actor': {'grad_clip': 1.0, 'lr': 1e-06},\n 'trainer': {'total_epochs': 15}}\nINFO a log\n",
        "[{'loss': 0.1}] is what was printed\nINFO a log\n",
    ],
)
def test_samples_conversations_and_configurations_are_a_log(tmp_path: Path, text: str) -> None:
    found = told(tmp_path, text)
    assert found.kind == "console" and len(found.series) == 0


def test_a_history_in_one_line_of_a_log_is_its_rows_where_it_has_no_others(tmp_path: Path) -> None:
    within = f"INFO the training begins\n{HISTORY!r}\nINFO done\n"
    assert told(tmp_path, within).series.steps.tolist() == list(range(1, 9))
    rows = "".join(f"{ {key: row[key] for key in ('loss', 'grad_norm', 'reward')} }\n" for row in HISTORY)
    found = told(tmp_path, f"{rows}{rows}{HISTORY!r}\n")
    assert len(found.series) == 16 and found.facts["attempts"] == 1
