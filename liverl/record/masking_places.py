"""Secrets that their place gives away, and the rarer shapes of keys: web hooks, cookies, private keys, .netrc, signed
addresses.

mask_places     any text
"""

from __future__ import annotations

import re

HIDDEN = "***"

# Cheaper than the expression: most texts hold none of these. All in lower case; the second only of texts that name a
# secret at all.
_SIGNS = ("hook", "cookie", "login", "sig=", "nvapi-", "r8_", "dckr_pat_", "pypi-", "dapi", "sg.", "xai-")
_NAMED = ("private key", "signature=", " is ", " was ", "_base", "_old", "_new", "_prod", "_dev", "_backup")
_NUMBERED = re.compile(r"_\d{1,2}[\"']?\s{0,4}[:=]")
# A line of a private key that stands alone, as logs are read: OpenSSL, OpenSSH and MIME break at these lengths.
_KEY_LINES = (64, 70, 76)
_KEY_LINE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]+")
_PLACED = re.compile(
    # What Slack and Discord know a hook by, and what somebody calls one.
    r"(?P<hook>\bhooks\.slack\.com/(?:services|workflows|triggers)/|\bdiscord(?:app)?\.com/api/webhooks/)[\w/.-]+"
    r"|(?P<named>(?i:webhook(?:_?url)?)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?https?://)[^\s\"'\\]+"
    r"|(?P<cookie>(?i:\b(?:set-)?cookie)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?)(?=[\w.-]{1,80}=)[^\"'\\\n]+"
    r"|(?P<pem>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)(?:(?!-----END)[\w+/=:,.\s\\-]){1,20000}"
    r"|(?P<netrc>\blogin\s{1,4}\S{1,200}\s{1,4}password\s{1,4})\S+"
    r"|(?P<login>\b(?:wandb|huggingface-cli|hf auth)\s{1,4}login\s{1,4}(?:--(?:relogin|token)\s{1,4})*)(?!-)[\w-]{20,}"
    r"|(?P<signed>[?&](?:sig|signature|Signature)=)[^&\s\"']{16,}"
    r"|(?P<said>(?i:\b(?:password|passphrase)\s(?:is|was)\s)[\"'])[^\"'\n]+"
    # A name with something behind it that still is one of a secret: API_KEY_2, SECRET_KEY_BASE.
    r"|(?P<more>\b[A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD)_(?:BASE|OLD|NEW|PROD|DEV|BACKUP|\d{1,2})"
    r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?)[^\s\"'*][^\s\"']{7,}"
    r"|(?<![A-Za-z0-9])(?:"
    r"(?P<shaped>nvapi-|r8_|dckr_pat_|pypi-(?=AgE)|xai-)[\w-]{20,}"
    r"|(?P<databricks>dapi)[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"
    r"|(?P<sendgrid>SG\.)[\w-]{16,}\.[\w-]{16,})"
)


def mask_places(text: str, lower: str, is_named: bool) -> str:
    """The text without such secrets; `lower` is the text in lower case, `is_named` whether it names one at all."""
    if len(text) in _KEY_LINES and _KEY_LINE.fullmatch(text):
        return HIDDEN
    is_one = any(sign in lower for sign in _SIGNS) or (
        is_named and (any(sign in lower for sign in _NAMED) or _NUMBERED.search(lower) is not None)
    )
    return _PLACED.sub(lambda found: f"{found[found.lastgroup or 0]}{HIDDEN}", text) if is_one else text
