"""What section `verl` says, by dotted key, with verl's or this package's own value where it says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from liverl.config.schema import RunConfig


@dataclass(frozen=True)
class VerlKeys:
    """The keys of section `verl`; a value of another type than asked for counts as not given: verl refuses it."""

    values: Mapping[str, object]

    @classmethod
    def of(cls, config: RunConfig) -> VerlKeys:
        """The section flattened, without Hydra's signs for added keys; deleted keys (`~`) are left out."""
        flat = dict(_flatten(config.verl, ""))
        return cls({key.lstrip("+"): value for key, value in flat.items() if not key.startswith("~")})

    def whole(self, key: str, default: int) -> int:
        """A whole number, also where it is written as text."""
        value = self.values.get(key)
        if isinstance(value, str):
            try:
                return int(value)
            except ValueError:
                return default
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def number(self, key: str, default: float) -> float:
        """A number."""
        value = self.values.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default

    def truth(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key)
        return value if isinstance(value, bool) else default

    def text(self, key: str, default: str) -> str:
        """Text."""
        value = self.values.get(key)
        return value if isinstance(value, str) else default


def _flatten(nested: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in nested.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
