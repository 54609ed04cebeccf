"""Literals of which a line that may tell a step holds one, by what such a line is."""

from __future__ import annotations

from liverl.log.formats import ended, grids, panel, spread, validation

BARS = (b"it/s]", b"s/it]", b"it/s,", b"s/it,")
DICTS = (
    b"'loss':", b"'policy_loss'", b"'pg_loss'", b"'grad_norm'", b"'reward_std'", b"'train/", b"'rollout/", b"'eval_",
    b'"loss":', b"'objective/kl'", b"{'generate/", b"{'async/", b"{'eval/", b"{'rewards/",
)  # fmt: skip
# Rows of other keys, which have to tell their step.
COUNTED = (
    b'"grad_norm":', b'"reward_std":', b'"policy_loss":', b'"pg_loss":', b'"kl":', b"'kl':", b'"entropy":',
    b"'entropy':", b'"actor/', b"'actor/", b'"critic/', b"'critic/", b'"train/', b'"policy/', b'"mean_reward":',
    b'"reward_mean":', b'"reward/mean":', b"'mean_reward':", b"'reward_mean':",
    b"'policy/", b"'optim/", b'"optim/', b"'actor_", b'"actor_', b"_actor/", b"'Loss':", b'"Loss":',
)  # fmt: skip
PAIRS = (
    b"[Epoch ", b"loss=", b"loss:", b"Loss:", b"reward=", b"reward:", b"Reward:", b"grad_norm", b"| loss ", b", loss ",
    b"Loss=", b"Train loss ", b"/mean=", b"clip_ratio=", b"entropy=", b" kl=",
    b"oss 0", b"oss -0.", b"oss nan", b"_loss ", b"gnorm", b"ass@1: ",
    b"oss\x1b[0m=", b"eward\x1b[0m=", b"ntropy\x1b[0m=",
)  # fmt: skip
# A dict that is told over several lines begins one.
OPEN = tuple(
    f"\n{{'{key}".encode()
    for key in (
        "advantages", "clip_ratio", "completions/", "epoch'", "frac_", "global_step'", "iteration'", "learning_rate'",
        "lr'", "loss/", "reward", "step'", "Loss", "Step'",
    )
)  # fmt: skip
# Between the rows of a list of them.
BETWEEN = b"}, {"
# Of what a line of pairs, or a header, is told by: step, iteration, update, epoch, episode, rollout, round.
COUNTERS = (
    b"tep", b"STEP", b"ter", b"pdate", b"poch", b"pisode", b"ollout ", b"ound", b"indow", b" it |", b"ckpt |",
    b"| init |", b"| base |", b"etric |", b"| stat |", b"| upd |", b"| | ", b"| Phase |", b"| batch |", b"| Batch |",
    *(each.encode() for each in ("步", "区间", "阶段", "轮", "窗口", "단계", "스텝", "구간", "ステップ")),
)  # fmt: skip
STATED = (b"otal training steps", b"otal optimization steps", b"Total steps = ")
# What a trainer says before its first row, and behind its last one.
BEGINS = (b"***** Running training", b"| Num Epochs = ")
RESUMES = b"Continuing training from global step"
ENDS = b"'train_runtime'"
EARNED = b"avg_final_rewards: "
TRAIN_STEP = (b"Train step ", b"   Step ")

ALL: tuple[bytes, ...] = tuple(
    dict.fromkeys(
        (
            b"step:", *BARS, *DICTS, *COUNTED, *PAIRS, *STATED, *BEGINS, RESUMES, ENDS, *OPEN, *TRAIN_STEP,
            *grids.NEEDLES, *spread.NEEDLES, validation.BEGINS, ended.BEGINS, panel.BEGINS, EARNED,
        )
    )
)  # fmt: skip
