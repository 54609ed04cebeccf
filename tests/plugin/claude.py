"""Drives the real Claude Code binary with the plugin, without a network: a scripted model answers."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scaffold.anthropic import Scripted, ScriptedMessages

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "mcp__plugin_rl_liverl__"
READING = ("preflight", "status", "diagnose", "tail_log", "trials", "show_trial", "list_runs", "compare")
ACTING = ("launch", "resume", "stop", "clean")
LIMIT_S = 120.0


def call(tool: str, **given: Any) -> dict[str, Any]:
    """A call of one of our tools, as the model writes it."""
    return {"type": "tool_use", "name": PREFIX + tool, "input": given}


def bash(command: str) -> dict[str, Any]:
    """A call of Claude Code's own shell."""
    return {"type": "tool_use", "name": "Bash", "input": {"command": command, "description": "x"}}


def says(text: str) -> list[dict[str, Any]]:
    """An answer in words, which ends the turn."""
    return [{"type": "text", "text": text}]


@dataclass(frozen=True)
class Answered:
    """What one prompt led to: the tools' results in order, and the tools that were denied."""

    results: tuple[str, ...]
    denied: tuple[str, ...]


@dataclass
class Heard:
    """What one process of Claude Code did: how it began, each prompt's end, what it asked the model."""

    init: dict[str, Any] = field(default_factory=dict)
    answered: list[Answered] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def prompts(self) -> list[list[str]]:
        """The texts of every user message that reached the model and is no tool's result; reminders left out."""
        messages = [one["content"] for one in self.asked[-1]["messages"] if one["role"] == "user"]
        return [texts for content in messages if (texts := _texts(content))]


def environment(home: Path, url: str, **more: str) -> dict[str, str]:
    """All that Claude Code needs to know, and nothing of this machine's user."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ANTHROPIC_API_KEY": "sk-scripted",
        "ANTHROPIC_BASE_URL": url,
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "IS_SANDBOX": "1",  # else root may not bypass permissions
        **more,
    }


async def talk(
    binary: Path,
    project: Path,
    prompts: Sequence[str],
    script: Sequence[Scripted],
    *options: str,
    plugin: Path | None = ROOT,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Heard:
    """One process of `claude -p` in a project: each prompt is sent when the one before it has ended.

    `script` is the model's answers, one after the other, over all prompts; without `plugin` there is none.
    """
    home = home or project.parent / "home"
    home.mkdir(exist_ok=True)
    loading = ("--plugin-dir", str(plugin)) if plugin else ()
    model, heard = ScriptedMessages(*script), Heard()
    formats = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    async with model.serving():
        process = await asyncio.create_subprocess_exec(
            str(binary), "-p", *formats, *loading, *options,
            cwd=project,
            env=environment(home, model.url, **(env or {})),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=16 * 2**20,
        )  # fmt: skip
        try:
            async with asyncio.timeout(LIMIT_S):
                for prompt in prompts:
                    await _send(process, prompt)
                    await _listen(process, heard)
                assert process.stdin is not None
                process.stdin.close()
                _, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    heard.asked = [body for body in model.asked if "tools" in body]
    assert process.returncode == 0, errors.decode()
    return heard


async def _send(process: asyncio.subprocess.Process, prompt: str) -> None:
    assert process.stdin is not None
    message = {"type": "user", "message": {"role": "user", "content": prompt}}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()


async def _listen(process: asyncio.subprocess.Process, heard: Heard) -> None:
    """Until the prompt's end."""
    assert process.stdout is not None
    results: dict[tuple[int, ...], str] = {}
    while line := await process.stdout.readline():
        event = json.loads(line)
        if event["type"] == "system" and event.get("subtype") == "init":
            heard.init = event
        elif event["type"] == "user":
            results |= {_place(block): _result(block) for block in event["message"]["content"]}
        elif event["type"] == "result":
            denied = tuple(one["tool_name"].removeprefix(PREFIX) for one in event["permission_denials"])
            heard.answered.append(Answered(tuple(results[place] for place in sorted(results)), denied))
            return
    assert process.stderr is not None
    raise AssertionError(f"claude ended early: {(await process.stderr.read()).decode()}")


def results_of(asked: Sequence[dict[str, Any]]) -> list[str]:
    """The results of all calls of tools in a conversation, in the order of the calls."""
    messages = max((body["messages"] for body in asked if "tools" in body), key=len)
    blocks = [block for one in messages if isinstance(one["content"], list) for block in one["content"]]
    found = {_place(block): _result(block) for block in blocks if block["type"] == "tool_result"}
    return [found[place] for place in sorted(found)]


def _place(block: dict[str, Any]) -> tuple[int, ...]:
    # Calls of one answer end in any order; the scripted model numbers them.
    return tuple(int(part) for part in block["tool_use_id"].removeprefix("toolu_").split("_"))


def _result(block: dict[str, Any]) -> str:
    content = block.get("content", "")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _texts(content: str | list[dict[str, Any]]) -> list[str]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return [text for text in texts if not text.lstrip().startswith("<system-reminder>")]
