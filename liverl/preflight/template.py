"""Does a conversation with a tool survive the way through the model's chat template and back?"""

from __future__ import annotations

from typing import Any

from liverl.errors import LiveRLError
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.readable import not_asked, told_elsewhere

_WHAT = "Whether the chat template keeps a tool call"
# As the probe names the place.
_RESULT = "a tool's result"


def check_template(context: Context) -> list[Finding]:
    """Asks the data plane, which renders one and reads it back; remembered by the model's folder."""
    unasked = not_asked(context, "template", _WHAT)
    if unasked:
        return [unasked]
    try:
        answer = ask("template", context)
    except LiveRLError as error:
        return [told_elsewhere("template", _WHAT, error, ("model.unreadable", "model.no_tools"))]
    return judge_template(answer, context)


def judge_template(answer: dict[str, Any], context: Context) -> list[Finding]:
    """One finding a way in which the template and what reads it don't fit, or one that they do."""
    if "untried" in answer:
        title = f"{_WHAT} was not tried"
        return [Finding("template:not_probed", "skipped", title, "", "liverl check --probe")]
    findings = [_problem(each, context) for each in answer["problems"]]
    findings += _splits(answer["split"], context.config.scaffold.name)
    if findings:
        return findings
    title = "The chat template keeps tools, tool calls and the tokens of earlier turns"
    parser = f"parser {context.config.rollout.tool_parser}"
    return [Finding("model:template", "info", title, f"{parser}, cached" if answer["cached"] else parser)]


def _problem(row: dict[str, Any], context: Context) -> Finding:
    own = "the instruction-tuned model"
    if row["what"] == "stop_token":
        title = "A turn of the model does not end where the run looks for its end"
        cure = f"Set eos_token (tokenizer_config.json) and eos_token_id (generation_config.json) as in {own}"
        return Finding("model:stop_token", "fatal", title, row["seen"], cure)
    if row["what"] == "tool_call":
        title = "The tool parser does not read the tool call that the chat template writes"
        place = context.where("rollout.tool_parser")
        cure = f"Set rollout.tool_parser ({place}) to the parser of its format, or use {own}'s chat_template.jinja"
        return Finding("model:template_round_trip", "fatal", title, row["seen"], cure)
    title = "The chat template leaves out a part of the conversation"
    cure = f"Use {own}'s chat_template.jinja, or another model"
    return Finding("model:template_round_trip", "fatal", title, row["seen"], cure)


def _splits(split: list[dict[str, Any]], scaffold: str) -> list[Finding]:
    # The shell scaffold says nothing to the model after the first prompt but the results of its tool.
    split = [each for each in split if scaffold != "shell" or each["after"] == _RESULT]
    if not split:
        return []
    places = " and ".join(each["after"] for each in split)
    title = f"The chat template rewrites earlier turns after {places}: trials are cut into more sequences"
    cure = "Use a chat_template.jinja that leaves earlier turns as they are; training works, and takes longer"
    return [Finding("model:template_prefix", "warn", title, split[0]["seen"], cure)]
