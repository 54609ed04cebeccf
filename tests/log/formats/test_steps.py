"""The steps that a console log tells, in the forms of all frameworks."""

from __future__ import annotations

from textwrap import wrap

import numpy as np
import pytest

from liverl.log.formats.steps import StepLines
from liverl.log.series import Series


def fed(text: str | bytes, wanted: frozenset[str] | None = None) -> StepLines:
    """Feed a log as the scanner does: the lines with a needle, and those that are asked for behind them."""
    steps = StepLines(wanted)
    raw = text.encode() if isinstance(text, str) else text
    for number, line in enumerate(raw.split(b"\n"), 1):
        if steps.follow or any(needle in b"\n" + line for needle in steps.needles):
            steps.feed(number, 0, line)
    return steps


def series(text: str | bytes) -> Series:
    return fed(text).series()


def column(found: Series, name: str) -> list[float]:
    return [round(float(value), 6) for value in found.columns[name]]


def verl_line(step: int, **more: float) -> str:
    values = {"actor/entropy": 0.5 - step / 1000, "critic/score/mean": step / 100, **more}
    told = " - ".join(f"{key}:{value}" for key, value in values.items())
    return f"\x1b[36m(TaskRunner pid=7)\x1b[0m step:{step} - {told}"


def test_verl_s_lines_are_read_with_prefix_wrappers_and_their_line_numbers() -> None:
    found = series(
        "starting\n"
        "\x1b[36m(TaskRunner pid=7, ip=10.0.0.1)\x1b[0m step:1 - actor/entropy:np.float64(0.25) - "
        "actor/lr:np.float64(1e-06) - actor/flag:True - training/epoch:0\x1b[0m\n"
        "noise\n"
        "step:2 - actor/entropy:0.125 - actor/lr:np.float32(2e-06) - actor/flag:np.False_ - training/epoch:0\n"
    )
    assert found.steps.tolist() == [1, 2] and found.lines.tolist() == [2, 4]
    assert column(found, "actor/entropy") == [0.25, 0.125]
    assert column(found, "actor/lr") == [1e-6, 2e-6]
    assert column(found, "actor/flag") == [1, 0]


@pytest.mark.parametrize("spelt", ["nan", "inf", "-inf", "np.float64(nan)", "np.float64(-inf)"])
def test_what_is_not_finite_was_measured_and_what_is_missing_was_not(spelt: str) -> None:
    found = series(f"step:1 - a/x:1.0 - a/y:{spelt}\nstep:2 - a/x:2.0\n")
    assert np.isinf(found.columns["a/y"][0])
    assert np.isnan(found.columns["a/y"][1])


def test_several_lines_of_a_step_are_one_row() -> None:
    found = series(
        "step:1 - fully_async/count/x:3 - training/global_step:1\n"
        "step:1 - actor/entropy:0.5 - training/global_step:1\n"
        "step:2 - fully_async/count/x:4\n"
        "step:3 - fully_async/count/x:5\n"
        "step:2 - actor/entropy:0.4\n"
        "step:3 - actor/entropy:0.3\n"
    )
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "fully_async/count/x") == [3, 4, 5]
    assert column(found, "actor/entropy") == [0.5, 0.4, 0.3]


def test_a_run_that_resumes_from_a_checkpoint_tells_the_steps_that_stand() -> None:
    first = [verl_line(step) for step in range(1, 16)]
    second = [verl_line(step, **{"critic/score/mean": -1}) for step in range(11, 14)]
    steps = fed("\n".join(first + second))
    found = steps.series()
    assert steps.attempts == 2
    assert found.steps.tolist() == list(range(1, 14))
    assert column(found, "critic/score/mean")[9:] == [0.1, -1, -1, -1]


