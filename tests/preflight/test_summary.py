"""What would be run and what it will cost, in lines short enough for a tool's answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.preflight.cost import Earlier
from liverl.preflight.finding import Finding
from liverl.preflight.summary import configuration_summary, summarise
from tests.preflight.conftest import LAPTOP, MakeConfig
from tests.preflight.scripted_programs import PutProgram, put_program
from tests.preflight.shapes import GPU_BYTES, GPU_HOST, QWEN3_30B_A3B, gpu_profile

__all__ = ["put_program"]

NAMES = [
    "Model",
    "Served as",
    "Train data",
    "Val data",
    "Backend",
    "Parallelism",
    "Batch",
    "Context",
    "vLLM",
    "Algorithm",
    "Epochs",
    "Experiment",
    "Loggers",
    "Scaffold",
    "GPU memory",
    "Disk",
    "Trials",
    "Time",
]


@pytest.fixture
def on_gpus(tmp_path: Path) -> RunConfig:
    """The shipped profile with 1664 training tasks, 50 validation tasks and a 30B mixture's config.json."""
    model = tmp_path / "models" / "Qwen3-30B-A3B-Instruct-2507"
    model.mkdir(parents=True)
    (model / "config.json").write_text(json.dumps(QWEN3_30B_A3B))
    for name, count in (("train", 1664), ("val", 50)):
        for number in range(count):
            (tmp_path / "data" / name / str(number)).mkdir(parents=True)
    data = {"train": str(tmp_path / "data" / "train"), "val": str(tmp_path / "data" / "val")}
    return gpu_profile(tmp_path, model={"path": str(model)}, data=data)


def test_the_fields_stand_in_their_order_and_end_with_the_cost(on_gpus: RunConfig) -> None:
    summary = summarise(on_gpus, GPU_HOST, None)
    assert list(summary.as_dict()) == NAMES


def test_the_values_are_those_of_the_run(on_gpus: RunConfig) -> None:
    told = summarise(on_gpus, GPU_HOST, None, gpu_bytes=GPU_BYTES).as_dict()
    assert told["Model"] == "Qwen3-30B-A3B-Instruct-2507, 30.5B"
    assert told["Train data"] == "data/train, 1664 tasks"
    assert told["Parallelism"] == "1 x 8 GPUs, TP 4, SP 8, 16 workers"
    assert told["Batch"] == "64 x 8 = 512 trials a step"
    assert told["Context"] == "40000 + 68000 tokens"
    assert told["vLLM"] == "2 replicas, 60% of a GPU, 96 sequences"
    assert told["Algorithm"] == "grpo / gspo, lr 1e-06"
    assert told["Epochs"] == "78 steps = 3.0 epochs, save 5, test 5"
    assert told["Scaffold"] == "claude-code, 2400 s, 2 retries"
    assert told["GPU memory"] == "about 77 GB of 86"
    assert told["Trials"] == "39936 + 800 in validation"
    assert told["Time"] == "not measured yet"


def test_an_earlier_run_says_the_hours(on_gpus: RunConfig) -> None:
    told = summarise(on_gpus, GPU_HOST, Earlier("qwen3-1121a", 1800.0)).as_dict()
    assert told["Time"] == "39.0 h, 13.0 an epoch, as qwen3-1121a"


def test_a_run_on_cpus_names_its_server_and_no_gpu(make_config: MakeConfig) -> None:
    told = summarise(make_config(), LAPTOP, None).as_dict()
    assert told["Model"] == "the small policy, built at launch"
    assert told["CPU server"] == "2 cores, 64 sequences"
    assert told["Parallelism"] == "1 x 1 process, 1 worker"
    assert told["GPU memory"] == "no GPU"
    assert "vLLM" not in told


def test_a_model_that_is_not_there_is_not_estimated(tmp_path: Path) -> None:
    assert (
        summarise(gpu_profile(tmp_path), GPU_HOST, None).as_dict()["GPU memory"].startswith("not estimated")
    )


def test_this_machines_summary_knows_earlier_runs_and_gpus(make_config: MakeConfig) -> None:
    told = configuration_summary(make_config(), LAPTOP)
    assert (told["GPU memory"], told["Time"]) == ("no GPU", "not measured yet")


def test_the_summary_is_small_enough_for_a_tools_answer(on_gpus: RunConfig) -> None:
    told = summarise(on_gpus, GPU_HOST, Earlier("qwen3-1121a", 1800.0), gpu_bytes=GPU_BYTES).as_dict()
    assert len(json.dumps(told).encode()) <= 750


def test_long_names_are_cut(make_config: MakeConfig) -> None:
    long = "x" * 200
    config = make_config(
        model={"served_name": long, "path": f"/{long}"},
        experiment={"project": long, "name": long},
        scaffold={"name": f"{long}:{long}"},
        logging={"tensorboard": True, "wandb": "offline"},
    )
    told = summarise(config, LAPTOP, Earlier(long, 1e9)).as_dict()
    assert max(map(len, told.values())) <= 44
    assert len(json.dumps(told).encode()) <= 900


def test_nothing_is_read_where_a_place_hangs(make_config: MakeConfig) -> None:
    hangs = Finding("place:hangs", "fatal", "model.path does not answer")
    assert configuration_summary(make_config(), LAPTOP, [hangs]) == {}


def test_a_driver_that_did_not_answer_is_not_asked_again(
    on_gpus: RunConfig, put_program: PutProgram, tmp_path: Path
) -> None:
    put_program("nvidia-smi", f"touch {tmp_path / 'asked'}; echo 81559")
    silent = Finding("gpu:unknown", "skipped", "nvidia-smi did not answer in time")
    assert "a GPU" in configuration_summary(on_gpus, GPU_HOST, [silent])["GPU memory"]
    assert not (tmp_path / "asked").exists()
    assert "of 86" in configuration_summary(on_gpus, GPU_HOST)["GPU memory"]
