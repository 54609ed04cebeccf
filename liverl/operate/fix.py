"""A finding's cure as a change of config.yaml: shown as a diff, made only when a person has said so.

Fix       the diff, and what could not be changed
propose   the fix of the primary finding
apply     write it, after the strict reader of config.yaml has accepted it
"""

from __future__ import annotations

import difflib
import os
import shlex
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from liverl.config import ConfigProblems
from liverl.diagnose.finding import Finding
from liverl.errors import ConfigError
from liverl.operate.answer import cut
from liverl.operate.config_text import as_yaml, content_of, is_only_change, read_text, with_key
from liverl.operate.find import Place, nearest_config
from liverl.operate.in_force import VERL, InForce, new_value
from liverl.operate.launch import Yes
from liverl.operate.profile import Asked, read_profile
from liverl.record.jsonl import write_by_rename


@dataclass(frozen=True)
class Fix:
    """What a cure changes in a file: `changes` are (key, old, new) as YAML, `left` is what stays to be done by hand,
    `there` what is so already, by the file, its profile or a default; `before` and `text` are the whole file as it was
    read and as it would be, `command` is what has shown it, `writeup` the path of the failure's, `confirm` the command
    that makes sure."""

    path: Path
    finding: str
    changes: tuple[tuple[str, str, str], ...] = ()
    diff: str = ""
    before: str = ""
    text: str = ""
    left: tuple[str, ...] = ()
    there: tuple[str, ...] = ()
    writeup: str = ""
    confirm: str = ""
    command: str = "liverl diagnose --fix"
    is_applied: bool = False

    @property
    def ok(self) -> bool:
        """Whether there is a change."""
        return bool(self.changes)

    @property
    def summary(self) -> str:
        """How many keys change, or why none does."""
        if not self.changes and self.there:
            return cut(f"the cure of {self.finding} is in force already: {', '.join(self.there)}", 200)
        if not self.changes:
            why = f": {self.left[0]}" if self.left else ""
            return cut(f"no change of {self.path.name} cures {self.finding}{why}", 200)
        told = ", ".join(f"{key} {old or 'unset'} -> {new}" for key, old, new in self.changes)
        return (
            f"{'changed' if self.is_applied else 'would change'} {self.path.name} for {self.finding}: {told}"
        )

    @property
    def next_action(self) -> str:
        """Apply it, or check what it makes."""
        if not self.changes and self.there:
            sure = f"; be sure first: {self.confirm}" if self.confirm else ""
            return f"where the run had these values, its cause is another one: read {self.writeup}{sure}"
        if not self.changes:
            return f"read {self.writeup}: the cure is not in config.yaml"
        return "liverl check" if self.is_applied else f"{self.command} --apply"

    def payload(self) -> dict[str, Any]:
        """The change as plain JSON."""
        changes = [{"key": key, "old": old, "new": new} for key, old, new in self.changes]
        told = {"file": str(self.path), "changes": changes, "diff": self.diff, "left": list(self.left)}
        return {**told, "there": list(self.there)} if self.there else told

    def lines(self) -> list[str]:
        """The same for a person."""
        told_first = not self.changes and not self.there  # the summary has it
        left = [f"  by hand: {text}" for text in self.left[told_first:]]
        left += [f"  already: {text}" for text in self.there if self.changes]
        return [self.summary, *self.diff.splitlines(), *left, f"  next: {self.next_action}"]