def test_a_new_attempt_of_a_few_steps_does_not_hide_one_that_can_be_judged() -> None:
    first = [verl_line(step) for step in range(1, 31)]
    steps = fed("\n".join([*first, verl_line(1), verl_line(2)]))
    assert steps.attempts == 2
    assert len(steps.series()) == 30
    longer = fed("\n".join([*first, *(verl_line(step) for step in range(1, 13))]))
    assert len(longer.series()) == 12


def test_attempts_that_each_make_one_step_are_counted_and_a_line_printed_twice_is_not() -> None:
    looping = "\n".join(f"step:1 - actor/entropy:0.{n} - actor/lr:1e-6" for n in range(1, 6))
    assert fed(looping).attempts == 5
    twice = "\n".join(verl_line(step) for step in (1, 1, 2, 2, 3, 3))
    assert fed(twice).attempts == 1 and len(series(twice)) == 3


def test_a_step_line_behind_a_progress_bar_on_the_same_line_is_found() -> None:
    steps = fed(
        "\x1b[36m(TaskRunner pid=7)\x1b[0m \rTraining Progress:   0%|          | 0/30 [00:00<?, ?it/s]"
        "\rTraining Progress:   3%|▎         | 1/30 [10:37<5:08:06, 637.47s/it]step:1 - actor/entropy:0.5\n"
    )
    assert column(steps.series(), "actor/entropy") == [0.5]
    assert steps.progress() == (1, 30, 637.0)
    assert steps.total_steps == 30


def test_the_training_s_bar_is_told_apart_from_those_of_loaders() -> None:
    steps = fed(
        "Loading weights:  53%|█████▎    | 302/568 [00:40<00:00, 357.26it/s]\n"
        "100%|██████████| 1000/1000 [00:00<00:00, 9000.0it/s]\n"
        "Training Progress:  40%|████      | 12/30 [1:02:03<1:08:06, 237.47s/it]\n"
        "Processed prompts: 100%|██████| 8/8 [09:00<00:00, 8.47s/it]\n"
    )
    assert steps.progress() == (12, 30, 3723.0)
    named_later = (
        "  0%|          | 0/4 [00:00<?, ?it/s]\nCapturing (bs=8):   0%|          | 0/4 [00:00<?, ?it/s]\n"
    )
    assert fed(named_later).progress() is None
    assert fed("Capture bs [1, 2, 4]:   0%|          | 0/23 [00:00<?, ?it/s]\n").progress() is None
    assert fed("100%|██████████| 1000/1000 [00:00<00:00, 9000.0it/s]\n").progress() is None
    assert fed("100%|██████████| 61113/61113 [00:49<00:00, 1240.0it/s]\n").progress() is None
    assert fed("100%|██████████| 600/600 [00:49<00:00, 12.2it/s]\n").progress() == (600, 600, 49.0)


def test_a_line_broken_at_a_terminal_s_width_is_put_together() -> None:
    line = (
        verl_line(1, **{f"timing_s/part_{n}": n / 7 for n in range(20)})
        .replace("\x1b[36m", "")
        .replace("\x1b[0m", "")
    )
    broken = "\n".join(line[at : at + 80] for at in range(0, len(line), 80))
    whole, found = (
        series(line),
        series(f"{broken}\nsomething else\nstep:2 - actor/entropy:0.1 - actor/lr:0\n"),
    )
    assert found.steps.tolist() == [1, 2]
    assert {name for name in found.columns if found.has(name)} >= set(whole.columns)
    assert column(found, "timing_s/part_19")[0] == column(whole, "timing_s/part_19")[0]


def _same(found: Series, whole: Series) -> bool:
    return found.steps.tolist() == whole.steps.tolist() and all(
        np.array_equal(found.columns[name], whole.columns[name], equal_nan=True)
        for name in found.columns.keys() | whole.columns.keys()
    )


