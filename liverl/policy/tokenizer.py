"""The policy's own byte-level BPE tokenizer, trained on its demonstrations, and its chat template."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

PAD = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
SPECIAL = (PAD, TURN_START, TURN_END)
MARKUP = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")

# One chunk each: the fixed text around a command, a word with its space, up to two digits, a newline with its
# indentation, an edit's separators and quotes, a run of other signs. Nothing is merged across chunks, so an edit is
# always old|new.
_CHUNKS = (
    r"""\n?\{"name": "bash", "arguments": \{"command": "|"\}\}\n|\(/,/\^\$/|sed -(?:i|sn) '/def | check\.sh"""
    r"""|(?:system|user|assistant)\n| ?[A-Za-z]+|\d{1,2}| ?[|'/`_.]|\n+ *| {2,}| ?[^\sA-Za-z\d|'/`_.]+|\s"""
)


def chat_template() -> str:
    """The Jinja text that renders conversations, tools and tool calls."""
    return (Path(__file__).parent / "chat_template.jinja").read_text()


def train_tokenizer(texts: Iterable[str], vocab_size: int) -> PreTrainedTokenizerFast:
    """Trains on rendered conversations. The same texts give the same tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_CHUNKS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[*SPECIAL, *MARKUP],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return wrap(_with_plain_markup(tokenizer))


def _with_plain_markup(tokenizer: Tokenizer) -> Tokenizer:
    """One id for each markup word, yet part of the text: parsers read them, so decoding must not skip them."""
    description = json.loads(tokenizer.to_str())
    for token in description["added_tokens"]:
        token["special"] = token["content"] in SPECIAL
    return Tokenizer.from_str(json.dumps(description))


def wrap(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The tokenizer as Transformers knows it, with the chat template."""
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=TURN_END,
        pad_token=PAD,
        clean_up_tokenization_spaces=False,
        model_max_length=16384,
    )
    wrapped.chat_template = chat_template()
    return wrapped


def renderer() -> PreTrainedTokenizerFast:
    """A tokenizer without a vocabulary: it renders conversations before there is anything to train on."""
    return wrap(Tokenizer(models.BPE()))
