"""Secrets in a text as `***`: what is shaped like a key, and what is given to a name of one.

mask        any text
mask_words  a command line, word by word
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from liverl.record.masking_forms import mask_forms
from liverl.record.masking_places import HIDDEN, mask_places

__all__ = ["HIDDEN", "mask", "mask_words"]

# Cheaper than the expressions: most lines hold none of these. All in lower case.
_NAMES = ("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "signature", "authorization")
_SHAPES = ("://", "sk-", "earer", "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "k_live_", "k_test_", "gsk_", "npm_",
           "github_pat_", "glpat-", "xox", "akia", "asia", "aiza", "eyj", "auth=(", "key=")  # fmt: skip
_PROGRAMS = ("mysql", "mariadb", "curl", "sshpass", "docker", "redis-cli")

# What the issuers' own formats look like; each keeps its prefix, which says whose key it is.
_SHAPED = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<sk>sk-)[\w*-]{6,}"
    r"|(?P<long>hf_|gh[opsru]_|[srpg]k_live_|[sr]k_test_|gsk_|npm_)[A-Za-z0-9]{16,}"
    r"|(?P<dashed>github_pat_|glpat-|xox[abeprs]-|AIza)[\w-]{10,}"
    r"|(?P<aws>AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|(?P<jwt>eyJ)[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?"
    r")"
    r"|(?P<bearer>\b[Bb](?:earer|EARER)\s+)"
    r"(?!(?:authentication|authorization|tokens?|credentials?)(?![\w~+/=-]))[\w.~+/=-]{6,}"
    r"|(?P<http>\bhttps?://)[^/\s\"'<>]{1,400}(?=@)"
    r"|(?P<url>://)[^/\s\"'<>:]{0,100}:[^/\s\"'<>]{1,400}(?=@(?!sha256:))"
    r"|(?P<pair>\bauth=\(\s{0,4}[\"'][^\"'\n]{0,80}[\"'],\s{0,4}[\"'])[^\"'\n]+"
    r"|(?P<query>[?&]key=)[^&\s\"']+"
)
_HEADER = re.compile(
    r"(?P<name>\bauthorization\\{0,3}[\"']?\s{0,4}(?:=>|[:=]|,(?=\s{0,4}b?[\"']))\s{0,4}(?:b(?=[\"']))?\\{0,3}[\"']?)"
    r"(?:(?P<scheme>(?:bearer|basic|token|api-?key|negotiate|ntlm)\s+)[^\s\"'\\]+"
    r"|(?:digest|hawk|aws4-hmac-sha256)\s[^\n]+"
    r"|[^\s\"'\\][^\"'\\\n]*)",
    re.IGNORECASE,
)
# Programs with an option of one letter for a password.
_PROGRAM = re.compile(
    r"(?P<call>(?:\b(?:mysql|mariadb)[\w-]{0,20}\s(?:[^\n|;]{0,400}?\s)?-p(?=[^\s-])"
    r"|\bsshpass\s{1,4}-p\s{0,4}"
    r"|\bredis-cli\s(?:[^\n|;]{0,400}?\s)?-a\s{1,4}"
    r"|\bdocker\s{1,4}login\s(?:[^\n|;]{0,400}?\s)?-p\s{0,4}"
    r"|\bcurl\s(?:[^\n|;]{0,400}?\s)?(?:-u\s{0,4}|--user[ =])[\"']?[^\s:\"']{0,80}:))"
    r"(?:'[^'\n]*'|\"[^\"\n]*\"|\S+)"
)

# A value is what its quotes hold, or else ends at a blank, at what closes a text before one, or at a next field.
_VALUE = (
    r"(?:(?P<quote>\\{0,3}[\"'])(?P<inner>(?:(?!(?P=quote))(?:\\.|[^\n]))+)"
    r"|(?P<bare>[^\s\"'\\](?:(?![\"',;)}\]]{1,4}(?:\s|$)|[\"'][,;)}\]]"
    r"|&[\w.-]{1,80}=)\S)*))"
)
_ASSIGNED = re.compile(
    r"(?P<word>key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|signature)"
    r"(?P<sign>(?:\sprovided|\sis)?\\{0,3}[\"']?\]?\s{0,4}(?:=>|->|[:=]{1,2}|(?<=[\"']),(?=\s{0,4}b?[\"']))"
    r"\s{0,4}(?:SecretStr\()?(?:b(?=[\"']))?(?=\S))",
    re.IGNORECASE,
)
_GIVEN = re.compile(_VALUE)
_OPTION = re.compile(
    r"(?P<option>(?<![\w-])--?(?P<name>[A-Za-z][\w-]{2,60})[\"']?\s{1,4})(?=[^\s-])" + _VALUE
)
_IN_PAIR = re.compile(r"\(\s?b?[\"'][\w-]*\Z")
_NAME = re.compile(r"(?:[A-Za-z0-9_.-]+|[A-Za-z]+ )\Z")

# A `..._key` is a secret with one of these before it; verl and SQL have many others, such as prompt_key.
_KEYS = frozenset((
    "access", "account", "admin", "anthropic", "api", "apikey", "auth", "azure", "client", "consumer",
    "crypt", "deploy", "door", "encryption", "gateway", "gemini", "hf", "host", "license", "litellm",
    "master", "mistral", "openai", "openrouter", "private", "secret", "service", "session", "shared",
    "signing", "ssh", "storage", "subscription", "together", "virtual", "wandb",
))  # fmt: skip
# A `..._token` with one of these before it is one of a language model's or a parser's.
_TEXT_TOKENS = frozenset((
    "a", "added", "all", "an", "any", "assistant", "audio", "bad", "begin", "bos", "cls", "current", "each",
    "end", "eos", "eot", "every", "extra", "final", "first", "generated", "image", "input", "last", "mask",
    "next", "of", "one", "output", "pad", "padding", "per", "previous", "prompt", "response",
    "sampled", "sep", "single", "special", "start", "stop", "text", "the", "think", "tool",
    "unexpected", "unk", "unknown", "video", "vision",
))  # fmt: skip
_NO_SECRET = frozenset(("none", "null", "true", "false", "nan", "undefined", "str", "optional[str]"))
# A count, a token's number or a time; a secret of digits alone is longer.
_NUMBER = re.compile(r"[-+]?\d{1,9}(?:\.\d*(?:[eE][-+]?\d{1,3})?(?:ms|us|s)?)?%?")
_MASKED = re.compile(
    r"(?:sk-|hf_|gh._|.k_live_|.k_test_|gsk_|npm_|github_pat_|glpat-|xox.-|AIza|AKIA|ASIA|eyJ)?\*{3}\.?"
)
_PROSE = frozenset((
    "and", "argument", "flag", "from", "instead", "must", "option", "requires", "required", "that", "value", "was",
    "were", "with",
))  # fmt: skip
_SHORTEST = 4


def mask(text: str) -> str:
    """The text with its secrets as `***`; masking it again changes nothing."""
    lower = text.lower()
    is_named = any(sign in lower for sign in _NAMES)
    if is_named and "authorization" in lower:
        text = _HEADER.sub(lambda found: f"{found['name']}{found['scheme'] or ''}{HIDDEN}", text)
    if any(sign in lower for sign in _PROGRAMS):
        text = _PROGRAM.sub(lambda found: f"{found['call']}{HIDDEN}", text)
    if any(sign in lower for sign in _SHAPES):
        text = _SHAPED.sub(lambda found: f"{found[found.lastgroup or 0]}{HIDDEN}", text)
    text = mask_forms(mask_places(text, lower, is_named), lower)
    if not is_named:
        return text
    if "--" in text or " -" in text or text.startswith("-"):
        text = _OPTION.sub(_option, text)
    return "".join(_assigned(text))


def mask_words(words: Sequence[str]) -> list[str]:
    """A command line's words with secrets as `***`, also the value of an option that is a word of its own."""
    return list(_words(words))


