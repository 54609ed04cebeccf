"""What is wrong with a configuration: every problem with its file, line, value, reason and cure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from liverl.errors import ConfigError


@dataclass(frozen=True)
class Problem:
    """One thing to mend; `line` is 0 where the value comes from no file."""

    file: str
    line: int
    key: str
    value: object
    reason: str
    cure: str

    @property
    def place(self) -> str:
        """Where the value stands: `config.yaml:12`, or the file's name alone."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        shown = "" if self.value is None else f" = {_short(self.value)}"
        return f"{self.place}  {self.key}{shown}: {self.reason}. {self.cure}."

    def as_dict(self) -> dict[str, object]:
        """The problem as flat JSON."""
        return {**asdict(self), "value": None if self.value is None else _short(self.value)}


class ConfigProblems(ConfigError):
    """All problems of one configuration, found together; `problems` holds at least one."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = len(self.problems)
        super().__init__(
            "config.invalid",
            f"{source} has {count} problem{'s' if count != 1 else ''}",
            evidence="\n        ".join(f"{p.place}  {p.key}: {p.reason}" for p in self.problems),
            next_action="\n        ".join(dict.fromkeys(p.cure for p in self.problems)),
        )

    def __str__(self) -> str:
        return "\n".join([f"[{self.code}] {self.message}", *(f"  {problem}" for problem in self.problems)])

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (ConfigProblems, (self.source, self.problems))


def _short(value: object, limit: int = 80) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
