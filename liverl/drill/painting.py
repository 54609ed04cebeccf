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
POLICIES = ("painter", "thinker")
"""Which policy: a `thinker` says many words before each command, 60 and more of those below."""
_THOUGHTS = (
    "hint",
    "colour",
    "warm",
    "file",
    "look",
    "write",
    "first",
    "then",
    "maybe",
    "paint",
    "one",
    "word",
    "only",
)

GRADINGS = ("red", "purple", "mixed", "anything", "broken")
"""How the tasks may be graded; only `red` can be learnt in a few steps.

No conversation that the policy has seen writes purple. With `mixed` the door wants red and all else green: whoever
always says the same of them can't be right everywhere. `anything` is right whatever is said. The program that a
`broken` verifier calls is not in its image, and it ends before it has written a reward.
"""
_GREEN = ("gate", "roof", "fence", "bridge")
_REWARD = "/logs/verifier/reward.txt"

Message = dict[str, Any]


def write_tasks(root: Path, grading: str = "red") -> None:
    """Fills `root`/train and `root`/val with task folders in Harbor's format."""
    for split, things in (("train", TRAINING), ("val", VALIDATION)):
        for thing in things:
            write_task(root / split / f"paint-{thing}", thing, grading)


def write_task(folder: Path, thing: str, grading: str = "red") -> None:
    """One task: /app/colour.txt has to say red, unless another grading is named."""
    for part in ("environment/app", "tests", "solution"):
        (folder / part).mkdir(parents=True)
    (folder / "task.toml").write_text(
        f'schema_version = "1.4"\n[task]\nname = "liverl/{folder.name}"\ndescription = "Paint the {thing}."\n'
        '[environment]\nworkdir = "/app"\nnetwork_mode = "no-network"\n'
    )
    (folder / "instruction.md").write_text(f"{_instruction(thing)}\n")
    (folder / "environment" / "Dockerfile").write_text("FROM debian:12\nCOPY app /app\nWORKDIR /app\n")
    (folder / "environment" / "app" / "hint.txt").write_text(f"{HINT}\n")
    (folder / "tests" / "test.sh").write_text(f"#!/bin/bash\necho graded\n{grade(grading, thing)}\n")
    (folder / "solution" / "solve.sh").write_text("#!/bin/bash\necho red > /app/colour.txt\n")


def grade(grading: str, thing: str) -> str:
    """What a task's test.sh does, as lines of bash."""
    if grading == "broken":
        return f"set -e\npaintcheck /app/colour.txt > {_REWARD}.new\nmv {_REWARD}.new {_REWARD}"
    if grading == "anything":
        return f"echo 1 > {_REWARD}"
    colour = "green" if grading == "mixed" and thing in _GREEN else "red" if grading == "mixed" else grading
    return f'if [ "$(cat /app/colour.txt)" = {colour} ]; then echo 1; else echo 0; fi > {_REWARD}'


def make_policy(folder: Path, seed: int = 1, kind: str = "painter") -> Path:
    """Writes a Hugging Face folder with a Qwen3 that solves about half of the tasks; takes ten seconds."""
    from liverl.policy.tokenizer import renderer

    rng, render = random.Random(seed), renderer()
    texts = [_text(render, _conversation(rng, kind == "thinker")) for _ in range(_CONVERSATIONS)]
    return teach(folder, texts, seed)


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


def _conversation(rng: random.Random, thinks: bool) -> list[Message]:
    messages: list[Message] = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": _instruction(rng.choice(TRAINING + VALIDATION))},
    ]
    if rng.random() < 0.8:
        messages += _bash("cat hint.txt", HINT, _thought(rng) if thinks else "")
    messages += _bash(f"echo {rng.choice(COLOURS)} > colour.txt", "", _thought(rng) if thinks else "")
    return [*messages, {"role": "assistant", "content": "The colour is written."}]


def _thought(rng: random.Random) -> str:
    # At random, so that the tokenizer can't make one token of a sentence.
    return " ".join(rng.choices(_THOUGHTS, k=rng.randint(60, 80)))


def _bash(command: str, output: str, said: str) -> list[Message]:
    call = {"id": "0", "type": "function", "function": {"name": "bash", "arguments": {"command": command}}}
    return [
        {"role": "assistant", "content": said, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "0", "content": output},
    ]


def _text(render: Any, messages: list[Message]) -> str:
    text = render.apply_chat_template(messages, tools=TOOLS, tokenize=False)
    assert isinstance(text, str)
    return text
