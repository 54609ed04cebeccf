"""Tables in the marks of a page."""

from __future__ import annotations

from pathlib import Path

from liverl.log.formats.marked import marked_rows
from liverl.log.reader import Reader
from tests.log.formats.test_tables import column

_HEADER = ("Step", "Training Loss", "reward", "completions / mean_length", "kl")


def test_the_table_that_a_notebook_shows_is_read() -> None:
    rows = "".join(
        f"    <tr>\n      <td>{step * 10}</td>\n      <td>0.0{step}</td>\n      <td>0.{step}</td>\n"
        f"      <td>20{step}.5</td>\n      <td>0.00{step}</td>\n    </tr>\n"
        for step in range(1, 5)
    )
    header = "".join(f'<th style="text-align: left;">{each}</th>' for each in _HEADER)
    found = marked_rows(f"<table border='1'>\n<tr>{header}</tr>\n{rows}</table><p>".encode()).series()
    assert found.steps.tolist() == [10, 20, 30, 40]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4]
    assert column(found, "response_length/mean") == [201.5, 202.5, 203.5, 204.5]


def test_the_table_above_a_trainers_last_words_is_read(tmp_path: Path) -> None:
    page, ends = (
        tmp_path / "page.md",
        "TrainOutput(global_step=40, training_loss=0.02, metrics={'train_loss': 0.02})\n",
    )
    header = "".join(f"<th>{each}</th>" for each in _HEADER[:3])
    rows = "".join(f"<tr><td>{step}0</td><td>0.0{step}</td><td>0.{step}</td></tr>\n" for step in range(1, 5))
    page.write_text(f"<table>\n<tr>{header}</tr>\n{rows}</table>\n\n{ends}")
    assert column(Reader(page, ()).read().series, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4]
    page.write_text(f"Trained.\n\n{ends}")
    assert Reader(page, ()).read().series.steps.tolist() == [40]


def test_a_table_of_latex_is_read() -> None:
    rows = "".join(f"{step} & 0.{step} & 0.0{step} \\\\\n" for step in range(1, 5))
    found = marked_rows(f"Step & reward & grad\\_norm \\\\ \\midrule\n{rows}".encode()).series()
    assert found.steps.tolist() == [1, 2, 3, 4] and column(found, "actor/grad_norm") == [
        0.01,
        0.02,
        0.03,
        0.04,
    ]


def test_other_tables_are_left_alone() -> None:
    assert (
        len(marked_rows(b"<table><tr><td>Host</td><td>GPUs</td></tr><tr><td>1</td><td>8</td></tr></table>"))
        == 0
    )
    assert len(marked_rows(b"this & that \\\\\n")) == 0
