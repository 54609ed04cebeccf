"""What the data plane says of a model becomes findings that name what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.errors import LiveRLError, PolicyError
from liverl.preflight.context import Context
from liverl.preflight.readable import check_readable, judge_answer, not_asked, told_elsewhere
from liverl.preflight.template import check_template

READABLE = {
    "architecture": "XForCausalLM",
    "window": 4096,
    "prompts": {"longest": {"task": "short", "tokens": 90}, "too_long": 0, "whole": True},
    "agreement": {"gap": 1e-6},
    "changed": [],
}


def judged(context: Context, **told: object) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in judge_answer({**READABLE, **told}, context)]


def test_a_model_that_does_all_that_a_run_asks_is_one_finding(make_context: Callable[..., Context]) -> None:
    assert judged(make_context()) == [("model:readable", "info")]
    assert judged(make_context(), agreement=None) == [("model:readable", "info")]


def test_a_first_prompt_that_is_too_long_names_task_tokens_limit_and_cure(
    make_context: Callable[..., Context],
) -> None:
    prompts = {"longest": {"task": "epic", "tokens": 300}, "too_long": 2, "whole": True}
    finding = judge_answer({**READABLE, "prompts": prompts}, make_context())[1]
    assert (finding.id, finding.severity) == ("task:prompt_too_long", "fatal")
    assert finding.evidence == "epic takes 300 tokens, the limit is 256"
    assert "rollout.max_prompt_length" in finding.cure
    assert "at least 300" in finding.cure


@pytest.mark.parametrize(
    ("agreement", "id_", "severity"),
    [
        ({"gap": 0.5}, "model:unsupported", "fatal"),
        ({"gap": float("inf")}, "model:unsupported", "fatal"),
        ({"error": "AttributeError: no lm_head"}, "model:unsupported", "fatal"),
        ({"unmeasured": "its weights take 9.0 GB"}, "model:unmeasured", "skipped"),
    ],
)
def test_an_architecture_that_the_cpu_server_gets_wrong_is_fatal_and_named(
    agreement: dict[str, object], id_: str, severity: str, make_context: Callable[..., Context]
) -> None:
    finding = judge_answer({**READABLE, "agreement": agreement}, make_context())[1]
    assert (finding.id, finding.severity) == (id_, severity)
    assert "XForCausalLM" in finding.title


def test_a_policy_built_from_something_else_is_a_warning_with_the_command(
    make_context: Callable[..., Context],
) -> None:
    finding = judge_answer({**READABLE, "changed": ["the seed was 1, now 2"]}, make_context())[1]
    assert (finding.id, finding.severity) == ("model:stale", "warn")
    assert "the seed was 1, now 2" in finding.evidence
    assert finding.cure.startswith("liverl policy build")


def test_a_forward_pass_that_was_not_tried_is_skipped_with_the_command(
    make_context: Callable[..., Context],
) -> None:
    finding = judge_answer({**READABLE, "agreement": {"untried": True}}, make_context())[1]
    assert (finding.id, finding.severity, finding.cure) == (
        "model:not_probed",
        "skipped",
        "liverl check --probe",
    )


def test_a_policy_that_is_still_to_be_built_is_not_asked_about(make_context: Callable[..., Context]) -> None:
    (finding,) = check_readable(make_context())
    assert (finding.id, finding.severity) == ("model:not_asked", "skipped")


def test_a_folder_that_is_not_in_order_is_not_asked_about_either(
    make_context: Callable[..., Context], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    context = make_context(model={"path": str(folder)})
    assert not_asked(context, "model", "It") is None
    (folder / "model.safetensors").unlink()
    finding = not_asked(context, "model", "It")
    assert finding is not None
    assert (finding.id, finding.severity) == ("model:not_asked", "skipped")


def test_a_model_that_cannot_be_read_is_told_by_one_question_alone(
    make_context: Callable[..., Context], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    context = replace(make_context(model={"path": str(make_model(tmp_path / "m"))}), probe=True)
    with pytest.raises(LiveRLError, match=r"model\.unreadable"):
        check_readable(context)
    (finding,) = check_template(context)
    assert (finding.id, finding.severity) == ("template:not_asked", "skipped")
    assert "can't read the model" in finding.title


def test_an_error_that_no_other_question_tells_is_raised_again() -> None:
    error = PolicyError("model.template_refuses", "It refuses")
    with pytest.raises(PolicyError):
        told_elsewhere("template", "It", error, ("model.unreadable",))
