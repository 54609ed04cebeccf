"""Does a call with a tool come back through LiteLLM and the gateway as it was said?"""

from __future__ import annotations

from typing import Any

from liverl.errors import LiveRLError
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.readable import not_asked, told_elsewhere

# LiteLLM answers after 7 to 9 s on two cores; so long it may take where everything else is asked as well.
LIMIT_S = 60.0
_WHAT = "Whether a call passes LiteLLM and gateway"
_TITLES = {
    "model_name": "The model's name does not come back through LiteLLM as configured",
    "tool_call": "A tool call does not come back through LiteLLM and gateway as it was said",
    "token_ids": "The token ids that are recorded are not those that were sampled and answered",
    "litellm": "LiteLLM does not serve the run's configuration",
    "replica": "The CPU server can't generate with this model",
}


def check_chain(context: Context) -> list[Finding]:
    """Has the data plane start LiteLLM and a gateway on ports of their own; remembered where it worked."""
    unasked = not_asked(context, "chain", _WHAT)
    if unasked:
        return [unasked]
    try:
        answer = ask("chain", context, ["--timeout-s", str(LIMIT_S)])
    except LiveRLError as error:
        return [told_elsewhere("chain", _WHAT, error, ("model.unreadable", "model.template_refuses"))]
    return judge_chain(answer, context)


def judge_chain(answer: dict[str, Any], context: Context) -> list[Finding]:
    """One fatal finding a broken link, or one that says what was tried and in how many seconds."""
    if "untried" in answer:
        title = f"{_WHAT} was not tried"
        return [Finding("chain:not_probed", "skipped", title, "", "liverl check --probe")]
    if "unread" in answer:
        title = f"{_WHAT} was not tried: the tool parser reads no tool call of the model"
        cure = "Mend the chat template or the tool parser first"
        return [Finding("chain:not_asked", "skipped", title, "", cure)]
    if "late" in answer:
        title = f"LiteLLM had not started after {LIMIT_S:.0f} s"
        cure = "Check again when the machine is less busy: liverl check --probe"
        return [Finding("chain:late", "skipped", title, answer["late"], cure)]
    broken: dict[str, str] = {}
    for each in answer["broken"]:
        broken.setdefault(each["link"], each["seen"])
    if broken:
        return [
            Finding(f"chain:{link}", "fatal", _TITLES[link], seen, _cure(link, context))
            for link, seen in broken.items()
        ]
    title = "A call with a tool passes LiteLLM and gateway: name, tool call and token ids are exact"
    cached = ", cached" if answer["cached"] else ""
    real = answer["replica"] == "cpu"
    behind = (
        "over the model's own forward passes" if real else "by a script; the replica itself was not tried"
    )
    return [Finding("chain:works", "info", title, f"{answer['seconds']:.0f} s, {behind}{cached}")]


def _cure(link: str, context: Context) -> str:
    if link == "model_name":
        return f"Set model.served_name ({context.where('model.served_name')}) to policy"
    if link == "tool_call":
        return f"Set rollout.tool_parser ({context.where('rollout.tool_parser')}) to the parser of this model's format"
    if link == "replica":
        return "Set model.path to a model of another architecture, such as Qwen3 or Llama"
    return "bash scripts/setup_env.sh   installs the versions that this package was written for"
