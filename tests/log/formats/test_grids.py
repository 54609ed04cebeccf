"""Tables with a row a step, as notebooks print them and people paste them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.log.formats.test_steps import column, fed, series

NAMES = (
    "Step\tTraining Loss\treward\treward_std\tcompletions / mean_length\tcompletions / clipped_ratio\tkl\n"
)
CELLS = "{}\t{}\t{}\t0.250000\t1,234.500000\t0.500000\t0.001000\n"


def notebook(steps: range, reward: float = 0.5, loss: str = "0.1") -> str:
    return NAMES + "".join(CELLS.format(step, loss, reward) for step in steps)


def test_a_notebook_s_table_is_read_with_its_names_thousands_and_missing_losses() -> None:
    found = series(" [12/12 05:11, Epoch 0/1]\n" + notebook(range(1, 13), loss="No Log") + "TrainOutput()\n")
    assert found.steps.tolist() == list(range(1, 13)) and found.lines[0] == 3
    assert (
        column(found, "critic/score/mean") == [0.5] * 12 and column(found, "critic/score/std") == [0.25] * 12
    )
    assert column(found, "response_length/mean")[0] == 1234.5
    assert (
        column(found, "response_length/clip_ratio")[0] == 0.5 and column(found, "actor/kl_loss")[0] == 0.001
    )
    assert not found.has("actor/pg_loss")


def test_a_notebook_s_table_is_read_where_its_tabs_became_blanks() -> None:
    text = notebook(range(1, 4))
    for apart in (" ", "    "):
        found = series(text.replace("\t", apart))
        assert found.steps.tolist() == [1, 2, 3]
        assert (
            column(found, "response_length/mean") == [1234.5] * 3
            and column(found, "actor/pg_loss") == [0.1] * 3
        )


def test_several_sessions_of_a_notebook_are_attempts_and_of_one_step_the_newest_row_stands() -> None:
    steps = fed(notebook(range(1, 13)) + "\nsome words\n" * 30 + notebook(range(1, 16), 0.75))
    assert steps.attempts == 2
    assert column(steps.series(), "critic/score/mean") == [0.75] * 15
    goes_on = fed(notebook(range(1, 13)) + "\n" + notebook(range(13, 16)))
    assert goes_on.attempts == 1 and len(goes_on.series()) == 15


def test_parts_of_epochs_are_counted() -> None:
    rows = "| 0.02 | 0.69 | 0.0 | 0.5 |\n| 0.55 | 0.6 | -0.3 | 0.6 |\n| 1.0 | 0.5 | -0.9 | 0.7 |\n"
    found = series(f"| epoch | loss | rewards/chosen | rewards/accuracies |\n|---|---|---|---|\n{rows}")
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "rewards/chosen") == [0.0, -0.3, -0.9]
    # A training of a model that is none of reinforcement learning goes on in epochs too.
    other = "| epoch | loss | accuracy |\n|---|---|---|\n| 0.5 | 0.6 | 0.5 |\n| 1.0 | 0.5 | 0.6 |\n"
    assert not len(series(other))


def test_a_markdown_table_is_read_with_all_that_people_write_into_cells() -> None:
    found = series(
        "Some words before.\n\n"
        "| **Step** | Reward ↑ | KL | Truncated | grad\\_norm | remark |\n"
        "|---:|:---:|---|---|---|---|\n"
        "| **0** (base) | 0.10 | — | 45% | 1,234.5 | before |\n"
        "| 1,000 | **0.5** | 1.2e-3 | 50 % | `2` | |\n"
        "| 2k | 0.6 ± 0.1 | 0.01 | n/a | nan | **best** |\n"
        "\nSome words behind.\n"
    )
    assert found.steps.tolist() == [0, 1000, 2000]
    assert column(found, "critic/score/mean") == [0.1, 0.5, 0.6]
    assert np.isnan(found.columns["actor/kl_loss"][0]) and column(found, "actor/kl_loss")[1:] == [
        0.0012,
        0.01,
    ]
    assert column(found, "response_length/clip_ratio")[:2] == [0.45, 0.5]
    assert column(found, "actor/grad_norm")[:2] == [1234.5, 2] and np.isinf(
        found.columns["actor/grad_norm"][2]
    )


@pytest.mark.parametrize(
    ("top", "between", "bar", "bottom"),
    [
        ("+------+--------+------+", "+======+========+======+", "|", "+------+--------+------+"),
        ("┏━━━━━━┳━━━━━━━━┳━━━━━━┓", "┡━━━━━━╇━━━━━━━━╇━━━━━━┩", "┃", "└──────┴────────┴──────┘"),
        ("╭──────┬────────┬──────╮", "├──────┼────────┼──────┤", "│", "╰──────┴────────┴──────╯"),
    ],
)
def test_a_table_drawn_with_lines_is_read(top: str, between: str, bar: str, bottom: str) -> None:
    rows = (("  step", "Reward", "KL  "), ("     1", "0.2500", "0.01"), ("     2", "0.5000", "0.02"))
    header, *body = (f"{bar} " + f" {bar} ".join(cells) + f" {bar}" for cells in rows)
    found = series("\n".join((top, header, between, *body, bottom)))
    assert found.steps.tolist() == [1, 2] and column(found, "critic/score/mean") == [0.25, 0.5]
    assert column(found, "actor/kl_loss") == [0.01, 0.02]


def test_what_pandas_prints_is_read_without_its_own_numbers_and_nan_is_not_measured() -> None:
    found = series(
        "   step  reward    kl  reward_std\n0     1     0.5  0.01         0.2\n1     2     0.6   NaN         0.2\n"
    )
    assert found.steps.tolist() == [1, 2] and np.isnan(found.columns["actor/kl_loss"][1])


def test_rows_that_a_framework_prints_count_before_a_table() -> None:
    found = series(notebook(range(1, 9)) + "step:1 - actor/entropy:0.5 - critic/score/mean:0.1\n")
    assert found.steps.tolist() == [1] and column(found, "critic/score/mean") == [0.1]


@pytest.mark.parametrize(
    "text",
    [
        "| Step | Action | Result |\n|---|---|---|\n| 1 | ran the tests | 3 failed |\n| 2 | read a file | 200 |\n",
        "| Step | Reward | Done |\n|---|---|---|\n| 1 | 0.0 | False |\n| 2 | 1.0 | True |\n",
        "| Step | Time | Cost |\n|---|---|---|\n| 1 | 10.5 | 0.2 |\n| 2 | 11 | 0.3 |\n",
        "| Package | Version | Size |\n|---|---|---|\n| step | 1.0 | 3 |\n",
        "| Metric | Step 1 | Step 2 |\n|---|---|---|\n| price | 0.1 | 0.2 |\n| weight | 0.1 | 0.2 |\n",
        "(AgentLoopWorker pid=7) | step | loss | kl |\n(AgentLoopWorker pid=7) | 1 | nan | 0.5 |\n",
        "Step 1 is to look at reward_std and the Training Loss.\n1 of 3 is done.\n2 0.5 0.5\n",
        "step reward_std kl are what the table holds, says the manual\n1 then 2 then 3 words\n",
        "step\treward_std\n1\tis told\n",
    ],
)
def test_other_tables_and_words_are_no_rows(text: str) -> None:
    assert len(series(text)) == 0


def test_a_table_ends_where_no_more_rows_come() -> None:
    found = series(notebook(range(1, 4)) + "words\n" * 20 + CELLS.format(4, "0.1", 0.5))
    assert found.steps.tolist() == [1, 2, 3]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(-10, 10), st.floats(0, 1)), min_size=1, max_size=20,
             unique_by=lambda row: row[0]),
    st.sampled_from(["| {} | {} | {} |", "{}\t{}\t{}", "│ {} │ {} │ {} │", "{}   {}   {}"]),
)  # fmt: skip
def test_what_a_table_was_made_of_is_read(rows: list[tuple[int, float, float]], form: str) -> None:
    rows = sorted(rows)
    found = series("\n".join(form.format(*each) for each in [("Step", "Training Loss", "kl"), *rows]))
    assert found.steps.tolist() == [step for step, _, _ in rows]
    assert found.columns["actor/kl_loss"].tolist() == pytest.approx([kl for _, _, kl in rows])


@pytest.mark.parametrize("name", ["step 段", "Step range", "step 区间"])
def test_a_table_of_segments_is_read_by_their_last_steps(name: str) -> None:
    text = f"| {name} | reward | entropy |\n|---|---|---|\n| 1–50 | 0.2 | 0.9 |\n| 50–90 | 0.4 | 0.5 |\n"
    assert series(text).steps.tolist() == [50, 90]


def test_where_many_steps_are_one_row_a_value_that_went_somewhere_is_what_it_came_to() -> None:
    found = series(
        "| Step range | Reward | compl_len | Status |\n|---|---|---|---|\n"
        "| 0 – 200 | 0.31 → 0.52 | 410 | fine |\n| 200 – 400 | 0.52 -> -0.1 | 410 → **2,048 (limit)** | → worse |\n"
    )
    assert found.steps.tolist() == [200, 400]
    assert column(found, "critic/score/mean") == [0.52, -0.1]
    assert column(found, "response_length/mean") == [410.0, 2048.0]
    # Of one step it may be a comparison.
    assert not len(series("| Step | Reward | kl |\n|---|---|---|\n| 200 | 0.3 → 0.5 | 0.1 → 0.2 |\n"))


def test_a_table_whose_columns_are_parted_by_blanks_is_read() -> None:
    found = series("Step   loss   reward   kl\n1   0.01   0.2   0.001\n2   0.02   0.3   0.002\n")
    assert found.steps.tolist() == [1, 2] and column(found, "actor/kl_loss") == [0.001, 0.002]


def test_a_drawn_table_of_nothing_but_rewards_is_of_a_training_and_one_of_scores_is_not() -> None:
    text = "| Step | {} |\n|---|---|\n| 1 | 0.1 |\n| 20 | 0.4 |\n"
    assert column(series(text.format("Mean Reward")), "critic/score/mean") == [0.1, 0.4]
    assert not len(series(text.format("Score")))


def test_a_table_that_lies_on_its_side_is_read_by_its_steps() -> None:
    found = series(
        "| Metric | Step 40 (start) | Step 120 | change |\n|---|---:|---:|---|\n"
        "| raw_reward | 41.5% | **0.52** | +25 % |\n"
        "| train/entropy | 0.310 (was higher) | — | |\n| our own measure | 3 | 4 | |\n\nwords\n"
    )
    assert found.steps.tolist() == [40, 120]
    assert column(found, "critic/score/mean") == pytest.approx([0.415, 0.52])
    assert column(found, "our own measure") == [3.0, 4.0]
    assert column(found, "actor/entropy")[0] == 0.31 and np.isnan(found.columns["actor/entropy"][1])


@pytest.mark.parametrize(
    "header",
    [
        "| Metric | Step 100 (ours) | Step 100 (theirs) |",
        "| Metric | ours | theirs |",
        "| Metric | Step 100 | Step 20 |",
    ],
)
def test_two_runs_side_by_side_are_no_steps(header: str) -> None:
    assert not len(series(f"{header}\n|---|---|---|\n| reward | 0.2 | 0.3 |\n| entropy | 0.1 | 0.2 |\n"))


def test_a_row_of_a_validation_tells_its_score() -> None:
    found = series(
        "| Step | reward | entropy |\n|---|---|---|\n"
        "| 1 | 0.25 | 0.9 |\n| 2 (val) | 0.5 | — |\n| 3 | 0.375 | 0.8 |\n"
    )
    assert found.steps.tolist() == [1, 2, 3]
    assert found.columns["val/score"][1] == 0.5 and np.isnan(found.columns["val/score"][0])
    assert np.isnan(found.columns["critic/score/mean"][1])


def test_a_drawn_table_of_nothing_but_the_mismatch_is_of_a_training() -> None:
    found = series("| Step | Mismatch KL |\n|---:|---:|\n| 0 | 0.001 |\n| 1 | 0.004 |\n| 2 | 0.02 |\n")
    assert column(found, "rollout_corr/k3_kl") == [0.001, 0.004, 0.02]


@pytest.mark.parametrize("name", ["pct truncated", "percent of truncated", "truncated_pct", "truncated %"])
def test_percentages_without_their_sign_are_shares(name: str) -> None:
    found = series(
        f"| step | reward | kl | {name} |\n|---|---|---|---|\n| 1 | 0.1 | 0.2 | 90 |\n| 2 | 0.1 | 0.2 | 65 % |\n"
    )
    assert column(found, "response_length/clip_ratio") == [0.9, 0.65]


def test_a_second_table_of_the_same_steps_tells_more_of_them() -> None:
    text = (
        "| Step | reward | grad_norm |\n|---|---|---|\n| 1 | 0.5 | 0.1 |\n| 2 | 0.6 | 0.2 |\n\n"
        "| Step | timing_s/gen | timing_s/update_actor |\n|---|---|---|\n| 1 | 2,464 | 44 |\n| 2 | 3,171 | 89 |\n"
    )
    found = series(text)
    assert found.steps.tolist() == [1, 2]
    assert column(found, "critic/score/mean") == [0.5, 0.6] and column(found, "timing_s/gen") == [2464, 3171]


def test_columns_of_several_parts_are_their_mean_and_known_by_what_they_are_parts_of() -> None:
    found = series(
        "| step | train reward | heldout d4 / d6 |\n|---|---|---|\n"
        "| 0 | 0.80 | 0.75 / 0.25 |\n| 10 | 1.17 | **0.65 / 0.15** |\n"
    )
    assert column(found, "critic/score/mean") == [0.8, 1.17] and column(found, "val/score") == [0.5, 0.4]
    # So many of so many are no parts.
    counted = series(
        "| step | reward | grad_norm | solved |\n|---|---|---|---|\n| 1 | 0.2 | 0.5 | 12 / 64 |\n"
    )
    assert column(counted, "solved") == [12]


def test_the_row_of_the_end_is_the_step_behind_the_last_and_a_note_is_none() -> None:
    head = "| Step | Eval acc | Per-token KL |\n|---:|---:|---:|\n"
    rows = "| 30 | 0.96 | 0.07 |\n| **40** | 0.99 | 0.76 |\n"
    assert series(f"{head}{rows}| ep1-end | 0.54 | ~0.03 |\n").steps.tolist() == [30, 40, 41]
    assert series(f"{head}{rows}| best | 0.99 | 0.76 |\n").steps.tolist() == [30, 40]
    assert not len(series(f"{head}| end | 0.54 | 0.03 |\n"))


def test_windows_of_steps_stand_for_their_last_step() -> None:
    found = series(
        "| step window | gt_accuracy (mean) | KL (mean) |\n|---|---|---|\n"
        "| 1–20 | 0.29 | 0.001 |\n| **90–120** | 0.37 | 0.06 |\n| step 146 | 0.23 | **0.46** |\n"
    )
    assert found.steps.tolist() == [20, 120, 146]
    assert column(found, "critic/score/mean") == [0.29, 0.37, 0.23]
    assert column(found, "actor/kl_loss") == [0.001, 0.06, 0.46]


def test_a_table_of_a_trainer_s_times_is_read_beside_the_one_of_its_rollouts() -> None:
    found = series(
        "| step | wait (s) | train (s) | step (s) | train_tflops |\n|---:|---:|---:|---:|---:|\n"
        "| 0 | 667 | 235 | 902 | 50.8 |\n| 1 | 354 | 161 | 515 | 61.5 |\n\n"
        "| rollout | raw_reward | kl |\n|---:|---:|---:|\n| 0 | 4.38% | +0.0 |\n| 1 | 4.84% | +0.0 |\n"
    )
    assert column(found, "timing_s/step") == [902, 515] and column(found, "timing_s/gen") == [667, 354]
    assert column(found, "timing_s/update_actor") == [235, 161]
    assert column(found, "critic/score/mean") == pytest.approx([0.0438, 0.0484])


def test_a_gradient_between_bars_parts_no_cells() -> None:
    found = series(
        "   it |  loss   | R mean | len | H    | |g|  | s/it\n"
        "    3 | +0.0004 |  0.016 | 230 | 0.87 | 0.42 | 10.2\n    6 | -0.0012 |  0.020 | 216 | 0.82 | 0.25 | 9.8\n"
    )
    assert found.steps.tolist() == [3, 6] and column(found, "actor/grad_norm") == [0.42, 0.25]
    assert column(found, "critic/score/mean") == [0.016, 0.02]


def test_checkpoints_are_steps_from_the_model_that_the_training_began_with() -> None:
    found = series(
        "| ckpt | train acc | H | AIME24 avg@32 | len |\n|---:|---:|---:|---:|---:|\n"
        "| base | 0.21 | 0.68 | 6.1 | 702 |\n| 20 | 0.39 | 0.41 | 10.7 | 688 |\n"
    )
    assert found.steps.tolist() == [0, 20] and column(found, "actor/entropy") == [0.68, 0.41]
    assert column(found, "critic/score/mean") == [0.21, 0.39] and column(found, "val/score") == [6.1, 10.7]


def test_epochs_count_the_steps_of_a_table_that_only_reinforcement_learning_has() -> None:
    rows = "|---|---|---|---|\n| 0 | 0.10 | 0.001 | 0.2 |\n| 1 | 0.45 | 0.20 | 0.1 |\n"
    found = series("| Epoch | Reward | KL | Loss |\n" + rows)
    assert found.steps.tolist() == [0, 1] and column(found, "actor/kl_loss") == [0.001, 0.2]
    assert not len(series("| Epoch | Train loss | Eval loss | LR |\n" + rows))
    both = series(
        "| Epoch | Step | Reward | KL |\n|---|---|---|---|\n| 1 | 10 | 0.1 | 0.2 |\n| 1 | 20 | 0.2 | 0.2 |\n"
    )
    assert both.steps.tolist() == [10, 20]


def test_rows_of_many_steps_are_read_in_chinese_too() -> None:
    found = series(
        "| 区间 | 平均 Reward | 平均 KL | PlanRate>0 比例 |\n|---|---|---|---|\n"
        "| step 1-100 | +0.47 | 5.78 | 80% |\n| step 101-200 | **-0.48** | 7.47 | 25% |\n"
    )
    assert found.steps.tolist() == [100, 200]
    assert column(found, "critic/score/mean") == [0.47, -0.48] and column(found, "actor/kl_loss") == [
        5.78,
        7.47,
    ]


def test_a_table_on_its_side_may_count_its_steps_behind_the_model_that_it_began_with() -> None:
    rows = "|---|---:|---:|---:|---:|\n| 전체 (n=90) | 43.3 | 49.0 | 51.5 | 22.6 |\n"
    rows += "| 평균 길이 | 1,812 | 2,124 | 2,107 | 7,893 |\n"
    found = series("| (%) | init | 400 | 850 | 1000 |\n" + rows)
    assert found.steps.tolist() == [0, 400, 850, 1000]
    assert column(found, "response_length/mean") == [1812.0, 2124.0, 2107.0, 7893.0]
    assert not len(series("| n | 1 | 4 | 16 | 64 |\n" + rows)), "so many samples, as of pass@n"


def test_an_accuracy_alone_is_a_score_by_steps() -> None:
    found = series(
        "| Step | Acc |\n|---|---|\n| 0 | **59.1%** |\n| **120** | **67.1%** |\n| 300–340 | 54.9% |\n"
    )
    assert found.steps.tolist() == [0, 120, 340]
    assert column(found, "critic/score/mean") == pytest.approx([0.591, 0.671, 0.549])
    assert not len(series("| Step | Action |\n|---|---|\n| 1 | 2 |\n"))


def test_lengths_alone_are_of_a_training() -> None:
    found = series(
        "| step | response_length | no_deal |\n|---|---|---|\n| 4 | 949 | 0.01 |\n| 16 | 1912 | 0.00 |\n"
    )
    assert column(found, "response_length/mean") == [949.0, 1912.0]


def test_windows_of_steps_count_them_too() -> None:
    found = series(
        "| Window | score mean±std | kl_loss |\n|---|---|---|\n| 1–20 | **0.23 ± 0.08** | 0.003 |\n"
        "| 21–50 | 0.27 ± 0.1 | 0.008 |\n"
    )
    assert found.steps.tolist() == [20, 50] and column(found, "critic/score/mean") == [0.23, 0.27]


def test_a_table_with_commas_among_lines_of_text_is_read() -> None:
    found = series(
        "Columns copied from the stats table.\n\n"
        "step,task_reward/avg,seq_len/avg,no_eos_ratios/avg,update/behave_approx_kl/avg,update/entropy/avg\n"
        "1,0.571,5230,0.041,0.0121,0.331\n10,0.588,5304,0.043,0.0138,0.322\n\nThe dense one sits at 6e-4.\n"
    )
    assert found.steps.tolist() == [1, 10]
    assert column(found, "rollout_corr/kl") == [0.0121, 0.0138] and column(found, "actor/entropy") == [
        0.331,
        0.322,
    ]
    assert column(found, "response_length/clip_ratio") == [0.041, 0.043]


def test_what_lines_of_text_part_with_commas_is_no_table() -> None:
    assert not len(series("step, by step, as the reward, the loss\nstep,entropy and more\n1,2,3\n"))


def test_a_table_on_its_side_may_count_its_steps_by_a_programs_name_for_them() -> None:
    found = series(
        "| trainer/global_step | 5 | 20 | 40 |\n|---|---|---|---|\n"
        "| reward/avg_raw_reward | 0.94 | 0.96 | 0.97 |\n| policy/raw_grad_norm | 0.06 | 0.03 | 0.02 |\n"
    )
    assert found.steps.tolist() == [5, 20, 40]
    assert column(found, "critic/score/mean") == [0.94, 0.96, 0.97]


def test_tables_of_the_same_steps_with_other_columns_are_one_run() -> None:
    found = series(
        "| Step | Val reward_score |\n|---|---|\n| 0 (pre-train) | 0.756 |\n| 10 | 0.739 |\n\n### Losses\n"
        "| Phase | pg_loss | kl_loss |\n|---|---|---|\n| Step 0 | 0.083 | 0.003 |\n| Step 10 | 0.105 | 0.051 |\n"
    )
    assert found.steps.tolist() == [0, 10]
    assert column(found, "val/score") == [0.756, 0.739] and column(found, "actor/kl_loss") == [0.003, 0.051]


def test_an_agents_evaluation_tells_its_matches_beside_its_tools_and_format() -> None:
    found = series(
        "| Step | EM | Tools/Q | format-valid % | wrong-answer |\n|---|---|---|---|---|\n"
        "| 0 | 0.3835 | 3.00 | ~99% | 800 |\n| 300 | 0.0000 | 1.00 | <10% | — |\n"
    )
    assert column(found, "critic/score/mean") == [0.3835, 0.0]
    assert column(found, "tool_call_counts/mean") == [3.0, 1.0]
    assert column(found, "reward/format") == [0.99, 0.1]


def test_values_that_a_line_leaves_blank_move_no_other_below_their_names() -> None:
    found = series(
        "step  score  sc_max sc_min  entropy  resp_len  grad_norm  test_score\n"
        "10    0.165  1.000  0.000   1.2768   303.4     1.989    \n"
        "50    0.288  1.000  0.000   0.4757   145.4     0.966      0.286\n"
        "90    0.314  1.000  0.100   0.1877   86.8     0.495    \n"
    )
    assert found.steps.tolist() == [10, 50, 90]
    assert column(found, "actor/grad_norm") == [1.989, 0.966, 0.495]
    assert [each == each for each in column(found, "val/score")] == [False, True, False]


def test_what_is_told_behind_a_score_is_no_part_of_it() -> None:
    found = series(
        "| step | reward | kl | MATH500 acc / tok |\n|---|---|---|---|\n"
        "| 140 | 0.468 | 0.034 | 84.0 / 2744 |\n| 340 | 0.479 | 0.059 | 83.7 / 2109 |\n"
    )
    assert column(found, "val/score") == [84.0, 83.7]


def test_the_corner_of_a_table_on_its_side_may_name_its_rows_as_well() -> None:
    found = series(
        "| 指标 \\ step | 1 | 20 | 40 |\n|---|---|---|---|\n| critic/rewards/mean | 0.142 | 0.201 | 0.236 |\n"
        "| actor/kl_loss | 0.001 | 0.018 | 0.061 |\n"
    )
    assert found.steps.tolist() == [1, 20, 40]
    assert column(found, "critic/score/mean") == [0.142, 0.201, 0.236]


def test_several_tables_of_one_run_are_one_attempt_and_other_values_of_a_step_are_another() -> None:
    first = "step   entropy\n   1     0.51\n  25     0.81\n  50     0.75\n\n"
    second = "| step | reward | entropy |\n|---|---|---|\n| {} | 0.40 | {} |\n| 50 | 0.45 | 0.75 |\n"
    one = fed(first + second.format(25, "0.81"))
    assert one.attempts == 1
    assert one.series().steps.tolist() == [1, 25, 50]
    assert column(one.series(), "critic/score/mean")[1:] == [0.4, 0.45]
    assert fed(first + second.format(25, "0.33")).attempts == 2


def test_a_column_that_says_of_how_many_it_counts_tells_shares() -> None:
    told = series(
        "| 窗口 | zero_std/8 | raw_reward |\n|---|---|---|\n| 1-30 | 7/8 | 0.1 |\n| 31-60 | 2/8 | 0.2 |\n"
    )
    assert told.steps.tolist() == [30, 60]
    assert column(told, "reward/zero_std_share") == [0.875, 0.25]


def test_what_a_run_s_memory_or_form_was_is_read_from_a_table_of_its_own() -> None:
    told = series("| Step | cpu_memory_used_gb |\n|---|---|\n| 1 | 139 GB |\n| 30 | 265 GB |\n")
    assert column(told, "perf/cpu_memory_used_gb") == [139, 265]
    told = series("| Step | format_fail |\n|---|---|\n| 1 | 25% |\n| 2 | 75% |\n")
    assert column(told, "reward/format") == [0.75, 0.25]
