"""Files of metrics that are no console log."""

from __future__ import annotations

import gzip
import json
import lzma
import struct
from pathlib import Path

import numpy as np
import pytest

from liverl.errors import LiveRLError
from liverl.log.formats.tables import Table, read_table
from liverl.log.series import Series
from liverl.log.told import Told


def told(path: Path, wanted: frozenset[str] | None = None) -> Told:
    found = read_table(path, wanted)
    assert found is not None
    return found


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def jsonl(path: Path, *rows: object) -> Path:
    return written(path, "".join(f"{json.dumps(row)}\n" for row in rows))


def column(found: Series, name: str) -> list[float]:
    return [round(float(value), 6) for value in found.columns[name]]


def test_our_own_rows_stand_as_the_newest_attempt_left_them(tmp_path: Path) -> None:
    rows = [
        {"step": step, "attempt": 1, "time": f"2026-01-01T00:00:0{step}Z", "actor/entropy": 0.5}
        for step in range(6)
    ]
    rows += [
        {"step": 3, "attempt": 2, "time": "", "actor/entropy": 0.25},
        {"step": 3, "attempt": 2, "actor/lr": 0.1},
    ]
    found = told(jsonl(tmp_path / "metrics.jsonl", *rows))
    assert found.kind == "jsonl"
    # Steps 4 and 5 were made by a policy that is gone.
    assert found.series.steps.tolist() == [0, 1, 2, 3]
    assert column(found.series, "actor/entropy") == [0.5, 0.5, 0.5, 0.25]
    assert found.series.columns["actor/lr"][3] == 0.1
    assert found.series.time_of(1) == "2026-01-01T00:00:01Z"
    assert found.series.lines.tolist() == [1, 2, 3, 8]


def test_in_verl_s_own_file_null_was_measured_and_is_not_finite(tmp_path: Path) -> None:
    rows = [{"step": step, "data": {"actor/grad_norm": None if step else 1.0, "x": [1]}} for step in range(2)]
    found = told(jsonl(tmp_path / "run.jsonl", *rows)).series
    assert found.columns["actor/grad_norm"][0] == 1 and np.isinf(found.columns["actor/grad_norm"][1])


def test_elsewhere_null_was_not_measured_and_nan_and_huge_numbers_are_not_finite(tmp_path: Path) -> None:
    path = written(
        tmp_path / "history.jsonl",
        '{"_step": 1, "loss": null, "kl": NaN, "reward": 1}\n'
        '{"_step": 2, "loss": 1' + "0" * 5000 + ', "kl": -Infinity, "reward": true}\n'
        "not a row\n[1]\n\n"
        '{"_step": 3, "loss": "0.5", "kl": {"mean": 2}, "reward": "words"}\n',
    )
    found = told(path).series
    assert found.steps.tolist() == [1, 2, 3]
    assert (
        np.isnan(found.columns["loss"][0])
        and np.isinf(found.columns["loss"][1])
        and found.columns["loss"][2] == 0.5
    )
    assert np.isinf(found.columns["kl"][:2]).all() and found.columns["kl/mean"][2] == 2
    assert column(found, "critic/score/mean")[:2] == [1, 1] and np.isnan(
        found.columns["critic/score/mean"][2]
    )


@pytest.mark.parametrize(
    "key", ["step", "global_step", "training/global_step", "_step", "iteration", "progress/batch"]
)
def test_a_row_s_step_is_found_by_its_many_names(tmp_path: Path, key: str) -> None:
    found = told(jsonl(tmp_path / "a.jsonl", {"loss": 1, key: 4}, {"loss": 2, key: 8})).series
    assert found.steps.tolist() == [4, 8]


def test_a_growing_file_is_read_on_and_a_torn_row_comes_with_its_end(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "metrics.jsonl", *({"step": step, "reward": step} for step in range(3)))
    table = Table(path, "jsonl")
    first = table.read().series
    with path.open("a") as stream:
        stream.write('{"step": 3, "rew')
    assert table.read().series.steps.tolist() == [0, 1, 2]
    with path.open("a") as stream:
        stream.write('ard": 30}')
    second = table.read().series  # whole, though its line has no end yet
    assert second.steps.tolist() == [0, 1, 2, 3]
    with path.open("a") as stream:
        stream.write('\n{"step": 4, "reward": 40}\n')
    third = table.read().series
    assert column(third, "reward") == [0, 1, 2, 30, 40] and third.lines.tolist() == [1, 2, 3, 4, 5]
    assert column(first, "reward") == [0, 1, 2] and column(second, "reward") == [0, 1, 2, 30]
    jsonl(path, {"step": 9, "reward": 1})
    assert table.read().series.steps.tolist() == [9]


