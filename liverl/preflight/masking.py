"""What may be shown of a variable or a command line: never a key, a token or a password."""

from __future__ import annotations

import re
from collections.abc import Sequence

from liverl.record.masking import HIDDEN, mask, mask_words

SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASSW|PWD|CREDENTIAL|AUTH", re.IGNORECASE)
_LONGEST = 120


def is_secret(name: str) -> bool:
    """Whether a variable's name speaks of something that is not to be shown."""
    return SECRET_NAME.search(name) is not None


def shown(name: str, value: str) -> str:
    """A variable's value for the eye: shortened, without a secret."""
    return HIDDEN if is_secret(name) else _shortened(mask(value))


def shown_command(words: Sequence[str]) -> str:
    """A command line for the eye: one line, shortened, without keys, tokens and passwords in whatever form."""
    # Once more when it is whole: whether `-pX` is a password is told by the program before it.
    return _shortened(mask(" ".join(" ".join(mask_words(words)).split())))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
