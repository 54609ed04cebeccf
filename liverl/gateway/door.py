"""LiteLLM as the one door in front of every gateway: `python -m liverl.gateway.door --port P --work DIR`."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn
import yaml

from liverl.errors import GatewayError
from liverl.gateway.guard import ALIVE_ROUTE, Guard
from liverl.record.plan import SERVED_NAME

KEY_VARIABLE = "LIVERL_DOOR_KEY"
REQUEST_TIMEOUT_S = 3600
KEEP_ALIVE_S = 75


def litellm_config() -> dict[str, object]:
    """One deployment whose address the hook fills in for each call; no secret, no gateway, nothing logged."""
    # The discard port: a call that escaped the hook would reach nobody.
    name = served_name()
    upstream = {"model": f"hosted_vllm/{name}", "api_base": "http://127.0.0.1:9/v1", "api_key": "none"}
    return {
        "model_list": [{"model_name": name, "litellm_params": upstream}],
        "general_settings": {
            "custom_auth": "liverl.gateway.hooks.authenticate",
            "disable_spend_logs": True,
            "disable_error_logs": True,
        },
        "litellm_settings": {
            "callbacks": ["liverl.gateway.hooks.route"],
            "drop_params": True,
            "num_retries": 0,
            "request_timeout": REQUEST_TIMEOUT_S,
            "telemetry": False,
            "turn_off_message_logging": True,
        },
        # A deployment that cools down after one engine failure would refuse every other trial.
        "router_settings": {"disable_cooldowns": True, "num_retries": 0, "timeout": REQUEST_TIMEOUT_S},
    }


def write_config(work: Path) -> Path:
    """LiteLLM's yaml in `work`, readable by its owner only."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / "litellm.yaml"
    temporary = work / f"litellm.yaml.{os.getpid()}"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        yaml.safe_dump(litellm_config(), file, sort_keys=False)
    temporary.replace(path)
    return path


def litellm_environment(config: Path) -> dict[str, str]:
    """The variables that point LiteLLM at its yaml and keep it offline and quiet."""
    return {
        "CONFIG_FILE_PATH": str(config),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        # LiteLLM refuses to start without a strong one; nobody learns it, and no route asks for it.
        "LITELLM_MASTER_KEY": f"sk-{secrets.token_hex(32)}",
        "LITELLM_LOG": "CRITICAL",  # else each refused call is a traceback of 100 lines
        "LITELLM_MODE": "PRODUCTION",  # otherwise it reads a .env file from the working directory
    }


def served_name() -> str:
    """The name under which the policy is served, from the environment."""
    return os.environ.get(SERVED_NAME, "policy")


def door_key() -> bytes:
    """The key that tokens are signed with, from the environment. Raises GatewayError `gateway.door_key`."""
    try:
        key = bytes.fromhex(os.environ.get(KEY_VARIABLE, ""))
    except ValueError:
        key = b""
    if len(key) < 16:
        raise GatewayError(
            "gateway.door_key",
            f"{KEY_VARIABLE} holds no key",
            next_action=f"set {KEY_VARIABLE} to at least 32 hexadecimal digits; the supervisor does",
        )
    return key


def door_app() -> Guard:
    """LiteLLM's application behind the guard; uvicorn calls this in each of its processes."""
    with _ended_at_once():
        from litellm.proxy.proxy_server import app

    return Guard(app, door_key(), served_name())


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """A signal to end takes effect at once: uvicorn would look at it only behind an import of many seconds."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def door_ready(url: str, timeout_s: float) -> float:
    """Wait until LiteLLM answers at `url`; returns the seconds it took.

    Raises GatewayError `gateway.door_not_listening` after `timeout_s`.
    """
    begun = time.monotonic()
    seen = "no answer"
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        while time.monotonic() - begun < timeout_s:
            try:
                response = await client.get(f"{url}{ALIVE_ROUTE}")
                if response.status_code == 200:
                    return time.monotonic() - begun
                seen = f"HTTP {response.status_code}"
            except httpx.HTTPError as error:
                seen = f"{type(error).__name__}: {error}"
            await asyncio.sleep(0.1)
    raise GatewayError(
        "gateway.door_not_listening",
        f"LiteLLM did not answer at {url} within {timeout_s:.0f} s",
        evidence=seen,
        next_action="read LiteLLM's own error in logs/attempt_N_litellm.log; is the port taken?",
    )


def main(argv: list[str] | None = None) -> None:
    """Serve LiteLLM behind the guard until a signal ends it."""
    parser = argparse.ArgumentParser(prog="python -m liverl.gateway.door", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder for LiteLLM's configuration")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--workers", type=int, default=1, help="processes; one serves some 150 calls a second"
    )
    parser.add_argument("--parent", type=int, help="the process that it serves: without it there is no use")
    args = parser.parse_args(argv)
    # The kernel ends it with its parent, but not where that died before this could be asked for.
    if args.parent is not None and os.getppid() != args.parent:
        sys.exit(f"the process {args.parent}, which started this door, has ended")
    try:
        door_key()
    except GatewayError as error:
        sys.exit(str(error))
    os.environ.update(litellm_environment(write_config(args.work.resolve())))
    uvicorn.run(
        "liverl.gateway.door:door_app",
        factory=True,
        host=args.host,
        port=args.port,
        workers=args.workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )


if __name__ == "__main__":
    main()