def test_only_wanted_columns_are_kept(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "m.jsonl", *({"step": n, "grad_norm": 1, "timing_s/x": 2, "reward": 0} for n in range(3))
    )
    found = told(path, frozenset(("actor/grad_norm",))).series
    assert set(found.columns) == {"grad_norm", "actor/grad_norm", "reward", "critic/score/mean"}


def test_tinker_s_names_are_known(tmp_path: Path) -> None:
    row = {
        "step": 1,
        "reward/total": 0.5,
        "optim/lr": 1e-5,
        "time/total": 9,
        "loss:sum": 7,
        "groups_skipped": 2,
        "groups_total": 8,
    }
    found = told(jsonl(tmp_path / "m.jsonl", row, {**row, "step": 2})).series
    names = ("critic/score/mean", "actor/lr", "timing_s/step", "actor/pg_loss", "reward/zero_std_share")
    assert [column(found, name)[0] for name in names] == [0.5, 1e-5, 9, 7, 0.25]


def test_verl_s_keys_with_underscores_are_told_by_their_slashes(tmp_path: Path) -> None:
    path = written(
        tmp_path / "metrics.csv",
        "step,actor_entropy,actor_pg_clipfrac,critic_score_mean,response_length_clip_ratio,response_length_non_aborted_mean,"
        "timing_s_agent_loop_slowest_tool_calls,timing_s_agent_loop_tool_calls_max,timing_s_update_actor,perf_mfu_actor,"
        "val-core_my_set_acc_mean@1,training_rollout_probs_diff_mean,global_seqlen_minmax_diff\n"
        "1,0.5,0,0.25,0,10,1,2,3,0.3,,0.001,5\n2,nan,0,0.25,0,10,1,2,3,0.3,0.75,0.001,5\n",
    )
    found = told(path).series
    assert set(found.columns) == {
        "actor/entropy", "actor/pg_clipfrac", "critic/score/mean", "response_length/clip_ratio",
        "response_length_non_aborted/mean", "timing_s/agent_loop/slowest/tool_calls",
        "timing_s/agent_loop/tool_calls/max",
        "timing_s/update_actor", "perf/mfu/actor", "val-core/my_set/acc/mean@1", "val/score",
        "training/rollout_probs_diff_mean", "global_seqlen/minmax_diff",
    }  # fmt: skip
    assert np.isinf(found.columns["actor/entropy"][1])
    assert np.isnan(found.columns["val/score"][0]) and found.columns["val/score"][1] == 0.75


def test_an_export_of_wandb_tells_the_run_that_has_most(tmp_path: Path) -> None:
    path = written(
        tmp_path / "wandb.csv",
        '"Step","a - actor/entropy","a - actor/entropy__MIN","a - actor/entropy__MAX","b - x","a - actor/lr"\n'
        '"1","0.5","0.5","0.5","","1e-6"\n"2","0.25","0.25","0.25","7","1e-6"\n',
    )
    found = told(path)
    assert found.settings["runs"] == "a, b"
    assert set(found.series.columns) == {"actor/entropy", "actor/lr"}
    assert column(found.series, "actor/entropy") == [0.5, 0.25]


def test_tensorboard_s_csv_is_named_by_its_file(tmp_path: Path) -> None:
    path = written(
        tmp_path / "run-mine-tag-actor_grad_norm.csv",
        "Wall time,Step,Value\n1700000000.5,1,0.5\n1700000001.5,2,0.25\n",
    )
    assert column(told(path).series, "actor/grad_norm") == [0.5, 0.25]


def test_a_table_with_text_and_fractions_of_an_epoch_counts_its_rows(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "epoch;phase;loss\n0.1;warm;1.5\n0.2;warm;1.25\n0.3;main;x\n")
    found = told(path).series
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "loss")[:2] == [1.5, 1.25] and np.isnan(found.columns["loss"][2])


