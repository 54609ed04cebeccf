"""Which exception is told: not one of a kind that the run survived, and a server's own before its caller's."""

from __future__ import annotations

from pathlib import Path

from liverl.log.reader import Reader
from liverl.log.seen import Met
from liverl.log.sighting import Line, LinePattern
from liverl.log.survived import burst, summed_up, unsurvived

RAISED = LinePattern(
    "raised", r"^(?P<exception>\w+Error): (?P<message>\S.*)$", near="Traceback", is_chained=True
)
STEP = "step:{0} - actor/entropy:0.3 - actor/grad_norm:0.3 - critic/score/mean:0.4 - timing_s/step:30.0\n"


def met(number: int, text: str, times: int = 1) -> Met:
    return Met(number, number * 10, text, "", times, "", {})


def raised(text: str, below: str = "") -> str:
    return f'Traceback (most recent call last):\n  File "/srv/tool.py", line 6, in run\n    call()\n{text}\n{below}'


def first_telling(folder: Path, text: str) -> Line:
    """The first exception that the run did not outlive."""
    log = folder / "run.log"
    log.write_text(text, encoding="utf-8")
    found = Reader(log, (RAISED,)).read().sightings["raised"]
    return next(line for line in (*found.first, found.last) if line.steps_after < 2)


def run_of(steps: int, between: str) -> str:
    return "".join(STEP.format(step) + between.format(step) for step in range(1, steps + 1))


def test_a_kind_that_was_survived_ended_nothing() -> None:
    lines = [
        met(1, "ValueError: turn 1 has no action"),
        met(90, "ValueError: turn 7 has no action"),
        met(91, "KeyError: 'x'"),
    ]

    assert [each.number for each in unsurvived(lines, lambda line: line.number > 80)] == [1, 91]
    assert unsurvived(lines[:2], lambda line: line.number > 80) == lines[:2]


def test_what_an_end_repeats_word_by_word_is_a_burst() -> None:
    lines = [
        met(90, "ValueError: one"),
        *[met(at, "KeyError: 'x'") for at in (91, 92, 93)],
        met(94, "AssertionError: none"),
    ]

    repeated = burst(lines)
    assert repeated is not None and repeated.number == 91
    assert burst([*lines[:2], lines[-1]]) is None
    assert burst([met(91, "KeyError: 'x'", times=12)]) is not None


def test_what_ray_sums_up_came_before_the_drivers_own_exception() -> None:
    driver = met(6, "AssertionError: no answers")
    server = Met(19, 190, "ValidationError: 1 error for Request", "Server pid=4", 247, "", {})
    parted = Met(18, 180, "ServerDisconnectedError: gone", "Worker pid=3", 99, "", {})

    assert summed_up([driver, parted, server]) is server
    assert summed_up([driver, parted]) is None
    assert summed_up([server, driver]) is None
    assert summed_up([driver, server._replace(times=3)]) is None
    assert summed_up([]) is None


def test_a_servers_own_error_is_told_before_its_callers(tmp_path: Path) -> None:
    noise = raised("ValueError: turn {0} has no action") * 2
    body = run_of(30, noise)
    caller = raised("AssertionError: 32 answers were asked for, and none came")

    told = first_telling(tmp_path, body + raised("KeyError: 'corpus_3'") * 10 + caller)
    assert told.groups["exception"] == "KeyError"
    assert first_telling(tmp_path, body + caller).groups["exception"] == "AssertionError"
    # The same noise once more between them.
    late = raised("KeyError: 'corpus_3'") * 3 + raised("ValueError: turn 9 has no action") * 3
    assert first_telling(tmp_path, body + late + caller).groups["exception"] == "KeyError"


def test_an_exception_that_was_survived_before_and_ends_the_run_alone_is_told(tmp_path: Path) -> None:
    body = run_of(12, "") + raised("OSError: turn 3 is gone") + run_of(14, "")

    assert first_telling(tmp_path, body + raised("OSError: turn 14 is gone")).groups["exception"] == "OSError"


def test_a_bare_status_takes_no_exceptions_place(tmp_path: Path) -> None:
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    chain = raised("ValueError: 768 columns do not fit 1024", during + raised("HTTPError: {0}"))

    for status in ("500", "502: Bad Gateway", "HTTP 503 Service Unavailable"):
        assert first_telling(tmp_path, chain.format(status)).groups["exception"] == "ValueError"
    assert first_telling(tmp_path, chain.format("404 for /search?q=a")).groups["exception"] == "HTTPError"


def test_a_summary_behind_the_drivers_exception_is_told_first(tmp_path: Path) -> None:
    server = raised("ValueError: max_prompt_len is required [repeated 247x across cluster]")
    server = "".join(f"(Server pid=41) {line}\n" for line in server.splitlines())

    told = first_telling(tmp_path, raised("AssertionError: no answers") + server)
    assert told.groups["message"] == "max_prompt_len is required"
