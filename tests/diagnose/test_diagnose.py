"""Snapshot → findings: what is found, in which order, and with which verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from liverl.diagnose.diagnose import diagnose
from liverl.diagnose.finding import Diagnosis
from liverl.diagnose.language import Fact
from liverl.diagnose.snapshot import Snapshot
from liverl.diagnose.writeup import WriteUp, parse_writeup
from liverl.log.series import Series
from liverl.log.sighting import Line, Sighting
from tests.diagnose.test_writeup import PROSE

HEALTHY = {"critic/score/mean": [0.1 * step for step in range(12)], "actor/grad_norm": [1.0] * 12}


def made(front: str) -> WriteUp:
    identity = front.split("\n")[0].removeprefix("id: ")
    return parse_writeup(f"---\n{front}\n---\n{PROSE}", f"{identity.replace(':', '/')}.md")


def line_writeup(identity: str, severity: str = "fatal", more: str = "") -> WriteUp:
    return made(
        f"id: {identity}\ntitle: It is {identity}\nseverity: {severity}\n{more}signature:\n  - line: x\n"
    )


def metric_writeup(identity: str, condition: str, hold: int = 3, more: str = "") -> WriteUp:
    front = f"id: {identity}\ntitle: It is {identity}\nseverity: error\n{more}signature:\n"
    return made(f'{front}  - when: ["{condition}"]\n    for: {hold}\n')


def sighted(**lines: int | tuple[int, int]) -> dict[str, Sighting]:
    """Sightings by id (an underscore stands for the colon): the line's number, and how many steps come after it."""
    found = {}
    for name, given in lines.items():
        number, after = given if isinstance(given, tuple) else (given, 0)
        line = Line(number, f"text {number}", step=None, steps_after=after)
        found[f"{name.replace('_', ':')}#0"] = Sighting(1, (line,), line)
    return found


def diagnosed(
    writeups: Sequence[WriteUp],
    sightings: Mapping[str, Sighting] | None = None,
    columns: Mapping[str, Sequence[float]] | None = None,
    setting: Mapping[str, str] | None = None,
    apart: int = 1,
) -> Diagnosis:
    table = columns or {}
    count = max(map(len, table.values()), default=0)
    series = Series.of(range(apart, count * apart + 1, apart), table)
    return diagnose(Snapshot("log", "console", series, sightings or {}, {}, setting or {}), writeups)


def ids(diagnosis: Diagnosis) -> list[str]:
    return [
        f"{each.id}{' <- ' + each.secondary_to if each.secondary_to else ''}" for each in diagnosis.findings
    ]


def test_the_first_of_two_equally_bad_failures_is_the_primary_one() -> None:
    found = diagnosed([line_writeup("a:a"), line_writeup("b:b")], sighted(a_a=90, b_b=20))
    assert ids(found) == ["b:b", "a:a"] and found.primary is not None and found.primary.id == "b:b"


def test_a_last_resort_is_told_only_where_nothing_else_is() -> None:
    writeups = [
        line_writeup("a:a", "warn"),
        line_writeup("b:b", "fatal", "last_resort: true\n"),
        line_writeup("c:c", "info"),
    ]
    assert ids(diagnosed(writeups, sighted(a_a=9, b_b=5))) == ["a:a"]
    assert ids(diagnosed(writeups, sighted(b_b=5, c_c=3))) == ["b:b", "c:c"]


def test_the_worse_of_two_comes_first_wherever_it_stands() -> None:
    writeups = [line_writeup("a:a", "warn"), line_writeup("b:b")]
    assert ids(diagnosed(writeups, sighted(a_a=1, b_b=500))) == ["b:b", "a:a"]


def test_what_follows_from_another_failure_is_folded_under_it() -> None:
    writeups = [
        line_writeup("a:a", more="secondary_to: ['b:*']\n"),
        line_writeup("b:b"),
        line_writeup("c:c", more="secondary_to: ['a:a']\n"),
    ]
    assert ids(diagnosed(writeups, sighted(a_a=100, b_b=90, c_c=110))) == ["b:b", "a:a <- b:b", "c:c <- a:a"]


