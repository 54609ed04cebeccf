"""What the trial of the chain says becomes one finding a broken link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from liverl.preflight.chain import check_chain, judge_chain
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

MakeContext = Callable[..., Context]
WORKS: dict[str, Any] = {"broken": [], "seconds": 12.6, "replica": "cpu", "cached": False}


def judged(context: Context, **told: Any) -> list[Finding]:
    return judge_chain({**WORKS, **told}, context)


def test_a_chain_that_works_says_what_was_tried_and_how_long_it_took(make_context: MakeContext) -> None:
    (finding,) = judged(make_context())
    assert (finding.id, finding.severity) == ("chain:works", "info")
    assert finding.evidence == "13 s, over the model's own forward passes"
    (scripted,) = judged(make_context(), replica="scripted", cached=True)
    assert scripted.evidence == "13 s, by a script; the replica itself was not tried, cached"


@pytest.mark.parametrize(
    ("link", "cure"),
    [
        ("model_name", "model.served_name"),
        ("tool_call", "rollout.tool_parser"),
        ("token_ids", "setup_env.sh"),
        ("litellm", "setup_env.sh"),
        ("replica", "model.path"),
    ],
)
def test_each_broken_link_is_one_fatal_finding_with_what_was_seen(
    link: str, cure: str, make_context: MakeContext
) -> None:
    rows = [{"link": link, "seen": "by the OpenAI protocol: x"}, {"link": link, "seen": "by the other: y"}]
    (finding,) = judged(make_context(), broken=rows)
    assert (finding.id, finding.severity) == (f"chain:{link}", "fatal")
    assert finding.evidence == "by the OpenAI protocol: x"
    assert cure in finding.cure


def test_a_litellm_that_is_late_is_skipped_not_failed(make_context: MakeContext) -> None:
    (finding,) = judged(make_context(), late="it printed nothing")
    assert (finding.id, finding.severity) == ("chain:late", "skipped")


def test_a_call_that_the_parser_does_not_read_is_the_templates_finding(make_context: MakeContext) -> None:
    (finding,) = judge_chain({"broken": [], "unread": True, "seconds": 6.0, "cached": False}, make_context())
    assert (finding.id, finding.severity) == ("chain:not_asked", "skipped")


def test_a_chain_that_was_not_tried_says_how_to_try_it(make_context: MakeContext) -> None:
    (finding,) = judge_chain({"untried": True}, make_context())
    assert (finding.id, finding.severity, finding.cure) == (
        "chain:not_probed",
        "skipped",
        "liverl check --probe",
    )


def test_nothing_is_started_for_a_policy_that_is_still_to_be_built(make_context: MakeContext) -> None:
    (finding,) = check_chain(make_context())
    assert (finding.id, finding.severity) == ("chain:not_asked", "skipped")
