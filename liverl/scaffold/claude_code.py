"""Claude Code as a scaffold: its native binary inside the sandbox, the gateway as its only endpoint."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, override

from harbor.agents.base import BaseAgent
from harbor.agents.installed.base import NonZeroAgentExitCodeError
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

from liverl.errors import GatewayError, SandboxError

INSIDE = "/opt/claude/claude"
# Its runtime alone takes about 200 MB.
MEMORY_MB = 2048
_LOG = "/logs/agent/claude-code.jsonl"
# How it says that the policy wrote too much, in all or (having asked three times to go on) in one answer.
_OVERLONG = ("prompt is too long", "context_length", "context window", "output token maximum")
# What keeps the prompt small (1 to 4 thousand tokens rather than 12) and the same in every trial.
_ENV = {
    "IS_SANDBOX": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1",
    "CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING": "1",
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    # Its own ten retries would take minutes; a gateway that fails is retried as a whole trial.
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_PROMPT_CACHING": "1",
    "ENABLE_TOOL_SEARCH": "false",
    "MAX_THINKING_TOKENS": "0",
}


def find_binary(option: str) -> Path:
    """The native binary: the option's path, else `claude` on PATH. Raises `SandboxError` when there is none.

    Any user must be able to read it: the sandbox of root runs as nobody.
    """
    found = option or shutil.which("claude") or ""
    path = Path(found).resolve()
    if not found or not path.is_file():
        raise SandboxError(
            "sandbox.claude_missing",
            "The scaffold claude-code needs Claude Code's native binary.",
            evidence=found or "no claude on PATH",
            next_action="bash scripts/setup_claude.sh (an npm install of the pinned version), then name the "
            "path that it prints as scaffold.options.binary",
        )
    closed = [folder for folder in path.parents if os.geteuid() == 0 and not folder.stat().st_mode & 0o001]
    if closed:
        raise SandboxError(
            "sandbox.claude_unreadable",
            "The sandbox can't read Claude Code's binary: it does not run as root.",
            evidence=f"{closed[0]} lets only its owner in",
            next_action=f"Copy {path} to a folder that everybody may enter, "
            "and name it as scaffold.options.binary.",
        )
    return path


class ClaudeCodeAgent(BaseAgent):
    """Runs `claude --print` on the instruction, once.

    Options: `binary` (its path on the host), `max_turns`, `tools` (names with commas between), `bare` (the
    smallest prompt), `system_prompt` (instead of Claude Code's own). The endpoint is `ANTHROPIC_BASE_URL` and
    `ANTHROPIC_AUTH_TOKEN` of the agent's environment, as the sandbox sees it. Metadata: `stop`, `turns`,
    `messages`, `commands`, as the shell scaffold's.

    Raises `GatewayError` when the endpoint failed it, Harbor's `NonZeroAgentExitCodeError` when it failed
    itself.
    """

    def __init__(
        self,
        *args: Any,
        binary: str = "",
        max_turns: int = 20,
        tools: str = "Bash,Edit,Read,Write",
        bare: bool = False,
        system_prompt: str = "",
        max_tokens: int | None = None,
        command_timeout_s: float = 20.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.max_turns = max_turns
        self.tools = tools
        self.bare = bare
        self.system_prompt = system_prompt
        self.max_tokens = max_tokens
        self.command_timeout_s = command_timeout_s

    @staticmethod
    @override
    def name() -> str:
        return "claude-code"

    @override
    def version(self) -> str | None:
        return None

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        """Nothing to install: the sandbox sees the host's binary."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        record: dict[str, Any] = {"stop": "", "turns": 0, "messages": [], "commands": []}
        context.metadata = record
        start = time.time()
        command = f"printf %s {shlex.quote(instruction)} | {shlex.join(self._argv())} | tee {_LOG}"
        done = await environment.exec(f"set -o pipefail; {command}", env=self._variables())
        events = list(_events(done.stdout or ""))
        if not any(event.get("type") == "result" for event in events):
            events = list(_events(await _logged(environment))) or events
        record["messages"] = [
            event["message"] for event in events if event.get("type") in ("user", "assistant")
        ]
        record["turns"] = len({message["id"] for message in record["messages"] if message.get("id")})
        record["commands"] = list(_commands(record["messages"], start, time.time()))
        result = next((event for event in events if event.get("type") == "result"), {})
        record["stop"] = _stop(result)
        if done.return_code != 0 or result.get("is_error", True):
            self._fail(result, done.stderr or "", done.return_code, record["stop"])

    def _argv(self) -> list[str]:
        argv = [INSIDE, "--print", "--verbose", "--output-format", "stream-json"]
        argv += ["--dangerously-skip-permissions", "--disable-slash-commands"]
        argv += ["--max-turns", str(self.max_turns), "--tools", self.tools]
        argv += ["--bare"] if self.bare else []
        return [*argv, "--system-prompt", self.system_prompt] if self.system_prompt else argv

    def _variables(self) -> dict[str, str]:
        variables = {**_ENV, "BASH_DEFAULT_TIMEOUT_MS": str(int(self.command_timeout_s * 1000))}
        variables["ANTHROPIC_MODEL"] = self.model_name or "policy"
        # Never another model than the one that is trained.
        for kind in ("SONNET", "OPUS", "HAIKU"):
            variables[f"ANTHROPIC_DEFAULT_{kind}_MODEL"] = variables["ANTHROPIC_MODEL"]
        if self.max_tokens is not None:
            variables["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(self.max_tokens)
        return variables

    def _fail(self, result: dict[str, Any], stderr: str, return_code: int, stop: str) -> None:
        """An endpoint that failed is the gateway's fault; too many turns or tokens are ends like others."""
        if stop in ("max_turns", "overlong"):
            return
        evidence = f"exit {return_code}: {result.get('result') or stderr[-500:]}"
        status = result.get("api_error_status")
        if status or "API Error" in evidence:
            raise GatewayError(
                "gateway.refused", "Claude Code's calls to the model failed.", evidence=evidence
            )
        raise NonZeroAgentExitCodeError(f"claude-code failed: {evidence}")


async def _logged(environment: BaseEnvironment) -> str:
    """All that was printed: of a command's output a sandbox keeps the beginning, and the result comes last."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "log"
        try:
            await environment.download_file(_LOG, copy)
        except FileNotFoundError:
            return ""
        return copy.read_text(errors="replace")


def _events(output: str) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _stop(result: dict[str, Any]) -> str:
    if result.get("subtype") == "error_max_turns":
        return "max_turns"
    text = str(result.get("result", "")).lower()
    if any(sign in text for sign in _OVERLONG):
        return "overlong"
    return "done"


def _commands(messages: list[dict[str, Any]], start: float, end: float) -> Iterator[dict[str, Any]]:
    """Each tool call with its result; when it ran is known only as within the whole."""
    results = {
        block.get("tool_use_id"): block for message in messages for block in _blocks(message, "tool_result")
    }
    for message in messages:
        for block in _blocks(message, "tool_use"):
            result = results.get(block.get("id"), {})
            arguments = block.get("input") or {}
            yield {
                "command": str(arguments.get("command") or f"{block.get('name')} {json.dumps(arguments)}"),
                "output": _text(result.get("content")),
                "exit_code": 1 if result.get("is_error") else 0,
                "start": start,
                "end": end,
            }


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return str(content or "")
