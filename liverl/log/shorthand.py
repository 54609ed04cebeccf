"""What people head the columns of their own tables with: short names that mean a metric beside those of a training.

SHORT   verl's name of each, for lower case
plain   a name as `SHORT` has it
"""

from __future__ import annotations

import re

_BY_METRIC = {
    "critic/score/mean": "return; ep_ret; ep ret; rwd; raw_rwd; raw rwd; train r; outcome reward; r̄; total",
    "response_length/mean": (
        "length; tokens; tokens/resp; tok/resp; tokens/response; output tokens; response tokens; cot length; cot len;"
        "think tokens; think len; thinking tokens; seq len; out tokens; tok; toks; 応答長; 平均トークン数; 토큰 수"
    ),
    "response_length/clip_ratio": (
        "trunc; cut; cut off; overlong; max-len; max len; at limit; finish=length; stop=length; length-capped; capped;"
        "no eos; no_eos; unfinished; not finished; hit cap; hit limit; over limit; at cap; 打ち切り率; 截断占比; 超长"
    ),
    "reward/zero_std_share": (
        "zero-std; zero std; zero var; zero-var; no-signal groups; dead groups; degenerate groups; zero-adv; zero adv;"
        "zero advantage; groups w/o signal; groups without signal; useless groups; filtered groups; skipped groups;"
        "frac_zero; all-same; 全同组; 零方差组; 无梯度组占比; 无信号组"
    ),
    "val/score": (
        "val; math500; math-500; aime; aime24; aime25; aime 24; aime 25; amc; amc23; gsm8k; gsm8k test; humaneval;"
        "mbpp; lcb; livecodebench; mmlu; gpqa; minerva; olympiad; benchmark; bench; val math; ood; eval sr; test sr;"
        "验证集; 验证; 評価; 검증"
    ),
    "rollout_corr/logprob_abs_diff": (
        "logp diff; logprob gap; logprob diff; logp abs diff; rollout/train diff; logp gap"
    ),
    "rollout_corr/kl": "mismatch; rollout kl; train/rollout kl; infer-train gap; train-infer gap; 训推kl; 训推 kl",
    "training/rollout_probs_diff_mean": "prob diff mean; prob diff; probs diff; 训推差; 训推差异",
    "rollout_corr/rollout_is_eff_sample_size": "ess; ess ratio",
    "actor/pg_clipfrac": "ppo clip; ppo_clip; ratio clip",
    "timing_s/step": "sec/step; s/step; step_s; t_step; 每步耗时; 单步耗时; 单步时间; 스텝 시간; ステップ時間",
    "timing_s/gen": "gen time; rollout time; gen_s; rollout_s",
    "tool_call_counts/mean": (
        "tool calls; calls; searches; search calls; tool calls/traj; calls/traj; search/q; avg searches; tool uses;"
        "工具调用; 工具调用次数; 도구 호출; ツール呼び出し"
    ),
    "num_turns/mean": "turns; mean turns; turns/ep; 平均轮数; 턴 수; ターン数",
    "tools/failure_frequency": "tool fail; tool fails; tool error; tool errors; tool failures; call errors",
    "env/valid_action_ratio": "valid; valid actions; valid action; 有效动作; 合法动作",
    "training/off_policy/trajectory_staleness/mean": "lag; age; policy age; versions behind; 过期步数; 滞后",
    "reward/format": "format; fmt; fmtfail; fmt fail; valid json; parse ok; 格式; 형식; フォーマット; 形式",
    "actor/grad_norm": "|g|; ‖g‖; ||g||; |grad|; ‖grad‖",
}
SHORT = {each.strip(): verl for verl, names in _BY_METRIC.items() for each in names.split(";")}
_BEHIND = re.compile(r"\s*(?:[(\[（](?:%|tok(?:en)?s?|avg\.?|mean|#|s|x)[)\]）]|%)$")
_BEFORE = re.compile(r"^(?:#\s?|avg\.? |mean |n[ _]|% (?:of )?)")
_LONGEST = 24


def plain(name: str) -> str:
    """A name in lower case, without what counts, the sign of a percentage, or a unit, behind it and before it."""
    if len(name) > _LONGEST:
        return ""
    text = name.strip().lower()
    bare = _BEHIND.sub("", text)
    return bare if bare in SHORT else _BEFORE.sub("", bare)
