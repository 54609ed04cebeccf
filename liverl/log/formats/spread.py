"""Rows that a console log tells over several lines: pairs below a line with a step, a dict that goes on."""

from __future__ import annotations

import re

from liverl.log.formats import dicts, pairs
from liverl.log.formats.training import is_of_training, known_of
from liverl.log.formats.values import NOT_FINITE, NUMBER, bared, number
from liverl.log.names import verl_names

_BEGINNING = (
    (("Step", "step"), ("\n", "= ", "- ", "* ", "[")),
    (("Iter", "iter", "Iteration", "iteration", "Episode", "episode"), ("\n", "= ", "- ", "[")),
    (("STEP", "Global step", "Training step", "Training Step", "global_step"), ("\n",)),
    (("Step:", "step:", "Iteration:", "Episode:"), ("\n",)),
)
# The words that count a training's steps, where a line begins with them or after a mark: agents' steps are told within
# lines, by the thousands.
# What NeMo-RL says above a step's results, many lines below the step's own; what torchforge says above its metrics.
RESULTS = b"Training Results:"
# ... and of a validation, whose step is told above it.
VALIDATION, VALIDATES = b"Validation Results:", b"Starting validation at step "
NEEDLES = (
    *(f"{before}{word} ".encode() for words, befores in _BEGINNING for word in words for before in befores),
    b"METRICS STEP ",
    b") Step ",  # said by a process of Ray's
    RESULTS,
    VALIDATION,
    VALIDATES,
)
_HEADING = re.compile(
    r"(?i)(?:^|[\s\[\]|:>=*#-])(?:(?:training|train|global|grpo|ppo|rl)[ _-]?)?(?:step|iteration|iter|episode)"
    r"[ :#\[]{1,3}(\d{1,12})(?:\s?(?:/|of)\s?(\d{1,12}))?[^\w%.]*\.?$"
)
_VALIDATES = re.compile(rf"{VALIDATES.decode()}(\d{{1,12}})\b")
_LONGEST_HEADING, _LONGEST_LINE = 160, 1200
_MOST_MISSED = 3
# Its newer versions tell times and sizes between the losses and the mean reward.
_APART, _MOST_APART = frozenset(("Actor Loss", "Critic Loss")), 6
_MOST_LINES, _MOST_DICT_LINES = 160, 160
_FEWEST = 2
_END = " \t|│,;)]}."
_ENDS_BYTES = b" \t\r\n=-*#:]).|>"
_PART = re.compile(r"[\w\s'\"./@+\-()%&\[\]:,]*\}?[^{]*")
_KEY = re.compile(r"['\"] ?:|^['\"]")
_GOES_ON = r"[\s|,]*[A-Za-z_][\w./@-]{0,60}\s?[=:]\s?[-\d.]"
# DeepSpeed-Chat's, below its losses.
_MEAN = r"(?i:(?:average|avg|mean) reward(?: score)? ?[:=])"
_MEAN_REWARD, _CONTINUES = re.compile(_MEAN), re.compile(f"{_GOES_ON}|{_MEAN}")
# A name and its value without a sign between them, in two columns or in a box.
_CELLS = re.compile(
    r"^\s*[|│┃]?\s*(?P<key>[A-Za-z_][\w./@-]*+(?: [\w./@()-]++){0,3}+)(?:\s*[|│┃]\s*|\s{2,60}|\t+)"
    rf"(?P<value>{NUMBER}|{NOT_FINITE})\s?(?P<unit>[%kKM])?$"
)


# What holds the pairs that are indented below it, as EasyR1 prints its metrics: `actor:`, `  rewards:`.
_SECTION = re.compile(r"(\s{0,12})([A-Za-z_][\w./@-]{0,40}):\s*$")
# Several names, each with a value behind it.
_COLUMN = re.compile(rf"([A-Za-z_][\w./@-]*+)\s{{1,24}}({NUMBER}|{NOT_FINITE})(?![^\s])")
_COLUMNS = re.compile(rf"\s*(?:[A-Za-z_][\w./@-]*+\s{{1,24}}(?:{NUMBER}|{NOT_FINITE})(?:\s+|$)){{2,40}}")
_MEASURES = frozenset(("mean", "avg", "max", "min", "std", "clip_ratio", "median"))


