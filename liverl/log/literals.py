"""Literals of which a line must hold at least one so that an expression can match it: what a fast search looks for.

needles_of   the literals of one pattern; none where its expression shows none of 4 characters
parsed_of    the parts of an expression
end_rarity   how rare the end of a literal is in other text
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from re import _constants as _sre  # type: ignore[attr-defined]
from re import _parser as _sre_parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from liverl.log.sighting import LinePattern

SHORTEST = 4
# More alternatives than these cost more than one longer search.
_MOST = 32
# Of those that are only asked of a line, and not searched in all of a log, many may be.
_MOST_SHOWN = 300
# A longer literal is no rarer.
_LONG_CHARS = 20
# What one alternative more, and a literal that is hardly longer than a word's end, count in characters.
_ALTERNATIVE, _SHORT, _SHORT_CHARS = 0.1, 3, 6
# Who gives a pattern its literals knows better, by so much.
_GIVEN = 1
# A shorter literal keeps the blanks at its ends.
_BLANK_CHARS = 8
# A literal ends where its last bytes are rarest: the search looks at those first (measured: twice as fast).
_ENDS_FROM, _END_BYTES = 14, 8
# No common word is longer.
_SEEN_BYTES = 24
_COMMON_BITS = 3.0
_REPEATS = (_sre.MAX_REPEAT, _sre.MIN_REPEAT, _sre.POSSESSIVE_REPEAT)
# Letters behind each other, as one part.
_TEXT = "text"
_ZERO_WIDTH = (_sre.AT, _sre.ASSERT, _sre.ASSERT_NOT)
# Words that most logs hold in many lines: a literal made of them alone is taken only where there is no other.
_COMMON = frozenset(
    """
    global norm tool tools call calls error errors exception warning warn info debug failed failure step steps
    actor critic reward loss train training model module file line with from this that the for and not was were
    has have been value values rank worker ray vllm sglang torch cuda memory data batch size time start started
    process server request response python grad_norm entropy mean token tokens length gpu node true false none
    self config lib packages site return raise import last recent most checkpoint global_step int float str home
    user tmp init workers cache cached rollout rollouts decode decoding prefill bucket buckets registered layer
    layers engine engines scheduler batches latency window queue tensor tensors shard shards sharding weights
    weight prompt prompts logprob advantage agent loop sample samples episode episodes generate generation
    generated generating running waiting finished done completed saving saved loading loaded seconds
    memory_allocated reserved allocated optimizer gradient parallel group groups distributed collective
    process_group key keys dataset datasets tokenizer container pod sandbox docker task tasks trial trials turn
    turns result results status state update updates code output input command number maximum minimum total
    count current device devices name path folder directory connection client http api url port host address
    actor_id pid node_id driver cluster placement resource resources available usage version transformers verl
    litellm harbor plugin used using into than which your are can will should may must its their
    when while after before because could would did does but only already
    ratio clip clipped grad score scores timing perf advantages lower rewards throughput epoch epochs main learning
    rate completion completions zero region share frac corr utils probs diff target setting common cores threads
    exceed physical transfer format kwargs options trajectory core policy ignored shell service grpo trainer fsdp
    async accuracy answer returns local workspace type base enable root attention http https system wandb dtype full
    final args check micro progress mask flash expected venv package dict param params program found mode offload
    metrics auto please inference warnings timeout sequence object ranks function forward models installed warmup
    class need copy message messages padding load test eval evaluation validation argument arguments nodes gpus
    verifier grader
    """.split()  # noqa: SIM905
)
_WORDS = re.compile(r"[a-z]+")
_LONG_WORDS = re.compile(r"\w{5,}")
_LAST_WORD = re.compile(r"[a-z]{3,}$")
# What an expression of which a part ignores case holds.
_CASELESS = re.compile(r"\(\?[a-zA-Z]*i")


# So many bytes of a literal may stand for longer ones that hold them: a search for 2493 literals went from 1.22 to 1.37
# GB/s without the 483 that hold others.
_LEAST_OF_ALL = 10


class Needle(NamedTuple):
    """A literal as bytes; `caseless` where the letters may be of either case (then it is in lower case)."""

    text: bytes
    caseless: bool = False


_RECALLED: dict[LinePattern, tuple[Needle, ...]] = {}


@dataclass
class _Runs:
    """What a sequence shows so far: sets of which one string must be met, and the set that is still growing."""

    sets: list[frozenset[str]] = field(default_factory=list)
    open: frozenset[str] = frozenset(("",))

    def extend(self, strings: frozenset[str] | None) -> None:
        """The next part is one of these strings; None: it can be anything."""
        if strings is None:
            self.close()
            return
        if len(self.open) * len(strings) > _MOST:
            self.close()
        if len(strings) <= _MOST:
            self.open = frozenset(left + right for left in self.open for right in strings)

    def close(self, after: frozenset[str] = frozenset(("",))) -> None:
        """Something unknown follows."""
        self.sets.append(self.open)
        self.open = after


@lru_cache(maxsize=8192)
def parsed_of(expression: str) -> Any:
    """The parts of a regular expression; raises `re.error` where it is none. Who reads an expression and who asks for
    its literals share them: they are most of what a search costs before it begins."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _sre_parser.parse(expression)


