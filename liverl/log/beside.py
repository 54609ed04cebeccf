"""What a short name means beside another: tables leave out what the column before, or none beside it, makes clear.

MAY_MEAN      short names that mean nothing, or something else, alone
as_meant      columns whose meaning their neighbours tell, under verl's names
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from liverl.log.series import Values
from liverl.log.shorthand import SHORT, plain
from liverl.log.tongues import in_english
from liverl.log.words import is_right

_LENGTH, _CUT, _SCORE, _RIGHT, _VALIDATION = (
    "response_length/mean", "response_length/clip_ratio", "critic/score/mean", "reward/accuracy", "val/score",
)  # fmt: skip
_DIFFICULTY = "data/difficulty"
_OF_PAIRS, _PAIRS = frozenset(("rewards/margins", "rewards/chosen")), "rewards/accuracies"
# After a column of lengths, or where nothing is told of the updates: how many answers reached the limit. TRL's
# `clip_ratio` follows a KL, and is the loss's.
_CUTS = frozenset((
    "clip", "clip_ratio", "clip ratio", "clip_rate", "clip rate", "clipped", "trunc",
))  # fmt: skip
_OF_UPDATES = frozenset((
    "actor/pg_loss", "actor/grad_norm", "actor/kl_loss", "actor/ppo_kl", "actor/entropy", "actor/lr",
))  # fmt: skip
# What an evaluation of an agent tells beside its score.
_OF_ANSWERS = frozenset(("reward/format", "tool_call_counts/mean"))
_LENGTHS = frozenset(("response_length/mean", "response_length/max", "response_length/min"))
_RIGHTS = (
    "accuracy", "acc", "correct", "train acc", "train accuracy", "correct_rate", "acc/mean", "gt_accuracy", "gt_acc",
    "answer_correct", "train/answer_correct", "correctness", "success", "solved", "resolved", "sr", "em",
)  # fmt: skip
# Beside a reward that is called the training's: what an evaluation counts.
_HELD_OUT = ("bacc", "balanced_accuracy", "macro_f1", "f1", "exact_match", "em")  # fmt: skip
# What one letter, or a word alone, stands for in a table that tells nothing else of that.
_ALONE = {
    "R": _SCORE,
    "H": "actor/entropy",
    "EVAL": _VALIDATION,
    "em": _SCORE,
    "EM": _SCORE,
    "F1": _SCORE,
    "f1": _SCORE,
}
MAY_MEAN = (
    frozenset(each.lower() for each in _ALONE)
    | _CUTS
    | frozenset(_RIGHTS)
    | {each.replace("_", " ") for each in _HELD_OUT}
    | frozenset(_HELD_OUT)
    | {"level", "pass@1"}
)


def as_meant(columns: Mapping[str, Values], verl: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The columns that mean something beside their neighbours: verl's name and the column's own.

    `verl` are the names that verl has for each column. The share of right answers is the score itself where no other
    score is told, else its part; one that is told by its words alone is no part of another score.
    """
    meant: dict[str, str] = {}
    known = {name for names in verl.values() for name in names} | columns.keys()
    for before, name in pairwise(columns):
        is_length = not _LENGTHS.isdisjoint((before, *verl.get(before, ())))
        if name.lower() in _CUTS and (is_length or _OF_UPDATES.isdisjoint(known)) and _CUT not in known:
            meant.setdefault(_CUT, name)
    if (held_out := _held_out(columns, verl, known)) is not None:
        meant[_VALIDATION] = held_out
    if not known.isdisjoint(_OF_UPDATES | _LENGTHS | _OF_ANSWERS):
        for name, target in _ALONE.items():
            if name in columns and target not in known and target not in meant:
                meant[target] = name
        for name in columns:
            short = SHORT.get(plain(name))
            if short is not None and short not in known and not verl.get(name):
                meant.setdefault(short, name)
    if (
        _DIFFICULTY not in known
        and "level" in columns
        and not any("policy" in each.lower() for each in columns)
    ):
        meant[_DIFFICULTY] = "level"  # prime-rl's is how many updates its rollouts lag behind
    if (right := _right(columns, known)) is not None and right not in meant.values():
        # Of pairs it is how many are told apart, and nothing is earned.
        scored = _SCORE in meant or any(
            _SCORE in (name, *verl.get(name, ())) for name in columns if name != right
        )
        target = _RIGHT if scored else _SCORE if known.isdisjoint(_OF_PAIRS) else _PAIRS
        if target not in known or (target == _SCORE and target not in columns):
            meant[target] = right
    return meant


def _held_out(
    columns: Collection[str], verl: Mapping[str, Collection[str]], known: Collection[str]
) -> str | None:
    """What an evaluation counts beside a reward that is called the training's."""
    if _VALIDATION in known or not any(_is_training_s(name, verl.get(name, ())) for name in columns):
        return None
    plain = {name.lower().replace(" ", "_"): name for name in columns}
    return next((plain[each] for each in _HELD_OUT if each in plain), None)


def _right(columns: Collection[str], known: Collection[str]) -> str | None:
    """The column of right answers: by its whole name; of one that is told by its words alone where no score is told."""
    whole = next((name for each in _RIGHTS for name in columns if in_english(name).lower() == each), None)
    if whole is not None or _SCORE in known:
        return whole
    if "pass@1" in columns:  # of the training's own tasks, where a validation's is told apart
        return "pass@1"
    return next((name for name in columns if is_right(name)), None)


def _is_training_s(name: str, verl: Collection[str]) -> bool:
    return _SCORE in verl and name.lower().startswith("train")
