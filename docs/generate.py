"""Writes the pages of docs/ that are made from the code: `python docs/generate.py [--check]`.

config.md     from the schema of config.yaml
cli.md        from the help of every command
failures.md   from the write-ups of troubleshooting/
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from liverl.cli.arguments import parser
from liverl.config import keys
from liverl.config.schema import RunConfig
from liverl.diagnose.catalogue import catalogue
from liverl.diagnose.writeup import WriteUp

DOCS = Path(__file__).resolve().parent
# argparse wraps its help to the terminal's width.
WIDTH = "100"
_CONFIG_HEAD = """# config.yaml

Generated from the schema by `.venv/bin/python docs/generate.py`. A value is taken from the command line
(`--set KEY=VALUE`), else from `--smoke`, else from `config.yaml`, else from the profile, else it is the default below.
`liverl config show --resolved` prints every value that a run would have here, and where it comes from. A relative path
is meant from the folder of `config.yaml`. Below `verl:` every key of verl's own may stand.
"""
_CLI_HEAD = """# The command line

Generated from the help by `.venv/bin/python docs/generate.py`.
"""


_FAILURES_HEAD = """# Failures that LiveRL knows

Generated from `troubleshooting/` by `.venv/bin/python docs/generate.py`. `liverl diagnose` looks for all of them, in a
run or in any log; each file says symptom, cause, how to be sure, cure and prevention. [writeups.md](writeups.md) says
how one is written.
"""


def config_page() -> str:
    """Every key of config.yaml: what it takes, its default, its meaning."""
    lines = [_CONFIG_HEAD.rstrip("\n")]
    for section in keys.sections():
        found = [key for key in keys.fields() if key == section or key.startswith(f"{section}.")]
        about = RunConfig.model_fields[section].annotation.__doc__ if found != [section] else ""
        lines += ["", f"## {section}", ""]
        lines += [about.strip(), ""] if about else []
        lines += ["| key | takes | default | meaning |", "|---|---|---|---|"]
        lines += [_row(key) for key in found]
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """The help of `liverl` and of every command."""
    os.environ["COLUMNS"] = WIDTH
    lines = [_CLI_HEAD.rstrip("\n")]
    for name, each in _parsers(parser()):
        lines += ["", f"## {name}", "", "```text", each.format_help().rstrip(), "```"]
    return "\n".join(lines) + "\n"


def failures_page() -> str:
    """Every failure that is known, by area."""
    writeups = sorted(catalogue(), key=lambda each: each.id)
    lines = [_FAILURES_HEAD.rstrip("\n"), "", f"{len(writeups)} failures."]
    for area in dict.fromkeys(each.id.split(":")[0] for each in writeups):
        lines += ["", f"## {area}", "", "| id | severity | what | told by |", "|---|---|---|---|"]
        lines += [_failure(each) for each in writeups if each.id.split(":")[0] == area]
    return "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "config.md": config_page,
    "cli.md": cli_page,
    "failures.md": failures_page,
}


def _failure(writeup: WriteUp) -> str:
    signs = writeup.signature
    told = [
        "metrics" if any(sign.when for sign in signs) else "",
        "log" if any(sign.patterns for sign in signs) else "",
        "facts" if any(sign.facts for sign in signs) else "",
    ]
    link = f"[{writeup.id}](../troubleshooting/{writeup.path})"
    return f"| {link} | {writeup.severity} | {_cell(writeup.title)} | {', '.join(filter(None, told))} |"


def _parsers(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield top.prog, top
    for action in top._actions:  # argparse has no public way to its subcommands
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _parsers(below)


def _row(key: str) -> str:
    return f"| `{key}` | {keys.expectation(key)} | {_default(key)} | {_cell(keys.meaning(key))} |"


def _default(key: str) -> str:
    value = keys.default(key)
    if value in ("", {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    """Write the pages; with --check only say which are stale (1 when any is)."""
    options = argparse.ArgumentParser(prog="python docs/generate.py", description=__doc__)
    options.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is stale")
    check = options.parse_args().check
    pages = {DOCS / name: make() for name, make in PAGES.items()}
    stale = [
        path for path, text in pages.items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if not check:
            path.write_text(pages[path], encoding="utf-8")
        print(f"{path.name} {'is stale; run: python docs/generate.py' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
