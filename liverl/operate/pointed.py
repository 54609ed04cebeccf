"""Commands of write-ups, which speak of the newest run, pointed at what was diagnosed: a run by its name, or a file."""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

_NAMED = re.compile(r"\bliverl (trials|logs|status|diagnose)\b")
_SHOW = re.compile(r"\bliverl show\b")
# What a person runs on a log of their own; it stands for that log.
_LOG = re.compile(r"(?:\bgrep (?P<options>-[\w -]+?) (?P<sought>'[^']*'|\"[^\"]*\") )?\bRUN\.log\b")
_SEARCH = re.compile(r"\bliverl logs\b[^|;]*--grep ('[^']*')[^|;]*")
# The defaults of infrastructure.litellm_port and ray_port, which write-ups name.
_PORTS = {"litellm": 8002, "ray": 6379}
_GREPS = {".gz": "zgrep", ".bz2": "bzgrep", ".xz": "xzgrep"}
# What is packed as a folder is unpacked to be searched.
_UNPACKED = (
    (re.compile(r"\.(?:tar(?:\.\w{2,3})?|tgz|tbz2?|txz)$"), "tar -xOf"),
    (re.compile(r"\.zip$"), "unzip -p"),
)
_OF_A_RUN = re.compile(r"\bliverl (?!diagnose\b)")


def at_run(command: str, name: str, ports: Mapping[str, int] | None = None) -> str:
    """The command about a run of that name, with its own ports in the place of the usual ones."""
    named = shlex.quote(name)
    for what, usual in _PORTS.items():
        if own := (ports or {}).get(what):
            command = re.sub(rf"\b{usual}\b", str(own), command)
    command = _SHOW.sub(lambda _: f"liverl show --run {named}", command)
    command = _NAMED.sub(lambda found: f"{found[0]} {named}", command)
    return command.replace("liverl compare RUN ", f"liverl compare {named} ")


def at_file(command: str, path: Path) -> str:
    """The command about a file that somebody has; "" where it looks at what only a run of LiveRL has."""
    text = str(path)
    named = shlex.quote(f"./{text}" if text.startswith("-") else text)
    program = _GREPS.get(path.suffix, "grep")
    is_utf16 = _is_utf16(path)
    unpack = next((each for name, each in _UNPACKED if name.search(path.name)), "")

    def search(options: str, sought: str) -> str:
        asked = f"{options} {sought}"
        if unpack:
            return f"{unpack} {named} | grep {asked}"
        return f"iconv -f UTF-16 {named} | grep {asked}" if is_utf16 else f"{program} {asked} {named}"

    if _OF_A_RUN.search(_SEARCH.sub("", command)):
        return ""
    command = _LOG.sub(
        lambda found: search(found["options"], found["sought"]) if found["options"] else named, command
    )
    # -a: one NUL in a log makes grep say "binary file matches", and nothing else.
    command = _SEARCH.sub(lambda found: search("-anP", found[1]), command)
    return re.sub(r"\bliverl diagnose\b", lambda _: f"liverl diagnose {named}", command)


def _is_utf16(path: Path) -> bool:
    """Whether a file begins with UTF-16's mark, as PowerShell's `>` writes logs: grep finds nothing in its bytes."""
    try:
        with path.open("rb") as file:
            return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    except OSError:
        return False
