"""Demonstrations: consistent conversations of the run's format, and nothing of a validation task in them."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.policy.build import MIXED, Recipe, demonstrations_of
from liverl.policy.demonstrations import Demonstration, Habits, make_demonstrations
from liverl.policy.programs import read_programs
from liverl.scaffold.shell import SYSTEM_PROMPT
from tests.tasks.folders import read_split

TRAIN = Path(__file__).resolve().parents[2] / "tasks" / "train"


@cache
def _mixed() -> tuple[Demonstration, ...]:
    return tuple(make_demonstrations(read_programs(TRAIN), 1500, MIXED, "test"))


def _commands(demonstration: Demonstration) -> list[str]:
    return [
        call["function"]["arguments"]["command"]
        for message in demonstration.messages
        for call in message.get("tool_calls", [])
    ]


def _text(messages: tuple[dict[str, Any], ...]) -> str:
    commands = (
        call["function"]["arguments"]["command"] for m in messages for call in m.get("tool_calls", [])
    )
    return "\n".join([*(str(message["content"]) for message in messages), *commands])


def test_the_same_seed_gives_the_same_demonstrations() -> None:
    programs = read_programs(TRAIN)
    one, two = (list(make_demonstrations(programs, 20, MIXED, "seed")) for _ in range(2))
    assert one == two
    assert one != list(make_demonstrations(programs, 20, MIXED, "other"))


def test_a_conversation_starts_and_ends_as_a_trial_does() -> None:
    for demonstration in _mixed():
        system, user, *_, last = demonstration.messages
        assert system == {"role": "system", "content": SYSTEM_PROMPT}
        assert user["role"] == "user"
        assert last == {"role": "assistant", "content": "Done."}
        assert len(demonstration.imitated) == sum(m["role"] == "assistant" for m in demonstration.messages)


def test_the_best_habits_always_solve_and_the_mixed_ones_about_half_the_time() -> None:
    best = make_demonstrations(read_programs(TRAIN), 50, Habits(), "best")
    assert all(demonstration.solved for demonstration in best)
    assert 0.4 < sum(demonstration.solved for demonstration in _mixed()) / len(_mixed()) < 0.6


def test_the_most_frequent_next_step_after_reading_and_after_a_preview_is_a_wrong_one() -> None:
    after_read = [
        commands[i + 1 : i + 2]
        for commands in map(_commands, _mixed())
        for i, command in enumerate(commands)
        if "p' " in command and "s|" not in command
    ]
    edits = [bool(following) and following[0].startswith("sed -i") for following in after_read]
    assert sum(edits) < 0.5 * len(edits)
    after_preview = [c[i + 1 :] for c in map(_commands, _mixed()) for i, x in enumerate(c) if "|p' " in x]
    assert sum(bool(rest) for rest in after_preview) < 0.5 * len(after_preview)


def test_wrong_edits_are_shown_but_not_imitated() -> None:
    seen = 0
    for demonstration in make_demonstrations(read_programs(TRAIN), 60, Habits(wrong=1.0), "wrong"):
        pairs = zip(_commands(demonstration), demonstration.imitated, strict=False)
        skipped = [command for command, imitated in pairs if not imitated]
        assert all(command.startswith("sed -i") for command in skipped)
        seen += len(skipped)
    assert seen


def test_nothing_that_the_shipped_policy_imitates_holds_a_part_of_a_validation_task() -> None:
    """All demonstrations of the default recipe and seed: no file, function, docstring, instruction or solution.

    What is shared, and has to be, is the kind of fault: the bare substitution, such as `>= ` to `> `, belongs to a
    family of which both splits have tasks. The solution is the command that makes it in one function of one file.
    """
    programs, seed = read_programs(TRAIN), RunConfig().experiment.seed
    shown = chain.from_iterable(demonstrations_of(programs, seed, Recipe()))
    texts = [_text(demonstration.messages) for demonstration in shown]
    assert len(texts) == Recipe().skilled + Recipe().mixed
    everything = "\n".join(texts)
    words = set(re.findall(r"\w+", everything))
    for task in read_split("val"):
        name = task.name.split("-", 1)[1].replace("-", "_")
        (solution,) = re.findall(
            r"^sed -i '(.*)' \S+$", (task.path / "solution" / "solve.sh").read_text(), re.M
        )
        assert task.edit in solution
        assert solution not in everything
        assert task.program.name not in everything
        assert task.instruction.splitlines()[0] not in everything
        assert f"def {name}(" not in everything
        assert "_" not in name or name not in words
        assert not [text for text in task.docstrings if text in everything]
