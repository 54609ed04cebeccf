"""A trial's credential: a signed text that names its session, its gateway and its end."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass

from liverl.errors import GatewayError


@dataclass(frozen=True)
class Claim:
    """What a verified token says: session, address of its gateway, end of its validity (Unix time)."""

    session: str
    url: str
    expires: float


def sign(key: bytes, session: str, url: str, expires: float) -> str:
    """A compact URL-safe token for one session of the gateway at `url`, valid until `expires` (Unix time)."""
    payload = json.dumps([session, url, expires], separators=(",", ":")).encode()
    return f"{_encode(payload)}.{_encode(_mac(key, payload))}"


def verify(key: bytes, token: str) -> Claim:
    """The claim of a token that was signed with `key` and has not expired.

    Raises GatewayError: `gateway.token_invalid` (not a token, or not signed by this key),
    `gateway.token_expired`. The token itself never appears in the error.
    """
    try:
        payload, mac = (_decode(part) for part in token.split("."))
    except ValueError:
        raise _invalid() from None
    if not hmac.compare_digest(mac, _mac(key, payload)):
        raise _invalid()
    session, url, expires = json.loads(payload)
    if time.time() >= expires:
        raise GatewayError(
            "gateway.token_expired",
            f"the credential of session {session} has expired",
            next_action="open a new session; expires_s must outlast the trial's time limits",
        )
    return Claim(session=session, url=url, expires=expires)


def _invalid() -> GatewayError:
    return GatewayError(
        "gateway.token_invalid",
        "the credential was not signed for this run",
        next_action="use the token that open_session returned as the API key",
    )


def _mac(key: bytes, payload: bytes) -> bytes:
    return hmac.new(key, payload, hashlib.sha256).digest()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    raw = text.encode()
    decoded = base64.urlsafe_b64decode(raw + b"=" * (-len(raw) % 4))
    # Base64 decoding forgives foreign characters and unused bits; one token must have one spelling.
    if _encode(decoded) != text:
        raise ValueError("not canonical")
    return decoded
