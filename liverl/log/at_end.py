"""Where a log stands at its end: at which stage of a start, what it waits for, and since when.

stands_at   the facts of docs/writeups.md that are of a log's last lines
silent_s    for how long nothing was written before a person stopped it
stood       what was counted there, and came no further, before a person stopped it
FACTS       their names
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from liverl.log.nearby import TailLine
from liverl.log.segments import said_at
from liverl.log.stages import stage_of
from liverl.record.masking import mask

# What a person reads as the end of a log.
_LAST_LINES = 25
# Others may speak between two lines that say that one waits, and behind the last of them.
_BETWEEN = 3
_KIND_CHARS, _SAID_CHARS = 60, 150
_WAITS = re.compile(
    r"(?i:\bwait(?:ing)?\b(?![ _]?(?:time|s?\b ?[:=]))(?! for application| for init message)"
    r"|\bnot (?:up|ready|reached|available|connected)\b|\bretry(?:ing)?\b|\bstill (?:pending|not|loading|no)\b"
    r"|\bis pending\b|\bno heartbeat\b|\bheartbeat timeout|\bpaused\b|\bpolling\b|\bready=false\b)"
)
# Bars, what NCCL says as its ranks find each other, and that a part is left out as it is not available.
_NO_WAIT = ("%|", "NCCL INFO", "UserWarning: ", "RuntimeWarning: ", "FutureWarning: ", "warnings.warn(")
# A second of nothing else than these says that a process lives, not that it works.
_BEATS = re.compile(
    r'"GET /[\w/.-]{0,60}(?:health|metrics|ping|status|alive|ready|model_info|models)\w* HTTP'
    r"|throughput: 0\.0 tok\w*/s.{0,40}throughput: 0\.0|(?i:\bheart ?beat)|is over \d+% full"
)
# What stands before the words themselves: times, levels, names of loggers and files.
_LEAD = re.compile(
    r"(?:[\[(]?(?:20\d\d[-/]?\d\d[-/]?\d\d|\d\d[:-]\d\d)[\d:.,TZ/+-]{0,30}[\])]?|[\s|:>-]"
    r"|\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|SUCCESS|NOTICE)\b(?::[\w.]{1,60}(?=[:\]]))?[\]:]?|[A-Z] \d+ \d+\]"
    r"|\[?[\w./-]{1,60}\.(?:py|cc|cpp):\d+(?::\w{1,60})?\]?"
    r"|\((?:[\w-]{1,40} )?(?:pid=\d+|[\w-]{1,40})\)|[\w.-]{1,60}:\d+:\d+ \[\d+\] "
    r"|(?:[a-z_]\w{0,40}\.){1,6}\w{1,40}(?=[ :|-]))*"
)
_COUNTED = re.compile(
    r"(?i:\b(?:for|after|elapsed(?: time)?:?|waited|since|silent|iteration)\b[^\d\n]{0,12}|\()"
    r"(\d{1,7}(?:\.\d+)?) ?(s|secs?|seconds?|m|min|minutes?|h|hours?)\b"
)
# A limit that is told is no time that has passed.
_LIMIT = re.compile(
    r"(?i:up to|at most|\bmax|limit|time ?out|giv(?:e|ing) up|abort|within|\bwill\b|every|out of)\W{0,3}\w{0,8}\W{0,3}$"
)
_LIMITED = re.compile(r"(?i:\W{0,3}(?:time ?out|limit|max|at most))")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?=T)")
_DAY_S = 86_400.0
_BAR = re.compile(r"(?<=%)\|[^|]{3,}\|")
_DRAWN = re.compile(r"%\|[^|]{0,400}\| *(?P<done>\d{1,9})/(?P<total>\d{1,9}) \[(?P<lasted>[\d:]{4,12})<")
_BAR_CHARS = 600
# A bar's last piece may be the longest; half an hour, and twenty times what each took before, is none of those.
_STANDS_S, _SLOWER = 1800.0, 20.0
# What is counted on its way to an end, and may be told every few minutes while nothing comes.
_COUNT = re.compile(r"(?<![\w./:])(?P<done>\d{1,9}) ?(?:/|of|out of) ?(?P<total>\d{1,9})(?![\w./:]|\.\d)")
_OF_WORK = re.compile(
    r"(?i:\b(?:rollouts?|samples?|groups?|trajector\w+|episodes?|trials?|prompts?|tasks?|requests?|generat\w+|batch(?:es)?"
    r"|completions?|instances?|complete\w*|finished|done|progress|collected)\b)"
)
_TOLD_AGAIN, _STOOD_S = 3, 600.0
# So many lines before the one that says that somebody stopped it, within so many seconds, belong to that; and so many
# may stand without a time behind the last one before.
_BEFORE_STOP, _STOPPING_S, _UNTIMED = 6, 5.0, 3
# Where the program stood as it was stopped.
_FRAME = re.compile(r"\s|\^CTraceback|Traceback \(most recent")
# Behind it nobody waits any more.
_CAME = re.compile(r"(?i:\b(?:ready|succe\w+|connected|complete\w*|started|done|finished|answers?|placed)\b)")

# What went wrong there says more than the stage of a start, which may not be where it went wrong.
_TROUBLE = re.compile(
    r"(?i:\berror\b|error:|exception|\bfatal\b|\bkilled\b|\bfailed\b|(?<!\bno )(?<!\brecent )failure"
    r"|out of memory|\boom\b|\brefused\b)"
)

Facts = dict[str, float | int | bool | str]
FACTS = frozenset(
    ("at_line", "at_stage", "at_said", "waits", "waits_for", "waits_s", "beats_s", "stopped_after_s")
)


def stands_at(tail: Sequence[TailLine], lines: int, is_start: bool) -> Facts:
    """What the last lines of a log tell of where it stands. `is_start`: no step is told.

    at_line is the number of the last line, at_stage what a start was doing as the log ends (left out where no line
    near the end tells it), at_said the line that tells it, else the last one; waits is how often the last lines say
    that something is waited for, waits_for quotes it, waits_s is for how many seconds, by the times or the counts that
    they tell (left out where they tell none), or for how many a bar stood at the same count; beats_s is for how many
    seconds nothing but polls and heartbeats came.
    """
    told = [each for each in tail if any(char.isalpha() for char in each.text)]
    if not told:
        return {}
    last = told[-1]
    facts: Facts = {"at_line": lines + 1 - last.back, "at_said": _words(last.text)}
    if is_start and (staged := _staged(told)):
        facts |= {"at_stage": staged[0], "at_said": _words(staged[1])}
    facts |= _waiting(told) or _standing(told) or _same_count(told)
    beats = _beats(told)
    if beats is not None:
        facts["beats_s"] = beats
    return facts


def silent_s(tail: Sequence[TailLine], stops: re.Pattern[str]) -> float | None:
    """For how many seconds nothing was written before a person stopped the program, by the time of the first line that
    says so and that of the last line before it all; None where they tell none, or others spoke between them."""
    stop = next((at for at, each in enumerate(tail) if stops.search(each.text)), None)
    if stop is None or _clock(tail[stop]) is None:
        return None
    untimed = frames = 0
    for at in range(stop - 1, -1, -1):
        if _clock(tail[at]) is None:
            untimed += 1
            continue
        seconds = _between(tail[at], tail[stop])
        # What a launcher says of the stop; workers that end at once write in any order.
        is_of_stop = seconds < _STOPPING_S or (seconds > _DAY_S / 2 and _days(tail[at], tail[stop]) is None)
        if not is_of_stop:
            return seconds if untimed <= _UNTIMED else None
        frames += _FRAME.match(tail[at].text) is not None
        if stop - at - frames > _BEFORE_STOP:
            return 0.0
    return None


def stood(tail: Sequence[TailLine], stops: re.Pattern[str]) -> Facts:
    """What was counted and came no further in the lines before a person stopped the program."""
    stop = next((at for at, each in enumerate(tail) if stops.search(each.text)), len(tail))
    return _same_count(tail[:stop])


def _staged(told: Sequence[TailLine]) -> tuple[str, str] | None:
    """The last stage that is told near the end, and the line that tells it; none beside an error."""
    if any(_TROUBLE.search(each.text) for each in told[-_LAST_LINES:]):
        return None
    found = ((stage_of(_own(each.text)), each.text) for each in reversed(told[-_LAST_LINES:]))
    return next((each for each in found if each[0]), None)


def _waiting(told: Sequence[TailLine]) -> Facts:
    """The line that says last that something is waited for, with those of its kind before it."""
    at = next(
        (at for at in range(len(told) - 1, max(-1, len(told) - 1 - _BETWEEN), -1) if _waits(told[at].text)),
        None,
    )
    if at is None or any(_CAME.search(each.text) for each in told[at + 1 :]):
        return {}
    kind, same, others = _kind(told[at].text), [told[at]], 0
    for each in reversed(told[:at]):
        # Two that wait for each other say so in turn.
        if _kind(each.text) == kind or _waits(each.text):
            same.append(each)
            others = 0
        elif (others := others + 1) > _BETWEEN:
            break
    facts: Facts = {"waits": len(same), "waits_for": _words(told[at].text)}
    seconds = max((_between(same[-1], same[0]), _counted(told[at].text)), default=0.0)
    if seconds > 0:
        facts["waits_s"] = seconds
    return facts


def _standing(told: Sequence[TailLine]) -> Facts:
    """A bar that was drawn again and again at the same count, for much longer than it took for each before."""
    found = [(each, bar) for each in told if (bar := _DRAWN.search(each.text[-_BAR_CHARS:]))]
    if not found or told[-1].offset - found[-1][0].offset > _BAR_CHARS:
        return {}
    last, bar = found[-1]
    count, total = bar.group("done", "total")
    same = [each for each in found if each[1].group("done", "total") == (count, total)]
    began, now = _lasted(same[0][1]), _lasted(bar)
    if not 0 < int(count) < int(total) or now - began < max(_STANDS_S, _SLOWER * began / int(count)):
        return {}
    return {"waits": len(same), "waits_for": _words(last.text), "waits_s": now - began}


def _same_count(told: Sequence[TailLine]) -> Facts:
    """A count of finished work that is told again and again, to the letter the same, for ten minutes or longer."""
    counts = [(each, _own(each.text)) for each in told if "%|" not in each.text]
    counts = [(each, own) for each, own in counts if _is_unfinished(own)]
    if not counts:
        return {}
    last, said = counts[-1]
    kind, same = _kind(last.text), []
    for each, own in reversed(counts):
        if own == said:
            same.append(each)
        elif _kind(each.text) == kind:
            break
    seconds = _between(same[-1], last)
    if len(same) < _TOLD_AGAIN or seconds < _STOOD_S:
        return {}
    return {"waits": len(same), "waits_for": _words(last.text), "waits_s": seconds}


def _is_unfinished(own: str) -> bool:
    found = _COUNT.search(own[:400])
    return (
        found is not None
        and int(found["done"]) < int(found["total"])
        and _OF_WORK.search(own[:400]) is not None
    )


def _lasted(bar: re.Match[str]) -> float:
    total = 0
    for part in bar.group("lasted").split(":"):
        total = total * 60 + int(part or 0)
    return float(total)


def _waits(text: str) -> bool:
    return not any(word in text for word in _NO_WAIT) and _WAITS.search(text[:400]) is not None


def _beats(told: Sequence[TailLine]) -> float | None:
    """For how many seconds nothing but polls and heartbeats was written, as far as the last lines reach."""
    first = None
    for each in reversed(told):
        if not _BEATS.search(each.text[:400]):
            break
        first = each
    return None if first is None or first is told[-1] else _between(first, told[-1])


def _between(first: TailLine, last: TailLine) -> float:
    """The seconds between two lines by the times that they tell; 0 where one tells none."""
    one, other = _clock(first), _clock(last)
    if one is None or other is None or first is last:
        return 0.0
    days = _days(first, last)
    return (other - one) % _DAY_S if days is None else days * _DAY_S + other - one


def _days(first: TailLine, last: TailLine) -> int | None:
    """How many days lie between the dates that two lines tell; None where one tells none."""
    told = [_DATE.match(said_at(each.raw, each.text)) for each in (first, last)]
    try:
        one, other = (date.fromisoformat(each.group()) for each in told if each)
    except ValueError:
        return None
    return (other - one).days


def _clock(line: TailLine) -> float | None:
    found = _CLOCK.search(said_at(line.raw, line.text))
    if found is None:
        return None
    hour, minute, second = (float(part) for part in found.groups())
    return hour * 3600 + minute * 60 + second


def _counted(text: str) -> float:
    """The longest time that a line says that it has waited."""
    counted = (
        each
        for each in _COUNTED.finditer(text[:400])
        if not _LIMIT.search(text[: each.start(1)]) and not _LIMITED.match(text, each.end())
    )
    return max((float(each.group(1)) * _UNITS[each.group(2)[0].lower()] for each in counted), default=0.0)


def _kind(text: str) -> str:
    return re.sub(r"\d+", "#", _own(text))[:_KIND_CHARS]


def _own(text: str) -> str:
    """A line without what a logger puts before its words."""
    return _LEAD.sub("", text, count=1) or text


def _words(text: str) -> str:
    """A line's own words as they are quoted, without a bar's blocks; masked before they are cut, as half a secret has
    no form that could be known."""
    said = " ".join(mask(_BAR.sub("|", _own(text))).split())
    return said if len(said) <= _SAID_CHARS else f"{said[: _SAID_CHARS - 1]}…"
