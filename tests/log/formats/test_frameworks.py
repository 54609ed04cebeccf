"""Rows in the forms of single frameworks: NeMo-RL, torchforge, SkyRL's printed dict, OpenRLHF's bar."""

from __future__ import annotations

import pytest

from tests.log.formats.test_steps import column, series

NEMO = (
    "\n========================= Step {step}/400 =========================\n"
    "▶ Preparing batch...\n▶ Generating responses for batch of size 64...\n▶ Processing rewards...\n"
    "▶ Computing advantages...\n▶ Computing logprobs...\n▶ Training policy...\n\n"
    "📊 Training Results:\n  • Loss: 0.0041\n  • Generation KL Error: 0.0012\n  • Avg Reward: {reward}\n"
    "  • Mean Generation Length: 412.2500\n\n⏱️  Timing:\n  • Total step time: 61.50s\n"
    "  • generation: 30.12s (49.0%)\n"
)
FORGE = (
    "2026-11-21 10:00:00 INFO === [global_reduce] - METRICS STEP {step} ===\n"
    "  buffer/sample/avg_policy_age: 1.0\n  reward/evaluate_response/avg_total_reward: {reward}\n"
    "  rl_trainer/avg_grpo_loss: 0.002\n==============================\n"
)
SKYRL = (
    "(skyrl_entrypoint pid=71) {{'generate/avg_num_tokens': 512.0,\n"
    + "".join(f"(skyrl_entrypoint pid=71)  'timing/part_{part}': 0.5,\n" for part in range(50))
    + "(skyrl_entrypoint pid=71)  'policy/policy_entropy': 0.4,\n"
    "(skyrl_entrypoint pid=71)  'reward/avg_raw_reward': {reward},\n"
    "(skyrl_entrypoint pid=71)  'trainer/epoch': 0,\n(skyrl_entrypoint pid=71)  'trainer/global_step': {step}}}\n"
)
OPENRLHF = (
    "Episode [1/2]:  {step}%|#         | {step}/64 [0{step}:20<1:00:00, 80.1s/it, policy_loss=-0.01, kl=0.002, "
    "reward={reward}, return=0.45, response_length=512, actor_lr=1e-6]\n"
)


@pytest.mark.parametrize("form", [NEMO, FORGE, SKYRL, OPENRLHF], ids=["nemo", "forge", "skyrl", "openrlhf"])
def test_the_rows_of_a_framework_are_read(form: str) -> None:
    found = series("".join(form.format(step=step, reward=step / 8) for step in (3, 4, 5)))
    assert found.steps.tolist() == [3, 4, 5]
    assert column(found, "critic/score/mean") == [0.375, 0.5, 0.625]


def test_nemo_rl_s_results_have_their_lengths_times_and_the_distance_of_its_two_sides() -> None:
    found = series(NEMO.format(step=7, reward=0.5))
    assert column(found, "response_length/mean") == [412.25] and column(found, "timing_s/step") == [61.5]
    assert column(found, "rollout_corr/k3_kl") == [0.0012] and column(found, "actor/pg_loss") == [0.0041]


def test_nemo_rl_s_validations_are_scores_of_their_steps() -> None:
    validated = (
        "\n▶ Starting validation at step {step}...\n  • Validation prompts: 256\n\n📊 Validation Results:\n"
        "    • Accuracy: {score}\n    • Average response length: 412.7 tokens\n    • Samples processed: 256\n"
    )
    told = [validated.format(step=0, score=0.125)]
    told += [NEMO.format(step=step, reward=step / 8) for step in (1, 2)] + [
        validated.format(step=2, score=0.5)
    ]
    found = series("".join((*told, NEMO.format(step=3, reward=0.375))))
    assert found.steps.tolist() == [0, 1, 2, 3]
    assert column(found, "val/score")[::2] == [0.125, 0.5]
    assert column(found, "critic/score/mean")[1:] == [0.125, 0.25, 0.375]


@pytest.mark.parametrize("step", ["", "▶ Starting validation at step 10...\n"])
def test_a_validation_without_a_score_or_a_step_is_no_row(step: str) -> None:
    scored = "    • Accuracy: 0.5\n" if not step else ""
    assert not len(
        series(f"{step}📊 Validation Results:\n{scored}    • Samples processed: 256\nmore words\n")
    )


def test_results_that_no_step_was_told_for_are_no_row() -> None:
    assert not len(series("Training Results:\n  accuracy of the table: 0.4\n  more words\n"))


def test_a_bar_of_episodes_that_trains_nothing_is_no_row() -> None:
    assert not len(series("Episode [1/2]:  3%|#   | 3/64 [03:20<1:00:00, 80.1s/it, reward=0.2, turns=4]\n"))


def test_a_bar_of_episodes_with_that_of_an_update_in_each_is_one_row() -> None:
    form = (
        "(ActorModelRayActor pid=7) Train epoch [1/1]: 100%|####| 8/8 [00:47<00:00,  5.61s/it, pg=-0.01, "
        "ret=0.3, glen={glen}, kl=0.002, act_lr=1e-6]\n"
        "Episode [1/2]:   1%|#   | {step}/220 [04:39<5:13:08, 93.63s/it, policy_loss=-0.02, reward={reward}, "
        "kl=0.002]\n"
    )
    found = series("".join(form.format(step=step, glen=200.5 + step, reward=step / 8) for step in (1, 2, 3)))
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "critic/score/mean") == [0.125, 0.25, 0.375]
    assert column(found, "response_length/mean") == [201.5, 202.5, 203.5]


