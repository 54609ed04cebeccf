"""Secrets that stand behind a name of one without a sign between: `API_KEY    X` of a table, `the password is X`; and
those that a word between keeps apart from it: `{"name": "API_KEY", "value": "X"}`.

Metrics and prose have the same form (`num_tokens 1234`, `token is expired`), so that here the value counts as well.

SPACED             what stands between a name and its value
is_word            whether a value can't be one but of a name of a password
is_secret_behind   whether a value behind a name is a secret
mask_spaced        any text
"""

from __future__ import annotations

import re

from liverl.record.masking_names import names_secret
from liverl.record.masking_places import HIDDEN

_SAYING = (
    "are", "as", "env", "environment", "found", "invalid", "is", "now", "provided", "rejected", "set", "to", "used",
    "value", "var", "variable", "was",
)  # fmt: skip
# `wide` is a table's or a list's, `said` a sentence's. All of it is bounded, for lines of a megabyte.
SPACED = re.compile(
    r"\\{0,3}[\"'`]?\]?(?:"
    r"(?P<wide>[ \t]{0,200}+[|│┃║][ \t]{0,200}+|[ \t]{0,4}\.{3,200}+[ \t]{0,4}"
    r"|[ \t]{2,200}+(?:\([a-z]{1,12}\)[ \t]{1,200}+)?|\t)"
    rf"|(?P<said>(?:[ \t](?:{'|'.join(_SAYING)})\b){{1,6}}:?[ \t]{{1,4}})"
    r"|(?P<one>[ \t]))(?=\S)"
)
# What says something of a secret instead of being it.
_PREDICATES = frozenset((
    "a", "absent", "again", "already", "also", "always", "an", "being", "blank", "by", "correct", "count", "default",
    "empty", "file", "for", "from", "good", "here", "hidden", "in", "incorrect", "kept", "length", "longer", "masked",
    "missing", "needed", "never", "no", "none", "not", "null", "only", "ok", "on", "off", "optional", "present", "read",
    "redacted", "required", "right", "same", "secret", "set", "stored", "the", "there", "too", "true", "type", "unset",
    "valid", "value", "weak", "what", "wrong", "your",
))  # fmt: skip
_SAID_OF = re.compile(r"[a-z]+(?:ed|ing|able|ible|ly|less)")
# Paths, variables, calls, a next field, a label, versions, times, counts with a unit, and what is masked already.
_PLAIN = re.compile(
    r"[~<\[{(]|/(?![A-Za-z0-9+/]{39}\Z)|\.{1,2}/|\$(?:\{|[A-Z_]+\Z)|[A-Za-z_][\w.-]{0,80}=(?!=|\Z)"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|v?\d+(?:\.\d+)+[\w.-]*\Z|\d{4}-\d\d-\d\d|[^*(]*(?:\*\*\*|\()"
)
_COUNT = re.compile(r"[-+]?[\d.,]{1,12}[A-Za-z/%]{0,4}")
_RANDOM = re.compile(r"[A-Za-z0-9_+/=-]+")
_DIGITS = re.compile(r"\d+")
# Whose token it is: there are others in a log, of a text and of what handles one.
_HOLDERS = frozenset((
    "access", "admin", "api", "auth", "bearer", "bot", "client", "daytona", "deploy", "gh", "git", "github", "gitlab",
    "hf", "hub", "huggingface", "id", "modal", "oauth", "personal", "private", "refresh", "secret", "security",
    "service", "session", "slack", "user", "wandb",
))  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "pwd")
_MIXED = r"(?=[^\s\"'<]{0,200}?[0-9])(?=[^\s\"'<]{0,200}?[A-Za-z])"
_SECRETS = r"(?:key|token|secret|passw(?:or)?d|passphrase)"
# Each behind words, in lower case, one of which a text must hold for it to be tried: most texts hold none.
_APART = tuple(
    (signs, re.compile(form, re.IGNORECASE))
    for signs, form in (
        (  # a variable of a container: its name, and beside that its value
            ("value:", "value=", 'value"', "value'", "value\\", "value "),
            rf"(?P<head>(?<=[a-z_-]){_SECRETS}\\{{0,3}}[\"']?,?\s{{1,8}}(?:\d{{1,9}}:\s{{1,8}})?\\{{0,3}}[\"']?value\\{{0,3}}"
            rf"[\"']?\s{{0,4}}[:=]\s{{0,4}}\\{{0,3}}[\"']?){_MIXED}[^\s\"'\\<*]{{6,}}",
        ),
        (("</",), rf"(?P<head><[\w:.-]{{0,60}}{_SECRETS}>)[^<>\n*]{{4,400}}(?=</)"),
        (
            ("keys", "auth_tokens", "auth-tokens", "access_tokens", "access-tokens", "passwords", "secrets"),
            r"(?P<head>(?:api[-_]?keys|access[-_]?keys|auth[-_]?tokens|access[-_]?tokens|passwords|secrets)\\{0,3}[\"']?"
            r"\s{0,4}[:=]\s{0,4})(?:[\[(]\s{0,4}\\{0,3}[\"'][^\])\n]{1,4000}(?=[\])])|"
            rf"{_MIXED}[\w,.+/=-]{{6,}})",
        ),
        (
            ("credential",),
            r"(?P<head>\bcredentials?\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}[\"']?[\w.@-]{1,80}:)"
            rf"{_MIXED}[^\s\"'/]{{6,}}",
        ),
        (
            ("authorization ", "authorization\t", "authorization|"),
            r"(?P<head>\bauthorization[ \t|]{1,200}+(?:basic|bearer|token)[ \t]{1,4})"
            + _MIXED
            + r"[\w.~+/=-]{8,}",
        ),
        (("bearer=", "bearer:"), rf"(?P<head>\bbearer[=:][ \t]{{0,4}}[\"']?){_MIXED}[\w.~+/=-]{{8,}}"),
        (("api key ",), rf"(?P<head>\bapi key[ \t]{{1,4}}[\"']?){_MIXED}[\w-]{{12,}}"),
        # Kaggle's and others', which call it nothing else.
        (
            ("key=", "key:", 'key"', "key'"),
            r"(?P<head>\bkey[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[0-9a-f]{32,64}(?![0-9a-z])",
        ),
        (("passphrase",), r"(?P<head>\bpassphrase[ \t]{0,4}[:=][ \t]{0,4}[\"']?)[^\n\"']{4,200}"),
        (  # its value stands below the name, as YAML nests it
            ("value:",),
            rf"(?P<head>{_SECRETS}[\"']?:[ \t]{{0,8}}\n[ \t]{{1,16}}(?:[\"']?value[\"']?:|\*{{3}})[ \t]{{1,4}}[\"']?)"
            r"[^\s\"'*]{6,}",
        ),
        (
            ("wandb login",),
            r"(?P<head>\bwandb[ \t]{1,4}login[ \t](?:[^\n|;]{0,200}?[ \t])?)" + _MIXED + r"[a-z0-9_]{40,}",
        ),
        (
            ("password for",),
            r"(?P<head>\bpassword[ \t]for[ \t][^\s:]{1,80}:[ \t]{1,4})" + _MIXED + r"[^\s\"'*]{4,}",
        ),
    )
)


def mask_spaced(text: str, lower: str) -> str:
    """The text without secrets that a word or a tag keeps apart from their names; `lower` is it in lower case."""
    for signs, form in _APART:
        if any(sign in lower for sign in signs):
            text = form.sub(lambda found: f"{found['head']}{HIDDEN}", text)
    return text


def is_word(value: str) -> bool:
    """Whether a value is a word or a number, as no key or token is."""
    return len(value) < 20 and (value.isalpha() or value.isdigit())


def is_secret_behind(name: str, gap: str, value: str, is_last: bool) -> bool:
    """Whether a value is a secret that stands behind a name: `gap` is a group of `SPACED`, `is_last` says that nothing
    of its sentence follows."""
    value = value.rstrip("|│┃║")
    is_password = name.lower().endswith(_PASSWORDS)
    if _PLAIN.match(value) or value.endswith(":") or "://" in value or not names_secret(name, value):
        return False
    if is_password:
        return _is_password(name, gap, value, is_last)
    if _COUNT.fullmatch(value):
        return False
    if not _is_sure(name):
        return _is_mixed(value, 8) if gap == "said" else _is_random(value, 16)
    if gap != "one":
        return _is_mixed(value, 6) or (_is_variable(name) and len(value) >= 20)
    if _is_variable(name):
        return _is_mixed(value, 8) or (value.startswith("sk-") and len(value) > 4)
    return _is_random(value, 12) or (value.startswith("sk-") and _is_mixed(value, 5))


def _is_password(name: str, gap: str, value: str, is_last: bool) -> bool:
    word = value.lower().rstrip(".!")
    if word in _PREDICATES or _SAID_OF.fullmatch(word):
        return False
    if gap == "one":
        return _is_mixed(value, 6)
    if gap == "said" and is_last:
        return len(value) >= 4
    return _is_mixed(value, 4) or (gap == "wide" and len(value) >= 4 and "_" in name)


def _is_sure(name: str) -> bool:
    """Whether nothing but a secret has such a name: it tells whose it is, in one word."""
    if " " in name:
        return False
    parts = [part.lower() for part in re.split(r"[-_.]|(?<=[a-z])(?=[A-Z])", name) if part]
    if len(parts) < 2 or _is_variable(name):
        return len(parts) > 1
    return parts[-1] != "token" or parts[-2] in _HOLDERS


def _is_variable(name: str) -> bool:
    """Whether it is the name of a variable of the environment."""
    return "_" in name and name.isupper()


def _is_mixed(value: str, shortest: int) -> bool:
    is_long = len(value) >= shortest
    return is_long and any(each.isdigit() for each in value) and any(each.isalpha() for each in value)


def _is_random(value: str, shortest: int) -> bool:
    """Whether no person would have chosen it: digits stand between letters, more than once."""
    return _is_mixed(value, shortest) and bool(_RANDOM.fullmatch(value)) and len(_DIGITS.findall(value)) > 1
