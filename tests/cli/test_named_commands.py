"""Every `liverl` command that a text of the package names exists, with the options that it is named with."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import liverl
from liverl.cli.arguments import parser

PACKAGE = Path(liverl.__file__).parent
# What a person reads as the thing to do: `next_action=...`, `cure = ...`, and texts on their way there.
ADVICE = {"next_action", "cure", "more", "again", "own", "out"}
NAMED = re.compile(r"\bliverl ((?:[a-z-]+|\{\})(?: +(?:-{1,2}[a-z][a-z-]*|[A-Za-z0-9_.=/{}-]+))*)")
ENDS = re.compile(r"`|\n|\s{2,}|[,;)]|: ")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring, with {} for what is filled in."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inner = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
            yield node.lineno, "".join(parts)
        elif (
            isinstance(node, ast.Constant) and id(node) not in docstrings | inner and type(node.value) is str
        ):
            yield node.lineno, node.value


def advice(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings of a module that tell what to do; a finding's cure comes last."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ADVICE:
            yield from texts(node.value)
        elif isinstance(node, ast.Assign):
            names = {
                each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
            if names & ADVICE:
                yield from texts(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding" and node.args:
            yield from texts(node.args[-1])


def commands(text: str) -> Iterator[str]:
    """The commands in a text, each up to where its sentence, line or quotation goes on."""
    for part in ENDS.split(text):
        yield from (found[1] for found in NAMED.finditer(part))


def wrong(command: str) -> str:
    """What of a command does not exist; empty where all of it does."""
    here = parser()
    for word in command.split():
        below = next((a for a in here._actions if isinstance(a, argparse._SubParsersAction)), None)
        if word.startswith("-") and word != "-":  # alone it is standard input
            if word.partition("=")[0] not in here._option_string_actions:
                return word
        elif below is not None:
            if word not in below.choices:
                return word
            here = below.choices[word]
    return ""


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_command_that_is_named_exists() -> None:
    found = [
        (f"{file.relative_to(PACKAGE)}:{line}", command)
        for file in FILES
        for line, text in texts(ast.parse(file.read_text()))
        for command in commands(text)
    ]
    assert len(found) > 20
    assert [(place, command, wrong(command)) for place, command in found if wrong(command)] == []


def test_no_advice_names_an_option_that_no_program_of_it_has() -> None:
    """An option without a program before it in its sentence is meant as one of `liverl`'s."""
    known = {option for each in _all(parser()) for option in each._option_string_actions}
    lost = [
        (f"{file.relative_to(PACKAGE)}:{line}", option)
        for file in FILES
        for line, text in advice(ast.parse(file.read_text()))
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)
        if option not in known
        and not re.search(rf"(python|npm|uv|pip|nvidia-smi|docker) [^;]*{option}|{option} of python", text)
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("command", "missing"),
    [("policy bake", "bake"), ("check --timeout 3", "--timeout"), ("fly", "fly"), ("resume {} --detach", "")],
)
def test_what_does_not_exist_is_noticed(command: str, missing: str) -> None:
    assert wrong(command) == missing


def _all(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _all(below)