def test_what_ended_a_run_does_not_follow_from_a_mere_warning() -> None:
    effect = line_writeup("b:b", more="secondary_to: ['a:a']\n")
    assert ids(diagnosed([line_writeup("a:a", "warn"), effect], sighted(a_a=10, b_b=20))) == ["b:b", "a:a"]
    assert ids(diagnosed([line_writeup("a:a", "error"), effect], sighted(a_a=10, b_b=20))) == [
        "a:a",
        "b:b <- a:a",
    ]


def test_a_consequence_may_be_told_a_little_before_its_cause_and_not_long_before() -> None:
    writeups = [line_writeup("a:a", more="secondary_to: ['b:b']\n"), line_writeup("b:b")]
    assert ids(diagnosed(writeups, sighted(a_a=100, b_b=150))) == ["b:b", "a:a <- b:b"]
    assert ids(diagnosed(writeups, sighted(a_a=100, b_b=9000))) == ["a:a", "b:b"]


def test_what_must_not_be_met_counts_for_a_sign_without_a_line_too() -> None:
    front = 'id: a:a\ntitle: It is so\nseverity: error\nsignature:\n  - facts: ["steps == 0"]\n    never: [asked for]\n'
    snapshot = Snapshot("log", "console", Series.of((), {}), {}, {"steps": 0}, {})
    assert ids(diagnose(snapshot, [made(front)])) == ["a:a"]
    line = Line(3, "asked for", step=None, steps_after=0)
    met = replace(snapshot, sightings={"a:a#0.never0": Sighting(1, (line,), line)})
    assert ids(diagnose(met, [made(front)])) == []


def test_what_ended_the_last_start_comes_before_what_ended_an_earlier_one() -> None:
    writeups, both = [line_writeup("a:a"), line_writeup("b:b")], sighted(a_a=10, b_b=900)
    snapshot = Snapshot("log", "console", Series.of((), {}), both, {"ended": "exception"}, {})
    assert ids(diagnose(snapshot, writeups)) == ["a:a", "b:b"]
    again = replace(snapshot, facts={"ended": "exception", "begun_line": 400})
    assert ids(diagnose(again, writeups)) == ["b:b", "a:a"]


def test_what_is_general_follows_from_anything_named() -> None:
    writeups = [line_writeup("a:a", more="generic: true\n"), line_writeup("b:b", "error")]
    assert ids(diagnosed(writeups, sighted(a_a=10, b_b=20))) == ["b:b", "a:a <- b:b"]
    assert ids(diagnosed(writeups, sighted(a_a=10))) == ["a:a"]


def test_one_general_word_is_enough_but_for_one_as_grave_elsewhere() -> None:
    general = "generic: true\n"
    writeups = [
        line_writeup("a:a"), line_writeup("b:b", more=general), line_writeup("c:c", more=general),
        line_writeup("d:d", "error", general),
    ]  # fmt: skip
    assert ids(diagnosed(writeups, sighted(a_a=3, b_b=9, c_c=9, d_d=12))) == ["a:a", "b:b <- a:a"]
    assert ids(diagnosed(writeups, sighted(a_a=3, b_b=9, c_c=12))) == ["a:a", "b:b <- a:a", "c:c <- a:a"]
    assert ids(diagnosed(writeups, sighted(a_a=3, d_d=12))) == ["a:a", "d:d <- a:a"]


def test_two_that_name_each_other_are_ordered_by_which_came_first() -> None:
    writeups = [
        line_writeup("a:a", more="secondary_to: ['b:b']\n"),
        line_writeup("b:b", more="secondary_to: ['a:a']\n"),
    ]
    assert ids(diagnosed(writeups, sighted(a_a=10, b_b=20))) == ["a:a", "b:b <- a:a"]
    assert ids(diagnosed(writeups, sighted(a_a=30, b_b=20))) == ["b:b", "a:a <- b:b"]


def test_nothing_is_lost_in_a_circle() -> None:
    writeups = [
        line_writeup("a:a", more="secondary_to: ['c:c']\n"),
        line_writeup("b:b", more="secondary_to: ['a:a']\n"),
        line_writeup("c:c", more="secondary_to: ['b:b']\n"),
    ]
    assert ids(diagnosed(writeups, sighted(a_a=10, b_b=11, c_c=12))) == ["a:a", "b:b <- a:a", "c:c <- b:b"]
    assert len(ids(diagnosed(writeups, sighted(a_a=10, b_b=10, c_c=10)))) == 3