def test_a_trainer_state_tells_its_history(tmp_path: Path) -> None:
    history = [{"step": n * 10, "epoch": n / 10, "loss": 0.5, "reward": n, "kl": 0.1} for n in range(1, 4)]
    history += [
        {"step": 30, "eval_reward": 0.75},
        {"step": 30, "train_runtime": 10.0, "train_loss": 0.5, "epoch": 1},
    ]
    path = written(
        tmp_path / "trainer_state.json",
        json.dumps({"best_metric": None, "log_history": history, "max_steps": 30}),
    )
    found = told(path)
    assert found.kind == "trainer_state" and found.series.steps.tolist() == [10, 20, 30]
    assert column(found.series, "critic/score/mean") == [1, 2, 3]
    assert column(found.series, "val/score")[2] == 0.75


def test_a_summary_is_one_row_that_stands_for_its_steps(tmp_path: Path) -> None:
    document = {
        "steps": 117,
        "rollout_corr/kl": {"mean": 16.0, "min": 0.1, "max": 17.0},
        "actor/entropy": {"mean": 5.5},
    }
    found = told(written(tmp_path / "summary.json", json.dumps(document, indent=1)))
    assert found.kind == "summary"
    assert column(found.series, "rollout_corr/kl") == [16] and found.series.spans.tolist() == [117]
    assert found.series.span_of(0, 0) == 117


def test_wandb_s_summary_is_the_row_of_its_last_step(tmp_path: Path) -> None:
    path = written(
        tmp_path / "wandb-summary.json", '{"_step": 40, "actor/entropy": 0.5, "_wandb": {"runtime": 5}}'
    )
    found = told(path).series
    assert (
        found.steps.tolist() == [40]
        and found.spans.tolist() == [1]
        and column(found, "actor/entropy") == [0.5]
    )


def test_lists_of_values_are_columns(tmp_path: Path) -> None:
    path = written(
        tmp_path / "curves.json",
        json.dumps({"steps": [1, 5, 9], "metrics": {"loss": [3, 2, None]}, "tags": ["a"]}),
    )
    found = told(path).series
    assert found.steps.tolist() == [1, 5, 9] and column(found, "loss")[:2] == [3, 2]


