"""What a log's printed configuration and command line tell of a run's set-up."""

from __future__ import annotations

import re

_LOOK_CHARS = 500_000
# Each as the printed dict has it ('strategy': 'fsdp2'), as a command line (actor.strategy=fsdp2), as YAML.
_KEYS: tuple[tuple[str, str, str], ...] = (
    (
        "engine",
        r"(?:actor\.|policy\.|trainer\.|'|\b)strategy",
        r"(?:fsdp2?|fsdp_turbo|megatron|veomni|torchtitan|deepspeed|cpu)",
    ),
    ("engine", r"model_engine", r"(?:megatron|veomni|torchtitan|dp)"),
    ("rollout", r"(?:rollout\.|generator\.|')(?:name|backend|inference_backend)",
     r"(?:vllm|sglang|trtllm|hf|torch_cpu)"),
    ("mode", r"trainer_mode", r"(?:sync|colocate_async|separate_async)"),
    ("algorithm", r"adv_estimator|advantage_estimator", r"[a-z_+]{2,40}"),
    ("loss_mode", r"loss_mode", r"[a-z_]{2,40}"),
    ("scaffold", r"agent[._]name", r"[\w-]{2,40}"),
    ("agent_loop", r"default_agent_loop", r"\w{2,60}"),
    ("backend", r"(?:sandbox|environment)[._](?:backend|type)", r"[\w-]{2,40}"),
)  # fmt: skip
_NUMBERS = (
    "max_response_length", "max_prompt_length", "total_epochs", "total_training_steps", "train_batch_size",
    "ppo_mini_batch_size", "ppo_epochs", "test_freq", "save_freq", "max_steps", "num_generations", "logging_steps",
    "tensor_model_parallel_size", "ulysses_sequence_parallel_size", "gpu_memory_utilization", "entropy_coeff",
    "kl_loss_coef", "staleness_threshold",
)  # fmt: skip
# The optimizers have counts of their own before the trainer's.
_LAST_COUNTS = ("total_training_steps", "max_steps")
_NUMBER = r"(-?\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?)\b"
_PATH = re.compile(
    r"(?:model\.path|pretrain|model_name_or_path|model[-_](?:name|path)|served_model_name|actor\.path|'path')"
    r"(?:=|: ?|'?: ?| )[\"']?([\w./~@:-]{3,200})"
)
_FAMILIES = (
    (r"qwen[-_]?3[._]?5", "qwen3.5"),
    (r"qwen[-_]?3.{0,12}-a\d+b|qwen3[-_]?moe", "qwen3_moe"), (r"qwen[-_]?3", "qwen3"),
    (r"qwen[-_]?2[._]5.{0,3}vl|qwen2[._]5[-_]vl", "qwen2.5_vl"), (r"qwen[-_]?2[._]?5", "qwen2.5"),
    (r"qwen[-_]?2", "qwen2"),
    (r"llama[-_]?4", "llama4"), (r"llama", "llama"), (r"gemma", "gemma"), (r"gpt[-_]oss", "gpt_oss"),
    (r"deepseek", "deepseek"), (r"mixtral", "mixtral"), (r"mistral|devstral", "mistral"),
    (r"glm", "glm"), (r"phi-?\d", "phi"),
    (r"kimi|moonlight", "kimi"), (r"minimax", "minimax"), (r"olmo", "olmo"), (r"smollm", "smollm"),
)  # fmt: skip
_FULLY_ASYNC = re.compile(
    r"fully_async_(?:main|policy|trainer)|FullyAsync(?:Trainer|Rollouter|TaskRunner)|async_training\."
)
# The critic that verl's configuration names where none is trained.
_DEFAULT_CRITIC = "deepseek-llm-7b-chat"
_FRAMEWORKS = (
    ("trl", r"GRPOTrainer|GRPOConfig|Unsloth"), ("verl", r"\bverl[./]|main_ppo|\bstep:\d+ - \S+:"), 
    ("areal", r"\bareal\b|StatsLogger"), ("skyrl", r"skyrl"),
    ("trl", r"\btrl\b"), ("openrlhf", r"openrlhf"), ("slime", r"\bslime\b"),
    ("prime-rl", r"prime[-_]rl"), ("rllm", r"\brllm\b"), ("tinker", r"\btinker"),
)  # fmt: skip


def settings_of(text: str) -> dict[str, str]:
    """Engine, mode, family, scaffold, backend, rollout, world size and some of the configuration, as far as told.

    `mode` is sync or async, `family` the model's (qwen3, llama, ...); `rollout` the inference engine, `backend` the
    sandbox's. What the text does not tell is left out.
    """
    text = text[:_LOOK_CHARS]
    found: dict[str, str] = {}
    for name, key, value in _KEYS:
        if name not in found and (
            told := re.search(rf"(?:{key})'?(?:=|: ?)[\"']?({value})(?=[\s,'\"}}\]]|$)", text)
        ):
            found[name] = told.group(1)
    for name in _NUMBERS:
        if numbers := re.findall(rf"\b{name}'?(?:=|: ?){_NUMBER}", text):
            found[name] = numbers[-1] if name in _LAST_COUNTS else numbers[0]
    if found.get("total_training_steps", "").startswith("-"):  # verl's word for: not given
        del found["total_training_steps"]
    found |= _mode(text, found) | _model(text) | _world(text)
    framework = next((name for name, sign in _FRAMEWORKS if re.search(sign, text)), None)
    return found | ({"framework": framework} if framework else {})


def _mode(text: str, found: dict[str, str]) -> dict[str, str]:
    mode = found.pop("mode", "")
    if _FULLY_ASYNC.search(text):
        return {"mode": "async", "trainer_mode": "fully_async"}
    return {"mode": "sync" if mode == "sync" else "async", "trainer_mode": mode} if mode else {}


def _model(text: str) -> dict[str, str]:
    for told in _PATH.finditer(text):
        path = told.group(1)
        if path.endswith(_DEFAULT_CRITIC):
            continue
        for sign, family in _FAMILIES:
            if re.search(sign, path, re.IGNORECASE):
                return {"model": path, "family": family}
    return {}


def _world(text: str) -> dict[str, str]:
    """The trainer's GPUs: nodes times GPUs a node, of which a printed configuration tells the trainer's last."""
    each = re.findall(
        r"\b(?:n_gpus_per_node|num_gpus_per_node|policy_num_gpus_per_node)'?(?:=|: ?)(\d{1,4})\b", text
    )
    nodes = [
        count
        for count in re.findall(r"\b(?:nnodes|policy_num_nodes)'?(?:=|: ?)(\d{1,4})\b", text)
        if int(count)
    ]
    if each:
        return {"world_size": str(int(each[-1]) * int(nodes[-1] if nodes else 1))}
    told = re.search(r"\bworld_size\b'?(?:=|: ?)(\d{1,5})\b", text)
    return {"world_size": told.group(1)} if told else {}
