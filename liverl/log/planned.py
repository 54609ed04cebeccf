"""How many steps a program says that it will make, where neither a bar nor its rows tell: in words, by arguments.

plan_of   the plan of what stands before the first row
"""

from __future__ import annotations

import re

HEAD_BYTES = 1 << 17
_NUMBER = rb"(\d{1,3}(?:,\d{3}){1,2}|\d{1,7})(?![\w.,]*\d)"
_OF = rb"(?:train(?:ing)?|grpo|ppo|rloo|rlvr|rl|optimi[sz]er|optimi[sz]ation|policy)"
_WHAT = rb"(?:steps|updates|iterations|iters)"
# An agent's environment has steps too, and saving, logging and warming up are told in steps: the words say whose.
_PLANS = tuple(
    re.compile(each)
    for each in (
        # num_train_steps=200, --max_train_steps 200, 'training_steps': 200
        rb"(?i)(?<![\w.])(?:--)?(?:(?:total|max|num|n)[_-]?)?" + _OF + rb"[_-]?" + _WHAT
        + rb"['\"]?(?:\s{0,3}[=:]| )\s{0,3}" + _NUMBER,
        # A trainer's line of arguments: [train] stage=1 num_steps=150
        rb"(?im)^[^\n]{0,80}\b" + _OF + rb"\b[^\n]{0,60}[\s,{('\"](?:num|total)_steps['\"]?[=:] ?" + _NUMBER,
        # Training for 300 steps; 150 GRPO steps
        rb"(?i)\btrain(?:ing|s)?\b[^\n]{0,40}? for " + _NUMBER + rb" (?:" + _OF + rb" )?" + _WHAT + rb"\b",
        rb"(?i)(?<!every )(?<!each )(?<!after )(?<!per )(?<!first )(?<!last )(?<!next )(?<![\w.,-])" + _NUMBER
        + rb" " + _OF + rb" " + _WHAT + rb"\b",
        # steps: 200, among a trainer's settings: in a line of its own, or beside the learning rate.
        rb"(?im)^\W{0,8}(?:steps|iterations|updates)\s{0,24}[:=]\s{0,6}(\d{2,7})\s*$",
        rb"(?im)\b(?:steps|iterations)=(\d{2,7})\b(?=[^\n]{0,120}\b(?:lr|learning_rate)[=:])",
        # prime-rl: Starting training loop (max_steps=100). slime: --num-rollout 3000, num_rollout ..... 3000
        rb"(?i)\bloop \(max_steps=" + _NUMBER,
        rb"\bnum[_-]rollout['\"]?(?:\s{0,3}[=:]\s{0,3}| \.{3,} | )" + _NUMBER,
        # Total steps: 500, in a line of its own.
        rb"(?im)^\W{0,8}(?:\[[^\]\n]{1,30}\] )?(?:total|planned|target|number of|num)[ _](?:" + _OF + rb"[ _])?" + _WHAT
        + rb"\s{0,12}[:=]\s{0,6}" + _NUMBER,
    )
)  # fmt: skip
_FEWEST = 2


def plan_of(head: bytes, rows_from: int, done: int) -> int:
    """The plan in a log's first bytes, 0 where there is none: of several the one that is nearest to the steps done.

    `rows_from` is the line of the first row.
    """
    before = b"\n".join(head.split(b"\n", rows_from)[: max(0, rows_from - 1)])
    found = {
        int(number.replace(b",", b""))
        for each in _PLANS
        for number in each.findall(before)
    }  # fmt: skip
    return min((each for each in found if each >= max(done, _FEWEST)), default=0)