def event(step: int, tag: str, value: float, *, as_tensor: bool = False) -> bytes:
    """A record of TensorBoard's as its writers make it."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    if as_tensor:
        told = field(8, b"\x08\x01" + field(4, struct.pack("<f", value)))
    else:
        told = b"\x15" + struct.pack("<f", value)
    message = (
        b"\x09"
        + struct.pack("<d", 1.7e9)
        + b"\x10"
        + bytes([step])
        + field(5, field(1, field(1, tag.encode()) + told))
    )
    return record(message)


def record(message: bytes) -> bytes:
    return struct.pack("<Q", len(message)) + bytes(4) + message + bytes(4)


def test_tensorboard_s_events_are_read_and_a_cut_one_as_far_as_it_is_whole(tmp_path: Path) -> None:
    start = record(b"\x09" + struct.pack("<d", 1.7e9) + b"\x1a\x0dbrain.Event:2")
    content = start + b"".join(
        event(n, "actor/entropy", n / 4) + event(n, "train/loss", 1, as_tensor=True) for n in (1, 2, 3)
    )
    path = written(
        tmp_path / "events.out.tfevents.1700000000.host.1.0", content + event(4, "actor/entropy", 1)[:-9]
    )
    found = told(path)
    assert found.kind == "events" and found.series.steps.tolist() == [1, 2, 3]
    assert column(found.series, "actor/entropy") == [0.25, 0.5, 0.75]
    assert column(found.series, "actor/pg_loss") == [1, 1, 1]
    assert found.series.time_of(0) == "2023-11-14T22:13:20Z"


def test_what_tensorboard_itself_writes_is_read(tmp_path: Path) -> None:
    writer = pytest.importorskip("tensorboard.summary.writer.event_file_writer")
    protos = pytest.importorskip("tensorboard.compat.proto.event_pb2")
    summaries = pytest.importorskip("tensorboard.compat.proto.summary_pb2")
    out = writer.EventFileWriter(str(tmp_path))
    for step in range(1, 4):
        value = summaries.Summary.Value(tag="critic/score/mean", simple_value=step / 2)
        out.add_event(protos.Event(step=step, wall_time=1.7e9, summary=summaries.Summary(value=[value])))
    out.close()
    (path,) = tmp_path.iterdir()
    assert column(told(path).series, "critic/score/mean") == [0.5, 1.0, 1.5]


@pytest.mark.parametrize("packed", [gzip.compress, lzma.compress, lambda raw: raw.decode().encode("utf-16")])
def test_packed_files_and_utf_16_are_read_as_what_they_hold(tmp_path: Path, packed: object) -> None:
    assert callable(packed)
    rows = "".join(json.dumps({"step": n, "reward": n / 2}) + "\n" for n in range(20))
    found = told(written(tmp_path / "metrics.jsonl.bin", packed(rows.encode()))).series
    assert len(found) == 20 and column(found, "reward")[:3] == [0, 0.5, 1]


def test_a_console_log_is_no_table_and_a_missing_file_is_told(tmp_path: Path) -> None:
    assert read_table(written(tmp_path / "a.log", "step:1 - a:1\nstep:2 - a:2\n"), None) is None
    assert read_table(written(tmp_path / "empty.jsonl", ""), None) is None
    with pytest.raises(LiveRLError, match=r"log\.missing"):
        read_table(tmp_path / "gone", None)
    with pytest.raises(LiveRLError, match=r"log\.missing"):
        read_table(tmp_path, None)
    with pytest.raises(LiveRLError, match=r"log\.packed"):
        read_table(written(tmp_path / "a.zst", b"\x28\xb5\x2f\xfd" + bytes(100)), None)


def test_a_notebook_s_table_in_a_file_of_its_own_is_read_with_the_header_of_each_session(
    tmp_path: Path,
) -> None:
    header = "Step\tTraining Loss\treward\tcompletions / clipped_ratio\n"
    rows = "".join(f"{n}\tNo Log\t1,234.5\t0.25\n" for n in range(1, 13))
    found = told(written(tmp_path / "t.tsv", header + rows + header + rows.replace("0.25", "0.5")))
    assert (
        found.kind == "csv"
        and found.series.steps.tolist() == list(range(1, 13))
        and found.facts["attempts"] == 2
    )
    assert column(found.series, "response_length/clip_ratio") == [0.5] * 12
    assert column(found.series, "critic/score/mean") == [1234.5] * 12


def test_the_step_of_ms_swift_s_rows_is_found(tmp_path: Path) -> None:
    rows = [{"loss": 0.1, "reward": n, "global_step/max_steps": f"{5 * n}/547"} for n in range(1, 4)]
    assert told(jsonl(tmp_path / "logging.jsonl", *rows)).series.steps.tolist() == [5, 10, 15]


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_a_table_with_a_column_of_row_numbers_is_read(tmp_path: Path, first: str) -> None:
    rows = "".join(f"{n},{n + 1},{n / 10},0.5\n" for n in range(20))
    found = told(written(tmp_path / "history.csv", f"{first},step,reward,kl\n{rows}"))
    assert found.kind == "csv" and found.series.steps.tolist() == list(range(1, 21))
    assert column(found.series, "critic/score/mean")[:3] == [0, 0.1, 0.2]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("step,metric,value", "{step},{name},{value}"),
        ("run,step,tag,value", "a,{step},{name},{value}"),
        ("name,value,step", "{name},{value},{step}"),
    ],
)
def test_a_table_that_tells_one_metric_a_row_is_read_by_their_names(
    tmp_path: Path, header: str, row: str
) -> None:
    lines = [
        row.format(step=n, name=name, value=value)
        for n in range(1, 21)
        for name, value in (("train/reward", n / 10), ("grad_norm", 0.5))
    ]
    found = told(written(tmp_path / "long.csv", "\n".join([header, *lines]) + "\n")).series
    assert found.steps.tolist() == list(range(1, 21))
    assert column(found, "critic/score/mean")[:3] == [0.1, 0.2, 0.3]
    assert column(found, "actor/grad_norm") == [0.5] * 20


@pytest.mark.parametrize(("name", "value"), [("tag", "value"), ("metric", "value"), ("name", "val")])
def test_rows_that_tell_one_metric_each_are_read_by_their_names(
    tmp_path: Path, name: str, value: str
) -> None:
    rows = [
        {"step": n, name: metric, value: told_value, "wall_time": 1.5}
        for n in range(1, 21)
        for metric, told_value in (("train/reward", n / 10), ("grad_norm", 0.5))
    ]
    found = told(jsonl(tmp_path / "scalars.jsonl", *rows)).series
    assert found.steps.tolist() == list(range(1, 21))
    assert column(found, "critic/score/mean")[:3] == [0.1, 0.2, 0.3]
    assert column(found, "actor/grad_norm") == [0.5] * 20


def test_a_row_with_metrics_of_its_own_keeps_them_beside_a_name_and_a_value(tmp_path: Path) -> None:
    rows = [
        {"step": n, "name": "run", "value": 0.7, "reward": n / 10, "kl": 0.1, "loss": 0.0, "lr": 1e-6}
        for n in range(1, 9)
    ]
    found = told(jsonl(tmp_path / "metrics.jsonl", *rows)).series
    assert column(found, "critic/score/mean")[:2] == [0.1, 0.2] and "run" not in found.columns


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: {"model": "a", "training_metrics": rows},
        lambda rows: {"config": {"lr": 1e-6}, "result": {"curve": rows, "best": [0.1]}},
        lambda rows: {str(row.pop("step")): row for row in rows},
        lambda rows: {"metrics": {f"step_{row.pop('step')}": row for row in rows}},
    ],
)
def test_rows_under_any_key_or_under_their_steps_are_read(tmp_path: Path, form: object) -> None:
    assert callable(form)
    rows: list[dict[str, float]] = [
        {"step": n, "reward": n / 10, "kl": 0.1, "grad_norm": 0.5} for n in range(1, 21)
    ]
    found = told(written(tmp_path / "out.json", json.dumps(form(rows), indent=1))).series
    assert found.steps.tolist() == list(range(1, 21))
    assert column(found, "critic/score/mean")[:3] == [0.1, 0.2, 0.3]


def test_a_list_of_samples_is_no_list_of_rows(tmp_path: Path) -> None:
    rows = [{"step": n, "prompt": "2+2", "reward": n / 10, "kl": 0.1} for n in range(1, 21)]
    path = written(tmp_path / "out.json", json.dumps({"reward": 0.5, "samples": rows}, indent=1))
    assert len(told(path).series) < 2


def test_a_trainer_state_that_was_cut_tells_the_rows_that_are_whole(tmp_path: Path) -> None:
    history = [{"epoch": n / 10, "grad_norm": 0.5, "reward": n / 10, "step": n} for n in range(1, 21)]
    text = json.dumps({"best_metric": None, "log_history": history}, indent=2)
    found = told(written(tmp_path / "trainer_state.json", text[: text.rindex('"reward"')]))
    assert found.kind == "trainer_state" and found.series.steps.tolist() == list(range(1, 20))
    assert column(found.series, "critic/score/mean")[:3] == [0.1, 0.2, 0.3]


def test_keys_that_end_with_their_step_are_rows(tmp_path: Path) -> None:
    found = told(
        written(tmp_path / "a.json", '{"kl_step_1": 0.001, "reward_step_1": 0.4, "kl_step_90": 3.5}')
    ).series
    assert found.steps.tolist() == [1, 90] and column(found, "actor/kl_loss") == [0.001, 3.5]
    many = told(
        written(tmp_path / "b.json", '{"val-core/a/acc/mean@1": 0.3, "val-core/a/acc/mean@8": 0.4}')
    ).series
    assert len(many) == 1


def test_rows_that_count_rollouts_have_their_steps(tmp_path: Path) -> None:
    rows = jsonl(tmp_path / "a.jsonl", {"rollout_id": 4, "reward": 0.1}, {"rollout_id": 9, "reward": 0.2})
    assert told(rows).series.steps.tolist() == [4, 9]


@pytest.mark.parametrize("key", ["{0}_{1}", "{0}/{1}", "{1}_{0}"])
def test_both_ends_of_a_run_are_told_by_the_names_of_its_metrics(tmp_path: Path, key: str) -> None:
    told = {"reward": (0.4, 0.1), "kl": (0.001, 2.5)}
    path = tmp_path / "summary.json"
    path.write_text(
        json.dumps(
            {"steps": 300}
            | {
                key.format(name, end): value
                for name, ends in told.items()
                for end, value in zip(("start", "end"), ends, strict=True)
            }
        )
    )
    found = read_table(path)
    assert found is not None and found.series.steps.tolist() == [1, 300]
    assert column(found.series, "critic/score/mean") == [0.4, 0.1]
    assert column(found.series, "actor/kl_loss") == [0.001, 2.5]
