"""A log as a collector of logs has kept it: each line of a program behind a container's name, a rank or a time.

mending   what makes of its lines those that the program printed; None where no collector wrote a text
told_by   a file's text so mended
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import orjson

# A longer log is read as it stands: most of what is looked for is found behind such marks too.
MOST_BYTES = 64 << 20
_PIECE_BYTES = 1 << 20
_FEWEST_LINES = 4
# A line may be the collector's own, or another program's.
_SHARE = 0.95
_TIME = rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)"
_COLOUR = rb"(?:\x1b\[[\d;]*m)*"
# What the kubelet keeps (CRI): a time, which stays, the stream, and whether the line goes on (P) or ends (F).
_KUBELET = re.compile(rb"(" + _TIME + rb") std(?:out|err) ([FP])(?: |$)")
# `kubectl logs --prefix`, `docker compose logs`, `srun --label`.
_MARKS = tuple(
    re.compile(mark, re.MULTILINE)
    for mark in (
        rb"^\[(?P<name>pod/[\w.-]{1,120}/[\w.-]{1,80})\](?: |$)",
        rb"^" + _COLOUR + rb"(?P<name>[A-Za-z][\w.-]{0,60}[-_]\d{1,3}) +\|" + _COLOUR + rb"(?: |$)",
        rb"^ {0,3}(?P<name>\d{1,4}):(?: |$)",
    )
)
# `ts`, syslog and journalctl: a time, behind which syslog names the host and the process.
_CLOCK = rb"(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
# Platforms of jobs say beside it to which stream a line was written.
_STREAM = rb"(?: \[?std(?:err|out)\]?[:|]?)?"
_STAMPS = (
    re.compile(rb"^\[?(?P<day>20\d\d-\d\d-\d\d)[ T]" + _CLOCK + rb"\]?(?P<name>)" + _STREAM + rb"(?: |$)",
               re.MULTILINE),
    re.compile(rb"^(?P<month>[A-Z][a-z]{2}) (?P<date>[ \d]\d) " + _CLOCK
               + rb"(?P<name>(?: [\w.-]{1,80} [\w./@-]{1,80}\[\d{1,9}\]:)?)(?: |$)", re.MULTILINE),
    re.compile(rb"^(?P<day>20\d\d-\d\d-\d\d)T" + _CLOCK + rb"(?:Z|[+-]\d\d:?\d\d)"
               + rb"(?P<name> [\w.-]{1,80} [\w./@-]{1,80}\[\d{1,9}\]:)(?: |$)", re.MULTILINE),
)  # fmt: skip
_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")
# What no logger of a program puts behind its own time: then it is somebody else's.
_UNLOGGED = re.compile(
    rb"[ \t]|\(\w[\w.:-]{0,80}[ ,]|Traceback \(|\+ \w|\[?20\d\d-\d\d-\d\d[ T]\d\d:|\w[\w ]{0,40}: +\d{1,3}%\|"
)
_PRINTED = re.compile(r"\s|$|Traceback \(|[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b")
# The keys under which collectors keep a line: Docker's json-file, CloudWatch, Loki, Google's and others.
_KEYS = ("log", "message", "textPayload", "line", "msg")
_LEVELS = ("level", "levelname", "severity")
_LOUD = ("ERROR", "CRITICAL", "FATAL")
# What else a line has beside its text without telling more of the run: when, where and by whom it was said.
_ABOUT = re.compile(
    r"(?i)@?(?:(?:log|event|receive|received|ingestion|created?)?_?time(?:stamp)?(?:_?(?:ns|ms))?|asctime|datetime|ts"
    r"|date|created|msecs|relativecreated|level(?:name|no)?|severity(?:text)?"
    r"|logger(?:_?name)?|name|stream|tag|tags|host(?:_?name)?|node(?:_?name)?|pod(?:_?name)?|namespace(?:_?name)?"
    r"|container(?:_?(?:name|id|image))?|kubernetes|docker|k8s|labels|resource|logname|log_?(?:group|stream)|insertid"
    r"|source(?:_?type)?|service|app|env|environment|version|pid|process(?:_?(?:name|id))?|tid|thread(?:_?(?:name|id))?"
    r"|task_?name|file(?:name)?|func(?:_?name)?|function|line_?no|module|path_?name|caller|rank|local_?rank|world_?size"
    r"|partition|offset|seq|attrs|_p|trace(?:_?id)?|span(?:_?id)?|job_?id|actor_?id|worker_?id|node_?id|task_?id)"
)


def mending(head: bytes) -> Callable[[bytes], bytes] | None:
    """What takes from whole lines what a collector put before each, where those of a text's head have it.

    Lines of several containers or ranks keep their marks: they say who said it.
    """
    lines = [line for line in head.split(b"\n")[:-1] if line.strip()]
    if len(lines) < _FEWEST_LINES:
        return None
    most = _SHARE * len(lines)
    if key := _key_of(lines):
        return lambda text: _joined(_of_json(line, key) for line in text.split(b"\n"))
    if sum(_KUBELET.match(line) is not None for line in lines) >= most:
        return lambda text: _joined(map(_of_kubelet, text.split(b"\n")))
    for mark in _MARKS:
        names = [found["name"] for line in lines if (found := mark.match(line))]
        if len(names) >= most and len(set(names)) == 1:
            return partial(mark.sub, b"")
    for stamp in _STAMPS:
        marks = [told for line in lines if (told := stamp.match(line))]
        if len(marks) < most or len({told["name"] for told in marks}) != 1:
            continue
        if marks[0]["name"] or any(_UNLOGGED.match(told.string, told.end()) for told in marks):
            return partial(stamp.sub, _restamped)
    return None


def _restamped(told: re.Match[bytes]) -> bytes:
    """The time that was found, as containers' logs have it, without a zone; nor a year where none is told."""
    groups = told.groupdict()
    if (day := groups.get("day")) is None:
        month = groups["month"]
        if month not in _MONTHS:
            return told.group()
        day = b"%02d-%02d" % (_MONTHS.index(month) + 1, int(groups["date"]))
    clock, _, part = groups["clock"].replace(b",", b".").partition(b".")
    return day + b"T" + clock + b"." + part.ljust(6, b"0") + b" "


