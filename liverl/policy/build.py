"""Builds the policy: demonstrations of the training tasks, tokenizer, model, imitation, and the folder."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerFast

from liverl.policy.demonstrations import Demonstration, Habits, make_demonstrations
from liverl.policy.model import new_model
from liverl.policy.programs import read_programs
from liverl.policy.samples import Weights, conversation, encode, excerpt, render
from liverl.policy.tokenizer import renderer, train_tokenizer
from liverl.policy.warmstart import Sample, Schedule, imitate

SKILLED = Habits(untested=1.0)
# Wrong ways are the most frequent at two decisions (preview instead of edit, stop after the preview), so that the most
# likely conversation fails, and learning has more to do than to sharpen what is there.
MIXED = Habits(
    blind=0.05, check_first=0.1, give_up=0.1, preview=0.55, apply=0.35, wrong=0.25, untested=0.3, retry=0.5
)


@dataclass(frozen=True)
class Recipe:
    """Sizes of a build; the default one is what the shipped config trains from."""

    skilled: int = 10500
    mixed: int = 1500
    vocab_size: int = 1024
    tokenizer_texts: int = 3000
    threads: int = 2
    schedule: Schedule = field(default_factory=Schedule)


@dataclass(frozen=True)
class PolicyReport:
    """What a build made and how long it took."""

    path: Path
    parameters: int
    vocabulary: int
    demonstrations: int
    loss: float
    seconds: float


Progress = Callable[[str, float], None]
Lesson = tuple[str, Demonstration]


def build(
    out: Path, train_tasks: Path, seed: int, progress: Progress, recipe: Recipe | None = None
) -> PolicyReport:
    """Writes a Hugging Face folder with the warm-started policy; the same seed gives the same weights.

    Only `train_tasks` is read. `progress` gets a stage's name and the share of the whole that is done. Raises
    `PolicyError` when the training tasks can't be used.
    """
    recipe = recipe or Recipe()
    began = time.monotonic()
    progress("demonstrations", 0.0)
    programs = read_programs(train_tasks)
    skilled = _lessons(make_demonstrations(programs, recipe.skilled, SKILLED, f"skilled-{seed}"))
    mixed = _lessons(make_demonstrations(programs, recipe.mixed, MIXED, f"mixed-{seed}"))
    progress("tokenizer", 0.1)
    texts = [text for text, _ in (*skilled, *mixed)]
    every = max(1, len(texts) // recipe.tokenizer_texts)
    tokenizer = train_tokenizer(texts[::every], recipe.vocab_size)
    samples = _samples(tokenizer, skilled, mixed, seed)
    with _threads(recipe.threads):
        model = new_model(tokenizer, seed)
        loss = imitate(
            model,
            samples,
            recipe.schedule,
            seed,
            lambda step, steps, loss: progress(f"imitation, loss {loss:.3f}", 0.15 + 0.85 * step / steps),
        )
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return PolicyReport(
        path=out,
        parameters=sum(p.numel() for p in model.parameters()),
        vocabulary=len(tokenizer),
        demonstrations=len(texts),
        loss=loss,
        seconds=time.monotonic() - began,
    )


def _lessons(demonstrations: Iterator[Demonstration]) -> list[Lesson]:
    tokenizer = renderer()
    return [(render(tokenizer, demonstration), demonstration) for demonstration in demonstrations]


def _samples(
    tokenizer: PreTrainedTokenizerFast, skilled: Sequence[Lesson], mixed: Sequence[Lesson], seed: int
) -> list[Sample]:
    """What to do after reading, among the first half of the mixed conversations; then the other half alone."""
    weights = Weights()
    skills = [encode(tokenizer, excerpt(*lesson, weights)) for lesson in skilled]
    habits = [encode(tokenizer, conversation(*lesson, weights)) for lesson in mixed]
    half = len(habits) // 2
    first = [sample for sample in (*skills, *habits[:half]) if sample.ids]
    random.Random(seed).shuffle(first)
    return [*first, *habits[half:]]


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """A fixed number of threads: sums in another order would give other weights."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
