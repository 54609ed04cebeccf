"""Tables with a row a step: of notebooks (with tabs or blanks), of Markdown, drawn with lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from liverl.log.beside import MAY_MEAN
from liverl.log.formats.cells import (
    counted_name,
    first_name,
    first_of,
    has_asides,
    has_parts,
    is_end,
    is_nothing,
    is_of_all,
    is_step_name,
    is_steps,
    key_of,
    last_of,
    mean_of,
    scale_of,
    share_of,
    step_of,
    value_of,
)
from liverl.log.formats.line import headless
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.names import VALIDATION, verl_names
from liverl.log.shorthand import SHORT, plain
from liverl.log.words import is_right

NEEDLES = (
    b"Training Loss", b"reward_std", b"Step\t", b"step\t", b"Step  ", b"step  ",
    *(
        word
        for bar in ("|", "│", "┃")
        for each in ("Step", "step", "Iter", "iter", "**Step", "**step", "Global", "global")
        for word in (f"{bar} {each}".encode(), f"{each} {bar}".encode())
        if "*" not in each or word.endswith(each.encode())
    ),
    *(f"{bar} {word}".encode() for bar in "|│┃" for word in (
        "Epoch", "epoch", "Round", "round", "Window", "window",
        "步", "区间", "阶段", "轮", "窗口", "训练步", "단계", "스텝", "구간", "ステップ",
    )),
    b"|step", b"|Step", b"**Step", b"**step", b"teration |", b"pisode |", b"| Episode", b"| episode", b"| rollout |",
    b"| batch |", b"| Batch |", b"| Phase |", b"| update", b"| Update", b"| metric |", b"| Metric |",
    b"| init |", b"| base |", b"| stat |", b"| upd |", b"\n| | ", b" it |", b"| ckpt |",
    b"| checkpoint |",
    # A table with commas among lines of text begins with its step.
    b"\nstep,", b"\nStep,", b"\nglobal_step,", b"\niteration,",
)  # fmt: skip
_WITH_COMMAS = (b"step,", b"Step,", b"global_step,", b"iteration,")
_SIGNS = (b"|", b"\t", "│".encode(), "┃".encode(), b"Training Loss", b"reward_std", b"Step  ", b"step  ")
_BARS = re.compile("[│┃║|]")
_MEAN_REWARD = re.compile(r"(?:mean|avg|average|train|training)[ _/]reward|reward[ _/](?:mean|avg|average)")
# What a part of a GPU's work was used for is told of a training alone; and verl's names of times and lengths.
_OF_USE = re.compile(r"(?i)\btrain_tflops\b|\bmfu\b")
_OF_VERL = re.compile(
    r"(?:timing_s/(?:gen|step|update_\w+|old_log_prob|reward|adv)|(?:response|completion)_length(?:/mean)?"
    r"|completions/mean_length|(?:perf/)?(?:cpu_memory_used|max_memory_(?:allocated|reserved))_gb)$"
)
_WIDE = re.compile(r"\t+| {2,}")
_WORD, _WORD_WITHIN = re.compile(r"[\w./@()+%#-]+"), re.compile(r"\S+")
# Two names that a single blank parts, and no name of two words.
_TWO_NAMES = re.compile(r"[A-Za-z]\w*[_/]\w+ [A-Za-z]\w*[_/]\w+")
# Words with a blank between them in the headers and cells of notebooks.
_TOGETHER = (
    (" / ", "/"),
    ("Training Loss", "Training_Loss"),
    ("Validation Loss", "Validation_Loss"),
    ("No Log", "—"),
)
_LONGEST, _LONGEST_NAME = 4000, 60
# What counts the steps of a small run, beside what reinforcement learning alone has.
_EPOCH = re.compile(r"(?i)[*`\s]*(?:epochs?|rounds?|windows?|轮次|轮数|에폭|エポック)[*`\s]*")
_OF_RL = frozenset(("critic/score/mean", "actor/kl_loss", "actor/ppo_kl", "reward/zero_std_share"))
_OF_PAIRS = frozenset(("rewards/chosen", "rewards/rejected", "rewards/margins", "rewards/accuracies"))
# What is told of a training in a table of its own.
_ALONE = frozenset((VALIDATION, "reward/format"))
_PART = re.compile(r"[*`\s]*\d{1,4}\.\d{1,6}[*`\s]*")
# `20 (val)`: the row tells a validation's score.
_VALIDATED = re.compile(r"\((?:val|eval)", re.IGNORECASE)
# How far from its name's a value's beginning, or its end, may stand.
_OFF = 4
# Lines without a row, after which no more rows are expected.
_GAP = 12
_FEWEST_KNOWN, _FEWEST_COMMAS = 2, 2

Split = Callable[[str], list[str]]


@dataclass(frozen=True)
class _Columns:
    """How lines are parted, in how many cells, where the step stands, and the names and scales of the metrics."""

    split: Split
    count: int
    step: int
    metrics: tuple[tuple[int, str, float], ...]
    is_blank: bool
    # What reads a cell, of the columns whose cells are more than a value.
    readers: Mapping[int, Callable[[str], float | None]] = field(default_factory=dict)
    # Where in the header the names stand that blanks part.
    places: tuple[tuple[int, int], ...] = ()
    # Whether the rows may tell parts of epochs, which are counted.
    of_epochs: bool = False

    def row(self, text: str, last: int | None = None) -> tuple[int, dict[str, float]] | None:
        """The step and the metrics of a line; None where it is no row. `last` is the step of the row before."""
        cells = self.split(text)
        if self.is_blank and len(cells) == self.count + 1:
            cells = cells[1:]  # pandas numbers its rows
        elif self.places and len(cells) < self.count:
            cells = self._placed(text)
        if len(cells) != self.count:
            return None
        step = step_of(cells[self.step])
        if self.of_epochs and _PART.fullmatch(cells[self.step]):
            step = (last or 0) + 1
        if step is None and last is not None and not self.is_blank and is_end(cells[self.step]):
            step = last + 1
        if step is None:
            return None
        if is_steps(cells[self.step]):
            cells = [last_of(each) for each in cells]
        row: dict[str, float] = {}
        for at, name, scale in self.metrics:
            tell = self.readers.get(at, value_of)
            value = None if self.is_blank and cells[at] == "NaN" else tell(cells[at])
            if value is not None:
                row.setdefault(name, value * (1 if "%" in cells[at] else scale))
            elif self.is_blank and not (cells[at] in ("NaN", "") or is_nothing(cells[at])):
                return None
        if row and _VALIDATED.search(cells[self.step]):
            row = _validated(row)
        return (step, row) if row else None

    def _placed(self, text: str) -> list[str]:
        """The cells of a line in which some are left blank, each below the name that it begins or ends next to; none
        where one stands below no name, or two below the same."""
        found, last_at = [""] * self.count, -1
        for word in _WORD_WITHIN.finditer(text.expandtabs()):
            begin, end = word.span()
            off = [min(abs(begin - first), abs(end - last)) for first, last in self.places]
            at = min(range(self.count), key=off.__getitem__)
            if off[at] > _OFF or at <= last_at:
                return []
            found[at], last_at = word.group(), at
        return found


class Grid:
    """A table from its header on; `follow` is how many lines more it wants to see."""

    def __init__(self, columns: list[_Columns], has_heads: bool = False) -> None:
        self._columns = columns
        self._has_heads = has_heads
        self._last: int | None = None
        self.follow = _GAP

    def row(self, text: str) -> tuple[int, dict[str, float]] | None:
        """The step and the metrics of a line; None where it is no row of the table."""
        self.follow -= 1
        if len(text) <= _LONGEST:
            text = headless(text) if self._has_heads else text
            for each in self._columns:
                if found := each.row(text, self._last):
                    self.follow, self._last = _GAP, found[0]
                    return found
        return None


def may_begin(raw: bytes) -> bool:
    """Whether a raw line may be a header: a cheap look."""
    return len(raw) <= _LONGEST and (any(each in raw for each in _SIGNS) or raw.startswith(_WITH_COMMAS))


def begun_by(text: str, fewest_known: int = _FEWEST_KNOWN) -> Grid | None:
    """The table whose header a line is; None where it is none.

    Where no metric is one that only a training has, `fewest_known` have to be known.
    """
    text = text.rstrip("\r\n")
    if len(text) > _LONGEST:
        return None
    bare = headless(text)
    return _begun(text, fewest_known) or (
        _begun(bare, fewest_known, has_heads=True) if bare != text else None
    )


def _begun(text: str, fewest_known: int, has_heads: bool = False) -> Grid | None:
    text = text.replace("|g|", "grad_norm")  # its bars part no cells
    splits: tuple[Split, ...] = (_by_blanks, _by_words)
    if len(_BARS.findall(text)) > 1:
        splits = (_by_bars,)
    elif "\t" in text:
        splits = (_by_tabs,)
    elif text.encode().startswith(_WITH_COMMAS) and " " not in text and text.count(",") >= _FEWEST_COMMAS:
        splits = (_by_commas,)
    found = [columns for split in splits if (columns := _columns(split, text, fewest_known)) is not None]
    return Grid(found, has_heads) if found else None


def _columns(split: Split, text: str, fewest_known: int) -> _Columns | None:
    cells = split(text)
    step = next((at for at, cell in enumerate(cells) if is_step_name(cell)), None)
    if step is None and split is _by_bars and cells and _EPOCH.fullmatch(cells[0]):
        step = 0
    if step is None or len(cells) < 2 or any(len(cell) > _LONGEST_NAME for cell in cells[step:]):
        return None
    is_blank = split in (_by_blanks, _by_words)
    if is_blank and (step or not all(_is_name(cell) for cell in cells)):
        return None
    # A name beside the step's may be any word, but for what a training alone has.
    if (
        is_blank
        and len(cells) <= fewest_known
        and not (len(cells) == 2 and known_of(cells[1:]) & OF_A_TRAINING)
    ):
        return None
    if split is _by_blanks and any(_TWO_NAMES.search(cell) for cell in cells):
        return None
    metrics = [
        (at, key_of(_name(cell)), scale_of(cell))
        for at, cell in enumerate(cells)
        if at != step and cell.strip(" *`") and not is_step_name(cell)
    ]
    known = known_of(name for _, name, _ in metrics)
    of_epochs = _EPOCH.fullmatch(cells[step]) is not None
    if of_epochs and not (known & _OF_RL or any(name in _OF_PAIRS for _, name, _ in metrics)):
        return None  # any training of a model goes on in epochs
    if not (
        known & OF_A_TRAINING
        or len(known) >= fewest_known
        or (
            split is _by_bars
            and (
                _sums_up(cells, known)
                or (len(metrics) == 1 and (known & _ALONE or is_right(metrics[0][1])))
                or (known and any(name.lower() in MAY_MEAN or plain(name) in SHORT for _, name, _ in metrics))
                or any(_OF_VERL.match(name) or _OF_USE.search(name) for _, name, _ in metrics)
            )
        )
    ):
        return None
    readers = {
        at: read for at, cell in enumerate(cells) if split is _by_bars and (read := _reader(cell)) is not None
    }
    places = (
        tuple(word.span() for word in _WORD_WITHIN.finditer(text.expandtabs())) if split is _by_words else ()
    )
    places = places if len(places) == len(cells) else ()
    return _Columns(split, len(cells), step, tuple(metrics), is_blank, readers, places, of_epochs)


def _name(header: str) -> str:
    """What names the metric of a column that says more beside it."""
    if has_asides(header):
        return first_name(header)
    return counted_name(header) if is_of_all(header) else header


def _reader(header: str) -> Callable[[str], float | None] | None:
    """What reads the cells of a column of several numbers; None where each is a value."""
    if is_of_all(header):
        return share_of
    return mean_of if has_parts(header) else first_of if has_asides(header) else None


def _validated(row: dict[str, float]) -> dict[str, float]:
    """The scores of a row that tells a validation: those named so, else what is called the reward elsewhere."""
    named = {name: value for name, value in row.items() if VALIDATION in (name, *verl_names(name))}
    if named:
        return named
    scores = [value for name, value in row.items() if "critic/score/mean" in (name, *verl_names(name))]
    return {VALIDATION: scores[0]} if scores else {}


def _sums_up(cells: list[str], known: frozenset[str]) -> bool:
    """Whether a table tells the rewards of many episodes: an agent's own step has one, and no mean of them."""
    names = [cell.strip(" *`").lower() for cell in cells]
    return "critic/score/mean" in known and any(_MEAN_REWARD.search(name) or name == "std" for name in names)


def _is_name(cell: str) -> bool:
    return any(each.isalpha() for each in cell) and all(_WORD.fullmatch(word) for word in cell.split())


def _by_bars(text: str) -> list[str]:
    cells = [each.strip() for each in _BARS.split(text.strip())]
    begin = 0 if cells[0] else 1
    return cells[begin : None if cells[-1] else -1]


def _by_tabs(text: str) -> list[str]:
    return [each.strip() for each in text.split("\t")]


def _by_commas(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]


def _by_blanks(text: str) -> list[str]:
    return _WIDE.split(text.strip())


def _by_words(text: str) -> list[str]:
    for apart, together in _TOGETHER:
        text = text.replace(apart, together)
    return text.split()
