"""That a policy copies before it has learned anything."""

from __future__ import annotations

import torch

from liverl.policy.model import new_model
from liverl.policy.tokenizer import train_tokenizer


def test_a_new_model_goes_on_with_what_it_has_read() -> None:
    tokenizer = train_tokenizer(["a few words to merge, and some more of them"], 400)
    model = new_model(tokenizer, seed=5)
    words_BT = torch.randint(10, len(tokenizer), (8, 40), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        logits_BTV = model(torch.cat([words_BT, words_BT], 1)).logits
    # From the second word of the repetition on, the right one stood after the same word before.
    ranks_BT = logits_BTV[:, 40:-1].argsort(-1, descending=True).argsort(-1)
    right_BT = ranks_BT.gather(2, words_BT[:, 1:, None])[..., 0]
    assert (right_BT < 5).float().mean() > 0.5
    assert torch.isfinite(logits_BTV).all()
