"""Notes of a run, as a person or a small script keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.log.formats.notes import MOST_BYTES, noted_rows
from liverl.log.reader import Reader
from liverl.log.series import Series
from tests.log.formats.test_tables import column


def noted(text: str) -> Series:
    return noted_rows(text.encode()).series()


@pytest.mark.parametrize(
    "line",
    [
        "step {0}: reward {1}, kl 0.002",
        "step={0} reward={1} kl=0.002",
        "- step {0} - kl 0.002, reward {1}",
        "@{0}: kl=0.002 reward={1}",
        "step {0:>5}  kl 0.002  reward {1}",
        "**Step {0}**: mean reward is {1} | kl → 0.002",
        "steps 1-{0}: kl about 0.002, reward up to {1}.",
        "[10:31:07] iter {0}/500 kl 0.2% reward {1} (best 0.9)",
        "Epoch 1, step {0}: reward {1}, kl 0.002",
        "run7 | step {0} | reward {1} | kl 0.002",
        "第 {0} 步: reward {1}, kl 0.002",
        "reward {1}, kl 0.002 (step {0})",
        "kl=0.002 reward={1} step={0}/500",
        "[{0}/500] reward: {1} kl: 0.002",
        "2026-01-01 10:31:07 INFO update {0} kl: 0.002 reward: {1}±0.2",
    ],
)
def test_a_line_that_tells_a_step_and_metrics_is_a_row(line: str) -> None:
    found = noted("my run\n\n" + "".join(f"{line.format(step, step / 100)}\n" for step in (10, 20, 30)))
    assert found.steps.tolist() == [10, 20, 30] and found.lines.tolist() == [3, 4, 5]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3]
    assert column(found, "actor/kl_loss") == [0.002] * 3


def test_thousands_percentages_and_words_are_numbers() -> None:
    found = noted(
        "step 1k: response length 1.2k, clip ratio 3%, reward fell to 0.31\n"
        "step 1,500: response length 900, clip ratio 4%, reward back up to 0.41\n"
        "step 2k: response length 300, clip ratio 50%, reward nan\n"
    )
    assert found.steps.tolist() == [1000, 1500, 2000]
    assert column(found, "response_length/mean") == [1200, 900, 300]
    assert column(found, "response_length/clip_ratio") == [0.03, 0.04, 0.5]
    assert column(found, "critic/score/mean")[:2] == [0.31, 0.41]


@pytest.mark.parametrize(
    "course",
    [
        "{0} (step 0), {1} (step 50), {2} (step 100)",
        "step 0: {0}, step 50: {1}, step 100: {2}",
        "{0} @ 0, {1} @ 50, {2} @ 100",
        "{0} at step 0 -> {1} at step 50 -> {2} by step 100",
        "step 0 {0} | step 50 {1} | step 0.1k {2}",
    ],
)
def test_a_metric_at_several_steps_in_a_line_is_a_column(course: str) -> None:
    course = course.replace("0.1k", "100")
    found = noted(
        f"what it did\n- entropy: {course.format(0.4, 0.2, 0.01)}\n- mean reward: {course.format('10%', '20%', '0%')}\n"
    )
    assert found.steps.tolist() == [0, 50, 100] and column(found, "actor/entropy") == [0.4, 0.2, 0.01]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0]


@pytest.mark.parametrize("bar", ["| step | reward |\n|---|---|\n{}", "step\treward\n{}", "step  reward\n{}"])
def test_a_table_of_the_rewards_alone_is_read(bar: str) -> None:
    join = {"|": "| {} | {} |\n", "\t": "{}\t{}\n", " ": "{}  {}\n"}[
        "|" if "|" in bar else "\t" if "\t" in bar else " "
    ]
    found = noted(bar.format("".join(join.format(step * 5, 0.1 + step / 100) for step in range(8))))
    assert found.steps.tolist() == list(range(0, 40, 5)) and found.has("critic/score/mean")


@pytest.mark.parametrize(
    "word", ["iter {}/500 ... reward: {}", "train step {}: reward = {}", "update {} | reward {}"]
)
def test_rewards_alone_are_read_where_a_trainer_counts(word: str) -> None:
    found = noted("".join(f"{word.format(step, 0.1 + step / 100)}\n" for step in range(1, 9)))
    assert found.steps.tolist() == list(range(1, 9))


def test_three_rows_with_many_steps_between_them_are_a_training_s() -> None:
    assert noted(
        "| step | reward | turns |\n|---|---|---|\n| 0 | 0.41 | 5 |\n| 60 | 0.22 | 3 |\n| 120 | 0.03 | 1 |\n"
    )
    assert not len(
        noted(
            "| step | reward | turns |\n|---|---|---|\n| 1 | 0.41 | 5 |\n| 2 | 0.22 | 3 |\n| 3 | 0.03 | 1 |\n"
        )
    )


def test_a_mean_of_rewards_is_read_among_other_lines_whatever_it_is() -> None:
    rows = (f"Step {step:02d} | reward_mean=0.000 | time=7s\nupdated in 3 s\nsaved\n" for step in range(1, 9))
    found = noted("loading\nloaded\nready\n" + "".join(rows))
    assert found.steps.tolist() == list(range(1, 9)) and column(found, "critic/score/mean") == [0] * 8


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Step {step}: action=click reward=0.0 done=False\n" for step in range(1, 30)),
        "".join(f"step {step}: reward 0.{step}\n" for step in range(1, 9)),
        "| step | reward |\n|---|---|\n| 1 | 0 |\n| 2 | 0 |\n| 3 | 1 |\n| 4 | 0 |\n| 5 | 1 |\n| 6 | 1 |\n",
        "".join(f"[{at}/40] reward: 0.{at}\n" for at in range(10, 40)),
        "step 1: lr 1e-6\nstep 2: lr 1e-5\nstep 3: lr 1e-4\nstep 4: lr 1e-3\nstep 5: lr 1e-2\n",
        "step 1: 0.5 kg\nstep 2: 3 min\nstep 3: loss of water 0.3 l\nstep 4: 3\n",
        "step 9: kl 0.1\nstep 3: kl 0.2\nstep 1: kl 0.1\n",
        "step 10: kl 0.1\nstep 20: kl 0.2\n",
        "".join(f"step {step}: tokens {step}, docs {step}\n" for step in range(40)),
    ],
)
def test_an_agent_s_steps_schedules_and_recipes_are_no_rows(text: str) -> None:
    assert len(noted(text)) == 0


def test_a_long_log_is_no_note() -> None:
    text = "".join(f"step {step}: reward 0.3, kl 0.02\n" for step in range(20))
    assert len(noted(text)) == 20 and len(noted(text + "words\n" * (MOST_BYTES // 6))) == 0


def test_a_note_that_grows_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("".join(f"step {step}: reward 0.3, kl 0.02\n" for step in (1, 2, 3)))
    reader = Reader(path, ())
    assert reader.read().series.steps.tolist() == [1, 2, 3]
    with path.open("a") as stream:
        stream.write("step 4: reward 0.4, kl 0.1\n")
    assert reader.read().series.steps.tolist() == [1, 2, 3, 4]
