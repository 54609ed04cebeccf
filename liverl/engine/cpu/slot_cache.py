"""A key-value cache of fixed slots that any Hugging Face decoder can write to and attend over."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from transformers import PretrainedConfig
from transformers.cache_utils import Cache


@dataclass
class Window:
    """Which slots and columns the current forward pass touches.

    `rows` are slot numbers (None: the slots 0..n-1 in order, read without a copy), `positions_BL` the column each fed
    token is written to, `width` how many columns attention may see, `valid_BL` the tokens that are not padding.
    """

    rows: torch.Tensor | None
    positions_BL: torch.Tensor
    width: int
    valid_BL: torch.Tensor | None = None
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = int(self.positions_BL.shape[1])


class SlotCache(Cache):
    """Keys and values of every layer, shape [slots, kv heads, capacity, head size], fp32.

    Unlike the library's dynamic cache nothing is concatenated or moved while requests come and go: a request owns a
    slot, and its tokens stay there when it has ended, so that the conversation's next turn feeds only what is new.
    """

    def __init__(self, config: PretrainedConfig, slots: int, capacity: int) -> None:
        text = config.get_text_config()
        head_dim = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        shape = (slots, text.num_key_value_heads, capacity, head_dim)
        self.keys = [torch.zeros(shape) for _ in range(text.num_hidden_layers)]
        self.values = [torch.zeros(shape) for _ in range(text.num_hidden_layers)]
        self.slots = slots
        self.capacity = capacity
        self.window: Window | None = None

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *args: object,
        **kwargs: object,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Store the fed tokens' keys and values, each [B, kv heads, L, head size], and return all visible ones."""
        window = self.window
        if window is None:
            raise RuntimeError("the cache was used outside a batcher's forward pass")
        keys, values = self.keys[layer_idx], self.values[layer_idx]
        rows = window.rows if window.rows is not None else torch.arange(key_states.shape[0])
        owners = rows[:, None].expand_as(window.positions_BL)
        if window.valid_BL is None:
            keys[owners, :, window.positions_BL] = key_states.transpose(1, 2)
            values[owners, :, window.positions_BL] = value_states.transpose(1, 2)
        else:
            fed = window.valid_BL
            keys[owners[fed], :, window.positions_BL[fed]] = key_states.transpose(1, 2)[fed]
            values[owners[fed], :, window.positions_BL[fed]] = value_states.transpose(1, 2)[fed]
        if window.rows is None:
            n = key_states.shape[0]
            return keys[:n, :, : window.width], values[:n, :, : window.width]
        return keys[window.rows, :, : window.width], values[window.rows, :, : window.width]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Tokens already stored, as the model code asks; positions are always given explicitly instead."""
        return 0

    def get_mask_sizes(self, *args: object, **kwargs: object) -> tuple[int, int]:
        """Width and offset of the visible columns."""
        return (self.window.width if self.window else 0), 0

    @property
    def is_compileable(self) -> bool:
        """Never compiled: shapes change with every step."""
        return False

    def __len__(self) -> int:
        return len(self.keys)
