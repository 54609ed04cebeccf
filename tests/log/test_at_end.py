"""Where a log stands at its end: its stage, what it waits for, and for how long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.log.reader import Reader
from liverl.log.stages import stage_of

STEP = "(TaskRunner pid=1) step:{} - actor/grad_norm:0.5 - critic/score/mean:0.5 - timing_s/step:2.0\n"
POLL = '(Engine pid=8) [2026-03-04 {}] INFO:     10.0.0.7:41646 - "GET /health HTTP/1.1" 200 OK\n'


def facts(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "console.log"
    path.write_text(text)
    return dict(Reader(path, ()).read().facts)


@pytest.mark.parametrize(
    ("line", "stage"),
    [
        ("2026-01-12 01:23:00,460 INFO worker.py:2023 -- Started a local Ray instance.", "Ray starts"),
        (
            "Waiting for creating a placement group of specs for 10 seconds.",
            "a placement group is waited for",
        ),
        ("INFO 06-30 00:32:12 [pynccl.py:70] vLLM is using nccl==2.26.2", "NCCL connects the ranks"),
        ("Initializing TorchBackend in DeepSpeed with backend nccl", "the ranks join their process group"),
        ("Downloading shards:   0%|          | 0/4 [00:00<?, ?it/s]", "a model is downloaded"),
        ("Loading safetensors checkpoint shards:  56% Completed | 9/16", "the model's weights are loaded"),
        (
            "Capturing CUDA graph shapes:   9%|9 | 6/67 [00:00<00:01]",
            "the engine compiles and captures its graphs",
        ),
        ("Filtering prompts longer than 512 tokens:   0%|   | 0/30", "the data set is filtered or tokenized"),
        (
            "DEBUG [core_client.py:425] Waiting for 1 core engine proc(s) to start: {0}",
            "an engine's core starts",
        ),
        ("Server is not up yet. Retrying in 2.0 seconds...", "a server is waited for"),
        ("The server is fired up and ready to roll!", "an engine's server is ready"),
        ("Training Progress:   0%|          | 0/140 [00:00<?, ?it/s]", "the first step runs"),
        ("[ParameterSynchronizer] broadcast of weights 0", "weights go to the engine"),
        ("swanlab: Enter your choice: ", "somebody is asked to type"),
        (" (8.0 used of 8.0 reserved in placement groups)", ""),
        ("fully_sharded_data_parallel.py:690: FutureWarning: FSDP.state_dict_type() is deprecated", ""),
        ("the answer is 4", ""),
    ],
)
def test_a_line_tells_the_stage_of_a_start(line: str, stage: str) -> None:
    assert stage_of(line) == stage


def test_the_last_stage_near_the_end_counts(tmp_path: Path) -> None:
    told = facts(
        tmp_path, "Started a local Ray instance.\nFiltering prompts longer than 9 tokens: 100%\nok then\n"
    )
    assert told["at_stage"] == "the data set is filtered or tokenized"
    assert (told["at_line"], told["at_said"]) == (3, "Filtering prompts longer than 9 tokens: 100%")


def test_that_there_was_no_failure_is_no_trouble(tmp_path: Path) -> None:
    text = "Recent failures:\n (no failures)\nWaiting for placement group to be scheduled\n"
    assert facts(tmp_path, text)["at_stage"] == "a placement group is waited for"
    assert "at_stage" not in facts(tmp_path, text.replace("(no failures)", "(2 failures)"))


def test_behind_steps_no_stage_of_a_start_is_told(tmp_path: Path) -> None:
    told = facts(tmp_path, "".join(STEP.format(n) for n in range(1, 40)) + "Started a local Ray instance.\n")
    assert "at_stage" not in told and told["at_line"] == 40


def test_a_log_that_ended_says_nothing_of_where_it_stands(tmp_path: Path) -> None:
    told = facts(tmp_path, "loading\n" * 40 + "Training completed\n")
    assert told["ended"] == "finished" and "at_said" not in told


def test_a_wait_is_counted_and_timed(tmp_path: Path) -> None:
    told = facts(
        tmp_path,
        "begun\n"
        "[2026-03-04 23:50:00] INFO app: engine 1 is not up yet, retrying\n"
        "[2026-03-05 00:00:00] INFO app: engine 1 is not up yet, retrying\n"
        "(raylet) disk is fine\n"
        "[2026-03-05 00:10:00] INFO app: engine 1 is not up yet, retrying\n",
    )
    assert (told["waits"], told["waits_s"]) == (3, 1200)
    assert told["waits_for"] == "app: engine 1 is not up yet, retrying"


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Waiting for the judge (1260 s)", 1260),
        ("still waiting for batch 3, elapsed: 12.5 minutes", 750),
        ("Waiting for engine for 2 hours", 7200),
        ("Waiting for engine for 40 s (giving up after 1800 s)", 40),
        ("Waiting for register center to be ready. Elapsed time: 30 seconds out of 300 seconds", 30),
    ],
)
def test_a_wait_may_say_itself_for_how_long(tmp_path: Path, line: str, seconds: float) -> None:
    assert facts(tmp_path, f"begun\n{line}\n")["waits_s"] == seconds


@pytest.mark.parametrize(
    "text",
    [
        "waiting for the engine\n" + "it answers\n" * 4,
        "INFO:     Waiting for application startup.\n",
        "Waited for batch to arrive for 48 seconds\n",
        "wait_time: 12\n",
        "waiting: 100%|####| 3/3\n",
        "a:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying\n",
        "/srv/engines.py:41: UserWarning: the blue engine is not available: ImportError()\n"
        '  warnings.warn(f"the blue engine is not available: {e!r}", stacklevel=1)\n',
    ],
)
def test_what_has_come_or_is_no_wait_is_none(tmp_path: Path, text: str) -> None:
    assert "waits" not in facts(tmp_path, text)


@pytest.mark.parametrize("limit", ["for up to 1800 seconds", "(1800s timeout)", "for at most 30 minutes"])
def test_a_limit_is_no_time_that_has_passed(tmp_path: Path, limit: str) -> None:
    told = facts(tmp_path, f"begun\nWaiting for the engine {limit}\n")
    assert told["waits"] == 1 and "waits_s" not in told


def test_polls_alone_are_timed(tmp_path: Path) -> None:
    polls = "".join(POLL.format(f"0{hour}:00:15") for hour in (6, 7, 8))
    assert facts(tmp_path, "Timer actor_train start\n" + polls)["beats_s"] == 7200
    assert "beats_s" not in facts(tmp_path, polls + "Timer actor_train end\n")


def test_a_line_said_again_and_again_from_the_first_on_is_no_beginning(tmp_path: Path) -> None:
    assert facts(tmp_path, "Waiting for the engine's first answer\n" * 12)["attempts"] == 1
    rows = "".join(
        f"step={at}\nreward=0.{at}\nkl=0.0{at}\nresponse length: 2{at}\nentropy=0.5\n" for at in range(1, 9)
    )
    assert facts(tmp_path, rows)["attempts"] == 1


def test_a_process_that_lives_on_does_not_begin_again(tmp_path: Path) -> None:
    failing = (
        "(TaskRunner pid={0}) ERROR: the completion of a chat failed\n(TaskRunner pid={0}) NoneType: None\n"
    )
    assert facts(tmp_path, failing.format(41) * 12)["attempts"] == 1
    assert facts(tmp_path, failing.format(41) * 3 + failing.format(52) * 3)["attempts"] == 2
    rows = "".join(
        f"(main_task pid=7) [DEBUG][step={at}] the update of the actor is done\n"
        f"(main_task pid=7) [ALERT step={at}] a short trace\n(main_task pid=7) step:{at} - kl:0.{at} - reward:0.5\n"
        for at in range(1, 9)
    )
    assert facts(tmp_path, rows)["attempts"] == 1


def test_a_bar_that_stands_is_a_wait(tmp_path: Path) -> None:
    bars = "".join(
        f"eval:  98%|#########8| 490/500 [{lasted}<00:12,  1.25s/it]\n"
        for lasted in ("10:11", "40:30", "58:02")
    )
    told = facts(tmp_path, "begun\n" + bars)
    assert (told["waits"], told["waits_s"], told["waits_for"]) == (
        3,
        2871,
        "eval: 98%| 490/500 [58:02<00:12, 1.25s/it]",
    )
    assert "waits" not in facts(tmp_path, bars.replace("58:02", "30:02"))
    assert "waits" not in facts(tmp_path, bars + "eval: 100%|##| 500/500 [58:04<00:00,  1.25s/it]\n")


def test_who_waits_for_each_other_says_so_in_turn(tmp_path: Path) -> None:
    assert facts(tmp_path, "a paused: b is behind\nb: waiting for a\n" * 3)["waits"] == 6


def counts(clocks: list[str], done: list[int]) -> str:
    """Steps, then a count of rollouts at each of some times."""
    said = [
        f"{clock}   DEBUG [orchestrator] Completed {count}/1024 rollouts | in-flight=890 |\n"
        f"{clock}    INFO engine 0: throughput: 0.0 tokens/s\n"
        for clock, count in zip(clocks, done, strict=True)
    ]
    return "".join([STEP.format(step) for step in range(1, 5)] + said)


CLOCKS = ["11:00:00", "11:05:00", "11:10:00", "11:15:00"]


@pytest.mark.parametrize("end", ["", "^C\nTraceback (most recent call last):\nKeyboardInterrupt\n"])
def test_a_count_that_comes_no_further_is_a_wait(tmp_path: Path, end: str) -> None:
    told = facts(tmp_path, counts(CLOCKS, [310, 402, 402, 402]) + end)
    assert (told["waits"], told["waits_s"]) == (3, 600.0)
    assert told["waits_for"] == "[orchestrator] Completed 402/1024 rollouts | in-flight=890 |"


@pytest.mark.parametrize(
    ("clocks", "done"),
    [
        (CLOCKS, [310, 402, 411, 430]),  # it goes on
        (CLOCKS, [402, 402, 402, 411]),  # it went on
        (["11:00:00", "11:01:00", "11:02:00", "11:03:00"], [402] * 4),  # three minutes may be a slow answer
        (CLOCKS, [1024] * 4),  # all are there
    ],
)
def test_a_count_that_grows_or_is_full_or_rests_for_minutes_is_none(
    tmp_path: Path, clocks: list[str], done: list[int]
) -> None:
    assert "waits" not in facts(tmp_path, counts(clocks, done))


def test_what_was_waited_for_has_come(tmp_path: Path) -> None:
    assert "waits" not in facts(tmp_path, "Waiting for the pool\nWaiting for the pool\nSUCCESS pool ready\n")


def test_a_secret_in_the_last_words_is_masked_before_they_are_cut(tmp_path: Path) -> None:
    secret = "sk-" + "a1B2" * 12
    found = facts(tmp_path, f"Waiting for the server at {'y' * 110} {secret}\n")
    assert "sk-***" in found["at_said"] and "sk-a" not in str(found)


INTERRUPTED = """Traceback (most recent call last):
  File "/srv/run.py", line 4, in <module>
