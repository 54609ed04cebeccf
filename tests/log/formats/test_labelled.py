"""Tables that tell several runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from liverl.log.formats.tables import Table
from tests.log.formats.test_tables import column, told, written


def table(*runs: tuple[str, range], header: str = "run,step,reward") -> str:
    rows = [
        f"{name},{step},{number + step / 100}" for number, (name, steps) in enumerate(runs) for step in steps
    ]
    return "\n".join((header, *rows)) + "\n"


def test_runs_below_each_other_are_told_apart_by_their_names(tmp_path: Path) -> None:
    text = table(("base", range(1, 9)), ("no clip", range(1, 12)), ("short", range(1, 6)))
    found = told(written(tmp_path / "metrics.csv", text))
    assert list(found.series.runs) == ["base", "no clip", "short"]
    assert column(found.series.runs["base"], "critic/score/mean")[-1] == 0.08
    assert (len(found.series), found.facts["steps"], found.facts["attempts"]) == (11, 11, 1)  # the longest
    assert found.settings["runs"] == "base, no clip, short"
    assert found.series.runs["short"].lines.tolist() == [21, 22, 23, 24, 25]


def test_runs_are_told_apart_by_all_columns_that_name_one(tmp_path: Path) -> None:
    text = table(("a,1", range(5)), ("a,2", range(5)), ("b,1", range(5)), header="arm,seed,step,reward")
    assert list(told(written(tmp_path / "m.csv", text)).series.runs) == ["a 1", "a 2", "b 1"]


def test_rows_that_take_turns_are_runs_as_well(tmp_path: Path) -> None:
    text = "run,step,reward\n" + "".join(f"{name},{step},0.{step}\n" for step in range(1, 7) for name in "xy")
    runs = told(written(tmp_path / "m.csv", text)).series.runs
    assert [len(each) for each in runs.values()] == [6, 6]


def test_one_name_or_a_run_that_is_continued_is_one_run(tmp_path: Path) -> None:
    for text in (
        table(("only", range(1, 20))),
        table(("first", range(1, 20)), ("resumed", range(18, 40))),
        table(("a", range(1, 20)), ("b", range(1, 3))),  # two steps are no curve
    ):
        assert not told(written(tmp_path / "m.csv", text)).series.runs


def test_a_last_row_without_its_end_is_its_run_s_and_is_read_again_when_it_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    text = table(("base", range(1, 9)), ("no clip", range(1, 12))).rstrip("\n")
    reader = Table(written(path, text), "csv", None)
    for more in ("", "5\n", "no clip,12,7\nlate,1,0.5"):
        with path.open("a") as stream:
            stream.write(more)
        runs = reader.read().series.runs
        fresh = told(path).series.runs
        assert {name: column(each, "critic/score/mean") for name, each in runs.items()} == {
            name: column(each, "critic/score/mean") for name, each in fresh.items()
        }
        if not more:
            assert column(runs["no clip"], "critic/score/mean")[-1] == 1.11


def test_many_names_are_no_runs(tmp_path: Path) -> None:
    text = table(*((f"p{number}", range(1, 5)) for number in range(40)))
    assert not told(written(tmp_path / "m.csv", text)).series.runs


def test_an_export_s_columns_are_told_apart_by_the_runs_in_their_names(tmp_path: Path) -> None:
    of_a = '"a - train/reward","a - train/reward__MIN","a - _step"'
    header = f'"Step",{of_a},"b - train/reward","b - train/kl","c - train/kl"'
    rows = [f'{step},"0.{step}","0.{step}","{step}","","0.0{step}",""' for step in range(1, 7)]
    rows += [f'{step},"","","","0.9","","0.5"' for step in (7, 8)]
    found = told(written(tmp_path / "wandb_export.csv", "\n".join((header, *rows)) + "\n"))
    assert list(found.series.runs) == ["a", "b"]  # two steps are no curve
    assert found.settings["runs"] == "a, b"
    a, b = found.series.runs.values()
    assert column(a, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] and a.steps.tolist() == list(
        range(1, 7)
    )
    assert column(b, "actor/kl_loss")[:2] == [0.01, 0.02] and b.steps.tolist() == list(range(1, 9))


def rows_of(rewards: list[float], **more: object) -> list[dict[str, object]]:
    return [{"step": at, "reward": each, "kl": 0.1, **more} for at, each in enumerate(rewards, 1)]


A, B = [0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]


@pytest.mark.parametrize(
    "document",
    [
        {"a": rows_of(A), "b": rows_of(B)},
        {"note": "two arms", "runs": {"a": rows_of(A), "b": rows_of(B)}},
        {"a": {"kl": A, "reward": A}, "entropy": {"kl": B, "reward": B}},
        {"a": {"log_history": rows_of(A)}, "b": {"log_history": rows_of(B), "best": None}},
        rows_of(A, run="a") + rows_of(B, run="b"),
        {"history": rows_of(A, arm="a") + rows_of(B, arm="b")},
    ],
)
def test_a_document_of_several_runs_is_that_of_each(tmp_path: Path, document: Any) -> None:
    found = told(written(tmp_path / "m.json", json.dumps(document)))
    names = ["a", "entropy" if "entropy" in document else "b"]
    assert list(found.series.runs) == names and found.settings["runs"] == ", ".join(names)
    assert [column(each, "critic/score/mean") for each in found.series.runs.values()] == [A, B]
    assert found.facts["attempts"] == 1 and found.facts["steps"] == 4


@pytest.mark.parametrize(
    "document",
    [
        {"train": rows_of(A), "eval": rows_of(B)},  # parts of one run
        {"reward": {"step": [1, 2, 3], "value": A[:3]}, "kl": {"step": [1, 2, 3], "value": B[:3]}},  # metrics
        {"a": rows_of(A), "b": [{"step": at, "val_acc": 0.1} for at in range(1, 5)]},  # other metrics
        {"1": rows_of(A)[0], "2": rows_of(A)[1], "3": rows_of(A)[2]},  # steps
        rows_of(A, run="a"),
        {"log_history": rows_of(A)},
        {"log_history": rows_of(A), "runs": "none"},
    ],
)
def test_a_document_of_one_run_names_none(tmp_path: Path, document: object) -> None:
    assert not told(written(tmp_path / "m.json", json.dumps(document))).series.runs


def test_lines_that_name_their_runs_are_told_apart(tmp_path: Path) -> None:
    each = [row for pair in zip(rows_of(A, run="a"), rows_of(B, run="b"), strict=True) for row in pair]
    text = "\n".join(map(json.dumps, each))
    for end in ("\n", ""):  # the last line may have no end yet
        found = told(written(tmp_path / "m.jsonl", text + end))
        assert list(found.series.runs) == ["a", "b"]
        assert column(found.series.runs["a"], "critic/score/mean") == A


def test_lines_that_all_name_one_run_are_that_run_s(tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows_of(A, run="a", seed=3))
    found = told(written(tmp_path / "m.jsonl", text))
    assert not found.series.runs and column(found.series, "critic/score/mean") == A
