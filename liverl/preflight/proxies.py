"""Would a proxy of this shell swallow the calls that a run makes to itself?"""

from __future__ import annotations

import os
from collections.abc import Mapping

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.masking import shown

# LiteLLM calls the gateways by plain HTTP. Tried with 1.105.2 and a proxy that refuses: either of these, in small or
# capital letters, made every call fail, https_proxy none; no_proxy helped with 127.0.0.1 in it, not with 127.0.0.0/8
# and not with localhost. All other calls of a run to itself are made with proxies off.
_SWALLOWING = ("http_proxy", "all_proxy")
_OWN = ("127.0.0.1", "localhost")


def check_proxies(context: Context) -> list[Finding]:
    """Fatal where a proxy is set and this machine is not exempt from it."""
    return judge_proxies(os.environ)


def judge_proxies(environment: Mapping[str, str]) -> list[Finding]:
    """The finding for an environment; a password in a proxy's address is not shown."""
    proxies = {name: value for name in _SWALLOWING if (value := _value(environment, name))}
    if not proxies:
        return [Finding("proxy:none", "info", "No proxy stands between the run and itself")]
    seen = ", ".join(f"{name}={shown(name, value)}" for name, value in proxies.items())
    exempt = [host.strip() for host in _value(environment, "no_proxy").split(",") if host.strip()]
    if "*" in exempt or _OWN[0] in exempt:
        return [Finding("proxy:exempt", "info", "A proxy is set, and this machine is exempt from it", seen)]
    whole = ",".join(dict.fromkeys([*exempt, *_OWN]))
    title = "A proxy would swallow LiteLLM's calls to the gateways on this machine"
    evidence = f"{seen}, and no_proxy has no {_OWN[0]}"
    cure = f'export no_proxy="{whole}" NO_PROXY="{whole}"'
    return [Finding("proxy:swallows", "fatal", title, evidence, cure)]


def _value(environment: Mapping[str, str], name: str) -> str:
    """As Python reads it: in small letters it wins over capital ones, even when it is empty."""
    return environment.get(name, environment.get(name.upper(), ""))