KeyboardInterrupt
"""


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        (
            "INFO 12-10 11:57:44 ready\n[2025-12-10 12:07:07,831] [INFO] Main process received SIGINT, exiting\n",
            563,
        ),
        ("INFO 12-10 23:59:00 ready\nwaiting\n12-11 00:09:00 Received SIGINT\n", 600),
        # Others spoke between the two, without a time.
        ("INFO 12-10 11:57:44 ready\n" + "a rollout\n" * 9 + "12-10 12:07:07 Received SIGINT\n", None),
        (
            "12-10 11:00:00 a\n12-10 11:30:00 b\n"
            + "12-10 11:30:01 c\n" * 9
            + "12-10 11:30:02 Received SIGINT\n",
            0,
        ),
        ("no line tells a time\n", None),
        # Workers that end at once, in any order; a silence that ended by itself; a time behind the stop.
        ("12-10 10:40:20 1 ends\n12-10 10:40:19 0 ends\n12-10 10:40:21 Received SIGINT\n", None),
        ("12-10 09:00:00 a\n12-10 09:40:00 b\n12-10 09:41:00 c\n12-10 09:42:00 Received SIGINT\n", 60),
        ("12-10 09:00:00 a\n12-10 09:00:20 Received SIGINT\n12-11 09:00:00 interrupted by user\n", 20),
        # Days.
        ("2026-12-10 09:00:00 a\n2026-12-13 09:00:00 Received SIGINT\n", 3 * 86_400),
    ],
)
def test_how_long_a_log_was_silent_before_somebody_stopped_it(
    tmp_path: Path, lines: str, seconds: float | None
) -> None:
    told = facts(tmp_path, "it starts\n" * 30 + lines + INTERRUPTED)
    assert told["ended"] == "stopped" and told.get("stopped_after_s") == seconds


def test_a_night_of_silence_before_the_frames_of_a_stop_each_with_a_time(tmp_path: Path) -> None:
    lines = [f"[2026-08-23 19:4{at % 8}:30] step {at}" for at in range(40)] + [
        "[2026-08-23 19:50:00]   reads on"
    ]
    frames = ["Traceback (most recent call last):", *(f'  File "a.py", line {at}, in go' for at in range(12))]
    stop = [f"[2026-08-24 09:50:00] {line}" for line in (*frames, "KeyboardInterrupt")]
    told = facts(tmp_path, "\n".join(lines + stop) + "\n")
    assert told["ended"] == "stopped" and told["stopped_after_s"] == 14 * 3600