def _joined(lines: Iterable[tuple[bytes, bytes, bool]]) -> bytes:
    """The lines, each with its time; what was cut in pieces is one again, and blank lines stand for the rest of it."""
    told: list[bytes] = []
    held, blank = b"", 0
    for time, text, ends in lines:
        held += text if blank else time + text
        if not ends:
            blank += 1
            continue
        told += [held, *(b"" for _ in range(blank))]
        held, blank = b"", 0
    if blank:
        told += [held, *(b"" for _ in range(blank - 1))]
    return b"\n".join(told)


def _of_kubelet(line: bytes) -> tuple[bytes, bytes, bool]:
    found = _KUBELET.match(line)
    return (b"", line, True) if found is None else (found[1] + b" ", line[found.end() :], found[2] == b"F")


def told_by(mend: Callable[[bytes], bytes], descriptor: int, size: int) -> Iterator[bytes]:
    """The first bytes of a file as its program printed them, about a mebibyte at a time; each line at its number."""
    at, held = 0, b""
    while at < size and (piece := os.pread(descriptor, min(_PIECE_BYTES, size - at), at)):
        at += len(piece)
        whole, end, held = (held + piece).rpartition(b"\n")
        yield mend(whole + end)
    yield mend(held)


def _key_of(lines: Sequence[bytes]) -> str:
    """Under which key each line keeps one line of text; "" where they do not."""
    if not lines[0].startswith(b"{"):
        return ""
    rows = [row for line in lines if (row := _row(line)) is not None]
    if len(rows) < _SHARE * len(lines):
        return ""
    for key in _KEYS:
        said = [text.rstrip("\n") for row in rows if isinstance(text := row.get(key), str)]
        is_one_line = len(said) >= _SHARE * len(lines) and not any("\n" in text for text in said)
        if is_one_line and not all(_tells_more(row, key) for row in rows):
            return key
    return ""


def _tells_more(row: Mapping[str, object], key: str) -> bool:
    """Whether a row says more than its text, as an exception or metrics under keys of their own: it would be lost."""
    return any(
        value not in (None, "", [], {}) and name != key and _ABOUT.fullmatch(name) is None
        for name, value in row.items()
    )


def _of_json(line: bytes, key: str) -> tuple[bytes, bytes, bool]:
    row = _row(line)
    if row is None or not isinstance(text := row.get(key), str) or _tells_more(row, key):
        return b"", line, True
    # Docker cuts what is longer than 16 KiB, and tells the line's end where it is.
    ends = key != "log" or "stream" not in row or text.endswith("\n")
    text = text.rstrip("\n").replace("\n", " ")
    time = row.get("time") if key == "log" else None
    stamp = f"{time} " if isinstance(time, str) and re.fullmatch(_TIME, time.encode()) else ""
    level = next((str(row[name]).upper() for name in _LEVELS if name in row), "")
    # A frame of a traceback, an exception and what tells its level itself stay as they are.
    is_told = level not in _LOUD or _PRINTED.match(text) is not None or level in text[:60].upper()
    return stamp.encode(), (text if is_told else f"{level} {text}").encode(), ends


def _row(line: bytes) -> dict[str, object] | None:
    try:
        row = orjson.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
