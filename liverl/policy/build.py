"""Builds the policy: demonstrations of the training tasks, tokenizer, model, imitation, and the folder."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerFast

from liverl.errors import PolicyError
from liverl.policy.demonstrations import Demonstration, Habits, make_demonstrations
from liverl.policy.model import new_model
from liverl.policy.programs import Program, read_programs
from liverl.policy.samples import Weights, conversation, encode, excerpt, render
from liverl.policy.stamp import NAME, Stamp, make_stamp, write_stamp
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


def demonstrations_of(
    programs: Sequence[Program], seed: int, recipe: Recipe
) -> tuple[Iterator[Demonstration], Iterator[Demonstration]]:
    """All that a build of this seed imitates: the skilled demonstrations, and the mixed ones."""
    return (
        make_demonstrations(programs, recipe.skilled, SKILLED, f"skilled-{seed}"),
        make_demonstrations(programs, recipe.mixed, MIXED, f"mixed-{seed}"),
    )


def stamp_of(seed: int, train_tasks: Path, recipe: Recipe | None = None) -> Stamp:
    """The stamp that a build would leave in its folder."""
    habits = {"skilled_habits": asdict(SKILLED), "mixed_habits": asdict(MIXED)}
    return make_stamp(
        seed, train_tasks, {**asdict(recipe or Recipe()), **habits, "weights": asdict(Weights())}
    )


Progress = Callable[[str, float], None]
Lesson = tuple[str, Demonstration]


def build(
    out: Path, train_tasks: Path, seed: int, progress: Progress, recipe: Recipe | None = None
) -> PolicyReport:
    """Writes a Hugging Face folder with the warm-started policy; the same seed gives the same weights.

    Only `train_tasks` is read. `progress` gets a stage's name and the share of the whole that is done. A policy
    built earlier is replaced when the new one is complete. Raises `PolicyError` when the training tasks can't be
    used, or `out` holds files that no build has made.
    """
    recipe = recipe or Recipe()
    _refuse_files_of_others(out)
    stamp = stamp_of(seed, train_tasks, recipe)
    began = time.monotonic()
    progress("demonstrations", 0.0)
    programs = read_programs(train_tasks)
    skilled, mixed = map(_lessons, demonstrations_of(programs, seed, recipe))
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
    place = out.resolve()
    partial = place.with_name(f"{place.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    write_stamp(partial, stamp)
    _replace(place, partial)
    return PolicyReport(
        path=out,
        parameters=sum(p.numel() for p in model.parameters()),
        vocabulary=len(tokenizer),
        demonstrations=len(texts),
        loss=loss,
        seconds=time.monotonic() - began,
    )


def _refuse_files_of_others(out: Path) -> None:
    if out.exists() and not (out / NAME).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise PolicyError(
            "policy.not_built_here",
            f"{out} holds files that no build of the policy has made",
            next_action="move it away, or name another folder (model.built_path, or --out)",
        )


def _replace(place: Path, by: Path) -> None:
    """Never half a policy in its place; what was there goes last."""
    before = place.with_name(f"{place.name}.replaced")
    shutil.rmtree(before, ignore_errors=True)
    if place.exists():
        place.rename(before)
    by.rename(place)
    shutil.rmtree(before, ignore_errors=True)


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
