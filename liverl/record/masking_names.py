"""Which names are those of secrets, and which values given to one are none.

names_secret    a name and what is given to it
"""

from __future__ import annotations

import re

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
NUMBER = re.compile(r"[-+]?\d{1,9}(?:\.\d*(?:[eE][-+]?\d{1,3})?(?:ms|us|s)?)?%?")
_MASKED = re.compile(
    r"(?:sk-|hf_|gh._|.k_live_|.k_test_|gsk_|npm_|github_pat_|glpat-|xox.-|AIza|AKIA|ASIA|eyJ)?\*{3}\.?"
)
_SHORTEST = 4


def names_secret(name: str, value: str, shortest: int = _SHORTEST) -> bool:
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
        return not is_text and NUMBER.fullmatch(value) is None
    if last == "signature":
        return before == "amz"
    return last.endswith(("secret", "credential", "credentials"))
