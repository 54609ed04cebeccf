"""Secrets in forms that other words have as well: a `pass`, an `auth`, a `sig`, a key after its name; and the shapes of
keys of search, tracing, vault and sandbox services.

mask_forms     any text
"""

from __future__ import annotations

import re

HIDDEN = "***"

# Cheaper than the expressions: most texts hold none of these. All in lower case.
_SIGNS = ("pass", "auth", "sig=", "token-id", "token_id", "tokenid", "hvs.", "hvb.", "ya29.", "tvly-", "lsv2_", "e2b_",
          "dtn_", "fw_", "tgp_v1_", " key", "api-key ", "api_key ", "apikey ", "hit enter", "ak-", "as-")  # fmt: skip
_MIXED = r"(?=[\w%+/.~-]*[0-9])(?=[\w%+/.~-]*[A-Za-z])"
_FORMS = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"(?P<vault>hv[sb]\.|ya29\.)[\w.-]{20,}"
    rf"|(?P<shaped>tvly-|lsv2_(?:pt|sk)_|tgp_v1_){_MIXED}[\w-]{{16,}}"
    rf"|(?P<plain>e2b_|dtn_|fw_){_MIXED}[A-Za-z0-9]{{16,}}"
    rf"|(?P<modal>a[ks]-){_MIXED}[A-Za-z0-9]{{20,}}(?![\w-]))"
    r"|(?P<pair>(?i:token[-_]?id)\\{0,3}[\"']?(?:[ \t]{0,4}[:=][ \t]{0,4}|[ \t]{1,4})"
    r"\\{0,3}[\"']?a[ks]-)[A-Za-z0-9]{6,}"
    r"|(?P<login>\b(?i:log(?:in|ging\sin)(?:\swith)?(?:\sapi)?\skey)[:=]?[ \t]{1,4}[\"']?)[A-Za-z0-9_]{20,}"
    r"|(?P<asked>\bhit\senter[^:\n]{0,60}:[ \t]{0,4})[A-Za-z0-9_]{20,}"
    rf"|(?P<named>\b(?i:api[-_ ]?key)[ \t]{{1,4}}[\"']?){_MIXED}[\w-]{{16,}}"
    r"|(?P<query>[?&;]sig=)[^&\s\"'*]{8,}"
    rf"|(?P<signed>(?<![\w.-])sig=[\"']?)(?!0x){_MIXED}[\w%+/-]{{10,}}=*"
)
# The name, the sign, and the value in its quotes or until what ends one.
_GIVEN = re.compile(
    r"(?P<head>(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{0,60}?(?:pass|auth))\\{0,3}[\"']?"
    r"[ \t]{0,4}(?P<sign>[:=])[ \t]{0,4}"
    r"(?:\\{0,3}[\"'](?=[^\"'\n\\]+\\{0,3}[\"']))?)(?P<value>(?<=[\"'])[^\"'\n\\]+"
    # Without quotes it ends at a blank, at what closes a text before one, or at a next field.
    r"|(?<![\"'])[^\s\"'\\](?:(?![\"',;)}\]]{1,4}(?:\s|$)|[\"'\\]|[&,;][\w.-]{1,80}=)\S)*)",
    re.IGNORECASE,
)
# What passes or is passed over in training and in tests, and is no account.
_PASSES = frozenset((
    "all", "any", "backward", "bwd", "by", "each", "extra", "fast", "fail", "final", "first", "forward", "full", "fwd",
    "last", "multi", "next", "no", "not", "num", "of", "one", "optimizer", "per", "re", "second", "single", "slow",
    "test", "tests", "the", "third", "two", "warmup",
))  # fmt: skip
_WORDS = frozenset((
    "all", "anonymous", "any", "auto", "basic", "bearer", "both", "default", "digest", "disabled", "done", "enabled",
    "error", "fail", "failed", "false", "iam", "jwt", "kerberos", "md5", "n/a", "no", "none", "ntlm", "null", "oauth",
    "oauth2", "off", "ok", "on", "optional", "passed", "password", "required", "scram-sha-256", "sha256", "skip",
    "skipped", "token", "true", "undefined", "unknown", "yes",
))  # fmt: skip
_COUNT = re.compile(r"[-+]?[\d.,/:%]+(?:[eE][-+]?\d+)?(?:ms|us|s|%|x)?")


def mask_forms(text: str, lower: str) -> str:
    """The text without such secrets; `lower` is the text in lower case."""
    if not any(sign in lower for sign in _SIGNS):
        return text
    text = _FORMS.sub(lambda found: f"{found[found.lastgroup or 0]}{HIDDEN}", text)
    return _GIVEN.sub(_given, text) if "pass" in lower or "auth" in lower else text


def _given(found: re.Match[str]) -> str:
    value, name = found["value"], found["name"]
    word = re.split(r"[,;:&)}\]]", value.lower(), maxsplit=1)[0].rstrip(".")
    is_plain = not word or word in _WORDS or HIDDEN in value or _COUNT.fullmatch(word) is not None
    if is_plain or "(" in value or value[0] in "<[{$/":
        return found[0]
    is_secret = _is_pass if name.lower().endswith("pass") else _is_auth
    return f"{found['head']}{HIDDEN}" if is_secret(name, value, found) else found[0]


def _is_pass(name: str, value: str, found: re.Match[str]) -> bool:
    """Whether it is a password: of an account that the name names, or of nobody's beside an equals sign."""
    stem = re.split(r"[_-]", name[:-4].rstrip("_-"))[-1].lower()
    if stem in _PASSES or stem.isdigit():
        return False
    if name[:-4] and name[-5] not in "_-" and not name.islower() and not name.isupper():
        return False  # RenderPass, BackwardPass
    if not stem:
        return found["sign"] == "=" or _is_mixed(value, 6)
    return (stem in _ACCOUNTS or name.isupper()) and (found["sign"] == "=" or len(value) >= 4)


_ACCOUNTS = frozenset((
    "account", "admin", "auth", "basic", "celery", "db", "database", "docker", "email", "ftp", "git", "http", "key",
    "ldap", "login", "mail", "master", "mongo", "mysql", "pg", "postgres", "proxy", "rabbitmq", "redis", "registry",
    "root", "smtp", "ssh", "sudo", "svc", "user", "vnc", "web",
))  # fmt: skip


def _is_auth(name: str, value: str, found: re.Match[str]) -> bool:
    """Whether it is what somebody is known by, and no kind of it."""
    del name, found
    return " " not in value and _is_mixed(value, 6)


def _is_mixed(value: str, shortest: int) -> bool:
    is_long = len(value) >= shortest
    return is_long and any(each.isdigit() for each in value) and any(each.isalpha() for each in value)
