from __future__ import annotations

import re
import time

import pytest

from liverl.errors import GatewayError
from liverl.gateway.token import Claim, sign, verify

KEY = bytes(range(32))
URL = "http://10.0.0.7:41001"


def test_a_token_names_its_session_gateway_and_end() -> None:
    expires = time.time() + 60
    token = sign(KEY, "step3/fix-parser__2", URL, expires)
    assert verify(KEY, token) == Claim("step3/fix-parser__2", URL, expires)
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", token)


def test_another_key_a_changed_or_a_foreign_token_is_refused() -> None:
    token = sign(KEY, "a", URL, time.time() + 60)
    other = sign(KEY, "b", URL, time.time() + 60)
    mixed = other.split(".")[0] + "." + token.split(".")[1]
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    foreign = ["", ".", "sk-1234", "a.b.c", "é.é", token + "=", token + "\n", token.replace(".", "")]
    for bad in [mixed, changed, sign(KEY[::-1], "a", URL, time.time() + 60), *foreign]:
        with pytest.raises(GatewayError, match=r"gateway\.token_invalid"):
            verify(KEY, bad)


def test_an_expired_token_is_refused() -> None:
    with pytest.raises(GatewayError, match=r"gateway\.token_expired"):
        verify(KEY, sign(KEY, "a", URL, time.time() - 1))
