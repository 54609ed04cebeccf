"""Names of metrics in Chinese, Korean and Japanese."""

from __future__ import annotations

import pytest

from liverl.log.names import told_names
from liverl.log.tongues import in_english


@pytest.mark.parametrize(
    ("name", "verl"),
    [
        ("平均 Reward", "critic/score/mean"),
        ("平均奖励", "critic/score/mean"),
        ("평균 보상", "critic/score/mean"),
        ("報酬", "critic/score/mean"),
        ("平均回复长度", "response_length/mean"),
        ("평균 길이", "response_length/mean"),
        ("截断率", "response_length/clip_ratio"),
        ("KL 散度", "actor/kl_loss"),
        ("엔트로피", "actor/entropy"),
        ("梯度范数", "actor/grad_norm"),
        ("학습률", "actor/lr"),
        ("训练损失", "actor/pg_loss"),
        ("验证准确率", "val/score"),
        ("검증 정확도", "val/score"),
        ("格式奖励", "reward/format"),
        ("奖励标准差", "critic/score/std"),
    ],
)
def test_a_name_in_another_tongue_is_known_by_its_words(name: str, verl: str) -> None:
    assert told_names(name) == (verl,)


@pytest.mark.parametrize("name", ["备注", "奖励模型的名称", "reward", "Überlänge", "", "步…步"])
def test_what_has_other_letters_besides_is_left_as_it_is(name: str) -> None:
    assert in_english(name) == name