def _words(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        name, sign, value = word.partition("=")
        if is_value and not word.startswith("-"):
            yield HIDDEN
        elif sign and value and " " not in name and _names_secret(name.lstrip("-"), value, 1):
            yield f"{name}={HIDDEN}"
        else:
            yield mask(word)
        is_value = word.startswith("-") and not sign and _names_secret(word.lstrip("-"), "any", 1)


def _option(found: re.Match[str]) -> str:
    value = found["inner"] or found["bare"]
    if value.lower() in _PROSE or not _names_secret(found["name"], value):
        return found[0]
    return f"{found['option']}{found['quote'] or ''}{HIDDEN}"


def _assigned(text: str) -> Iterator[str]:
    """The text in pieces, without what is assigned to a name of a secret."""
    told = at = 0
    while (found := _ASSIGNED.search(text, at)) is not None:
        at = found.end()
        given = _GIVEN.match(text, at)
        if given is None:
            continue
        value = given["inner"] or given["bare"]
        before = text[max(0, found.start() - 60) : found.start()]
        if _is_loose(found, given, before) or not _names_secret(f"{_start(before)}{found['word']}", value):
            continue
        yield text[told:at]
        yield f"{given['quote'] or ''}{HIDDEN}"
        told = at = given.end()
    yield text[told:]


def _start(text: str) -> str:
    """What a name begins with: the letters that touch it, else the word before it."""
    found = _NAME.search(text)
    return found[0] if found else ""


def _is_loose(found: re.Match[str], given: re.Match[str], before: str) -> bool:
    """Whether it is prose or a list rather than an assignment: `Bad credentials: try again`, `["secret", "x"]`."""
    if "," in found["sign"]:
        return _IN_PAIR.search(before) is None
    return found["word"].lower().startswith("credential") and "=" not in found["sign"] and not given["quote"]


def _names_secret(name: str, value: str, shortest: int = _SHORTEST) -> bool:
    """Whether a value that is given to a name is a secret."""
    parts = [part.lower() for part in re.split(r"[-_. ]|(?<=[a-z])(?=[A-Z])", name) if part]
    last, before = (parts[-1], parts[-2] if len(parts) > 1 else "") if parts else ("", "")
    if not value or value.lower() in _NO_SECRET or _MASKED.fullmatch(value):
        return False
    if last.endswith(("password", "passwd", "passphrase")):
        return True
    if last.endswith("pwd"):
        return name not in ("PWD", "OLDPWD")
    if len(value) < shortest:
        return False
    if last.endswith("key"):
        stem = last[:-3]
        return stem in _KEYS or (not stem and before in _KEYS) or ("_" in name and name.isupper())
    if last.endswith("token"):
        is_text = (last[:-5] or before) in _TEXT_TOKENS or value[0] in "<[" or value.startswith("AddedToken")
        return not is_text and _NUMBER.fullmatch(value) is None
    if last == "signature":
        return before == "amz"
    return last.endswith(("secret", "credential", "credentials"))