@pytest.mark.parametrize("strips", [False, True])
def test_lines_broken_at_any_width_within_words_or_between_are_put_together(strips: bool) -> None:
    keys = (
        "training/global_step:{0}",
        "actor/lr:1e-06",
        "timing_s/step:30.25",
        "perf/time_per_step:31.5",
        "x/y:-0.5",
    )
    more = " - ".join(f"fully_async/processing_time/part_{part}:np.float64({part}.125)" for part in range(6))
    lines = [
        f"(TaskRunner pid=4242) step:{step} - {' - '.join(keys)} - {more}".format(step) for step in (1, 2, 3)
    ]
    whole = series("\n".join(lines) + "\n")
    assert len(whole) == 3 and len(whole.columns) == 11
    for width in (*range(60, 132, 3), 200):
        pieces = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
        broken = "\n".join(piece.rstrip() if strips else piece for piece in pieces)
        assert _same(series(f"{broken}\n"), whole), width
        coloured = broken.replace("(TaskRunner pid=4242)", "\x1b[36m(TaskRunner pid=4242)\x1b[0m")
        assert _same(series(f"{coloured}\n"), whole), width
        between = "\n".join("\n".join(wrap(line, width, break_long_words=False)) for line in lines)
        assert _same(series(f"{between}\n"), whole), width


def test_words_behind_a_line_of_a_terminal_s_width_are_not_its_rest() -> None:
    line = "step:1 - training/global_step:1 - actor/entropy:0.5 - actor/lr:1e-06 - timing_s/step:3.5"
    for other in (
        "x" * 200,
        "a sentence, and one: of words",
        "2026-03-04T10:11:12.0Z (Runner pid=8) it goes on",
        "[2026-03-04 10:11:12] it goes on",
        "step:2 - actor/entropy:0.25 - actor/lr:2e-06",
    ):
        found = series(f"{line}\n{other}\n")
        assert column(found, "timing_s/step")[0] == 3.5 and found.steps[0] == 1
    assert found.steps.tolist() == [1, 2]


def test_what_follows_a_short_step_line_is_not_taken_for_its_rest() -> None:
    found = series(
        "step:1 - critic/score/mean:0.5 - actor/lr:1e-6\nW\nDone\nstep:2 - critic/score/mean:0.25 - actor/lr:1e-6\n"
    )
    assert column(found, "critic/score/mean") == [0.5, 0.25]
    assert column(found, "actor/lr") == [1e-6, 1e-6]


def test_of_a_cut_line_what_is_whole_is_taken() -> None:
    keys = [f"timing_s/part_{n}" for n in range(60)]
    line = "step:{} - " + " - ".join(f"{key}:0.123456789" for key in keys)
    found = series(f"{line.format(1)}\n{line.format(2)[:-400]}\n")
    assert found.steps.tolist() == [1, 2]
    last = max(index for index, key in enumerate(keys) if not np.isnan(found.columns[key][1]))
    assert all(found.columns[key][1] == pytest.approx(0.123456789) for key in keys[: last + 1])
    assert np.isnan(found.columns[keys[-1]][1])


def test_the_last_step_keeps_its_row_where_its_validation_is_told_twice() -> None:
    steps = fed(
        "(T pid=1) step:1 - actor/lr:1e-06 - critic/score/mean:0.25\n"
        "(T pid=1) step:2 - actor/lr:1e-06 - critic/score/mean:0.5\n"
        "(T pid=1) (\"Final validation metrics: {'val-core/x/acc/mean@1': 0.5126}\")\n"
        "(T pid=1) step:2 - val-core/x/acc/mean@1:0.513\n"
    )
    assert steps.attempts == 1
    assert column(steps.series(), "critic/score/mean") == [0.25, 0.5]
    assert column(steps.series(), "val/score")[1] == 0.513


def test_steps_that_tell_fewer_metrics_again_and_again_are_not_cut() -> None:
    found = series(
        "step:1 - actor/lr:1e-06 - critic/score/mean:0.25 - val/score:0.5\n"
        "step:2 - actor/lr:1e-06 - critic/score/mean:0.5\n"
        "step:3 - actor/lr:1e-06 - critic/score/mean:0.75\n"
        "step:4 - actor/lr:1e-06 - critic/score/mean:1.0 - val/score:0.5\n"
        "step:5 - actor/lr:1e-06 - critic/score/mean:0.5\n"
    )
    assert column(found, "critic/score/mean")[2:] == [0.75, 1.0, 0.5]


