"""What a trainer prints of a trial is no error of the run's."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern

PATTERNS = (
    LinePattern("full", r"No space left on device"),
    LinePattern("last", r"^Segmentation fault", at_end=True),
)
HEAD = "(TaskRunner pid=7) "
SAMPLE = (
    "[prompt] You are a coding agent.",
    "[response] I ran the tests and saw:",
    "OSError: [Errno 28] No space left on device",
    "so the disk is full",
    "[ground_truth] 42",
    "[score] 0.0",
)
REAL = "OSError: [Errno 28] No space left on device: '/data'"


def _told(folder: Path, *lines: str, head: str = HEAD) -> dict[str, int]:
    path = folder / "log"
    path.write_text("".join(f"{head}{line}\n" for line in lines))
    return {key: each.count for key, each in Reader(path, PATTERNS).read().sightings.items()}


@pytest.mark.parametrize("head", [HEAD, ""])
def test_an_error_that_an_answer_quotes_is_not_told(tmp_path: Path, head: str) -> None:
    assert _told(tmp_path, *SAMPLE, *SAMPLE, "step:1 - critic/score/mean:0.1", head=head) == {}


def test_an_error_that_a_command_of_an_agent_said_is_not_told(tmp_path: Path) -> None:
    said = (
        "Observation:",
        "<returncode>1</returncode>",
        "<output>",
        *SAMPLE[2:4],
        "Segmentation fault",
        "</output>",
    )
    assert _told(tmp_path, *said, head="") == {}
    assert _told(tmp_path, *said, REAL, *said, head="") == {"full": 1}
    assert _told(tmp_path, "the <output> of the tool", REAL, "</output>", head="") == {"full": 1}


def test_an_error_behind_a_sample_is_told(tmp_path: Path) -> None:
    assert _told(tmp_path, *SAMPLE, REAL) == {"full": 1}


def test_an_error_of_another_process_in_the_midst_of_a_sample_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [HEAD + each for each in SAMPLE]
    path.write_text("\n".join([*lines[:3], f"(WorkerDict pid=9) {REAL}", *lines[3:]]) + "\n")
    told = Reader(path, PATTERNS).read().sightings["full"]
    assert (told.count, told.first[0].number) == (1, 4)


def test_a_sample_that_never_ends_hides_nothing(tmp_path: Path) -> None:
    assert _told(tmp_path, *SAMPLE[:2], REAL) == {"full": 1}
    assert _told(tmp_path, *SAMPLE[:2], REAL, *["on it goes " * 10] * 4000) == {"full": 1}


def test_what_was_told_of_an_open_sample_is_taken_back_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [f"{each}\n" for each in SAMPLE]
    path.write_text("".join(lines[:3]))
    reader = Reader(path, PATTERNS)
    assert reader.read().sightings["full"].count == 1
    with path.open("a") as log:
        log.writelines(lines[3:])
    assert "full" not in reader.read().sightings


def test_the_last_lines_are_read_without_samples(tmp_path: Path) -> None:
    quoting = (*SAMPLE[:2], "Segmentation fault (core dumped)", *SAMPLE[4:])
    assert _told(tmp_path, *quoting) == {}
    assert _told(tmp_path, *quoting[1:]) == {}, "its beginning may stand further above"
    assert _told(tmp_path, *SAMPLE, *quoting, *SAMPLE) == {}
    assert _told(tmp_path, *SAMPLE, "Segmentation fault (core dumped)") == {"last": 1}
