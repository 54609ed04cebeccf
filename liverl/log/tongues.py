"""Names of metrics in other tongues: the words for what a training tells, as English has them.

in_english   a name with such words translated
"""

from __future__ import annotations

import re
from functools import lru_cache

# Chinese, Korean, Japanese; a longer word is met before one that it holds.
_ENGLISH = {
    "step": "步数 步骤 训练步 训练步数 步 단계 스텝 ステップ",
    "epoch": "轮次 轮数 周期 에폭 エポック",
    "mean": "平均值 均值 平均 평균",
    "reward": "奖励 回报 獎勵 보상 리워드 報酬",
    "score": "得分 分数 分 점수 スコア",
    "entropy": "熵 엔트로피 エントロピー",
    "policy": "策略 정책 方策",
    "grad": "梯度 그래디언트 기울기 勾配",
    "norm": "范数 노름 ノルム",
    "length": "长度 長度 길이 長さ",
    "response": "响应 回复 回答 回應 输出 生成 응답 답변 출력 생성 応答 出力",
    "truncated": "截断 잘림 切り捨て",
    "accuracy": "准确率 正确率 準確率 정확도 정답률 正解率 精度",
    "lr": "学习率 学習率 학습률",
    "loss": "损失 損失 손실",
    "val": "验证集 验证 驗證 검증 検証",
    "test": "测试集 测试 테스트 テスト",
    "train": "训练 訓練 학습 훈련",
    "ratio": "比例 比率 占比 率 비율",
    "std": "标准差 方差 표준편차 標準偏差",
    "divergence": "散度",
    "format": "格式 형식 포맷 フォーマット",
    "group": "组内 组 그룹 グループ",
    "clip": "裁剪 클리핑 クリップ",
    "search": "搜索 검색 検索",
    "count": "次数 数 횟수 回数",
    "sum": "总和 合计 합 합계 合計",
    "gen": "gen端",
    "total": "总",
    "correct": "正确",
    "calls": "调用 호출 呼び出し",
    "tool": "工具 도구 ツール",
    "blind": "盲评",
    "success": "成功率 成功 성공률 성공",
    "vs": "대비 相比 对比 対",
    "win": "胜 승 勝",
    "time": "耗时 时间 시간 時間",
    "token": "词元 토큰 トークン",
}
_BY_WORD = {word: english for english, words in _ENGLISH.items() for word in words.split()}
_WORD = re.compile("|".join(sorted(_BY_WORD, key=len, reverse=True)))
_BLANKS = re.compile(r"[\s_]+")


@lru_cache(maxsize=4096)
def in_english(name: str) -> str:
    """A name with the words translated that are known (`平均长度`: `mean length`); the name itself where that leaves
    letters of another tongue."""
    if name.isascii():
        return name
    told = _WORD.sub(lambda found: f" {_BY_WORD[found.group()]} ", name)
    return _BLANKS.sub(" ", told).strip().replace(" /", "/").replace("/ ", "/") if told.isascii() else name