def recall(needles: Mapping[LinePattern, tuple[Needle, ...]]) -> None:
    """Take it that these are the literals of patterns, as an earlier process found them."""
    _RECALLED.update(needles)


def needles_of(pattern: LinePattern) -> tuple[Needle, ...]:
    """What a line that meets the pattern holds at least one of: of its own `has` and of what its expression
    shows the rarer ones."""
    recalled = _RECALLED.get(pattern)
    return _needles_of(pattern) if recalled is None else recalled


@lru_cache(maxsize=4096)
def _needles_of(pattern: LinePattern) -> tuple[Needle, ...]:
    parsed = parsed_of(pattern.pattern)
    caseless = bool(parsed.state.flags & re.IGNORECASE) or (
        _CASELESS.search(pattern.pattern) is not None and _ignores_case(parsed)
    )
    own, shown = frozenset(pattern.has), required(parsed)
    strings = own if own and _rarity(own) + _GIVEN >= _rarity(shown) else shown
    lowered = (text.lower() if caseless else text for text in strings)
    return tuple(
        Needle(text, caseless)
        for text in _shortest({_ended(each.encode(errors="replace")) for each in lowered})
    )


def shown_in(expression: str, *, lower: bool = False) -> tuple[tuple[str, ...], ...]:
    """Sets of a few strings, the rarest first, of each of which every match of an expression holds one; in lower case
    where a match may have either."""
    parsed = parsed_of(expression)
    if not lower and (parsed.state.flags & re.IGNORECASE or _ignores_case(parsed)):
        return ()
    told = {trimmed for each in _sets(parsed, _MOST_SHOWN) if (trimmed := _trimmed(each))}
    if lower:
        return tuple(tuple(sorted({text.lower() for text in each})) for each in told)
    # A line is mostly asked because it names a kind of error: that is looked at last.
    ordered = sorted(told, key=lambda each: (any(text.endswith("Error:") for text in each), -_rarity(each)))
    return tuple(_common_to(each) for each in ordered)


def _common_to(strings: frozenset[str]) -> tuple[str, ...]:
    """Fewer strings, words among them, of which each of these holds one."""
    left, found = strings, []
    while left:
        words = Counter(word for text in left for word in {text, *_LONG_WORDS.findall(text)})
        found.append(max(words, key=lambda word: (words[word], len(word), word)))
        left = frozenset(text for text in left if found[-1] not in text)
    return tuple(found)


@lru_cache(maxsize=8)
def represented(told: frozenset[Needle]) -> Mapping[Needle, Needle]:
    """For each literal the one to look for: a shorter one that it holds, where one long enough is among them."""
    by_beginning: dict[bytes, list[Needle]] = defaultdict(list)
    for each in told:
        if not each.caseless and len(each.text) >= _LEAST_OF_ALL:
            by_beginning[each.text[:_LEAST_OF_ALL]].append(each)
    return {
        each: each if each.caseless else min(_held_by(each.text, by_beginning), key=_size, default=each)
        for each in told
    }


def _held_by(text: bytes, by_beginning: Mapping[bytes, Sequence[Needle]]) -> Iterator[Needle]:
    """The literals that a text holds."""
    for start in range(len(text) - _LEAST_OF_ALL + 1):
        for each in by_beginning.get(text[start : start + _LEAST_OF_ALL], ()):
            if text.startswith(each.text, start):
                yield each


def _size(needle: Needle) -> int:
    return len(needle.text)


def _shortest(texts: Iterable[bytes]) -> list[bytes]:
    """The texts without those that hold another of them, in order: a line with the longer one holds the shorter."""
    told = set(texts)
    return sorted(text for text in told if not any(other != text and other in text for other in told))


def required(parsed: Any, most: int = _MOST) -> frozenset[str]:
    """The rarest set of strings, each of 4 characters or more, of which every match holds one; empty without one."""
    found = [trimmed for each in _sets(parsed, most) if (trimmed := _trimmed(each))]
    return max(found, key=_rarity, default=frozenset())


def _sets(parsed: Any, most: int) -> Iterator[frozenset[str]]:
    runs = _Runs()
    for name, value in _flat(parsed):
        if name in _ZERO_WIDTH:
            continue
        exact = _exact_of(name, value)
        if exact is not None:
            runs.extend(exact)
        elif name in _REPEATS and value[0] > 0:
            inner = _exact(value[2])
            runs.extend(inner)
            runs.close(inner or frozenset(("",)))
            yield from _sets(value[2], most)
        else:
            runs.close()
            if name is _sre.BRANCH and (union := _union(value[1], most)):
                yield union
    runs.close()
    yield from runs.sets


