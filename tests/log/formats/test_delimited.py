"""Tables of numbers as programs and people of all countries write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from liverl.log.formats.tables import read_table
from liverl.log.reader import Reader
from tests.log.formats.test_tables import column, told, written

ROWS = [(1, "0.298", "30.262", "1e-06"), (2, "0.31", "1234.5", "2e-06"), (3, "nan", "31.0", "3e-06")]


def table(delimiter: str, point: str, header: str = "step,actor/entropy,timing_s/step,actor/lr") -> str:
    lines = [header.replace(",", delimiter)]
    lines += [delimiter.join(str(cell).replace(".", point) for cell in row) for row in ROWS]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        table(";", ","), table(";", "."), table("\t", ","), table("\t", "."), table(",", "."),
        f"sep=;\n{table(';', ',')}", f"\ufeff{table(';', ',')}", f"# of run 7\n# {table(',', '.')}",
        table(";", ",").replace("\n", "\r\n"), table(";", ",").replace("1234,5", "1.234,5"),
    ],
)  # fmt: skip
def test_a_decimal_comma_is_a_point_where_it_does_not_part_cells(tmp_path: Path, text: str) -> None:
    found = told(written(tmp_path / "metrics.csv", text))
    assert found.kind == "csv" and found.series.steps.tolist() == [1, 2, 3]
    assert column(found.series, "actor/entropy")[:2] == [0.298, 0.31]
    assert column(found.series, "timing_s/step") == [30.262, 1234.5, 31]
    assert column(found.series, "actor/lr") == [1e-6, 2e-6, 3e-6]


def test_a_comma_between_thousands_is_none(tmp_path: Path) -> None:
    text = 'step,reward,response_length\n1,"0,25","1,234"\n2,"0,5","1,234,567"\n'
    found = told(written(tmp_path / "metrics.csv", text)).series
    assert column(found, "response_length/mean") == [1234, 1234567]
    assert column(found, "critic/score/mean") == [0.25, 0.5]


def test_units_in_a_header_are_no_part_of_a_metric_s_name(tmp_path: Path) -> None:
    header = "Step [#],Entropy (nats),Step time (s),grad_norm (L2),Truncated (%),response_length (tokens),reward (std)"
    text = f"{header}\n1,0.25,30,1.5,12.5,300,0.1\n2,0.5,31,2.5,50%,310,0.2\n"
    found = told(written(tmp_path / "metrics.csv", text)).series
    assert found.steps.tolist() == [1, 2] and column(found, "actor/entropy") == [0.25, 0.5]
    assert column(found, "actor/grad_norm") == [1.5, 2.5] and column(found, "timing_s/step") == [30, 31]
    assert column(found, "response_length/clip_ratio") == [0.125, 0.5]
    assert column(found, "response_length/mean") == [300, 310]
    assert not found.has("critic/score/mean")  # of a spread


@pytest.mark.parametrize(
    "name",
    [
        "run-grpo-7b_tag-actor_entropy.csv", "run-.-tag-actor_entropy.csv", "actor_entropy.csv", "entropy.csv",
        "entropy (1).csv", "train_entropy.csv", "grpo-7b-actor_entropy.csv", "actor_entropy copy 2.csv",
        "r1_actor_entropy.csv", "qwen3_seed_7_actor_entropy.csv",
    ],
)  # fmt: skip
def test_the_file_s_name_tells_the_metric_of_a_scalar_s_export(tmp_path: Path, name: str) -> None:
    values = [(1767225600.5 + step, step, step / 8) for step in (1, 2, 3)]
    text = "Wall time,Step,Value\n" + "".join(f"{wall},{step},{value}\n" for wall, step, value in values)
    found = told(written(tmp_path / name, text)).series
    assert found.steps.tolist() == [1, 2, 3] and column(found, "actor/entropy") == [0.125, 0.25, 0.375]
    lower = text.replace("Wall time,Step,Value", "wall_time,step,value")
    assert column(told(written(tmp_path / name, lower)).series, "actor/entropy") == column(
        found, "actor/entropy"
    )
    points = told(written(tmp_path / name.replace(".csv", ".json"), json.dumps(values))).series
    assert column(points, "actor/entropy") == column(found, "actor/entropy")


@pytest.mark.parametrize("name", ["teacher_kl_loss.csv", "value_head_grad_norm.csv", "ref_actor_entropy.csv"])
def test_another_model_s_metric_is_not_the_policy_s(tmp_path: Path, name: str) -> None:
    text = "Wall time,Step,Value\n" + "".join(
        f"{1767225600.5 + step},{step},{step / 8}\n" for step in (1, 2, 3)
    )
    found = told(written(tmp_path / name, text)).series
    assert not any(found.has(each) for each in ("actor/kl_loss", "actor/grad_norm", "actor/entropy"))


def test_points_are_no_metric_where_they_have_no_time(tmp_path: Path) -> None:
    assert len(told(written(tmp_path / "entropy.json", "[[1, 2, 3], [4, 5, 6]]")).series) == 0


def test_a_metric_as_mlflow_stores_it_is_read_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "mlruns" / "0" / "0a1b" / "metrics" / "actor" / "entropy"
    path.parent.mkdir(parents=True)
    found = told(written(path, "1767225600123 0.5 1\n1767225630123 nan 2\n1767225660123 2.5e-1 3\n")).series
    assert found.steps.tolist() == [1, 2, 3] and column(found, "actor/entropy")[::2] == [0.5, 0.25]


@pytest.mark.parametrize(
    "header",
    [
        "run_id,key,value,timestamp,step,is_nan", "run.hash,metric.name,step,value,epoch,time",
        "run,tag,step,value,wall_time", "key,step,value",
    ],
)  # fmt: skip
def test_a_metric_a_row_is_read_under_its_name(tmp_path: Path, header: str) -> None:
    cells = {"run_id": "0a", "is_nan": "False", "timestamp": "1767225600123", "run.hash": "f0", "run": "x"}
    cells |= dict.fromkeys(("epoch", "time", "wall_time"), "1.7")
    lines = [header]
    for step in (1, 2, 3):
        for name, value in (("actor/entropy", step / 4), ("critic/score/mean", step / 8)):
            row = (
                cells
                | dict.fromkeys(("key", "metric.name", "tag"), name)
                | {"step": str(step), "value": str(value)}
            )
            lines.append(",".join(row[column_of] for column_of in header.split(",")))
    found = told(written(tmp_path / "metrics.csv", "\n".join(lines) + "\n")).series
    assert found.steps.tolist() == [1, 2, 3]
    assert (
        column(found, "actor/entropy") == [0.25, 0.5, 0.75] and column(found, "critic/score/mean")[2] == 0.375
    )


def test_a_metric_a_row_is_read_from_a_document(tmp_path: Path) -> None:
    rows = [
        {"key": "actor/entropy", "value": step / 4, "timestamp": 1767225600123, "step": step}
        for step in (1, 2, 3)
    ]
    for document in ({"metrics": rows}, rows, {"history": rows}):
        found = told(written(tmp_path / "rest.json", json.dumps(document, indent=1))).series
        assert found.steps.tolist() == [1, 2, 3] and column(found, "actor/entropy") == [0.25, 0.5, 0.75]


def test_metrics_as_json_in_a_cell_or_a_string_are_read(tmp_path: Path) -> None:
    inner = [json.dumps({"train/reward": step / 4, "train/kl": 0.5}) for step in (1, 2, 3)]
    cells = [each.replace('"', '""') for each in inner]
    text = "".join(
        f'{step},2026-01-01T00:00:00,sunny-0,{step},"{cell}"\n' for step, cell in enumerate(cells, 1)
    )
    found = told(written(tmp_path / "metrics.csv", f"id,timestamp,run_name,step,metrics\n{text}")).series
    assert (
        column(found, "critic/score/mean") == [0.25, 0.5, 0.75]
        and column(found, "actor/kl_loss") == [0.5] * 3
    )
    lines = [
        json.dumps({"run_name": "sunny-0", "step": step, "metrics": each})
        for step, each in enumerate(inner, 1)
    ]
    found = told(written(tmp_path / "metrics.jsonl", "\n".join(lines) + "\n")).series
    assert column(found, "critic/score/mean") == [0.25, 0.5, 0.75]


def test_a_run_s_name_before_a_metric_s_is_passed_over(tmp_path: Path) -> None:
    header = "step,exp-3-lr1e-6-actor/entropy,exp-3-lr1e-6-actor/entropy_timestamp"
    found = told(
        written(tmp_path / "chart.csv", f"{header}\n1,0.5,1767225600123\n2,0.25,1767225600124\n")
    ).series
    assert column(found, "actor/entropy") == [0.5, 0.25] and len(found.columns) == 1


def test_a_cell_may_go_on_over_lines_and_a_stray_quote_is_none(tmp_path: Path) -> None:
    rows = [
        f'{step},"Compute, and say only the sum.\n{step} + 7 =\n\n",0.{step},0.01\n' for step in range(1, 8)
    ]
    found = told(written(tmp_path / "metrics.csv", "step,prompt,reward_mean,grad_norm\n" + "".join(rows)))
    assert found.kind == "csv" and found.series.steps.tolist() == [*range(1, 8)]
    assert column(found.series, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]

    rows = [f"{step},a 19 inch disk,0.5,0.01\n" for step in range(1, 400)]
    rows[3], rows[9] = '4,a 19" disk,0.5,0.01\n', '10,"a disk,0.5,0.01\n'
    found = told(written(tmp_path / "stray.csv", "step,note,reward_mean,grad_norm\n" + "".join(rows)))
    assert found.series.steps.tolist() == [*range(1, 400)]
    assert found.series.lines.tolist() == [*range(2, 401)]

    rows = [f'{step},"{"a long prompt" * 4}\n{"of many lines" * 70}\n",0.5,0.01\n' for step in range(1, 99)]
    found = told(written(tmp_path / "long.csv", "step,prompt,reward_mean,grad_norm\n" + "".join(rows)))
    assert found.kind == "csv" and len(found.series) == 98
    rows = [f'{step},"said \u2028so","and",0.5\n' for step in range(1, 20)]
    found = told(written(tmp_path / "separator.csv", "step,prompt,more,reward_mean\n" + "".join(rows)))
    assert len(found.series) == 19


def test_a_table_whose_cells_go_on_over_lines_tells_the_same_however_it_grows(tmp_path: Path) -> None:
    rows = [f'{step},"Say the sum.\n{step} + 7, 8 =\n",0.{step},0.01\n' for step in range(1, 8)]
    text = "step,prompt,reward_mean,grad_norm\n" + "".join(rows)
    path = written(tmp_path / "metrics.csv", text[:150])
    reader = Reader(path, ())
    for end in range(150, len(text) + 1):
        path.write_text(text[:end])
        found = reader.read().series
        whole = text[:end].count(",0.01")
        # A last row that has all its cells counts, whatever is still to come of the last one.
        assert found.steps.tolist() in ([*range(1, whole + 1)], [*range(1, whole + 2)]), text[:end][-40:]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def test_beside_an_episode_steps_are_its_length(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"{50 * row},{25 if row % 2 else 5 + row % 7},{row % 3}.5" for row in range(1, 21)]
    log.write_text("\n".join(["episode,steps,reward", *rows]) + "\n")
    snapshot = Reader(log, {"critic/score/mean"}).read()
    assert len(snapshot.series) == 20
    assert snapshot.series.measured("critic/score/mean").tolist() == [row % 3 + 0.5 for row in range(1, 21)]


def test_one_column_among_many_may_be_called_by_a_number(tmp_path: Path) -> None:
    names = [f"timing_s/part_{number}" for number in range(10)]
    text = f"step,1,critic/score/mean,{','.join(names)}\n"
    text += "".join(f"{step},,0.{step},{','.join('2.5' for _ in names)}\n" for step in range(1, 6))
    found = told(written(tmp_path / "metrics.csv", text))
    assert found.kind == "csv" and found.series.steps.tolist() == [1, 2, 3, 4, 5]
    assert read_table(written(tmp_path / "numbers.csv", "1,2,3\n4,5,6\n7,8,9\n"), None) is None


def test_a_row_without_a_step_belongs_to_the_one_above(tmp_path: Path) -> None:
    text = "step,reward,eval/accuracy\n1,0.5,\n2,0.6,\n,,0.4\n3,0.7,\n"
    found = told(written(tmp_path / "metrics.csv", text)).series
    assert found.steps.tolist() == [1, 2, 3] and column(found, "critic/score/mean") == [0.5, 0.6, 0.7]
    assert found.columns["val/score"][1] == 0.4


def test_rows_without_a_step_are_rows_of_their_own_where_they_tell_the_same_or_are_the_rule(
    tmp_path: Path,
) -> None:
    again = "step,reward,eval/accuracy\n1,0.5,\n2,0.6,\n,0.9,0.4\n3,0.7,\n"
    assert column(told(written(tmp_path / "again.csv", again)).series, "critic/score/mean")[:2] == [0.5, 0.6]
    rule = "step,reward,loss\n0,,0.1\n" + ",0.5,\n" * 4
    assert told(written(tmp_path / "rule.csv", rule)).series.columns["critic/score/mean"].size > 1


def test_a_setting_above_the_header_is_no_header(tmp_path: Path) -> None:
    text = "# GRPOConfig(learning_rate=1e-6, beta=0.001)\nstep,reward,kl\n5,0.4,0.001\n10,0.5,0.002\n"
    found = told(written(tmp_path / "rows.csv", text)).series
    assert found.steps.tolist() == [5, 10] and column(found, "critic/score/mean") == [0.4, 0.5]
