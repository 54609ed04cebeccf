"""What a log's beginning says of a run's set-up, and what it leaves open."""

from pathlib import Path

import pytest

from liverl.log.reader import Reader
from liverl.log.settings import HEAD_BYTES, configured_in, family_of, settings_of

CONFIG = """(TaskRunner pid=71) {'actor_rollout_ref': {'actor': {'strategy': 'fsdp2', 'ppo_mini_batch_size': 64,
(TaskRunner pid=71)    'optim': {'total_training_steps': -1}, 'betas': [0.9, {'name': 'sglang'}]},
(raylet) a line of somebody else {
(TaskRunner pid=71)   'hybrid_engine': True, 'model': {'path': '/models/Qwen3-30B-A3B'},
(TaskRunner pid=71)   'rollout': {'engine_kwargs': {'trtllm': {'name': 'trtllm'}, 'sglang': {'name': 'sglang'}},
(TaskRunner pid=71)               'mode': 'async', 'name': 'vllm'}},
(TaskRunner pid=71)  'algorithm': {'adv_estimator': 'grpo'},
(TaskRunner pid=71)  'critic': {'model': {'path': '~/models/deepseek-llm-7b-chat'}, 'strategy': 'fsdp'},
(TaskRunner pid=71)  'trainer': {'nnodes': 2, 'v1': {'trainer_mode': 'separate_async'}}}
"""
COMMAND = (
    "+ python -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct "
    "actor_rollout_ref.actor.strategy=megatron actor_rollout_ref.rollout.name=sglang trainer.nnodes=1\n"
)


def test_the_set_up_is_told_by_a_printed_configuration() -> None:
    assert settings_of(CONFIG.encode()) == {
        "engine": "fsdp2",
        "rollout": "vllm",
        "rollout_mode": "async",
        "mode": "async",
        "algorithm": "grpo",
        "model": "/models/Qwen3-30B-A3B",
        "family": "qwen3_moe",
    }


def test_the_set_up_is_told_by_a_command_line() -> None:
    found = settings_of(COMMAND.encode())
    assert (found["engine"], found["rollout"], found["family"]) == ("megatron", "sglang", "qwen2.5")


def test_a_configuration_counts_more_than_a_command_line() -> None:
    found = settings_of((COMMAND + CONFIG).encode())
    assert (found["engine"], found["rollout"]) == ("fsdp2", "vllm")


def test_of_two_runs_with_other_set_ups_none_is_told() -> None:
    found = settings_of((CONFIG + CONFIG.replace("'vllm'", "'sglang'")).encode())
    assert "rollout" not in found and found["engine"] == "fsdp2"


@pytest.mark.parametrize(
    "text",
    [
        "hello\nstrategy is everything\n",
        "{'actor_rollout_ref': {'model': {'path': '~/models/deepseek-llm-7b-chat'}}}\n",
        "{'actor_rollout_ref': {'rollout': {'engine_kwargs': {'trtllm': {'name': 'trtllm'}}}}}\n",
        "+ python -m verl.main actor_rollout_ref.model.path=$MODEL actor_rollout_ref.rollout.name=${ENGINE:-x}\n",
        "{'actor_rollout_ref': {'rollout': {'name': 'house_made'}}}\n",
        "{'actor_rollout_ref': {'actor': [{'strategy': 'fsdp'}, {'strategy': 'fsdp2'}]\n",
    ],
)
def test_what_a_log_does_not_tell_of_the_set_up_is_left_out(text: str) -> None:
    assert settings_of(text.encode()) == {}


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("python3 -m areal.launcher.local x.py allocation_mode=sglang:d4p1t1+fsdp:d4\n", ("rollout", "sglang")),
        ("python3 -m areal.launcher.local x.py allocation_mode=sglang:d4p1t1+fsdp:d4\n", ("engine", "fsdp")),
        ("Namespace(advantage_estimator='group_norm', pretrain='Qwen/Qwen3-4B')\n", ("family", "qwen3")),
        ("  advantage_estimator ............................. gspo\n", ("algorithm", "gspo")),
        ("+ python train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16\n", ("family", "llama")),
        ("+ uv run -m skyrl_train.x trainer.strategy=fsdp2 generator.backend=vllm\n", ("rollout", "vllm")),
        ("overrides: ['++actor_rollout_ref.rollout.name=sglang_async']\n", ("rollout", "sglang")),
        ("+ python3 -m verl.experimental.fully_async_policy.fully_async_main x=1\n", ("mode", "async")),
        ("{'algorithm': {}, 'async_training': {}, 'trainer': {'v1': {'trainer_mode': 'sync'}}}\n", ("mode", "async")),
    ],
)  # fmt: skip
def test_other_programs_tell_it_in_their_own_way(text: str, setting: tuple[str, str]) -> None:
    name, value = setting
    assert settings_of(text.encode())[name] == value


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("/cache/models--Qwen--Qwen3-8B/snapshots/1a2b", "qwen3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen2.5"),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", "qwen3_next"),
        ("Qwen/Qwen3-Coder-Next", "qwen3_next"),
        ("/home/qwen3-team/a/b/c/checkpoint-54", ""),
    ],
)
def test_the_family_stands_in_the_model_s_name(path: str, family: str) -> None:
    assert family_of(path) == family


def test_a_growing_log_tells_its_set_up_as_soon_as_it_is_there(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("one\ntwo\nthree\nfour\nfive\nsix\n")
    reader = Reader(log, ())
    assert reader.read().settings == {}
    with log.open("a") as stream:
        stream.write(CONFIG)
    assert reader.read().settings["rollout"] == "vllm"


def test_of_several_runs_in_a_long_log_the_set_up_of_the_last_is_not_known(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    begin = "the launcher begins\nreading the file of tasks\nmaking a cluster of workers\n" + CONFIG
    filler = "what a worker says\n" * (HEAD_BYTES // 19)
    log.write_text(begin + filler)
    assert Reader(log, ()).read().settings["rollout"] == "vllm"
    log.write_text(begin + filler + begin)
    assert Reader(log, ()).read().settings == {}


def test_values_of_a_printed_configuration_are_told_by_their_dotted_keys() -> None:
    found = configured_in(CONFIG.encode())
    assert found["actor_rollout_ref.actor.ppo_mini_batch_size"] == "64" and found["trainer.nnodes"] == "2"
    assert configured_in(COMMAND.encode()) == {}


def test_a_value_that_two_configurations_tell_in_two_ways_is_left_out() -> None:
    found = configured_in((CONFIG + CONFIG.replace("'nnodes': 2", "'nnodes': 4")).encode())
    assert "trainer.nnodes" not in found and found["actor_rollout_ref.actor.ppo_mini_batch_size"] == "64"