def test_what_another_process_prints_into_a_line_costs_one_value() -> None:
    found = series("step:1 - actor/entropy:0.5 - actor/lr:(Worker pid=3) hello - critic/score/mean:0.25\n")
    assert column(found, "actor/entropy") == [0.5] and column(found, "critic/score/mean") == [0.25]
    assert not found.has("actor/lr")


def test_only_wanted_metrics_rewards_and_scores_are_kept() -> None:
    wanted = frozenset(("actor/entropy",))
    found = fed(
        "step:1 - actor/entropy_loss:0.5 - timing_s/x:3 - critic/score/mean:1 - val-core/a/acc/mean@2:1\n",
        wanted,
    )
    assert set(found.series().columns) == {
        "actor/entropy_loss", "actor/entropy", "critic/score/mean", "val-core/a/acc/mean@2", "val/score",
    }  # fmt: skip


def test_validation_metrics_over_several_lines_are_read() -> None:
    found = series(
        "(TaskRunner pid=7) (\"Initial validation metrics: {'val-aux/code/reward/mean@1': -1.0, \"\n"
        "(Other pid=8) hello\n"
        "(TaskRunner pid=7)  \"'val-core/code/acc/mean@1': 0.25, 'val-aux/num_turns/min': 2, \"\n"
        "(TaskRunner pid=7)  \"'val-aux/num_turns/max': 5}\")\n"
        "(TaskRunner pid=7) step:1 - actor/entropy:0.5 - actor/lr:0.1\n"
    )
    assert found.steps.tolist() == [0, 1]
    assert column(found, "val/score")[0] == 0.25
    assert found.columns["val-aux/num_turns/max"][0] == 5


def test_trl_s_dicts_are_rows_whatever_stands_around_them() -> None:
    found = fed(
        "  0%|          | 0/50 [00:00<?, ?it/s]\r  2%|▏         | 1/50 [00:12<10:00, 12.2s/it]"
        "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 5e-06, 'reward': -3.5, 'reward_std': 0.25, 'kl': 0.0}\n"
        "\r                                   {'loss': '0.25', 'grad_norm': '1.5', 'learning_rate': '5e-06', "
        "'reward': '0.5', 'reward_std': '0.25', 'completions/clipped_ratio': '0.125', 'frac_reward_zero_std': '1.0'}\n"
        "{'eval_loss': 0.5, 'eval_reward': 0.75, 'epoch': 0.02}\n"
        "{'train_runtime': 11.1, 'train_loss': 0.1, 'epoch': 1.0}\n"
    )
    told = found.series()
    assert told.steps.tolist() == [1, 2]
    assert np.isinf(told.columns["actor/grad_norm"][0]) and told.columns["actor/grad_norm"][1] == 1.5
    assert column(told, "critic/score/mean") == [-3.5, 0.5]
    assert told.columns["response_length/clip_ratio"][1] == 0.125
    assert told.columns["reward/zero_std_share"][1] == 1
    assert told.columns["val/score"][1] == 0.75
    assert found.total_steps == 50


def test_a_printed_configuration_is_no_row() -> None:
    found = series(
        "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2, 'kl_loss_coef': 0.001, 'loss_agg_mode': 'token-mean'}}}\n"
        "{'reward_model': {'enable': False, 'micro_batch_size': 4}, 'reward': {'num_workers': 8}}\n"
    )
    assert len(found) == 0


