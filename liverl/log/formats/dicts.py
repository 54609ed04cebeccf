"""Rows that a console log prints as a Python dict or as JSON, as TRL, OpenRLHF, slime and verl's validation do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from liverl.log.formats.detect import SAMPLE_KEYS
from liverl.log.formats.training import OF_A_TRAINING, is_of_training, known_of
from liverl.log.formats.values import NOT_FINITE, NUMBER, number, whole

# The step (None: not told) and the metrics of a row.
Told = tuple[int | None, dict[str, float]]

_PAIR = re.compile(
    rf"""(?P<q>["'])(?P<key>[^"'{{}}]{{1,200}})(?P=q): {{0,12}}"""
    rf"""(?P<value>["']?(?:{NUMBER}|{NOT_FINITE}|True|False)["']?"""
    rf"""|(?:np|numpy)\.\w+\([^()]*\)|tensor\([^()]*\))(?=\s*[,}}\]])"""
)
# SkyRL prints all numbers with four decimals, where any learning rate reads 0: that is not told.
_ROUNDED, _RATES = re.compile(r"""["']0\.0{3,5}["']"""), ("lr", "learning_rate")
# What only the rows of a training hold: a sample has a reward too, a configuration a learning rate.
_TRAINING = frozenset((
    "loss", "grad_norm", "policy_loss", "pg_loss", "actor_loss", "act_loss", "reward_std", "frac_reward_zero_std",
))  # fmt: skip
_OF_A_STEP = ("train/", "rollout/", "actor/", "critic/", "policy/")
_SUMMARY = ("train_runtime", "train_samples_per_second")
_PACE, _MOST_STEPS = "train_steps_per_second", 1e9
_STEP_KEYS = ("step", "global_step", "training/global_step", "train/global_step", "_step", "train/step", "rollout/step",
              "iteration", "trainer/global_step")  # fmt: skip
_NAMED_STEP = re.compile(
    r"(?i)\b(?:global[ _]?step|step|rollout|perf|iteration|iter|eval)[ :=#]{1,3}(\d{1,15})\b"
)
# ms-swift tells both in one string.
_OF_ALL = re.compile(r"""["']global_step/max_steps["']: ?["'](\d{1,12})/(\d{1,12})["']""")
_SAMPLE = re.compile(rf"""["'](?:{"|".join(sorted(SAMPLE_KEYS))})["']: ?["'\[{{]""")
_BETWEEN = re.compile(r"(?<=\}),\s?(?=\{)")
_LEAST_LISTED = 3
_LEAST, _LEAST_CUT, _LEAST_KNOWN, _LEAST_SUMMED, _LEAST_UNCOUNTED = 2, 3, 2, 3, 3
# TRL's rows have up to 3 kB; in longer lines the row stands at the end, behind a bar.
_LONGEST = 8192


def pairs(text: str) -> dict[str, float]:
    """Every key with a number in the dicts that a text holds."""
    found = {}
    for pair in _PAIR.finditer(text):
        value = number(pair.group("value"))
        if value is not None and not (
            _ROUNDED.match(pair.group("value")) and pair.group("key").endswith(_RATES)
        ):
            found[pair.group("key")] = value
    return found


def is_sample(text: str) -> bool:
    """Whether a dict tells of one trial: what it was asked, or what it answered."""
    return _SAMPLE.search(text) is not None


def parse(text: str) -> Told | None:
    """What a line tells that prints a row, whole or cut at either end; None where it prints something else."""
    if len(text) > _LONGEST:
        text = text[-_LONGEST:]
    elif "{" not in text:
        return _cut(text)
    begin = text.find("{")
    if begin < 0:
        return None
    row = pairs(text[begin:])
    if len(row) < _LEAST or not _is_row(row) or any(key in row for key in _SUMMARY):
        return None
    return _step(text, begin, row), row


def summary(text: str) -> dict[str, float]:
    """The metrics of a line that sums up a training behind its last row; nothing where it has the time alone."""
    begin = text.find("{")
    row = pairs(text[begin:]) if begin >= 0 and len(text) <= _LONGEST else {}
    is_summary = any(key in row for key in _SUMMARY) and is_of_training(row)
    return row if is_summary and len(known_of(row)) >= _LEAST_SUMMED else {}


def made(text: str) -> int:
    """How many steps were made, by what a trainer's last line tells of its time and its pace; 0 where it doesn't."""
    row = pairs(text[text.find("{") :]) if "{" in text and len(text) <= _LONGEST else {}
    steps = row.get(_SUMMARY[0], 0.0) * row.get(_PACE, 0.0)
    return round(steps) if 0 < steps < _MOST_STEPS else 0


def parse_counted(text: str) -> Told | None:
    """What a line tells that prints a step, a reward and more, in a dict that only a training prints."""
    begin = text.find("{")
    if begin < 0 or len(text) > _LONGEST or is_sample(text):
        return None
    row = pairs(text[begin:])
    step = _step(text, begin, row)
    if step is None or not is_of_training(row) or len(known_of(row)) < _LEAST_KNOWN:
        return None
    return step, row


def parse_uncounted(text: str) -> Told | None:
    """What a line tells that prints no step, but so much that only a training has."""
    begin = text.find("{")
    if begin < 0 or len(text) > _LONGEST or is_sample(text):
        return None
    row = pairs(text[begin:])
    is_row = len(known_of(row) & OF_A_TRAINING) >= _LEAST_UNCOUNTED and not any(
        key in row for key in _SUMMARY
    )
    return (_step(text, begin, row), row) if is_row else None


def parse_many(text: str) -> list[Told]:
    """The rows of a list of dicts in one line, as a trainer's history is printed; none of any other list."""
    found: list[Told] = []
    for each in _BETWEEN.split(text[max(0, text.find("{")) :]):
        row = pairs(each)
        if (
            len(row) >= _LEAST
            and is_of_training(row)
            and not is_sample(each)
            and not any(key in row for key in _SUMMARY)
        ):
            found.append((_step(each, 0, row), row))
    return found if len(found) >= _LEAST_LISTED and len({step is None for step, _ in found}) == 1 else []


def planned(text: str) -> int | None:
    """How many steps are planned, where a row tells that beside its own."""
    found = _OF_ALL.search(text)
    return int(found.group(2)) if found else None


def is_evaluation(row: Iterable[str]) -> bool:
    """Whether a row tells of an evaluation alone, which is no step of its own."""
    return all(key.startswith("eval") or key == "epoch" for key in row)


def is_open(text: str) -> bool:
    """Whether a text holds the beginning of a dict and not its end."""
    begin = text.rfind("{")
    return begin >= 0 and "}" not in text[begin:] and len(text) <= _LONGEST


def _cut(text: str) -> Told | None:
    """A row without its first brace: the pairs of a dict that are whole."""
    row = pairs(text)
    if len(row) < _LEAST_CUT or len(known_of(row)) < _LEAST_KNOWN or any(key in row for key in _SUMMARY):
        return None
    begin = min(at for at in (text.find("'"), text.find('"')) if at >= 0)
    return (_step(text, begin, row), row) if _is_row(row) and not _SAMPLE.search(text) else None


def _is_row(row: dict[str, float]) -> bool:
    if any(key in _TRAINING for key in row) or is_evaluation(row):
        return True
    # TRL's row where the loss is told apart: the reward and its parts beside the epoch.
    if "epoch" in row and "reward" in row and any(key.startswith("rewards/") for key in row):
        return True
    return any(key.startswith(_OF_A_STEP) for key in row)


def _step(text: str, begin: int, row: dict[str, float]) -> int | None:
    for key in _STEP_KEYS:
        if key in row and (step := whole(row[key])) is not None:
            return step
    if told := _OF_ALL.search(text):
        return int(told.group(1))
    named = _NAMED_STEP.findall(text[max(0, begin - 80) : begin])
    return int(named[-1]) if named else None
