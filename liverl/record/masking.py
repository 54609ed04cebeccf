"""Secrets in a text as `***`: what is shaped like a key, and what is given to a name of one.

mask        any text
mask_words  a command line, word by word
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from liverl.record.masking_forms import mask_forms
from liverl.record.masking_given import VALUE, mask_given
from liverl.record.masking_names import names_secret
from liverl.record.masking_places import HIDDEN, mask_places
from liverl.record.masking_spaced import mask_spaced

__all__ = ["HIDDEN", "mask", "mask_words"]

# Cheaper than the expressions: most lines hold none of these. All in lower case.
_NAMES = ("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "signature", "authorization")
_SHAPES = ("://", "sk-", "earer", "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "k_live_", "k_test_", "gsk_", "npm_",
           "github_pat_", "glpat-", "xox", "akia", "asia", "aiza", "eyj", "auth=(", "key=")  # fmt: skip
_PROGRAMS = ("mysql", "mariadb", "curl", "sshpass", "docker", "redis-cli", "podman", "nerdctl", "buildah", "skopeo",
             "helm", "oras", "crane")  # fmt: skip

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
    r"|\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane)\s(?:[^\n|;]{0,80}?\s)?login"
    r"\s(?:[^\n|;]{0,400}?\s)?-p[\s=]{0,4}"
    r"|\bcurl\s(?:[^\n|;]{0,400}?\s)?(?:-u\s{0,4}|--user[ =])[\"']?[^\s:\"']{0,80}:))"
    r"(?:'[^'\n]*'|\"[^\"\n]*\"|\S+)"
)

_OPTION = re.compile(r"(?P<option>(?<![\w-])--?(?P<name>[A-Za-z][\w-]{2,60})[\"']?\s{1,4})(?=[^\s-])" + VALUE)
_PROSE = frozenset((
    "and", "argument", "flag", "from", "instead", "must", "option", "requires", "required", "that", "value", "was",
    "were", "with",
))  # fmt: skip


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
    text = mask_spaced(mask_forms(mask_places(text, lower, is_named), lower), lower)
    if not is_named:
        return text
    if "--" in text or " -" in text or text.startswith("-"):
        text = _OPTION.sub(_option, text)
    return mask_given(text)


def mask_words(words: Sequence[str]) -> list[str]:
    """A command line's words with secrets as `***`, also the value of an option that is a word of its own."""
    return list(_words(words))


def _words(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        name, sign, value = word.partition("=")
        if is_value and not word.startswith("-"):
            yield HIDDEN
        elif sign and value and " " not in name and names_secret(name.lstrip("-"), value, 1):
            yield f"{name}={HIDDEN}"
        else:
            yield mask(word)
        is_value = word.startswith("-") and not sign and names_secret(word.lstrip("-"), "any", 1)


def _option(found: re.Match[str]) -> str:
    value = found["inner"] or found["bare"]
    if value.lower() in _PROSE or not names_secret(found["name"], value):
        return found[0]
    return f"{found['option']}{found['quote'] or ''}{HIDDEN}"
