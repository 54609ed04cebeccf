"""Which exception of a chain ended the program, from the lines below it."""

from __future__ import annotations

from liverl.log.chains import is_ignored, is_superseded

DURING = ["", "During handling of the above exception, another exception occurred:", ""]
CAUSED = ["", "The above exception was the direct cause of the following exception:", ""]


def raised(exception: str, *names: str) -> list[str]:
    frames = [
        line for name in names for line in (f'  File "/srv/{name}.py", line 3, in {name}', "    call()")
    ]
    return ["Traceback (most recent call last):", *frames, exception]


def superseded(*below: str) -> bool:
    return is_superseded(below, lambda text: ": " in text)


def test_what_was_only_handled_is_superseded_and_a_direct_cause_is_not() -> None:
    assert superseded(*DURING, *raised("ValueError: no", "main"))
    assert not superseded(*CAUSED, *raised("ValueError: no", "main"))
    assert superseded(*CAUSED, *raised("ValueError: no", "main"), *DURING, *raised("OSError: no", "main"))


def test_an_exception_of_tidying_up_or_without_a_word_supersedes_nothing() -> None:
    assert not superseded(*DURING, *raised("ValueError: no", "main", "shutdown"))
    assert not superseded(*DURING, *raised("ValueError: no", "main", "__aexit__"))
    assert not superseded(*DURING, *raised("ValueError", "main"))


def test_a_message_of_several_lines_breaks_no_chain_and_a_new_traceback_does() -> None:
    assert superseded("  a second line of the message", *DURING, *raised("ValueError: no", "main"))
    assert not superseded("the launcher begins", *raised("ValueError: no", "main"))
    assert not superseded(
        *[f"another line {number}" for number in range(40)], *DURING, *raised("OSError: no", "main")
    )


def test_a_chain_that_is_cut_off_supersedes_nothing() -> None:
    assert (
        not superseded(*DURING)
        and not superseded(*DURING, *raised("OSError: no", "main")[:-1])
        and not superseded()
    )


def test_what_python_ignores_is_told_by_the_line_above_its_traceback() -> None:
    ignored = [
        "Exception ignored in: <function Pool.__del__ at 0x7f>",
        *raised("AttributeError: no", "__del__"),
    ]
    assert is_ignored(ignored[:-1])
    assert is_ignored([ignored[0]])
    assert is_ignored([*ignored, *DURING, *raised("OSError: no", "close")[:-1]])
    assert is_ignored(["--- Logging error ---", *raised("UnicodeEncodeError: no", "emit")[:-1]])
    assert not is_ignored(ignored)
    assert not is_ignored(raised("ValueError: no", "main")[:-1])
    assert not is_ignored([*ignored, *raised("ValueError: no", "main")[:-1]])
