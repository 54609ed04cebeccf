"""Does the tool parser read what the model writes? Its chat template is the evidence, its name the fallback.

A parser that does not match leaves every call as text: one turn a trial, no tool call in the batch, and the first
update fails for want of a trained token.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

from liverl.config import RunConfig
from liverl.preflight.finding import Finding, Severity

Parser = Literal["hermes", "qwen3_coder"]
_CODER_NAMES = re.compile(r"qwen3[._-]?[56]|qwen3.*coder|35b-a3b", re.IGNORECASE)
# A template is text in quotes: line feeds and quotes may stand there as they are or with a backslash.
_JSON_CALL = re.compile(r"""<tool_call>(?:\s|\\n)*\{+\\?["'](?:name|arguments)""")
_THIRTY_B = re.compile(r"qwen3.*30b", re.IGNORECASE)
_WRITES: dict[str, str] = {
    "hermes": "JSON in <tool_call>",
    "qwen3_coder": "<function=...> in <tool_call>",
}


def read_template(folder: Path) -> str:
    """A model folder's chat template, wherever the folder keeps it; empty where there is none."""
    try:
        return (folder / "chat_template.jinja").read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass
    for name in ("chat_template.json", "tokenizer_config.json"):
        try:
            content = json.loads((folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict) and (text := _template(content.get("chat_template"))):
            return text
    return ""


def _template(value: Any) -> str:
    """One template, or the one for tools of several named ones."""
    if isinstance(value, list):
        named = {
            each.get("name"): each.get("template")
            for each in value
            if isinstance(each, dict) and isinstance(each.get("name"), str)
        }
        value = named.get("tool_use") or named.get("default")
    return value if isinstance(value, str) else ""


def spoken(template: str) -> Parser | None:
    """The parser whose form a template shows the model; None where it shows neither.

    Others share a tag with one of them: GLM writes `<tool_call>NAME<arg_key>`, Llama 3 `<function=NAME>{...}`.
    """
    if "<function=" in template and "<parameter=" in template:
        return "qwen3_coder"
    return "hermes" if _JSON_CALL.search(template) else None


def expected(name: str, scaffold: str) -> Parser | None:
    """The parser that runs of a model of this name with this scaffold are known to need; None where none is.

    Qwen3.5, Qwen3.6 and Coder models write XML; Qwen3-30B does with Claude Code, and JSON with other scaffolds.
    """
    if _CODER_NAMES.search(name):
        return "qwen3_coder"
    if _THIRTY_B.search(name):
        return "qwen3_coder" if scaffold == "claude-code" else "hermes"
    return None


def judge_parser(template: str, name: str, config: RunConfig) -> list[Finding]:
    """The finding for a template, the model's name and the configured parser."""
    chosen, shown = config.rollout.tool_parser, spoken(template)
    known = expected(name, config.scaffold.name)
    if shown == chosen:
        title = f"The tool parser {chosen} reads what the chat template shows"
        return [_finding("info", title, _WRITES[chosen])]
    if shown is not None:
        seen = f"the template shows {_WRITES[shown]}, {chosen} reads {_WRITES[chosen]}"
        if known == chosen:
            title = "The chat template shows another form of tool calls than the parser reads"
            more = f"{seen}; runs of {name} with {config.scaffold.name} are known to need {chosen}"
            return [_finding("warn", title, more, "liverl check --probe   shows which form the model writes")]
        title = "The tool parser can't read the calls that the chat template shows"
        return [_finding("fatal", title, seen, f"Set rollout.tool_parser to {shown}")]
    if known not in (None, chosen):
        title = f"Models like {name} need another tool parser with {config.scaffold.name}"
        seen = f"{chosen} reads {_WRITES[chosen]}; the template shows neither form"
        return [_finding("fatal", title, seen, f"Set rollout.tool_parser to {known}")]
    if known == chosen:
        title = f"Models like {name} are known to need the tool parser {chosen}"
        return [_finding("info", title, "the template shows neither form")]
    title = f"Whether the tool parser {chosen} reads what the model writes is not known"
    return [
        _finding(
            "warn",
            title,
            "the chat template shows neither form of call",
            "liverl check --probe   asks the model",
        )
    ]


def _finding(severity: Severity, title: str, seen: str, cure: str = "") -> Finding:
    return Finding("model:parser", severity, title, seen, cure)
