"""The list of drills, and what is printed of it."""

from __future__ import annotations

import pytest

from liverl.diagnose.catalogue import catalogue
from liverl.drill.painting import GRADINGS, POLICIES
from liverl.errors import RunError
from liverl.operate.answer import as_json
from liverl.operate.drill import DrillList
from liverl.operate.drill_form import NEVER, Drill
from liverl.operate.drill_list import DRILLS, HEALTHY, named

# The failures that the product promises to rehearse.
PROMISED = {
    "learning-rate", "nan", "frozen-weight-sync", "wrong-logprobs", "all-wrong", "all-right", "truncation",
    "entropy-collapse", "verifier-fails", "gateway-down", "model-name", "tool-parser", "sandbox-start",
    "killed-worker", "killed-replica", "disk-full", "checkpoint-cut", "port-taken", "host-memory", "stall",
}  # fmt: skip


def test_every_promised_failure_has_a_drill() -> None:
    assert set(DRILLS) == PROMISED


@pytest.mark.parametrize("drill", DRILLS.values(), ids=DRILLS)
def test_a_drill_says_what_breaks_how_and_what_is_to_be_found(drill: Drill) -> None:
    assert drill.breaks and drill.how and drill.seconds > 0
    assert drill.expects
    assert all(area and what for area, _, what in (each.partition(":") for each in drill.expects))
    assert drill.grading in GRADINGS
    assert drill.policy in POLICIES
    assert drill.at == NEVER or drill.at < drill.steps
    assert drill.kind != "learning" or drill.steps - max(drill.at, 0) <= 15
    assert bool(drill.victim) == (drill.act in ("kill", "freeze"))


def test_every_finding_that_a_drill_expects_has_a_write_up() -> None:
    known = {writeup.id for writeup in catalogue()}
    assert {each for drill in DRILLS.values() for each in drill.expects} <= known


@pytest.mark.parametrize("drill", DRILLS.values(), ids=DRILLS)
def test_a_drill_makes_its_failure_in_one_way_and_the_healthy_run_in_none(drill: Drill) -> None:
    ways = (
        drill.at != NEVER,
        drill.act != "watch",
        drill.grading not in ("red", "mixed"),  # mixed tasks are sound, and only keep the reward where it is
        drill.around not in ("", "little-memory"),
        bool(drill.verl),
    )
    changed = {(name, key) for name, values in drill.settings.items() for key in values}
    assert sum(ways) <= 1
    assert any(ways) or changed
    assert (HEALTHY.at, HEALTHY.act, HEALTHY.grading, HEALTHY.around) == (NEVER, "watch", "red", "")
    assert not HEALTHY.settings and not HEALTHY.verl


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(RunError) as refused:
        named("killed-workr")
    assert refused.value.code == "drill.unknown"
    assert "did you mean killed-worker" in refused.value.next_action


def test_a_name_that_is_near_none_is_answered_with_the_command_that_lists_them() -> None:
    with pytest.raises(RunError) as refused:
        named("xyzzy-0000")
    assert refused.value.next_action.startswith("liverl drill")


def test_the_list_is_an_answer_with_every_drill() -> None:
    told = as_json(DrillList())
    assert told["ok"] is True
    assert [each["name"] for each in told["drills"]] == list(DRILLS)
    assert all(
        set(each) == {"name", "kind", "breaks", "how", "expects", "seconds"} for each in told["drills"]
    )
    text = "\n".join(DrillList().lines())
    assert all(name in text and each.expects[0] in text for name, each in DRILLS.items())
