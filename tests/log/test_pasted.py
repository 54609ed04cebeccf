"""An excerpt is read as the program had printed it: unquoted, moved back, joined, its exception alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.log.pasted import MOST_BYTES, as_printed
from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern

WRAPPED = """\
(TaskRunner pid=81) INFO 03-04 10:11:12 worker.py:88] the engine took 31.25 GiB
(TaskRunner pid=81) Traceback (most recent call last): the rollout of policy ver
sion 12 was given up
(TaskRunner pid=81) ValueError: the batch of 96 prompts is not divisible by the
8 workers of the pool
(TaskRunner pid=81) INFO 03-04 10:11:13 worker.py:91] the last of the workers le
ft the pool
"""


def mended(text: str) -> str:
    found = as_printed(text.encode())
    return text if found is None else found.decode()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("> It stops at once:\n>\n> KeyError: 'answer'\n", 3, "KeyError: 'answer'"),
        (
            'It stops with\n> Traceback (most recent call last):\n>   File "a.py", line 1, in go\n> KeyError: 3\n',
            4,
            "KeyError: 3",
        ),
        ("    Loading\n    KeyError: 'answer'\n", 2, "KeyError: 'answer'"),
        ("I always get `KeyError: 'answer'` when I start.\n", 1, "KeyError: 'answer'"),
        ("Bug: KeyError: 'answer' with two nodes\n", 1, "KeyError: 'answer' with two nodes"),
        ("> **Exit Code**: 137 (SIGKILL)\n> **Limit**: 8Gi\n", 1, "Exit Code: 137 (SIGKILL)"),
        (
            "发生异常: KeyError    (paused)\n'answer'\n  File \"a.py\", line 3, in go\n",
            2,
            "KeyError: 'answer'",
        ),
        ("报错：KeyError: 'answer'\n", 1, "KeyError: 'answer'"),
        (
            '  File "a.py", line 7, in reward\n    raise ValueError(f"no grader for {name}")\n',
            2,
            "ValueError: no grader for {name}",
        ),
        (
            '  File "a.py", line 7, in reward\n    raise ValueError(\n        "no grader"\n',
            3,
            "ValueError: no grader",
        ),
        (
            WRAPPED,
            4,
            "(TaskRunner pid=81) ValueError: the batch of 96 prompts is not divisible by the 8 workers of the pool",
        ),
    ],
)
def test_as_printed(text: str, line: int, said: str) -> None:
    lines = mended(text).split("\n")
    assert lines[line - 1] == said
    assert len(lines) == len(text.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "step:1 - reward:0.5\nstep:2 - reward:0.6\n",
        'Traceback (most recent call last):\n  File "a.py", line 1, in go\n    raise KeyError("a")\nKeyError: \'a\'\n',
        ">>> import trl\n>>> trl.__version__\n'0.21'\n",
        "*** SIGSEGV received at time=17 on cpu 6 ***\n",
        "x > 3\n  > 2 warnings\n",
        "KeyError: 'a'\0\n    > b\n",
        "> a\n" * (MOST_BYTES // 4 + 1),
        'body={"error":{"message":"too long","type":"BadRequestError","param":"code"}}\nnext\n',
        # Lines of nearly one width that say when they were told.
        "".join(
            f"trainer      | 09:4{at}:28 SUCCESS Step 3{at} | Loss: 0.0004 | Entropy: 0.4501 | Throughput: 22020\n"
            f"orchestrator | 09:4{at}:40 SUCCESS Step 3{at} | Time: 41.60s | Reward: 0.597 | Seq. Length: 2012\n"
            for at in range(4)
        ),
        # A line of times above a row, each of the same width.
        "".join(
            f"|E2E latency=6.4{at}s |Gather latency=0.00s (0.00%) |Generate time=4.02s (62.7%) |Others=0.28 (4.37%)\n"
            f"epoch: 0|step: 2{at}|ppo_ep: 1|act_loss: 0.02{at}|cri_loss: 0.2{at}|unsuper_loss: 0.0\n"
            for at in range(4)
        ),
    ],
)
def test_what_was_printed_so_stays(text: str) -> None:
    assert as_printed(text.encode()) is None


def test_an_exception_that_json_tells_with_its_words_is_said() -> None:
    told = as_printed(b'{"level":"error","message":"KeyError: \'prompt\'"}\nnext\n')
    assert told == b"KeyError: 'prompt'\nnext\n"


def test_bytes_that_are_no_text_are_kept() -> None:
    assert as_printed(b"> a \xff b\n> c\n") == b"a \xff b\nc\n"


def test_a_growing_excerpt_is_read_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    reader = Reader(path, (LinePattern("key", r"^KeyError: 'a'$"),))
    path.write_text("> it ended\n> KeyError: 'a'\n")
    told = reader.read()
    assert told.sightings["key"].last.number == 2
    assert reader.read() is told
    path.write_text("> it ended\n> KeyError: 'a'\n" + "a line of a log\n" * 20 + "KeyError: 'a'\n")
    sighting = reader.read().sightings["key"]
    assert (sighting.count, sighting.last.number) == (2, 23)
    path.write_text("it ended\nanother line\n")
    assert "key" not in reader.read().sightings
