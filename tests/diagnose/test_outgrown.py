"""What a metric condition showed, once it is over and did the reward no harm."""

from __future__ import annotations

import pytest

from tests.diagnose.test_diagnose import diagnosed, made, metric_writeup


@pytest.mark.parametrize(
    ("rewards", "norms", "severity"),
    [
        ([0.5] * 18, [0.1] * 14 + [90.0] + [0.1] * 3, "info"),  # three rows behind it show that
        ([0.5] * 17, [0.1] * 14 + [90.0] + [0.1] * 2, "error"),
        ([0.5] * 15 + [0.3] * 3, [0.1] * 14 + [90.0] + [0.1] * 3, "error"),  # the reward has fallen
        (
            [0.4, 0.6] * 7 + [0.5] + [0.46] * 3,
            [0.1] * 14 + [90.0] + [0.1] * 3,
            "info",
        ),  # by what batches differ
        ([0.5] * 28, [0.1] * 14 + [90.0] + [0.1] * 6 + [40.0] + [0.1] * 6, "info"),  # one row above its tail
        ([0.5] * 28, [0.1] * 14 + [90.0] + [0.1, 40.0] * 6 + [0.1], "warn"),
        ([0.5] * 7, [0.1] * 2 + [90.0] + [0.1] * 4, "error"),  # no habit before it
    ],
)
def test_what_did_the_reward_no_harm_is_outgrown_before_it_has_passed(
    rewards: list[float], norms: list[float], severity: str
) -> None:
    writeup = metric_writeup(
        "a:a", "'actor/grad_norm' > 50", hold=1, more="past: warn\noutgrown: info\nneeds: [actor/grad_norm]\n"
    )
    columns = {"critic/score/mean": rewards, "actor/grad_norm": norms}
    assert diagnosed([writeup], columns=columns).findings[0].severity == severity


@pytest.mark.parametrize(
    ("lost", "behind", "severity"),
    [
        (6, 0.6, "info"),
        (6, 0.35, "warn"),
        (14, 0.6, "warn"),
    ],  # a few steps and a large gain; a small one; many
)
def test_a_few_steps_that_were_lost_in_a_run_that_learned_on_are_outgrown(
    lost: int, behind: float, severity: str
) -> None:
    writeup = metric_writeup(
        "a:a",
        "'critic/score/mean' < 0.1",
        hold=3,
        more="past: warn\noutgrown: info\nneeds: [critic/score/mean]\n",
    )
    rewards = [0.3] * 40 + [0.02] * lost + [behind] * 60
    assert diagnosed([writeup], columns={"critic/score/mean": rewards}).findings[0].severity == severity


def test_a_reward_that_comes_after_a_hard_start_ends_what_its_lack_told() -> None:
    writeup = metric_writeup(
        "a:a", "'critic/score/mean' == 0", hold=8, more="outgrown: info\nneeds: [critic/score/mean]\n"
    )
    come = diagnosed([writeup], columns={"critic/score/mean": [0.0] * 12 + [0.1, 0.0, 0.05, 0.1]})
    assert (come.findings[0].severity, come.findings[0].cleared) == ("info", 13)
    rare = diagnosed([writeup], columns={"critic/score/mean": [0.0] * 12 + [0.1, 0.0, 0.0, 0.0]})
    assert (rare.findings[0].severity, rare.findings[0].cleared) == ("error", None)


@pytest.mark.parametrize(("calm", "step"), [(20, 15), (60, 76)])
@pytest.mark.parametrize("outgrown", ["outgrown: info\n", ""])
def test_what_comes_and_goes_began_with_the_signs_that_led_into_the_last(
    calm: int, step: int, outgrown: str
) -> None:
    """Spikes first, then a reward that is gone: one failure, unless it was calm between them for long."""
    writeup = made(
        f"id: a:a\ntitle: It is a:a\nseverity: error\npast: warn\n{outgrown}needs: [actor/grad_norm]\nsignature:\n"
        "  - when: [\"'actor/grad_norm' > 50\"]\n    for: 1\n"
        "  - when: [\"'critic/score/mean' < 0.1\"]\n    for: 1\n"
    )
    columns = {
        "critic/score/mean": [0.5] * (15 + calm) + [0.0] * 12,
        "actor/grad_norm": [0.1] * 14 + [90.0] + [0.1] * (calm + 12),
    }
    found = diagnosed([writeup], columns=columns).findings[0]
    assert found.severity == "error" and found.began.step == (step if outgrown else 16 + calm)


def test_a_spike_long_before_is_not_where_an_explosion_began() -> None:
    """Of one sign too: 300 calm rows lie between its first two rows and its last ones."""
    writeup = metric_writeup(
        "a:a", "'actor/grad_norm' > 50", hold=2, more="past: warn\noutgrown: info\nneeds: [actor/grad_norm]\n"
    )
    calm, spike = [0.1] * 20, [90.0] * 2
    norms = calm + spike + calm * 15 + spike + calm + spike * 8
    rewards = [0.5] * (len(norms) - 16) + [0.0] * 16
    found = diagnosed([writeup], columns={"critic/score/mean": rewards, "actor/grad_norm": norms}).findings[0]
    assert found.severity == "error" and found.began.step == 20 + 2 + 300 + 1