def test_two_that_name_each_other_at_the_same_place_are_ordered_by_id() -> None:
    writeups = [line_writeup(name, more="secondary_to: ['*']\n") for name in ("a:a", "b:b")]
    assert ids(diagnosed(writeups, sighted(a_a=10, b_b=10))) == ["a:a", "b:b <- a:a"]


def test_what_is_named_does_not_follow_from_what_is_general() -> None:
    writeups = [
        line_writeup("a:a", more="generic: true\n"),
        line_writeup("b:b", more="secondary_to: ['a:*']\n"),
    ]
    assert ids(diagnosed(writeups, sighted(a_a=10, b_b=20))) == ["b:b", "a:a <- b:b"]


def test_what_takes_a_window_to_be_told_may_cause_what_is_told_before() -> None:
    slow = metric_writeup("a:slow", "'critic/score/mean' < 0", hold=5, more="window: 8\n")
    quick = metric_writeup("b:quick", "'actor/entropy' < 0", hold=2, more="secondary_to: ['a:slow']\n")
    columns = {"critic/score/mean": [1.0] * 7 + [-1.0] * 5, "actor/entropy": [1.0] * 3 + [-1.0] * 9}
    assert ids(diagnosed([slow, quick], columns=columns)) == ["a:slow", "b:quick <- a:slow"]
    assert ids(diagnosed([slow, quick], columns=columns, apart=5)) == ["a:slow", "b:quick <- a:slow"]


def test_a_fatal_line_after_which_the_run_went_on_is_no_alarm() -> None:
    found = diagnosed([line_writeup("a:a")], sighted(a_a=(10, 40)), HEALTHY)
    assert found.verdict == "healthy" and found.findings[0].severity == "info"
    assert "went on for 40 steps" in found.findings[0].evidence[-1]


def test_a_crash_is_told_by_its_own_line_and_not_by_one_that_was_survived() -> None:
    lines = (Line(10, "caught at the start", step=0, steps_after=18), Line(900, "the crash", step=18))
    found = diagnosed([line_writeup("a:a")], {"a:a#0": Sighting(2, lines, lines[1])}, HEALTHY).findings[0]
    assert (found.severity, found.began.line, found.began.step) == ("fatal", 900, 18)
    assert found.evidence[0] == "line 900: the crash"


def test_what_a_worker_says_as_it_said_before_is_no_end_of_a_log_that_just_ends() -> None:
    def told(actor: str, how: str, said: str = "RuntimeError: trial 9 lost") -> str:
        lines = (Line(10, "RuntimeError: trial 4 lost", 0, 11, actor=actor), Line(900, said, 12, actor=actor))
        sightings = {"a:a#0": Sighting(2, lines, lines[1])}
        snapshot = Snapshot("log", "console", Series.of(range(12), HEALTHY), sightings, {"ended": how})
        return diagnose(snapshot, [line_writeup("a:a")]).findings[0].severity

    assert told("AgentLoopWorker", "cut") == "info"
    assert told("AgentLoopWorker", "exception") == "fatal"
    assert told("AgentLoopWorker", "cut", "RuntimeError: the disk is full") == "fatal"
    assert told("TaskRunner", "cut") == told("raylet", "cut") == told("", "cut") == "fatal"


def test_a_crash_does_not_follow_from_an_error_in_the_curves() -> None:
    curve = metric_writeup("a:a", "'critic/score/mean' == 0")
    crash = line_writeup("b:b", more="generic: true\n")
    columns = {"critic/score/mean": [0.0] * 12}
    assert ids(diagnosed([curve, crash], sighted(b_b=50), columns)) == ["b:b", "a:a"]


def test_a_group_that_met_nothing_leaves_no_trace_in_the_title() -> None:
    front = "id: a:a\ntitle: '{kind}: {what}'\nseverity: fatal\nsignature:\n  - line: 'x'\n"
    line = Line(1, "x", groups={"kind": "NotImplementedError", "what": ""})
    assert (
        diagnosed([made(front)], {"a:a#0": Sighting(1, (line,), line)}).findings[0].title
        == "NotImplementedError"
    )