def test_prime_rl_s_lines_are_rows_with_units() -> None:
    found = series(
        "02:00:58 SUCCESS Step 0 | Time: 42.77s | Reward: 0.25 | Throughput: 3,966.9 tokens/s | "
        "Seq. Length: 328.5 tokens/sample | Async Level: 0\n"
        "02:01:30 SUCCESS Step 1 | Time: 32.21s | Reward: 0.5 | Throughput: 5193.4 tokens/s | "
        "Seq. Length: 323.0 tokens/sample\n"
    )
    assert found.steps.tolist() == [0, 1]
    assert column(found, "critic/score/mean") == [0.25, 0.5]
    assert column(found, "timing_s/step") == [42.77, 32.21]
    assert column(found, "perf/throughput") == [3966.9, 5193.4]
    assert column(found, "response_length/mean") == [328.5, 323.0]


def test_prime_rl_s_later_lines_tell_no_throughput() -> None:
    found = series(
        "00:27:06 SUCCESS Step 9 | Time: 3.20s | Reward: 0.25 | Seq. Length: 331.1 tokens/sample | "
        "Async Level: 1 | Max. Off-Policy Level: 0\n"
        "00:27:08 SUCCESS Step 10 | Time: 2.20s | Reward: 0.5 | Seq. Length: 332.0 tokens/sample | "
        "Async Level: 1 | Max. Off-Policy Level: 2\n"
    )
    assert found.steps.tolist() == [9, 10]
    assert column(found, "critic/score/mean") == [0.25, 0.5]
    assert column(found, "fully_async/off_policy_level") == [0, 2]


def test_two_parts_of_a_program_that_count_apart_are_one_attempt() -> None:
    """A trainer that runs ahead of its orchestrator: times and rates are told by both."""
    lines = []
    for step in range(8):
        lines.append(
            f"SUCCESS Step {2 * step} | Time: 3.1s | Loss: 0.01 | Throughput: 210 tokens/s | LR: 1e-06"
        )
        lines.append(
            f"SUCCESS Step {2 * step + 1} | Time: 3.2s | Loss: 0.01 | Throughput: 220 tokens/s | LR: 1e-06"
        )
        lines.append(f"SUCCESS Step {step} | Time: 4.1s | Reward: 0.5 | Throughput: 190 tokens/s")
    wanted = frozenset(("actor/pg_loss", "critic/score/mean", "timing_s/step", "perf/throughput"))
    found = fed("\n".join(lines) + "\n", wanted)
    assert found.attempts == 1
    assert found.series().steps.tolist() == list(range(16))


def test_lines_of_pairs_are_rows_counted_where_no_step_is_told() -> None:
    found = series(
        "[Epoch 0.28]  loss=-0.0469  grad=0.0838  lr=3.58e-06  reward=0.102+-0.077  entropy=0.155  frac_zero_std=0.25\n"
        "[Epoch 0.28]  loss=-0.0333  grad=0.0362  lr=3.58e-06  reward=0.066+-0.072  entropy=0.090  frac_zero_std=0.50\n"
        "[Epoch 0.29]  loss=nan  grad=54648652.0000\n"
    )
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "critic/score/std")[:2] == [0.077, 0.072]
    assert column(found, "reward/zero_std_share")[:2] == [0.25, 0.5]
    assert np.isinf(found.columns["actor/pg_loss"][2])
    assert found.columns["actor/grad_norm"][2] == 54648652


@pytest.mark.parametrize(
    "row",
    [
        "{{'step': {}, 'optim/entropy': 0.5, 'env/all/reward/total': {}, 'time/total': 71.8}}",
        "{{'step': {}, 'policy/policy_entropy': 0.5, 'reward/avg_raw_reward': {}}}",
        "{{'step': {}, 'actor_entropy': 0.5, 'critic_score_mean': {}, 'timing_s_step': 60.5}}",
        "_step={} _runtime=0 actor/entropy=0.5 critic/score/mean={}",
        "training/global_step={} actor/entropy=0.5 critic/score/mean={}",
        "[2026-08-04 07:54:57,706][trainer][INFO] - rollout {}/400  entropy=0.5 reward={}  gn=0.1 lr=1.00e-06",
    ],
)
def test_rows_that_somebody_prints_of_any_framework_s_metrics_are_read(row: str) -> None:
    found = series("\n".join(row.format(step, step / 10) for step in range(1, 9)))
    assert found.steps.tolist() == list(range(1, 9))
    assert column(found, "critic/score/mean")[:2] == [0.1, 0.2]
    assert column(found, "actor/entropy") == [0.5] * 8


