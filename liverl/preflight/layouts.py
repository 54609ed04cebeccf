"""Does the model suit the split, the router replay, the rollout server and the tool parser that are configured?"""

from __future__ import annotations

from pathlib import Path

from liverl.preflight.architectures import judge_architecture, known_to_vllm
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.layout_rules import judge_routes, judge_split
from liverl.preflight.model_facts import read_facts
from liverl.preflight.parsers import judge_parser, read_template


def check_layouts(context: Context) -> list[Finding]:
    """Reads config.json, the chat template and the weights' headers; a model that is not there is not judged."""
    config = context.config
    folder = config.model.folder
    model = read_facts(folder)
    if model is None:
        title = "Whether the model suits the configuration is known once it is there"
        return [Finding("model:layout", "skipped", title, str(folder))]
    return [
        *judge_architecture(model, config, known_to_vllm(Path(context.python))),
        *judge_split(model, config),
        *judge_routes(model, config),
        *judge_parser(read_template(folder), folder.name, config),
    ]