def test_a_fatal_line_in_a_log_that_ended_well_is_no_alarm() -> None:
    for facts, severity in (
        ({"ended": "finished", "finished_said": True, "exception_above": False}, "info"),
        ({"ended": "finished", "finished_said": True, "exception_above": True}, "fatal"),
        ({"ended": "cut", "finished_said": False}, "fatal"),
        ({}, "fatal"),
    ):
        snapshot = Snapshot("log", "console", Series.empty(), sighted(a_a=10), facts)  # type: ignore[arg-type]
        (found,) = diagnose(snapshot, [line_writeup("a:a")]).findings
        assert found.severity == severity, facts


def test_a_fact_that_an_or_did_without_is_not_told() -> None:
    writeup = made(
        "id: a:a\ntitle: T\nseverity: warn\nsignature:\n  - facts: ['lines > 3 or steps_total > 0']\n"
    )
    (found,) = diagnose(Snapshot("log", "console", Series.empty(), {}, {"lines": 5}), [writeup]).findings
    assert found.evidence == ("5 lines",)


def test_a_condition_has_to_hold_for_its_window() -> None:
    writeup = metric_writeup("a:a", "'critic/score/mean' < 0", hold=3)
    values = [0.5] * 6 + [-1.0, -1.0] + [0.5] * 6
    assert ids(diagnosed([writeup], columns={"critic/score/mean": values})) == []
    values[8] = -1.0
    found = diagnosed([writeup], columns={"critic/score/mean": values})
    assert ids(found) == ["a:a"] and found.findings[0].began.step == 7


def test_a_condition_that_has_passed_long_ago_is_one_less_severe() -> None:
    writeup = metric_writeup("a:a", "'critic/score/mean' < 0")
    passed = diagnosed([writeup], columns={"critic/score/mean": [-1.0] * 4 + [0.5] * 12})
    assert (passed.findings[0].severity, passed.findings[0].cleared) == ("warn", 5)
    lasting = diagnosed([writeup], columns={"critic/score/mean": [-1.0] * 4 + [0.5] * 5})
    assert (lasting.findings[0].severity, lasting.findings[0].cleared) == ("error", None)


def test_a_lone_spike_has_passed_at_the_step_behind_it() -> None:
    writeup = metric_writeup("a:a", "'critic/score/mean' < 0", hold=1)
    found = diagnosed([writeup], columns={"critic/score/mean": [0.5] * 5 + [-1.0] + [0.5] * 12}).findings[0]
    assert (found.began.step, found.cleared) == (6, 7)


@pytest.mark.parametrize(
    ("rewards", "norms", "severity"),
    [
        ([0.5] * 30, [0.1] * 12 + [90.0] * 3 + [0.1] * 15, "info"),  # as before, with no less reward
        ([0.5] * 15 + [0.8] * 15, [0.1] * 12 + [90.0] * 3 + [4.0] * 15, "info"),  # the reward has grown
        ([0.5] * 30, [0.1] * 12 + [90.0] * 3 + [4.0] * 15, "warn"),
        ([0.5] * 15 + [0.4] * 15, [0.1] * 12 + [90.0] * 3 + [0.1] * 15, "warn"),
        (
            [0.5] * 12 + [0.1] * 3 + [0.5] * 15,
            [0.1] * 12 + [90.0] * 3 + [0.1] * 15,
            "warn",
        ),  # it fell meanwhile
        ([math.nan] * 30, [0.1] * 12 + [90.0] * 3 + [0.1] * 15, "warn"),
    ],
)
def test_what_has_passed_and_did_the_reward_no_harm_is_outgrown(
    rewards: list[float], norms: list[float], severity: str
) -> None:
    writeup = metric_writeup(
        "a:a", "'actor/grad_norm' > 50", more="past: warn\noutgrown: info\nneeds: [actor/grad_norm]\n"
    )
    columns = {"critic/score/mean": rewards, "actor/grad_norm": norms}
    assert diagnosed([writeup], columns=columns).findings[0].severity == severity


def test_a_lesser_failure_that_came_later_and_has_passed_does_not_explain_one_that_goes_on() -> None:
    cause = metric_writeup("a:cause", "'critic/score/mean' < 0", more="past: warn\nwindow: 3\n")
    effect = metric_writeup("b:effect", "'actor/entropy' < 0", more="secondary_to: ['a:cause']\n")
    passed = {"critic/score/mean": [0.5] * 4 + [-1.0] * 4 + [0.5] * 12, "actor/entropy": [-1.0] * 20}
    assert ids(diagnosed([cause, effect], columns=passed)) == ["b:effect", "a:cause"]
    lasting = {**passed, "critic/score/mean": [0.5] * 4 + [-1.0] * 16}
    assert ids(diagnosed([cause, effect], columns=lasting)) == ["a:cause", "b:effect <- a:cause"]
    first = {"critic/score/mean": [-1.0] * 4 + [0.5] * 16, "actor/entropy": [0.5] * 3 + [-1.0] * 17}
    assert ids(diagnosed([cause, effect], columns=first)) == ["a:cause", "b:effect <- a:cause"]


def test_few_rows_that_span_many_steps_are_enough_and_one_alone_is_not() -> None:
    writeup = metric_writeup("a:a", "'critic/score/mean' == 0", hold=5)
    series = Series.of([1, 100, 200], {"critic/score/mean": [0.0, 0.0, 0.0]})
    assert diagnose(Snapshot("f", "jsonl", series), [writeup]).findings
    alone = Series.of([100], {"critic/score/mean": [0.0]})
    assert not diagnose(Snapshot("f", "jsonl", alone), [writeup]).findings
    summary = Series(np.array([117]), alone.columns, np.zeros(1, np.int64), (), np.array([117]))
    assert diagnose(Snapshot("f", "summary", summary), [writeup]).findings


def test_a_write_up_of_another_setting_does_not_apply_and_an_unknown_one_does() -> None:
    writeup = line_writeup("a:a", more="applies: {engine: [veomni]}\n")
    assert ids(diagnosed([writeup], sighted(a_a=1), setting={"engine": "fsdp"})) == []
    assert ids(diagnosed([writeup], sighted(a_a=1), setting={"engine": "veomni"})) == ["a:a"]
    assert ids(diagnosed([writeup], sighted(a_a=1))) == ["a:a"]


def test_a_run_is_healthy_only_with_ten_steps_a_reward_and_its_optimisation() -> None:
    assert diagnosed([], columns=HEALTHY).verdict == "healthy"
    nine = {name: values[:9] for name, values in HEALTHY.items()}
    twice = {**HEALTHY, "critic/score/mean": [0.1, *[float("nan")] * 10, 0.2]}
    for columns in ({}, nine, twice, {"critic/score/mean": [0.1] * 12}, {"actor/grad_norm": [0.1] * 12}):
        found = diagnosed([], columns=columns)
        assert found.verdict == "not_measured" and found.why, columns


def test_a_finding_makes_sick_whatever_else_was_measured() -> None:
    assert diagnosed([line_writeup("a:a", "warn")], sighted(a_a=1)).verdict == "sick"
    assert diagnosed([line_writeup("a:a", "info")], sighted(a_a=1), HEALTHY).verdict == "healthy"


def test_a_metric_that_nobody_measured_is_named_with_its_setting() -> None:
    more = "needs: [actor/entropy]\nmeasured_by: {actor/entropy: calculate_entropy=true}\n"
    writeups = [metric_writeup(f"a:{name}", "'actor/entropy' < 0", more=more) for name in "bc"]
    (missing,) = diagnosed(writeups, columns=HEALTHY).not_measured
    assert (missing.metric, missing.setting, missing.failures) == (
        "actor/entropy",
        "calculate_entropy=true",
        ("a:b", "a:c"),
    )
    assert diagnosed(writeups, columns={**HEALTHY, "actor/entropy": [0.1] * 12}).not_measured == ()


def test_evidence_tells_the_value_then_now_and_at_the_runs_start() -> None:
    writeup = metric_writeup("a:a", "'actor/entropy' < 0.5 * early('actor/entropy')")
    (finding,) = diagnosed([writeup], columns={"actor/entropy": [0.4] * 10 + [0.1, 0.1, 0.05]}).findings
    assert finding.evidence == ("actor/entropy 0.1 at step 11, 0.05 at step 13 (its first 10: median 0.4)",)


def test_a_value_that_is_not_finite_is_told_so() -> None:
    writeup = metric_writeup("a:a", "nonfinite('actor/grad_norm')", hold=1)
    (finding,) = diagnosed([writeup], columns={"actor/grad_norm": [1.0, math.inf]}).findings
    assert "not finite" in finding.evidence[0]


def test_a_secret_in_a_quoted_line_is_masked() -> None:
    line = Line(3, "key sk-abcdefghijklmnopqrstuvwx is wrong")
    found = diagnosed([line_writeup("a:a")], {"a:a#0": Sighting(1, (line,), line)})
    assert "abcdefghij" not in found.findings[0].evidence[0] and "line 3" in found.findings[0].evidence[0]


def test_a_titles_group_is_filled_from_the_line() -> None:
    writeup = made(
        "id: a:a\ntitle: 'Port {port} is taken'\nseverity: fatal\nsignature:\n  - line: 'port (?P<port>\\d+)'\n"
    )
    line = Line(1, "port 8002", groups={"port": "8002"})
    assert (
        diagnosed([writeup], {"a:a#0": Sighting(1, (line,), line)}).findings[0].title == "Port 8002 is taken"
    )


NAN = "id: policy:nan\ntitle: It is nan\nseverity: fatal\nsignature:\n  - when: [\"nonfinite('actor/grad_norm')\"]\n"
ENDS_SICK = {"critic/score/mean": [0.1] * 12, "actor/grad_norm": [1.0] * 8 + [math.inf] * 4}


def ended(ended: str, sightings: Mapping[str, Sighting], *writeups: WriteUp) -> list[str]:
    series = replace(Series.of(range(1, 13), ENDS_SICK), lines=np.arange(10, 130, 10))
    snapshot = Snapshot("log", "console", series, sightings, {"ended": ended})
    return ids(diagnose(snapshot, [made(NAN), *writeups]))


def test_what_ended_a_run_comes_before_what_its_curves_say() -> None:
    memory = line_writeup("memory:host")
    for how in ("exception", "cut"):
        assert ended(how, sighted(memory_host=900), memory) == ["memory:host", "policy:nan"]


def test_what_ended_a_run_takes_the_general_failures_with_it() -> None:
    crash = line_writeup("code:exception", more="generic: true\n")
    found = ended(
        "exception", sighted(memory_host=900, code_exception=905), line_writeup("memory:host"), crash
    )
    assert found == ["memory:host", "code:exception <- memory:host", "policy:nan"]


def test_a_crash_that_follows_from_the_curves_leaves_them_first() -> None:
    sampling = line_writeup("engine:nan", more="secondary_to: ['policy:nan']\n")
    aftermath = line_writeup("hang:timeout")
    found = ended("exception", sighted(engine_nan=900, hang_timeout=950), sampling, aftermath)
    assert found == ["policy:nan", "engine:nan <- policy:nan", "hang:timeout"]
    crash = line_writeup("code:exception", more="generic: true\n")
    assert ended("exception", sighted(code_exception=900), crash) == [
        "policy:nan",
        "code:exception <- policy:nan",
    ]


def test_a_sick_run_that_was_stopped_by_a_person_or_goes_on_is_told_by_what_came_first() -> None:
    for how in ("stopped", "running"):
        assert ended(how, sighted(memory_host=900), line_writeup("memory:host")) == [
            "policy:nan",
            "memory:host",
        ]


def test_what_began_later_than_its_window_explains_is_not_the_cause() -> None:
    """The norm grows and the reward falls long before the ratio is far off."""
    late = metric_writeup("a:late", "'actor/ppo_kl' > 1", more="window: 12\n")
    early = metric_writeup("b:early", "'critic/score/mean' < 0.5", more="secondary_to: ['a:late']\n")
    columns = {
        "critic/score/mean": [1.0] * 10 + [0.9 - 0.1 * step for step in range(25)],
        "actor/ppo_kl": [0.0] * 20 + [0.1 * step for step in range(1, 16)],
    }
    found = diagnosed([late, early], columns=columns)
    assert ids(found) == ["b:early", "a:late"]
    assert [each.began.step for each in found.findings] == [11, 21]


def test_a_finding_begins_where_its_curve_left_its_habit() -> None:
    slow = metric_writeup("a:slow", "smooth('actor/grad_norm', 5) > 10", more="window: 5\n")
    columns = {"actor/grad_norm": [1.0] * 12 + [1.5**step for step in range(1, 15)]}
    found = diagnosed([slow], columns=columns).findings[0]
    assert found.began.step == 13 and found.told is not None and found.told > 18


def test_of_two_that_began_as_one_the_one_that_could_be_told_first_comes_first() -> None:
    slow = metric_writeup("a:slow", "'actor/grad_norm' > 20", more="secondary_to: ['b:quick']\n")
    quick = metric_writeup("b:quick", "'actor/grad_norm' > 5", more="secondary_to: ['a:slow']\n")
    columns = {"actor/grad_norm": [1.0] * 12 + [1.5**step for step in range(1, 15)]}
    assert ids(diagnosed([slow, quick], columns=columns)) == ["b:quick", "a:slow <- b:quick"]


def test_a_log_without_a_step_is_told_where_it_ends() -> None:
    facts: dict[str, Fact] = {
        "steps": 0,
        "at_line": 57,
        "at_stage": "Ray starts",
        "at_said": "Started a local Ray instance.",
    }
    told = diagnose(Snapshot("log", "console", Series.of((), {}), {}, facts, {}), [])
    assert told.why == (
        "no training step is told; it ends at line 57, where Ray starts: Started a local Ray instance."
    )
    long = diagnose(Snapshot("log", "console", Series.of((), {}), {}, facts | {"at_said": "x" * 150}, {}), [])
    assert len(f"not measured: {long.why}") == 200 and long.why.endswith("x…")


def test_the_title_is_filled_with_a_fact_that_is_a_text_and_begins_at_the_last_line() -> None:
    writeup = made(
        "id: hang:made\ntitle: 'It waits: {waits_for}'\nseverity: error\nsignature:\n"
        "  - facts: ['waits >= 3', \"waits_for != ''\"]"
    )
    facts: dict[str, Fact] = {
        "waits": 3,
        "waits_for": "for the key sk-ant-REDACTED",
        "at_line": 9,
        "steps": 0,
    }
    told = diagnose(Snapshot("log", "console", Series.of((), {}), {}, facts, {}), [writeup])
    assert told.primary is not None and told.primary.began.line == 9
    assert told.primary.title.startswith("It waits: for the key") and "9876543210" not in told.primary.title
    assert told.primary.evidence[0].startswith("3 lines at the end say that it waits, it says: for the key")


def test_of_several_runs_the_worst_is_told_by_its_name() -> None:
    writeup = metric_writeup("a:a", "'critic/score/mean' < 0")
    well = Series.of(range(1, 13), {"critic/score/mean": [0.5] * 12, "actor/entropy": [0.3] * 12})
    sick = Series.of(range(1, 16), {"critic/score/mean": [0.5] * 4 + [-1.0] * 11})
    several = replace(well, runs={"base": well, "no kl": sick})
    found = diagnose(Snapshot("f", "csv", several, facts={"steps": 12}), [writeup])
    assert (found.verdict, found.findings[0].title) == ("sick", "It is a:a (run no kl)")
    assert (
        diagnose(Snapshot("f", "csv", replace(well, runs={"a": well, "b": well})), [writeup]).verdict
        == "healthy"
    )
    keyed = replace(well, runs={"a": well, "key sk-abcdefghijklmnopqrstuvwx": sick})
    assert "abcdefghij" not in diagnose(Snapshot("f", "csv", keyed), [writeup]).findings[0].title
    short = Series.of(range(1, 4), {"critic/score/mean": [0.5] * 3})
    unsure = diagnose(Snapshot("f", "csv", replace(well, runs={"a": well, "b": short})), [writeup])
    assert unsure.verdict == "not_measured" and unsure.why.endswith("(run b)")
