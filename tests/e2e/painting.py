"""A small world for real runs: tasks that ask for a colour, and a policy that gets it right about half the time.

The shipped tasks take minutes to learn; these take seconds, so that a run of three steps has rewards to learn from.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from liverl.scaffold.shell import SYSTEM_PROMPT, TOOLS

TRAINING = ("door", "gate", "roof", "fence")
VALIDATION = ("bench", "bridge")
COLOURS = ("red", "red", "blue", "green")
HINT = "a warm colour"
_CONVERSATIONS = 640

Message = dict[str, Any]


def write_tasks(root: Path) -> None:
    """Fills `root`/train and `root`/val with task folders in Harbor's format."""
    for split, things in (("train", TRAINING), ("val", VALIDATION)):
        for thing in things:
            write_task(root / split / f"paint-{thing}", thing)


def write_task(folder: Path, thing: str) -> None:
    """One task: /app/colour.txt has to say red."""
    for part in ("environment/app", "tests", "solution"):
        (folder / part).mkdir(parents=True)
    (folder / "task.toml").write_text(
        f'schema_version = "1.4"\n[task]\nname = "liverl/{folder.name}"\ndescription = "Paint the {thing}."\n'
        '[environment]\nworkdir = "/app"\nnetwork_mode = "no-network"\n'
    )
    (folder / "instruction.md").write_text(f"{_instruction(thing)}\n")
    (folder / "environment" / "Dockerfile").write_text("FROM debian:12\nCOPY app /app\nWORKDIR /app\n")
    (folder / "environment" / "app" / "hint.txt").write_text(f"{HINT}\n")
    grade = 'if [ "$(cat /app/colour.txt)" = red ]; then echo 1; else echo 0; fi'
    (folder / "tests" / "test.sh").write_text(
        f"#!/bin/bash\necho graded\n{grade} > /logs/verifier/reward.txt\n"
    )
    (folder / "solution" / "solve.sh").write_text("#!/bin/bash\necho red > /app/colour.txt\n")


def make_policy(folder: Path, seed: int = 1) -> Path:
    """Writes a Hugging Face folder with a Qwen3 that solves about half of the tasks; takes ten seconds."""
    from liverl.policy.tokenizer import renderer

    rng, render = random.Random(seed), renderer()
    return teach(folder, [_text(render, _conversation(rng)) for _ in range(_CONVERSATIONS)], seed)


def teach(folder: Path, texts: Sequence[str], seed: int) -> Path:
    """Writes a Hugging Face folder with a small Qwen3 that has seen rendered conversations, each once."""
    import torch

    from liverl.policy.model import new_model
    from liverl.policy.tokenizer import train_tokenizer
    from liverl.policy.warmstart import Sample, Schedule, imitate

    tokenizer = train_tokenizer(texts, 512)
    encoded = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    samples = [Sample(ids, [1.0] * len(ids)) for ids in encoded]
    model = new_model(tokenizer, seed)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several only wait for each other in so small a model
    imitate(model, samples, Schedule(warmup_steps=10), seed, lambda step, steps, loss: None)
    torch.set_num_threads(threads)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _instruction(thing: str) -> str:
    return f"Write the colour of the {thing} into colour.txt. The file hint.txt says more."


def _conversation(rng: random.Random) -> list[Message]:
    messages: list[Message] = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": _instruction(rng.choice(TRAINING + VALIDATION))},
    ]
    if rng.random() < 0.8:
        messages += _bash("cat hint.txt", HINT)
    messages += _bash(f"echo {rng.choice(COLOURS)} > colour.txt", "")
    return [*messages, {"role": "assistant", "content": "The colour is written."}]


def _bash(command: str, output: str) -> list[Message]:
    call = {"id": "0", "type": "function", "function": {"name": "bash", "arguments": {"command": command}}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "0", "content": output},
    ]


def _text(render: Any, messages: list[Message]) -> str:
    text = render.apply_chat_template(messages, tools=TOOLS, tokenize=False)
    assert isinstance(text, str)
    return text
