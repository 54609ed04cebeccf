"""Demonstrations of mixed quality, made from training programs only, in the conversation format of the run.

Habits            how often a demonstrator does what
Demonstration     one conversation, and which of its answers are to be imitated
make_demonstrations   many of them from the training programs
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from liverl.policy.programs import Function, Program
from liverl.policy.renaming import Renaming, draw_renaming
from liverl.policy.sites import Faulty, break_function, find_sites
from liverl.scaffold.shell import SYSTEM_PROMPT, observation

Message = dict[str, Any]


@dataclass(frozen=True)
class Habits:
    """Probabilities of a demonstrator's decisions, in the order in which they come up."""

    blind: float = 0.0
    """Edits without having read anything, by a guess from another program."""
    check_first: float = 0.0
    """Runs the tests before reading."""
    give_up: float = 0.0
    """Reads and declares victory."""
    preview: float = 0.0
    """Prints what the edit would change instead of changing it."""
    apply: float = 1.0
    """Makes the edit after the preview, instead of declaring victory."""
    wrong: float = 0.0
    """Edits the right place in a wrong way; shown, but never imitated."""
    untested: float = 0.0
    """Declares victory without running the tests."""
    retry: float = 1.0
    """Mends a wrong edit once the tests have failed."""


@dataclass(frozen=True)
class Demonstration:
    """A conversation; `imitated` says of each assistant message, in order, whether it is to be learned."""

    messages: tuple[Message, ...]
    imitated: tuple[bool, ...]
    solved: bool


@dataclass(frozen=True)
class _Scene:
    """A faulty function under its new names."""

    stem: str
    name: str
    symptom: str
    fault: Faulty
    guess: Faulty

    @property
    def range(self) -> str:
        return f"/def {self.name}(/,/^$/"

    def renamed(self, rename: Renaming) -> _Scene:
        fault = replace(
            self.fault,
            text=rename(self.fault.text),
            old=rename(self.fault.old),
            new=rename(self.fault.new),
            wrong=tuple(map(rename, self.fault.wrong)),
        )
        symptom, stem = rename(self.symptom), rename(self.stem)
        return replace(self, stem=stem, name=rename(self.name), symptom=symptom, fault=fault)


def make_demonstrations(
    programs: Sequence[Program], count: int, habits: Habits, seed: str
) -> Iterator[Demonstration]:
    """Yields `count` demonstrations, the same ones for the same seed. Every fault family comes up."""
    rng = random.Random(seed)
    by_family = _places(programs)
    symptoms = [symptom for program in programs for symptom in program.symptoms]
    while count:
        scene = _scene(by_family, symptoms, rng)
        if scene is None:
            continue
        share = 0.0 if rng.random() < 0.1 else 0.95
        texts = (scene.fault.text, scene.stem, *((scene.symptom,) if rng.random() < 0.5 else ()))
        words = (scene.fault.old, scene.fault.new, *scene.fault.wrong)
        yield _Demonstrator(scene.renamed(draw_renaming((*texts, *words), share, rng)), habits, rng).play()
        count -= 1


Places = dict[str, list[tuple[Program, Function]]]


def _places(programs: Sequence[Program]) -> Places:
    rng = random.Random(0)
    places: Places = {}
    for program in programs:
        for function in program.functions:
            for family in {site.family for site in find_sites(function.text, rng)}:
                places.setdefault(family, []).append((program, function))
    return {family: places[family] for family in sorted(places)}


# Families with more than two tokens, or with words to copy, take more practice.
_CHOICES = {"comparison": 6, "aggregate": 6, "arithmetic": 6, "constant": 3, "normalisation": 3}


def _scene(places: Places, symptoms: Sequence[str], rng: random.Random) -> _Scene | None:
    family = rng.choices(list(places), [_CHOICES.get(family, 1) for family in places])[0]
    program, function = rng.choice(places[family])
    fault = break_function(function.text, rng)
    _, elsewhere = rng.choice(places[rng.choice(list(places))])
    guess = break_function(elsewhere.text, rng)
    if fault is None or guess is None or fault.family != family:
        return None
    return _Scene(program.stem, function.name, rng.choice(symptoms), fault, guess)


class _Demonstrator:
    """Plays one conversation: decides by its habits, and knows what each command would print."""

    def __init__(self, scene: _Scene, habits: Habits, rng: random.Random) -> None:
        self.scene, self.habits, self.rng = scene, habits, rng
        self.code = scene.fault
        self.mended = False
        instruction = f"{scene.symptom}\nFix `{scene.name}` in {scene.stem}.py so that `sh check.sh` passes."
        self.messages: list[Message] = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": instruction},
        ]
        self.imitated: list[bool] = []

    def play(self) -> Demonstration:
        if self._chance(self.habits.blind):
            guess = self.scene.guess
            self._run(self._sed("-i", guess.old, guess.new), "")
            if not self._chance(self.habits.untested):
                self._check()
        else:
            self._work()
        self.messages.append({"role": "assistant", "content": "Done."})
        self.imitated.append(True)
        return Demonstration(tuple(self.messages), tuple(self.imitated), self.mended)

    def _work(self) -> None:
        scene, habits, fault = self.scene, self.habits, self.scene.fault
        if self._chance(habits.check_first):
            self._check()
        # -s: a last function of one file does not run on into the next.
        self._run(f"sed -sn '{scene.range}p' *.py", fault.text)
        if self._chance(habits.give_up):
            return
        if self._chance(habits.preview):
            self._run(self._sed("-sn", fault.old, fault.new), self._changed_lines())
            if not self._chance(habits.apply):
                return
        now = fault.old
        if fault.wrong and self._chance(habits.wrong):
            now = self.rng.choice(fault.wrong)
        self._edit(fault.old, now if now != fault.old else fault.new)
        if self._chance(habits.untested):
            return
        self._check()
        if not self.mended and self._chance(habits.retry):
            self._edit(now, fault.new)
            self._check()

    def _edit(self, old: str, new: str) -> None:
        self.mended = new == self.scene.fault.new
        self._run(self._sed("-i", old, new), "", imitate=self.mended)

    def _changed_lines(self) -> str:
        fault = self.scene.fault
        pairs = zip(fault.text.split("\n"), fault.edited(fault.old, fault.new).split("\n"), strict=True)
        return "\n".join(after for before, after in pairs if before != after)

    def _sed(self, option: str, old: str, new: str) -> str:
        scene, tail = self.scene, "p" if option == "-sn" else ""
        return f"sed {option} '{scene.range}s|{old}|{new}|{tail}' *.py"

    def _check(self) -> None:
        failed = f"FAIL: test_{self.scene.name}\nFAILED (failures=1)"
        self._run("sh check.sh", "OK" if self.mended else failed)

    def _run(self, command: str, output: str, *, imitate: bool = True) -> None:
        call = {"type": "function", "function": {"name": "bash", "arguments": {"command": command}}}
        self.messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        self.messages.append({"role": "tool", "content": observation(output, "", 0)})
        self.imitated.append(imitate)

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability
