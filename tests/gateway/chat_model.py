"""A small real tokenizer with a ChatML template, and a scripted stand-in for the replica."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from liverl.gateway.server import Generation

EOS = "<|im_end|>"
KEY = bytes(range(32))

TEMPLATE = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{%- if messages[loop.index0 - 1].role != 'tool' %}<|im_start|>user{% endif %}{{ '\\n' }}<tool_response>
{{ message.content }}
</tool_response>
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}<|im_end|>
{% endif %}
{%- elif message.role != 'system' or not loop.first %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string", "maxLength": 9}},
            "required": ["command"],
        },
    },
}
ANTHROPIC_BASH = {
    "name": "bash",
    "description": "Run a command.",
    "input_schema": BASH["function"]["parameters"],  # type: ignore[index]
}


def small_tokenizer(template: str = TEMPLATE) -> PreTrainedTokenizerFast:
    """A byte-level BPE with merges, so that a text has more than one spelling in tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|im_start|>", EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        [TEMPLATE, json.dumps(BASH), "the test fails, look at the file"] * 3, trainer
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=EOS)
    fast.chat_template = template
    return fast


def bash_call(command: str) -> str:
    """A hermes tool call as a model writes it: its JSON is spelled otherwise than the template's."""
    return f'<tool_call>\n{{"name":"bash",  "arguments": {{"command":"{command}"}}}}\n</tool_call>'


def text_part(content: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": content}]


class ScriptedReplica:
    """Answers each session's calls from a script; an exception in it is raised.

    A turn is spelled in single bytes, which is not how the tokenizer would encode its text.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self.scripts: dict[str, list[str | Exception]] = defaultdict(list)
        self.calls: list[tuple[str, list[int], dict[str, Any]]] = []
        self.sampled: dict[str, list[list[int]]] = defaultdict(list)
        self.version = 0
        self.spells_like_tokenizer = False
        self.wait: asyncio.Event | None = None

    def script(self, session: str, *turns: str | Exception) -> None:
        self.scripts[session] += turns

    def spell(self, text: str) -> list[int]:
        if self.spells_like_tokenizer:
            return [int(token) for token in self.tokenizer(text + EOS)["input_ids"]]
        alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)[
            0
        ][0]
        ids = self.tokenizer.convert_tokens_to_ids(list(alphabet))
        return [*ids, self.tokenizer.eos_token_id]

    async def generate(self, session: str, prompt_ids: list[int], params: dict[str, Any]) -> Generation:
        self.calls.append((session, list(prompt_ids), dict(params)))
        turn = self.scripts[session].pop(0)
        if self.wait is not None:
            await self.wait.wait()
        if isinstance(turn, Exception):
            raise turn
        ids = self.spell(turn)[: params["max_tokens"]]
        self.sampled[session].append(ids)
        logprobs = [-(position + 1) / 100 for position in range(len(ids))]
        stop = "stop" if ids[-1] == self.tokenizer.eos_token_id else "length"
        return Generation(ids, logprobs, stop, self.version)

    async def asked(self, count: int) -> None:
        """Wait until `count` generations have begun."""
        while len(self.calls) < count:  # noqa: ASYNC110 - polled, so that the script stays plain data
            await asyncio.sleep(0.01)

    def prompts(self, session: str) -> list[list[int]]:
        return [ids for name, ids, _ in self.calls if name == session]

    def text(self, ids: Iterable[int]) -> str:
        return str(self.tokenizer.decode(list(ids)))