def _flat(parsed: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a sequence, those of plain groups among them, and letters behind each other as one text."""
    text = ""
    for name, value in _unfolded(parsed):
        if name is _sre.LITERAL:
            text += chr(value)
            continue
        if text:
            yield _TEXT, text
            text = ""
        yield name, value
    if text:
        yield _TEXT, text


def _unfolded(parsed: Any) -> Iterator[tuple[Any, Any]]:
    for name, value in parsed:
        if name is _sre.SUBPATTERN:
            yield from _unfolded(value[3])
        elif name is _sre.ATOMIC_GROUP:
            yield from _unfolded(value)
        else:
            yield name, value


def _ignores_case(parsed: Any) -> bool:
    """Whether a part of an expression takes letters of either case."""
    for name, value in parsed:
        if name is _sre.SUBPATTERN:
            parts = [value[3]]
            if value[1] & re.IGNORECASE:
                return True
        else:
            parts = value[1] if name is _sre.BRANCH else [value[2]] if name in _REPEATS else []
        if any(_ignores_case(part) for part in parts):
            return True
    return False


def _union(branches: Any, most: int) -> frozenset[str]:
    """A string of every branch; none where one branch shows none."""
    each = [required(branch, most) for branch in branches]
    union = frozenset().union(*each)
    return union if all(each) and len(union) <= most else frozenset()


def _exact(parsed: Any) -> frozenset[str] | None:
    """All the texts that a sequence matches, where they are few."""
    strings = frozenset(("",))
    for name, value in _flat(parsed):
        part = frozenset(("",)) if name in _ZERO_WIDTH else _exact_of(name, value)
        if part is None or len(strings) * len(part) > _MOST:
            return None
        strings = frozenset(left + right for left in strings for right in part)
    return strings


def _exact_of(name: Any, value: Any) -> frozenset[str] | None:
    if name is _TEXT:
        return frozenset((value,))
    if name is _sre.IN:
        plain = all(kind is _sre.LITERAL for kind, _ in value) and len(value) <= SHORTEST
        return frozenset(chr(code) for _, code in value) if plain else None
    if name is _sre.BRANCH:
        branches = [_exact(branch) for branch in value[1]]
        if None in branches:
            return None
        union: frozenset[str] = frozenset().union(*(each for each in branches if each is not None))
        return union if len(union) <= _MOST else None
    if name in _REPEATS and value[1] == 1:
        inner = _exact(value[2])
        return inner if inner is None or value[0] else inner | {""}
    return None


def _trimmed(strings: frozenset[str]) -> frozenset[str]:
    """The strings without blanks at their ends, which say little; none where one of them is too short."""
    cut = frozenset(text.strip() if len(text.strip()) >= _BLANK_CHARS else text for text in strings)
    if any(len(text.encode(errors="replace")) < SHORTEST for text in cut):
        return frozenset()
    # One that holds another is met with it.
    return frozenset(text for text in cut if not any(other != text and other in text for other in cut))


def _rarity(strings: frozenset[str]) -> float:
    """How rare a line is that holds one of the strings: the commonest decides."""
    return min((_weight(text) for text in strings), default=-math.inf) - _ALTERNATIVE * len(strings)


@lru_cache(maxsize=32768)
def _weight(text: str) -> float:
    said = _WORDS.findall(text.lower())
    # Common words are rare together.
    common = sum(len(word) for word in said if word in _COMMON or len(word) < 3) / math.sqrt(
        max(1, len(said))
    )
    return (
        min(len(text.strip()), _LONG_CHARS)
        - 0.8 * common
        - (_SHORT if len(text.strip()) < _SHORT_CHARS else 0)
    )


@lru_cache(maxsize=8192)
def _ended(text: bytes) -> bytes:
    """A literal without the end that other text has too."""
    if len(text) <= _ENDS_FROM:
        return text
    ends = range(_ENDS_FROM, len(text) + 1)
    return text[: max(ends, key=lambda end: end_rarity(text[max(0, end - _SEEN_BYTES) : end]))]


def end_rarity(text: bytes) -> float:
    """How rare the last bytes of a literal are, in bits; few where they are, or begin, a word that is in most logs."""
    word = _LAST_WORD.search(text.decode("latin-1").lower())
    common = _common_end(word.group()) if word else 0
    return sum(map(_RARE.__getitem__, text[-_END_BYTES:])) - _COMMON_BITS * common


@lru_cache(maxsize=8192)
def _common_end(letters: str) -> int:
    """How many of the last letters begin a word that is in most logs."""
    return max(
        (len(letters) - at for at in range(len(letters) - 2) if letters[at:] in _BEGINNINGS), default=0
    )


def _rare_bytes() -> list[float]:
    """How rare each byte is in logs, in bits: English letters by their frequency, signs and capitals rarer."""
    bits = [7.0] * 256
    for signs, rare in ((" ", 3.0), ("0123456789_:./=,-", 5.5), ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 7.5)):
        for sign in signs:
            bits[ord(sign)] = rare
    for place, letter in enumerate("etaoinsrhldcumfpgwybvkxjqz"):
        bits[ord(letter)] = 3.8 + 0.035 * place + 0.006 * place**2
    return bits


_RARE = _rare_bytes()
_BEGINNINGS = frozenset(word[:end] for word in _COMMON for end in range(3, len(word) + 1))
