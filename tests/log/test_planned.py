"""How many steps a program says that it will make."""

from __future__ import annotations

import pytest

from liverl.log.planned import plan_of


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ("[train] stage=1 num_steps=150 hardware=v100", 150),
        ("Namespace(lr=1e-06, num_train_steps=200, warmup_steps=10)", 200),
        ("python train.py --max_train_steps 1200 --lr 1e-6", 1200),
        ("{'training_steps': 400, 'save_steps': 50}", 400),
        ("Starting GRPO training for 300 steps", 300),
        ("[full] === Stage 1: 150 GRPO steps (no drift) ===", 150),
        ("  Total steps: 1,500", 1500),
        ("12:00:01 INFO Starting training loop (max_steps=100)", 100),
        ("  num_rollout ..................................... 3000", 3000),
        ("args: {'num_rollout': 90, 'lr': 1e-06}", 90),
        ("  Steps            : 120", 120),
        ("[cfg] steps=75 group=8 lr=1e-06", 75),
        ("eval: steps=30 temperature=0", 0),
        ("ray job submit -- python3 train.py --num-rollout 250 --n 8", 250),
        ("Planned updates   : 80", 80),
        # Steps of an environment, of a save, of a warm-up; one step is no plan.
        ("env max_steps=30, num_steps=12", 0),
        ("saving every 50 training steps", 0),
        ("gradient_accumulation_steps=16 warmup_steps=20 save_steps: 100", 0),
        ("[train] stage=3 num_steps=1", 0),
        ("the first 20 training steps are a warm-up of its optimizer", 0),
        # It was passed: the plan was another.
        ("train_steps: 3", 0),
    ],
)
def test_a_plan_is_told_in_words_or_by_arguments(said: str, plan: int) -> None:
    assert plan_of(f"a log\n{said}\n[train] step=7 reward=0.1\n".encode(), 3, 8) == plan


def test_a_plan_stands_before_the_first_row_and_the_nearest_counts() -> None:
    head = b"num_train_steps=20\nnum_train_steps=200\nstep 1\nnum_train_steps=7\n"
    assert plan_of(head, 3, 2) == 20
    assert plan_of(head, 3, 21) == 200
    assert plan_of(head, 3, 201) == 0
    assert plan_of(head, 1, 2) == 0
