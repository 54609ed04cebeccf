"""Can Transformers read the model, and can trials be run with it?"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from liverl.errors import LiveRLError
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.models import inspect_folder

# In fp32 both agree to about 1e-5.
_LARGEST_GAP = 1e-3


def check_readable(context: Context) -> list[Finding]:
    """Asks the data plane to read the model."""
    unasked = not_asked(context, "model", "Whether the model can be read")
    return [unasked] if unasked else judge_answer(ask("model", context), context)


def not_asked(context: Context, area: str, what: str) -> Finding | None:
    """Why nothing can be asked of a model that is not there yet, or not whole; None where it can."""
    config = context.config
    folder = config.model.folder
    if not config.model.path and not (folder / "config.json").is_file():
        cure = "liverl policy build   makes it now, in two minutes; a run makes it by itself"
        title = f"{what} is known once the policy is built"
        return Finding(f"{area}:not_asked", "skipped", title, str(folder), cure)
    if any(finding.blocks for finding in inspect_folder(folder, config)):
        title = f"{what} was not asked: the model's folder is not in order"
        return Finding(f"{area}:not_asked", "skipped", title, str(folder), "Mend the model first")
    return None


def told_elsewhere(area: str, what: str, error: LiveRLError, codes: Collection[str]) -> Finding:
    """A word instead of an error that another question tells as well; raises every other error again."""
    if error.code not in codes:
        raise error
    title = f"{what} was not asked: {error.message}"
    return Finding(f"{area}:not_asked", "skipped", title, error.evidence, error.next_action)


def judge_answer(answer: dict[str, Any], context: Context) -> list[Finding]:
    """What the data plane says of a model that it could read."""
    title = f"The model is readable: {answer['architecture']}, window of {answer['window']} tokens"
    folder = str(context.config.model.folder)
    return [
        Finding("model:readable", "info", title, folder),
        *_too_long(answer["prompts"], context),
        *_disagreement(answer["agreement"] or {}, str(answer["architecture"])),
        *_changed(answer["changed"], folder),
    ]


def _too_long(prompts: dict[str, Any], context: Context) -> Iterator[Finding]:
    limit = context.config.rollout.max_prompt_length
    if prompts["too_long"]:
        task, tokens = prompts["longest"]["task"], prompts["longest"]["tokens"]
        alone = "" if prompts["whole"] else " by its instruction alone"
        yield Finding(
            "task:prompt_too_long",
            "fatal",
            f"{prompts['too_long']} tasks begin with more than rollout.max_prompt_length",
            f"{task} takes {tokens} tokens{alone}, the limit is {limit}",
            f"Set rollout.max_prompt_length ({context.where('rollout.max_prompt_length')}) to at least {tokens}, "
            "or shorten the instructions",
        )


def _disagreement(agreement: dict[str, Any], architecture: str) -> Iterator[Finding]:
    if "untried" in agreement:
        title = f"Whether the CPU server computes {architecture} rightly was not tried"
        yield Finding("model:not_probed", "skipped", title, "", "liverl check --probe")
        return
    if "unmeasured" in agreement:
        title = f"Whether the CPU server computes {architecture} rightly was not measured"
        yield Finding("model:unmeasured", "skipped", title, str(agreement["unmeasured"]))
        return
    cure = "Set model.path to a model of another architecture, such as Qwen3 or Llama, or train it on GPUs with vLLM"
    if "error" in agreement:
        title = f"The CPU server can't run {architecture}"
        yield Finding("model:unsupported", "fatal", title, str(agreement["error"]), cure)
    elif agreement.get("gap", 0.0) > _LARGEST_GAP:
        seen = f"log-probabilities differ by up to {agreement['gap']:.3g} from the model's own forward pass"
        title = f"The CPU server computes {architecture} wrongly"
        yield Finding("model:unsupported", "fatal", title, seen, cure)


def _changed(changed: list[str], folder: str) -> Iterator[Finding]:
    if changed:
        title = "The policy was built from something else than would be built now"
        cure = "liverl policy build   makes it anew"
        yield Finding("model:stale", "warn", title, f"{folder}: {'; '.join(changed)}", cure)
