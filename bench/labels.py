"""Which write-ups a log's label means, where labels are other people's words.

A label such as `gradient_norm_explosion` is met, in this order, by the write-ups that have it as id, name or label;
by those that say the same in other words (`grad_spike`); by those with a wider label (`cuda_oom` for
`cuda_oom_logprob`); by those with a narrower one; by all of an area that it names (`config_error`). A label that none
of these meets is nobody's mistake: the log is left out of the shares and named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from liverl.diagnose.writeup import WriteUp

# Words that label makers use for one thing; the first stands for all.
_ALIKE = (
    ("blowup", "explosion", "exploded", "explode", "explodes", "runaway", "spike", "spikes", "drift", "diverged",
     "divergence", "growth", "unbounded"),
    ("collapse", "collapsed", "low"),
    ("grad", "gradient", "gradients"),
    ("hang", "hung", "hangs", "stall", "stalled", "stuck", "deadlock", "freeze"),
    ("missing", "absent", "notfound", "unavailable", "gone"),
    ("package", "module", "dependency", "dependencies", "import", "library"),
    ("conflict", "mismatch", "incompatible", "incompatibility"),
    ("host", "ram", "cpu"),
    ("cuda", "gpu", "accelerator"),
    ("sandbox", "container", "pod"),
    ("zero", "constant", "flat"),
    ("truncation", "truncated", "truncating", "clipped", "cutoff"),
    ("update", "train", "training", "backward", "trainer"),
    ("rollout", "generation", "generate"),
    ("died", "dead", "death", "killed", "lost", "down", "unreachable", "crash", "crashed"),
    ("start", "startup", "init", "boot", "launch", "setup"),
    ("timeout", "timeouts", "timedout"),
    ("resources", "resource", "capacity"),
    ("checkpoint", "ckpt"),
    ("weights", "weight"),
    ("val", "validation", "eval", "evaluation"),
    ("throughput", "speed"),
    ("rot", "drop", "degradation", "slowdown"),
    ("length", "len", "verbosity"),
    ("reward", "rewards", "score"),
    ("function", "fn", "func"),
    ("auth", "authentication", "login", "credentials", "token", "key"),
    ("stopped", "cancelled", "canceled", "interrupted", "interrupt", "aborted"),
)  # fmt: skip
_FIRST = {word: group[0] for group in _ALIKE for word in group}
# Words that say only that something went wrong.
_EMPTY = {
    "error", "errors", "failure", "failed", "fail", "bug", "problem", "issue", "norm", "invalid", "wrong", "bad",
}  # fmt: skip
_LONG = 8
_JOINED = (
    (re.compile(r"out_of_memory"), "oom"), (re.compile(r"off_policy"), "offpolicy"),
    (re.compile(r"not_found"), "notfound"), (re.compile(r"blow_up"), "blowup"),
    (re.compile(r"timed_out"), "timeout"), (re.compile(r"response_length"), "length"),
)  # fmt: skip
_AREAS = {"oom": "memory", "docker": "sandbox", "k8s": "sandbox", "container": "sandbox", "gpu": "cuda"}


def meant(category: str, writeups: Sequence[WriteUp]) -> list[WriteUp]:
    """The write-ups that a log's label can mean, none where no write-up knows its words."""
    wanted = _plain(category)
    labels = _by_label(writeups)
    in_area = _of_area(wanted, writeups)
    exact = [*labels.get(wanted, ()), *in_area]
    alike = [each for label, having in labels.items() if words(label) == words(wanted) for each in having]
    if exact or alike:
        return _once([*exact, *alike])
    return _once(_wider(wanted, labels)) or _once(_narrower(wanted, labels))


def words(label: str) -> frozenset[str]:
    """What a label says, in the words that stand for their like; those that say nothing only where nothing else is."""
    plain = _plain(label)
    for pattern, joined in _JOINED:
        plain = pattern.sub(joined, plain)
    said = [_FIRST.get(word, word) for word in plain.split("_") if word]
    return frozenset(word for word in said if word not in _EMPTY) or frozenset(said)


def _wider(wanted: str, labels: Mapping[str, list[WriteUp]]) -> list[WriteUp]:
    """Those with the longest telling label that the wanted one contains."""
    said = words(wanted)
    within = {label: len(words(label)) for label in labels if _tells(words(label)) and words(label) < said}
    longest = max(within.values(), default=0)
    return [each for label, size in within.items() if size == longest for each in labels[label]]


def _narrower(wanted: str, labels: Mapping[str, list[WriteUp]]) -> list[WriteUp]:
    said = words(wanted)
    if not _tells(said):
        return []
    return [each for label, having in labels.items() if said < words(label) for each in having]


def _tells(said: frozenset[str]) -> bool:
    """Whether words tell enough to be part of a longer label: two of them, or a long one such as `truncation`."""
    return len(said) > 1 or len("".join(said)) >= _LONG


def _of_area(wanted: str, writeups: Iterable[WriteUp]) -> list[WriteUp]:
    """All of the area that a label of one word names: `config_error`, `oom`, `hang`."""
    said = words(wanted)
    if len(said) != 1:
        return []
    (word,) = said
    area = {word, _AREAS.get(word, word)}
    return [each for each in writeups if _FIRST.get(each.id.split(":")[0], each.id.split(":")[0]) in area]


def _by_label(writeups: Iterable[WriteUp]) -> dict[str, list[WriteUp]]:
    found: dict[str, list[WriteUp]] = {}
    for each in writeups:
        for label in {each.id, each.id.split(":")[1], *each.labels}:
            found.setdefault(_plain(label), []).append(each)
    return found


def _once(found: Iterable[WriteUp]) -> list[WriteUp]:
    return list({each.id: each for each in found}.values())


def _plain(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