class Below:
    """The pairs below a line that tells a step; `follow` is how many lines more it wants to see.

    With `is_whole` that line is a row by itself, which the very next lines may go on with.
    """

    def __init__(
        self,
        step: int,
        total: int | None,
        row: dict[str, float] | None = None,
        form: str = "below",
        is_whole: bool = False,
    ) -> None:
        self.step, self.total, self.form = step, total, form
        # A row whose mean reward stands apart has nothing more behind that.
        self._is_apart = row is not None and row.keys() >= _APART
        self._most_missed = _MOST_APART if self._is_apart else 1 if is_whole else _MOST_MISSED
        self.follow = self._most_missed
        self._left = _MOST_LINES
        self._row = row or {}
        self._is_whole = is_whole
        # The sections that are open, each with how far it is indented.
        self._sections: list[tuple[int, str]] = []

    def join(self, text: str) -> bool:
        """Whether a line tells some more of the step."""
        self._left -= 1
        if not self._is_whole and (section := _SECTION.match(text)):
            return self._open(len(section.group(1)), section.group(2))
        found = _pairs_of(text) if not self._is_whole or _CONTINUES.match(text) else {}
        if self._sections and found:
            found = self._within(len(text) - len(text.lstrip()), found)
        if self._is_whole and not (found.keys().isdisjoint(self._row) and _is_more(text, found)):
            found = {}  # what is told of one answer, or of another step
        more = 0 if self._is_apart else self._most_missed
        self.follow = min(more if found else self.follow - 1, self._left)
        self._row |= found
        return bool(found)

    def _open(self, indent: int, name: str) -> bool:
        """A section begins, within those that are indented less."""
        self._sections = [each for each in self._sections if each[0] < indent] + [(indent, name)]
        self.follow = min(self.follow, self._left)
        return True

    def _within(self, indent: int, found: dict[str, float]) -> dict[str, float]:
        """Pairs with the names of the sections before theirs that they are indented below."""
        self._sections = [each for each in self._sections if each[0] < indent]
        prefix = "".join(f"{name}/" for _, name in self._sections)
        return {f"{prefix}{key}": value for key, value in found.items()}

    @property
    def row(self) -> dict[str, float] | None:
        """The metrics; None where there are none that only a training has."""
        return self._row if is_row(self._row) else None


class Validated(Below):
    """The pairs below the title of a validation's results."""

    @property
    def row(self) -> dict[str, float] | None:
        """The metrics, as those of a validation; None where no score is among them."""
        told = {f"val/{name}": value for name, value in self._row.items()}
        return told if any("val/score" in verl_names(name) for name in told) else None


def validated_at(text: str) -> int | None:
    """The step that a line says is validated; None of any other line."""
    found = _VALIDATES.search(text)
    return int(found.group(1)) if found else None


def is_row(row: dict[str, float]) -> bool:
    """Whether some pairs are a row of a training."""
    return len(row) >= _FEWEST and is_of_training(row)


def _is_more(text: str, found: dict[str, float]) -> bool:
    """Whether a line's pairs go on with the row above it: it is indented, or a mean, or a training alone has it."""
    if text[:1].isspace() or _MEAN_REWARD.match(text):
        return bool(known_of(found))
    return is_of_training(found)


class Rest:
    """A dict whose end its line does not hold; `follow` is 1 while more of it is expected."""

    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._left = _MOST_DICT_LINES
        self.follow = 1

    def join(self, text: str) -> bool:
        """Whether a line goes on with the dict."""
        self._left -= 1
        text = text.strip()
        is_part = _PART.fullmatch(text) is not None and (_KEY.search(text) is not None or text.endswith("}"))
        if not text or not is_part:
            self.follow = 0
            return False
        # A terminal breaks within words.
        self._text += f" {text}" if self._text.endswith(",") else text
        self.follow = 0 if "}" in text or not self._left else 1
        return True

    @property
    def found(self) -> dicts.Told | None:
        """What the dict tells as far as it goes."""
        return dicts.parse(self._text) or dicts.parse_counted(self._text) or dicts.parse_uncounted(self._text)


def may_begin(raw: bytes) -> bool:
    """Whether a raw line may tell a step alone: a cheap look."""
    return len(raw) <= 2 * _LONGEST_HEADING and raw.rstrip(_ENDS_BYTES)[-1:].isdigit()


def heading(text: str) -> Below | None:
    """What follows a line that tells a step and nothing else; None where a line tells more."""
    text = text.strip()
    if len(text) > _LONGEST_HEADING or (found := _HEADING.search(text)) is None:
        return None
    return Below(int(found.group(1)), int(found.group(2)) if found.group(2) else None)


def _pairs_of(text: str) -> dict[str, float]:
    """The pairs of a line that holds nothing else behind them, and no step of its own."""
    text = bared(text).rstrip(_END + "\r\n")
    if not text or len(text) > _LONGEST_LINE or "{" in text or "step:" in text:
        return {}
    return cells_of(text) or pairs.row_until(text) or columns_of(text)


def columns_of(text: str) -> dict[str, float]:
    """The names and values of a line that holds nothing but such, a blank between them; a measure without a name of its
    own (`response_length/mean 900 max 2048`) belongs to the name before it."""
    if not _COLUMNS.fullmatch(text):
        return {}
    row: dict[str, float] = {}
    prefix = ""
    for key, value in _COLUMN.findall(text):
        if "/" in key:
            prefix = key.rpartition("/")[0] + "/"
        name = f"{prefix}{key}" if key in _MEASURES else key
        if (told := number(value)) is not None:
            row.setdefault(name, told)
    return row


def cells_of(text: str) -> dict[str, float]:
    """The name and the value of a line that holds both in columns of their own; nothing of any other line."""
    found = _CELLS.match(text)
    value = number(found.group("value")) if found else None
    if found is None or value is None:
        return {}
    return {pairs.key_of(found.group("key")): pairs.scaled(value, found.group("unit") or "")}
