"""The small shell agent: one tool, `bash`, over OpenAI chat completions; it runs outside the sandbox.

SYSTEM_PROMPT, TOOLS, observation   the conversation's format, which demonstrations are rendered from too
ShellAgent                          the Harbor agent that speaks it
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, override

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

from liverl.scaffold.endpoint import ContextOverflow, Endpoint

SYSTEM_PROMPT = "Do what is asked, with the bash tool. When it is done, answer without a tool call."

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Run a command and see its output.",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string"}},
                "required": ["command"],
            },
        },
    }
]

OBSERVATION_CHARS = 1500


def observation(stdout: str, stderr: str, return_code: int) -> str:
    """What the policy reads of a finished command.

    Standard output, then standard error, without the newlines at the end, clipped to `OBSERVATION_CHARS`
    characters; a last line `[exit N]` when the command failed.
    """
    text = (stdout + stderr).rstrip("\n")
    cut = len(text) - OBSERVATION_CHARS
    if cut > 0:
        text = f"{text[:OBSERVATION_CHARS]}\n[{cut} characters cut]"
    if return_code == 0:
        return text
    return f"{text}\n[exit {return_code}]" if text else f"[exit {return_code}]"


class ShellAgent(BaseAgent):
    """Asks the model, runs the commands it wrote, shows it their output, until it writes no command.

    Options: `max_turns` (model calls), `max_tokens` (of one answer; None leaves it to the endpoint),
    `command_timeout_s`. The endpoint is `OPENAI_BASE_URL` and `OPENAI_API_KEY` of the agent's environment;
    they stay outside the sandbox. The context's metadata holds `stop` ("done", "max_turns" or "overlong"),
    `turns`, `messages` and `commands`, filled in as the trial goes, so that a trial cut off by its time keeps
    them.

    Raises `GatewayError` when the endpoint can't be reached or refuses for any reason but a full context.
    """

    def __init__(
        self,
        *args: Any,
        max_turns: int = 10,
        max_tokens: int | None = None,
        command_timeout_s: float = 20.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.max_turns = max_turns
        self.max_tokens = max_tokens
        self.command_timeout_s = command_timeout_s

    @staticmethod
    @override
    def name() -> str:
        return "shell"

    @override
    def version(self) -> str:
        return "1"

    @property
    @override
    def extra_env(self) -> dict[str, str]:
        """Nothing: Harbor gives them to every command, and the endpoint is not the commands' business."""
        return {}

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        """Nothing to install: the agent runs outside."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        endpoint = Endpoint(
            url=self._extra_env.get("OPENAI_BASE_URL", ""),
            token=self._extra_env.get("OPENAI_API_KEY", ""),
            model=self.model_name or "",
        )
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": instruction},
        ]
        commands: list[dict[str, Any]] = []
        record: dict[str, Any] = {"stop": "", "turns": 0, "messages": messages, "commands": commands}
        context.metadata = record
        while record["turns"] < self.max_turns:
            try:
                choice = await endpoint.complete(messages, TOOLS, self.max_tokens)
            except ContextOverflow:
                record["stop"] = "overlong"
                return
            record["turns"] += 1
            message = choice["message"]
            messages.append(message)
            if choice.get("finish_reason") == "length":
                record["stop"] = "overlong"
                return
            calls = message.get("tool_calls") or []
            if not calls:
                record["stop"] = "done"
                return
            for call in calls:
                content = await self._answer(call["function"], environment, commands)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        record["stop"] = "max_turns"

    async def _answer(
        self, function: Mapping[str, Any], environment: BaseEnvironment, commands: list[dict[str, Any]]
    ) -> str:
        command = _command(function)
        if command is None:
            return "error: call bash with one string, command\n[exit 2]"
        record: dict[str, Any] = {"command": command, "output": "", "exit_code": None, "start": time.time()}
        commands.append(record)
        try:
            result = await environment.exec(command, timeout_sec=self.command_timeout_s)
        finally:
            record["end"] = time.time()
        output = observation(result.stdout or "", result.stderr or "", result.return_code)
        record["output"] = output
        record["exit_code"] = result.return_code
        return output


def _command(function: Mapping[str, Any]) -> str | None:
    """The command of a tool call, or None when the policy wrote something else."""
    if function.get("name") != "bash":
        return None
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return None
    command = arguments.get("command") if isinstance(arguments, dict) else None
    return command if isinstance(command, str) else None
