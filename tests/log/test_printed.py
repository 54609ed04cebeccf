"""Printed configurations, command lines and arguments by their dotted keys."""

from __future__ import annotations

from liverl.log.printed import of_dicts, of_flags, of_overrides


def test_a_nested_dict_is_told_by_its_dotted_keys() -> None:
    text = (
        b"said before {'data': {'path': 'a, {b}', \"n\": 3, 'files': ['x', {'y': 1}], 'empty': {}},\n"
        b" 'trainer': {'it': None}}\n"
    )
    assert list(of_dicts(text)) == [("data.path", "a, {b}"), ("data.n", "3"), ("trainer.it", "None")]


def test_a_row_of_metrics_is_no_configuration() -> None:
    assert list(of_dicts(b"{'loss': 0.3, 'reward': 0.1}\n{'grad': {'norm': 3}}\n")) == []


def test_a_dict_that_is_cut_off_tells_what_it_has() -> None:
    assert list(of_dicts(b"{'data': {'n': 3, 'path':")) == [("data.n", "3")]
    assert list(of_dicts(b"{'data': {")) == []


def test_an_override_is_a_whole_key() -> None:
    text = b"main.py +a.b=1 'a.b=2' other.a.b=3 a.b=$N a.bc=4 a.b=\n"
    assert list(of_overrides(text, ["a.b"])) == [("a.b", "1"), ("a.b", "2")]


def test_arguments_are_told_in_three_forms() -> None:
    text = b"x.py --my-model a/b --n 3\nNamespace(n=3, my_model='c/d')\n  my_model ........ e/f\n"
    assert list(of_flags(text, ["my_model"])) == [
        ("my_model", "a/b"),
        ("my_model", "c/d"),
        ("my_model", "e/f"),
    ]
