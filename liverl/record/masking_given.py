"""Secrets that are given to a name of one: `token=X`, `"api_key": "X"`, and in a table `API_KEY    X`.

mask_given      any text
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from liverl.record.masking_names import names_secret
from liverl.record.masking_places import HIDDEN
from liverl.record.masking_spaced import SPACED, is_secret_behind, is_word

# A value is what its quotes hold, or else ends at a blank, at what closes a text before one, or at a next field.
VALUE = (
    r"(?:(?P<quote>\\{0,3}[\"'])(?P<inner>(?:(?!(?P=quote))(?:\\.|[^\n]))+)"
    r"|(?P<bare>[^\s\"'\\](?:(?![\"',;)}\]]{1,4}(?:\s|$)|[\"'][,;)}\]]"
    r"|&[\w.-]{1,80}=)\S)*))"
)
_GIVEN = re.compile(VALUE)
# What a name ends with. Looked for as plain words, which is ten times as fast as an expression that tries each letter.
_WORDS = ("key", "token", "secret", "password", "passwd", "passphrase", "pwd", "credential", "signature")
# Programs line their values up by blanks, on either side of the sign.
_WIDE = r"(?:[ \t]{5,200}+|\s{0,4})"
_SIGN = re.compile(
    rf"(?P<sign>(?:\sprovided|\sis)?\\{{0,3}}[\"']?\]?{_WIDE}(?:=>|->|[:=]{{1,2}}|(?<=[\"']),(?=\s{{0,4}}b?[\"']))"
    rf"{_WIDE}(?:(?i:SecretStr)\()?(?:b(?=[\"']))?(?=\S))"
)
# What stands without a blank for longer than this is no key: looked through for each name in it, it would take hours.
_MOST = 2048
_IN_PAIR = re.compile(r"\(\s?b?[\"'][\w-]*\Z")
_NAME = re.compile(r"(?:[A-Za-z0-9_.-]+|[A-Za-z]+ )\Z")
# As `kubectl describe` shows that a variable comes from a secret, which it does not tell.
_FROM_SECRET = "<set to the key "
_ENDS = re.compile(r"[\"',;.!)}\]]{0,4}[ \t]*(?:\n|\Z)|[.,;!][\s]")


def mask_given(text: str) -> str:
    """The text without what is given to a name of a secret."""
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    told = at = 0
    for start, end in _named(text):
        if start < at:
            continue
        sign = _SIGN.match(text, end) or SPACED.match(text, end)
        if sign is None:
            continue
        at = sign.end()
        given = _GIVEN.match(text, at, at + _MOST) if sign.re is SPACED else _GIVEN.match(text, at)
        if given is None or not _is_secret(text, (start, end), sign, given):
            continue
        yield text[told:at]
        yield f"{given['quote'] or ''}{HIDDEN}"
        told = at = given.end()
    yield text[told:]


def _named(text: str) -> list[tuple[int, int]]:
    """Where the words stand that a name of a secret ends with."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter that has two in lower case would move all that stands behind it
        lower = "".join(each.lower() if each.isascii() else each for each in text)
    found: list[tuple[int, int]] = []
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            found.append((at, end + lower.startswith("s", end) if word == "credential" else end))
            at = lower.find(word, end)
    return sorted(found)


def _is_secret(text: str, word: tuple[int, int], sign: re.Match[str], given: re.Match[str]) -> bool:
    value = given["inner"] or given["bare"]
    if text.startswith(_FROM_SECRET, given.start()):
        return False
    said = text[slice(*word)]
    is_spaced = sign.re is SPACED
    if is_spaced and is_word(value) and "pass" not in said.lower() and said.lower() != "pwd":
        return False  # as nearly all are: told before the name is looked at
    before = text[max(0, word[0] - 60) : word[0]]
    name = f"{_start(before)}{said}"
    if is_spaced:
        return is_secret_behind(name, sign.lastgroup or "", value, _ENDS.match(text, given.end()) is not None)
    return not _is_loose(said, sign["sign"], given, before) and names_secret(name, value)


def _start(text: str) -> str:
    """What a name begins with: the letters that touch it, else the word before it."""
    found = _NAME.search(text)
    return found[0] if found else ""


def _is_loose(word: str, sign: str, given: re.Match[str], before: str) -> bool:
    """Whether it is prose or a list rather than an assignment: `Bad credentials: try again`, `["secret", "x"]`."""
    if "," in sign:
        return _IN_PAIR.search(before) is None
    return word.lower().startswith("credential") and "=" not in sign and not given["quote"]