def test_a_mean_reward_below_a_row_belongs_to_it_and_that_of_one_answer_does_not() -> None:
    rows = [
        f"epoch: 0|step: {at}|ppo_ep: 1|act_loss: -0.02|cri_loss: 0.03\naverage reward score: {at}.5\n"
        for at in (1, 2)
    ]
    assert column(series("".join(rows)), "critic/score/mean") == [1.5, 2.5]
    assert not series("".join(rows).replace("average reward score", "reward")).has("critic/score/mean")


def test_a_mean_reward_behind_the_times_of_its_row_belongs_to_it() -> None:
    rows = [
        f"Epoch: 0 | Step: {at} | PPO Epoch: 1 | Actor Loss: -0.02 | Critic Loss: 0.03 | Unsupervised Loss: 0.0\n"
        "End-to-End => Latency: 4.45s, TFLOPs: 20.68, Samples/sec: 7.19, Batch Size: 32, Total Seq. Length: 512\n"
        "Generation => Latency: 2.99s, Per-token Latency 11.70 ms, TFLOPs: 7.15, Answer Seq. Length: 256\n"
        "Training   => Latency: 1.31s, TFLOPs: 52.52\n"
        "Actor Model Parameters => 1.429 B, Critic Model Parameters => 0.331 B\n"
        f"Average reward score: {at}.5 | EMA reward score: -1.2\n"
        for at in (1, 2)
    ]
    found = series("".join(rows))
    assert found.steps.tolist() == [1, 2] and column(found, "critic/score/mean") == [1.5, 2.5]


def test_lines_that_count_by_another_word_are_rows_where_they_tell_a_reward_and_what_a_training_has() -> None:
    rows = [
        f"10:00:{at:02} round {at} mean_reward=0.{at} policy_loss=0.02 entropy=0.5 len=210"
        for at in range(1, 9)
    ]
    found = series("\n".join(rows) + "\n")
    assert column(found, "critic/score/mean") == [at / 10 for at in range(1, 9)]
    # Two numbers of a sample are none.
    assert not len(
        series("\n".join(f"sample {at} reward=0.{at} entropy=0.5 len=2" for at in range(1, 9)) + "\n")
    )


def test_steps_that_begin_again_in_each_epoch_go_on() -> None:
    lines = [
        f"epoch {epoch} step {step}/3 loss: 0.{step} reward: 0.5" for epoch in (1, 2) for step in (1, 2, 3)
    ]
    steps = fed("\n".join(lines))
    assert steps.series().steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert steps.attempts == 1


def test_the_steps_of_an_agent_are_no_steps_of_a_training() -> None:
    found = series(
        "Step: 3, Reward: 0, Done: False\nstep 4 reward: 1.0 action: click\n[agent] Step 5 | Reward: 0\n"
    )
    assert len(found) == 0


def test_slime_s_lines_of_a_step_are_one_row() -> None:
    found = series(
        "2026-01-01 00:00:00 rollout 3: {'rollout/raw_reward': 0.5, 'rollout/response_len/mean': 100.0}\n"
        "step 3: {'train/loss': 0.1, 'train/grad_norm': 0.2, 'train/entropy_loss': 0.3}\n"
    )
    assert found.steps.tolist() == [3]
    assert column(found, "critic/score/mean") == [0.5] and column(found, "actor/entropy") == [0.3]
    assert column(found, "actor/grad_norm") == [0.2]