def propose(finding: Finding, place: Place, config: str | None = None, name: str | None = None) -> Fix:
    """The cure of a finding of what `name` names, as a change of the nearest (or the named) config.yaml.

    Raises `ConfigError` where there is none, or it can't be read.
    """
    path = Path(config).expanduser() if config else nearest_config(place.cwd)
    writeup = f"troubleshooting/{finding.writeup}"
    if not finding.changes:
        return Fix(path or place.cwd / "config.yaml", finding.id, writeup=writeup)
    if path is None or not path.is_file():
        raise ConfigError(
            "config.missing",
            "There is no config.yaml to change.",
            evidence=f"looked from {place.cwd} upwards" if config is None else f"{config} is no file",
            next_action=f"name it: {command_of(name, 'FILE', place)}",
        )
    before = read_text(path)
    now = InForce(path, content_of(path.name, before))
    text, changes, left, there = before, [], [], []
    for key, wanted in finding.changes.items():
        old = now.value(key)
        new = new_value(old, wanted)
        if new is None:
            left.append(f"{key}: {wanted} of what it is, which nothing here tells")
            continue
        winners = now.winners(key, new)
        if list(winners.values()) == [new]:  # the same value under verl's name: that is the one to change
            key = f"{VERL}{next(iter(winners))}"
            old = now.value(key)
            new = new_value(old, wanted)
        elif winners:
            told = ", ".join(f"verl.{name}" for name in winners)
            left.append(f"set {key} to {as_yaml(new)}: {told} wins over it and has to go with it")
            continue
        if now.is_so(key, new):
            there.append(f"{key} is {as_yaml(old)}")
            continue
        changed = with_key(text, key, as_yaml(new))
        if not is_only_change(text, changed, key, new):
            left.append(
                f"set {key} to {as_yaml(new)}: it is written in a form that no change of one line fits"
            )
            continue
        text = changed
        changes.append((key, "" if old is None else as_yaml(old), as_yaml(new)))
    diff = difflib.unified_diff(
        before.splitlines(), text.splitlines(), path.name, path.name, lineterm="", n=1
    )
    return Fix(
        path,
        finding.id,
        tuple(changes),
        "\n".join(diff),
        before,
        text,
        tuple(left),
        tuple(there),
        writeup,
        finding.confirm,
        command_of(name, config, place),
    )


def command_of(name: str | None, config: str | None, place: Place) -> str:
    """The command that shows the change of a (named) config.yaml which cures what `name` names."""
    words = [
        "liverl",
        "diagnose",
        *([name] if name else []),
        "--fix",
        *(["--config", config] if config else []),
        *(["--run-root", str(place.run_root)] if place.run_root else []),
    ]
    return shlex.join(words)


def apply(fix: Fix, place: Place, yes: Yes) -> Fix:
    """Write the change by rename, the old file kept as config.yaml.before, or .before2 and on; raises `ConfigError`
    where it is invalid, or where the file is no longer the one that the person was shown."""
    del yes  # a person's; who has none can't call this
    path = fix.path.resolve()  # of a link what it leads to is changed, not the link
    trial = path.with_name(f".{path.name}.{os.getpid()}.fix")
    write_by_rename(trial, fix.text.encode())
    try:
        before = _problems(path, place)
        new = [told for told in _problems(trial, place) if told not in before]
    finally:
        trial.unlink(missing_ok=True)
    if new:
        raise ConfigError(
            "config.fix_invalid",
            "The change was not made: config.yaml would not be valid with it.",
            evidence="; ".join(new)[:300],
            next_action="make the change by hand, as the write-up says",
        )
    if read_text(path) != fix.before:
        raise ConfigError(
            "config.changed",
            f"The change was not made: {path.name} has changed since it was shown.",
            next_action=fix.command,
        )
    mode = path.stat().st_mode
    for target, text in ((_kept_at(path), fix.before), (path, fix.text)):
        write_by_rename(target, text.encode(), durable=True)
        target.chmod(mode & 0o777)
    return replace(fix, is_applied=True)


def _kept_at(path: Path) -> Path:
    """Where the old file is kept: the one before the first change stays, however many follow."""
    names = (f"{path.name}.before{number if number > 1 else ''}" for number in count(1))
    return next(each for each in map(path.with_name, names) if not each.exists())


def _problems(path: Path, place: Place) -> list[str]:
    """What the strict reader has against a file; none where it takes it."""
    try:
        read_profile(Asked(str(path), (), False), place)
    except ConfigProblems as found:
        return [f"{each.key}: {each.reason}" for each in found.problems]
    except ConfigError as error:
        return [error.message]
    return []
