"""What does not survive the chat template becomes findings that say what to change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.template import check_template, judge_template

MakeContext = Callable[..., Context]
KEPT: dict[str, Any] = {"problems": [], "split": [], "cached": False}
AFTER_RESULT = {"after": "a tool's result", "seen": "at character 3 'a' became 'b'"}
AFTER_USER = {"after": "a new message of the user", "seen": "at character 9 'c' became 'd'"}


def judged(context: Context, **told: Any) -> list[Finding]:
    return judge_template({**KEPT, **told}, context)


def test_a_template_that_keeps_all_is_one_finding(make_context: MakeContext) -> None:
    (finding,) = judged(make_context())
    assert (finding.id, finding.severity, finding.evidence) == ("model:template", "info", "parser hermes")


@pytest.mark.parametrize(
    ("what", "id_", "cure"),
    [
        ("left_out", "model:template_round_trip", "chat_template.jinja"),
        ("tool_call", "model:template_round_trip", "rollout.tool_parser"),
        ("stop_token", "model:stop_token", "eos_token"),
    ],
)
def test_each_problem_is_fatal_with_what_was_seen(
    what: str, id_: str, cure: str, make_context: MakeContext
) -> None:
    (finding,) = judged(make_context(), problems=[{"what": what, "seen": "seen"}])
    assert (finding.id, finding.severity, finding.evidence) == (id_, "fatal", "seen")
    assert cure in finding.cure


def test_rewritten_turns_are_a_warning_that_names_the_places(make_context: MakeContext) -> None:
    other = make_context(scaffold={"name": "claude-code"})
    (finding,) = judged(other, split=[AFTER_RESULT, AFTER_USER])
    assert (finding.id, finding.severity) == ("model:template_prefix", "warn")
    assert "after a tool's result and a new message of the user" in finding.title
    assert finding.evidence == AFTER_RESULT["seen"]


def test_the_shell_scaffold_never_adds_a_message_of_the_user(make_context: MakeContext) -> None:
    (finding,) = judged(make_context(), split=[AFTER_USER])
    assert finding.id == "model:template"
    (finding,) = judged(make_context(scaffold={"name": "claude-code"}), split=[AFTER_USER])
    assert finding.id == "model:template_prefix"


def test_what_was_not_tried_is_skipped_and_a_policy_to_be_built_is_not_asked_about(
    make_context: MakeContext,
) -> None:
    (finding,) = judge_template({"untried": True}, make_context())
    assert (finding.id, finding.severity, finding.cure) == (
        "template:not_probed",
        "skipped",
        "liverl check --probe",
    )
    assert [finding.id for finding in check_template(make_context())] == ["template:not_asked"]