def test_several_updates_of_one_rollout_of_slime_s_are_rows_of_that_rollout() -> None:
    lines = []
    for rollout in range(80, 84):
        lines.append(
            f"rollout {rollout}: {{'rollout/raw_reward': 0.{rollout}, 'rollout/response_len/mean': 100.0}}"
        )
        for step in range(3 * rollout, 3 * rollout + 3):
            lines.append(
                f"step {step}: {{'train/loss': 0.1, 'train/grad_norm': {step}.0, 'train/step': {step}}}"
            )
    found = series("\n".join(lines) + "\n")
    assert found.steps.tolist() == [80, 81, 82, 83]
    assert column(found, "critic/score/mean") == [0.8, 0.81, 0.82, 0.83]
    assert column(found, "actor/grad_norm") == [242.0, 245.0, 248.0, 251.0]


def test_a_series_that_was_given_does_not_change_when_the_log_grows() -> None:
    steps = StepLines()
    for step in range(1, 5):
        steps.feed(step, 0, verl_line(step).encode())
    early = steps.series()
    before = column(early, "actor/entropy")
    for step in range(5, 5000):
        steps.feed(step, 0, verl_line(step).encode())
    late = steps.series()
    assert column(early, "actor/entropy") == before and len(early) == 4
    assert len(late) == 4999 and column(late, "actor/entropy")[:4] == before


def test_the_planned_steps_are_told_by_the_trainer() -> None:
    assert fed("(TaskRunner pid=7) Total training steps: 300\n").total_steps == 300
    assert fed("  Total optimization steps = 1,875\n").total_steps == 1875
    bar = "(skyrl_entrypoint pid=9) Training Batches Processed:  3%|3  | 2/60 [10:11<4:55:01, 305.2s/it]\n"
    assert fed(bar).total_steps == 60 and fed(bar.replace("Training Batches", "Batches")).total_steps is None


def test_rows_without_a_number_are_as_far_apart_as_the_bar_says() -> None:
    row = "{'loss': 0.5, 'grad_norm': 1.0, 'reward': 0.5}"
    bar = "\r 13%|█▎        | 252/1875 [38:40:27<12:13, 81.55s/it]"
    found = series("\n".join([bar, *[row] * 12]))
    assert found.steps.tolist() == list(range(20, 260, 20))
    assert found.spans.tolist() == [20] * 12
    assert series("\n".join([bar, *[row] * 9])).steps.tolist() == list(range(1, 10))


def test_a_dict_whose_values_stand_in_a_column_is_a_row_as_well() -> None:
    found = series("{'loss': 1.46,  'grad_norm':    14.5}\n{'loss': 1.28,  'grad_norm':     9.5}\n")
    assert column(found, "actor/grad_norm") == [14.5, 9.5]


def test_pairs_on_a_line_of_their_own_go_on_with_the_step_and_a_broken_number_is_one() -> None:
    found = series(
        "step:19 - batch/solve_none:8 - batch/solve_partial:0\n"
        "critic/rewards/mean:0.25 - critic/rewards/max:1.0\n"
    )
    assert column(found, "batch/solve_partial") == [0.0]
    assert column(found, "critic/rewards/mean") == [0.25]
    broken = series("step:19 - batch/solve_none:8 - actor/lr:1\ne-06 - critic/rewards/max:1.0\n")
    assert column(broken, "actor/lr") == [1e-06]


def test_rows_without_a_step_are_as_far_apart_as_the_trainer_s_last_line_says() -> None:
    rows = "".join(
        f"{{'loss': 0.1, 'grad_norm': 0.5, 'learning_rate': 1e-06, 'reward': 0.{row}}}\n"
        for row in range(10, 40)
    )
    ends = "{'train_runtime': 1500.4, 'train_samples_per_second': 0.8, 'train_steps_per_second': 0.1, 'epoch': 1.0}\n"
    assert series(rows + ends).steps.tolist() == [5 * row for row in range(1, 31)]
    assert series(rows).steps.tolist() == list(range(1, 31))
