"""Keys that verl does not know are told one by one, each with its place and the nearest real key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from liverl.config import Origin
from liverl.preflight.context import Context
from liverl.preflight.verls import judge_verl

MakeContext = Callable[..., Context]
TOLD = {"version": "0.9.1", "overrides": 87, "cached": False}
COEF, NONSENSE = "actor_rollout_ref.actor.entropy_coef", "trainer.nonsense"


def test_every_unknown_key_is_a_fatal_finding_with_its_line_and_what_was_meant(
    make_context: MakeContext,
) -> None:
    context = make_context(verl={COEF: 0.1, NONSENSE: 1})
    origins = {f"verl.{COEF}": Origin("config.yaml", 9), f"verl.{NONSENSE}": Origin("config.yaml", 12)}
    context = replace(context, origins=origins)
    unknown = [{"key": COEF, "nearest": f"{COEF}f"}, {"key": NONSENSE, "nearest": ""}]
    first, second = judge_verl({**TOLD, "unknown": unknown}, context)
    assert {first.id, second.id} == {"verl:unknown_key"}
    assert {first.severity, second.severity} == {"fatal"}
    assert first.evidence == f"verl 0.9.1 has {COEF}f; did you mean that?"
    assert first.cure == f"Write {COEF}f instead of {COEF} (line 9 of config.yaml)"
    assert second.cure.startswith(
        "Remove trainer.nonsense (line 12 of config.yaml), or write +trainer.nonsense"
    )


def test_a_command_that_verl_accepts_is_one_finding(make_context: MakeContext) -> None:
    (finding,) = judge_verl(TOLD, make_context())
    assert (finding.id, finding.severity, finding.evidence) == ("verl:accepts", "info", "87 keys set")
