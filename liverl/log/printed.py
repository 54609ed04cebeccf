"""What a printed configuration and a command line say, by dotted key: `trainer.nnodes` is another key than `nnodes`.

of_dicts     the nested dicts that verl and SkyRL print at their start
of_overrides keys given as `key=value`, as hydra takes them
of_flags     arguments as argparse takes and prints them
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from liverl.log.segments import cleaned

Told = Iterator[tuple[str, str]]
# A configuration begins with one of its sections.
_BEGINS = re.compile(
    rb"\{['\"](?:actor_rollout_ref|algorithm|async_training|critic|data|environment|generator|trainer)['\"]: ?\{"
)
_TOKEN = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([{}\[\]():,])|([^\s{}\[\]():,'\"]+)")
_SIGN = 3
# verl's configuration has about 900 lines.
_MOST_LINES = 3000
_VALUE = rb"[\"']?([\w./~@:+-]{1,200})"


def of_dicts(text: bytes) -> Told:
    """Each value of each printed configuration with its dotted key; what stands in a list has none."""
    at = 0
    while found := _BEGINS.search(text, at):
        start = text.rfind(b"\n", 0, found.start()) + 1
        part, at = _dict_from(text, start)
        at = max(at, found.end())
        yield from _told_by(part[part.find("{") :])


def without_dicts(text: bytes) -> bytes:
    """The text without the lines of its printed configurations: what they set is nothing that was measured."""
    kept, at = [], 0
    while found := _BEGINS.search(text, at):
        start = text.rfind(b"\n", 0, found.start()) + 1
        kept.append(text[at:start])
        at = max(_dict_from(text, start)[1], found.end())
    return b"".join((*kept, text[at:]))


def of_overrides(text: bytes, keys: Collection[str]) -> Told:
    """The values of those of the keys that are given as `key=value`; what a shell has yet to fill in is none."""
    for key in keys:
        raw = f"{key}=".encode()
        at = text.find(raw)
        while at >= 0:
            end = at + len(raw)
            told = re.compile(_VALUE).match(text, end)
            if told and (at == 0 or text[at - 1 : at] in (b" ", b"'", b'"', b"+", b"\n", b"\t")):
                yield key, told.group(1).decode()
            at = text.find(raw, end)


def of_flags(text: bytes, names: Collection[str]) -> Told:
    """The values of arguments: `--name value` on a command line, `name='value'` in a printed Namespace,
    `name ...... value` in Megatron's list."""
    for name in names:
        plain = name.encode()
        if plain not in text and plain.replace(b"_", b"-") not in text:
            continue
        either = plain.replace(b"_", b"[_-]")
        forms = (rb"--" + either + rb"[ =]" + _VALUE, rb"[(,] ?" + plain + rb"=" + _VALUE,
                 rb"\b" + plain + rb" \.{3,} " + _VALUE)  # fmt: skip
        for form in forms:
            yield from ((name, told.decode()) for told in re.findall(form, text))


def _dict_from(text: bytes, start: int) -> tuple[str, int]:
    """The lines of a dict that begins in a line, without those that others print between; and where it ends."""
    actor, depth, lines = None, 0, []
    for _ in range(_MOST_LINES):
        feed = text.find(b"\n", start)
        line = cleaned(text[start : feed if feed >= 0 else len(text)])
        start = feed + 1 if feed >= 0 else len(text)
        actor = line.actor if actor is None else actor
        if line.actor == actor:
            lines.append(line.text)
            depth += line.text.count("{") - line.text.count("}")
        if depth <= 0 or start >= len(text):
            break
    return "\n".join(lines), start


@lru_cache(maxsize=4)
def _told_by(text: str) -> tuple[tuple[str, str], ...]:
    """The leaves of a dict: of a log that grows, the same configuration is asked for at each look."""
    return tuple(_leaves(text))


def _leaves(text: str) -> Told:
    # Of each open bracket the key that it is the value of, of the outermost one ""; "?" where that has none.
    path: list[str] = []
    key, is_value = "", False
    for token in _TOKEN.finditer(text):
        is_sign = token.lastindex == _SIGN
        said = token[token.lastindex or 0]
        sign = said if is_sign else ""
        if not sign and is_value and "?" not in path:
            yield ".".join((*path[1:], key)), said
        if not sign and not is_value:
            key = said
        elif sign == ":":
            is_value = bool(key)
        else:
            if sign in ("{", "[", "("):
                path.append((key if sign == "{" and is_value else "?") if path else "")
            elif sign in ("}", "]", ")"):
                path = path[:-1]
            key, is_value = "", False