def test_a_bar_of_whose_epochs_only_the_ends_are_told_is_a_row_each() -> None:
    form = (
        "(ActorModelRayActor pid=7) Train epoch [1/1]: 100%|####| 64/64 [04:30<00:00,  4.95s/it, pg=-0.0092, "
        "rm={}, ret=0.2, glen=595.1, tlen=737.1, kl=0.0013, act_lr=5e-7]\n"
    )
    found = series("".join(form.format(reward) for reward in (0.1, 0.1, 0.3, 0.4)))
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "critic/score/mean") == [0.1, 0.3, 0.4]
    assert "actor/lr" in found.columns and column(found, "response_length/mean") == [595.1] * 3


@pytest.mark.parametrize(("told", "expected"), [("'0.0000'", []), ("0.0", [0.0]), ("'0.0012'", [0.0012])])
def test_a_learning_rate_that_four_decimals_cannot_show_is_not_told(told: str, expected: list[float]) -> None:
    found = series(
        SKYRL.format(step=3, reward=0.5).replace("'policy/", f"'policy/policy_lr': {told}, 'policy/", 1)
    )
    assert (column(found, "actor/lr") if "actor/lr" in found.columns else []) == expected


def test_openrlhf_s_bars_of_pairs_are_rows_through_all_epochs_and_its_evaluations_tell_their_loss() -> None:
    bar = (
        "Train step of epoch {epoch}:  96%|###| {done}/212 [71:45<02:27, 21.48s/it, loss={loss}, acc=0.688, "
        "chosen_reward=0.846, reject_reward=0.426, lr=7.89e-06]\n"
    )
    evaluation = (
        "Eval stage of steps 262: 100%|###| 32/32 [00:41<00:00,  1.30s/it, eval_loss=0.5997, acc_mean=0.7151, "
        "reward_mean=0.594, reward_std=2.307]\n"
    )
    found = series(
        bar.format(epoch=0, done=5, loss=0.7)
        + bar.format(epoch=0, done=210, loss=0.5)
        + evaluation
        + bar.format(epoch=1, done=5, loss=0.3)
    )
    assert found.steps.tolist() == [5, 210, 217]
    assert column(found, "actor/pg_loss") == [0.7, 0.5, 0.3]
    assert column(found, "rewards/chosen") == [0.846] * 3 and column(found, "rewards/rejected") == [0.426] * 3
    assert column(found, "eval_loss")[1] == 0.5997


def test_prime_rl_s_lines_for_its_developers_are_rows_too() -> None:
    form = (
        "09:10:15   DEBUG metrics/step={} reward/mean=0.1310 is_truncated/mean=0.073 num_turns/mean=21.27 "
        "completion_len/mean=12163.9 metrics/has_error=0.0239\n"
    )
    found = series("".join(form.format(step) for step in range(3)))
    assert found.steps.tolist() == [0, 1, 2]
    assert column(found, "trial/failed_share") == [0.0239] * 3
    assert column(found, "response_length/clip_ratio") == [0.073] * 3


def test_nemo_rl_s_preferences_tell_what_either_answer_is_worth() -> None:
    form = (
        "\n========================= Step {}/142 =========================\n▶ Taking a training step...\n\n"
        "📊 Training Results:\n  • Loss: 0.6666\n  • Rewards chosen mean: -0.5\n  • Rewards rejected mean: -1.5\n"
        "  • Grad norm: 19.0490\n"
    )
    found = series("".join(form.format(step) for step in (1, 2)))
    assert column(found, "rewards/chosen") == [-0.5] * 2 and column(found, "rewards/rejected") == [-1.5] * 2


def test_columns_of_names_and_values_below_a_step_are_its_row() -> None:
    form = (
        "step:{}\n  critic/full-score/mean 0.4420   batch/solve_none 19  batch/solve_all 10  batch/solve_partial 35\n"
        "  response_length/mean 2128.9  max 8192.0  min 316.0  clip_ratio 0.0210   traj/tool_calls_mean 1.730\n"
        "  actor/entropy 0.3353  actor/grad_norm 0.0999\n"
    )
    found = series("".join(form.format(step) for step in (1, 25)))
    assert found.steps.tolist() == [1, 25]
    for name, value in (
        ("critic/score/mean", 0.442),
        ("response_length/max", 8192.0),
        ("response_length/clip_ratio", 0.021),
        ("reward/zero_std_share", 29 / 64),
        ("actor/entropy", 0.3353),
    ):
        assert column(found, name) == [value] * 2


def test_easyr1_s_sections_below_a_step_are_its_metrics() -> None:
    form = (
        "(Runner pid=9021) Step {}\n(Runner pid=9021) actor:\n(Runner pid=9021)   entropy_loss: 0.3612\n"
        "(Runner pid=9021)   grad_norm: 0.418\n(Runner pid=9021) critic:\n(Runner pid=9021)   rewards:\n"
        "(Runner pid=9021)     max: 1.0\n(Runner pid=9021)     mean: 0.3661\n(Runner pid=9021) response_length:\n"
        "(Runner pid=9021)   clip_ratio: 0.02\n(Runner pid=9021)   mean: 812.5\n"
    )
    found = series("".join(form.format(step) for step in (1, 2)))
    assert found.steps.tolist() == [1, 2]
    for name, value in (
        ("actor/entropy", 0.3612),
        ("critic/score/mean", 0.3661),
        ("critic/score/max", 1.0),
        ("response_length/mean", 812.5),
        ("response_length/clip_ratio", 0.02),
    ):
        assert column(found, name) == [value] * 2


def test_what_another_process_of_ray_s_counts_in_words_is_no_row() -> None:
    assert not len(series("(AgentLoopWorker pid=4) Step 1\n(AgentLoopWorker pid=4) loss: 0.2\n" * 3))
