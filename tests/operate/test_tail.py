"""The lines of a run's log."""

from __future__ import annotations

import json
import os
import random
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.cli.arguments import parser
from liverl.errors import LiveRLError, RunError
from liverl.operate import tail as tail_module
from liverl.operate.answer import as_json
from liverl.operate.excerpt import BYTES_A_TOKEN, DEFAULT_TOKENS, LINE_CHARS
from liverl.operate.tail import Tail, Wanted, follow, tail
from liverl.record.layout import RunDir
from liverl.record.plan import write_plan
from tests.operate.made import PLAN, Made
from tests.operate.test_status import move

RAY = "\x1b[36m({} pid=7, ip=10.0.0.1)\x1b[0m {}\n"
TRAINER, ROLLOUT, GATEWAY = "TaskRunnerV1", "vLLMHttpServer", "AgentLoopWorkerTQ"
Logged = Callable[..., RunDir]


@pytest.fixture
def logged(made: Made) -> Logged:
    """A run whose first attempt's log holds some text or bytes."""

    def make(content: str | bytes, **how: object) -> RunDir:
        run = made(**how)
        run.attempt_log(1).write_bytes(content if isinstance(content, bytes) else content.encode())
        return run

    return make


def numbered(count: int) -> str:
    return "".join(f"line number {number}\n" for number in range(1, count + 1))


def tokens(found: Tail) -> float:
    return len(json.dumps(as_json(found), ensure_ascii=False).encode()) / BYTES_A_TOKEN


def append(run: RunDir, text: str, attempt: int = 1) -> None:
    with run.attempt_log(attempt).open("a") as stream:
        stream.write(text)


def test_the_last_lines_come_with_their_place_and_the_way_on_and_back(logged: Logged) -> None:
    run = logged(numbered(100))
    found = tail(run, Wanted(lines=3))
    assert found.lines == ("line number 98", "line number 99", "line number 100")
    assert (found.first_line, found.log, found.truncated) == (98, str(run.attempt_log(1)), "")
    assert found.next_action == f"liverl logs {run.name} --cursor {found.cursor}"
    before = tail(run, Wanted(lines=2, cursor=found.earlier))
    assert (before.lines, before.first_line) == (("line number 96", "line number 97"), 96)
    assert tail(run, Wanted(lines=3, cursor=before.cursor)).lines == found.lines


def test_what_comes_next_asks_for_the_same_lines(logged: Logged) -> None:
    run = logged(RAY.format(ROLLOUT, "it's lost") + RAY.format(TRAINER, "it's here"))
    wanted = Wanted(component="rollout", pattern="it's", raw=True)
    found = tail(run, wanted)
    assert found.next_action == (
        f"liverl logs {run.name} --cursor {found.cursor} --component rollout --grep 'it'\"'\"'s' --raw"
    )
    missing = tail(run, Wanted(component="litellm"))
    assert "--component litellm" in missing.next_action


def test_after_a_trials_log_the_next_command_is_one_that_is_taken(logged: Logged) -> None:
    run = logged("x\n")
    folder = run.trials / "train" / "v0001" / "one"
    (folder / "agent").mkdir(parents=True)
    (folder / "trial.log").write_text("acted\n")
    found = tail(run, Wanted(component="trial:one"))
    asked = parser().parse_args(shlex.split(found.next_action)[1:])
    assert tail(run, Wanted(cursor=asked.cursor, component=asked.component)).lines == ()


def test_a_pattern_is_found_in_a_word_that_is_coloured(logged: Logged) -> None:
    run = logged("nothing\n" * 10 + "Run\x1b[31mtime\x1b[0mError: x\n")
    assert tail(run, Wanted(pattern="RuntimeError")).lines == ("RuntimeError: x",)


def test_no_line_shows_a_secret_and_none_can_be_searched_for(logged: Logged) -> None:
    run = logged("sent x-api-key: abcd1234\n")
    assert tail(run, Wanted()).lines == ("sent x-api-key: ***",)
    assert tail(run, Wanted(pattern="abcd")).lines == ()


def test_a_cursor_gives_what_came_since_and_again_nothing(logged: Logged) -> None:
    run = logged(numbered(5))
    cursor = tail(run, Wanted()).cursor
    assert tail(run, Wanted(cursor=cursor)).lines == ()
    append(run, "six\nseven\n")
    found = tail(run, Wanted(cursor=cursor))
    assert (found.lines, found.earlier) == (("six", "seven"), "")
    assert tail(run, Wanted(cursor=found.cursor)).lines == ()


def test_of_more_than_is_wanted_since_a_cursor_the_newest_come_and_the_rest_can_be_had(
    logged: Logged,
) -> None:
    run = logged("")
    cursor = tail(run, Wanted()).cursor
    append(run, numbered(10))
    found = tail(run, Wanted(lines=4, cursor=cursor))
    assert found.lines[0] == "line number 7"
    assert tail(run, Wanted(lines=9, cursor=found.earlier)).lines == tuple(numbered(6).split("\n")[:6])


def test_a_line_that_was_not_whole_is_told_again_whole(logged: Logged) -> None:
    run = logged("one\nhalf a")
    found = tail(run, Wanted())
    assert found.lines == ("one", "half a")
    append(run, " line\n")
    assert tail(run, Wanted(cursor=found.cursor)).lines == ("half a line",)


def test_paging_back_and_paging_on_both_give_every_line_once(logged: Logged) -> None:
    run = logged(numbered(300))
    back: list[str] = []
    found = tail(run, Wanted(lines=7))
    while True:
        back = [*found.lines, *back]
        if not found.earlier:
            break
        found = tail(run, Wanted(lines=7, cursor=found.earlier))
    assert back == numbered(300).splitlines()
    on: list[str] = list(found.lines)
    while (found := tail(run, Wanted(lines=11, cursor=found.cursor))).lines:
        on += found.lines
    assert on == numbered(300).splitlines()


def test_from_a_steps_line_on(logged: Logged) -> None:
    run = logged(
        "".join(RAY.format(TRAINER, f"step:{step} - a:{step}") + "between the steps\n" for step in range(9))
    )
    found = tail(run, Wanted(step=4, lines=3))
    assert found.lines == (f"({TRAINER}) step:4 - a:4", "between the steps", f"({TRAINER}) step:5 - a:5")
    assert tail(run, Wanted(cursor=found.cursor, lines=1)).lines == ("between the steps",)
    assert tail(run, Wanted(cursor=found.earlier, lines=1)).lines == ("between the steps",)


def test_a_step_of_an_earlier_attempt_is_found_in_its_log(logged: Logged) -> None:
    run = logged("step:1 - a:1\nstep:2 - a:2\n", starts=(0.0, 100.0))
    run.attempt_log(2).write_text("step:2 - b:2\nstep:3 - b:3\n")
    assert tail(run, Wanted(step=2)).lines[0] == "step:2 - b:2"
    assert tail(run, Wanted(step=1)).lines[0] == "step:1 - a:1"
    with pytest.raises(RunError) as told:
        tail(run, Wanted(step=9))
    assert told.value.code == "log.no_step"
    assert "attempt 2 has the steps 2 to 3; attempt 1 has the steps 1 to 2" in told.value.evidence


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        ("all", ("driver", f"({TRAINER}) t", f"({ROLLOUT}) r", f"({GATEWAY}) g")),
        ("trainer", ("driver", f"({TRAINER}) t")),
        ("rollout", (f"({ROLLOUT}) r",)),
        ("gateway", (f"({GATEWAY}) g",)),
        ("litellm", ("from LiteLLM itself",)),
    ],
)
def test_lines_by_component(logged: Logged, component: str, expected: tuple[str, ...]) -> None:
    run = logged("driver\n" + RAY.format(TRAINER, "t") + RAY.format(ROLLOUT, "r") + RAY.format(GATEWAY, "g"))
    run.component_log(1, "litellm").write_text("from LiteLLM itself\n")
    assert tail(run, Wanted(component=component)).lines == expected


def test_a_run_whose_litellm_has_no_log_of_its_own_is_searched_for_it(logged: Logged) -> None:
    run = logged("x\n\x1b[32mLiteLLM: Proxy initialized\x1b[0m\n")
    assert tail(run, Wanted(component="litellm")).lines == ("LiteLLM: Proxy initialized",)


def trial_folder(run: RunDir, name: str) -> Path:
    folder = run.trials / "train" / "v0003" / name
    (folder / "agent").mkdir(parents=True)
    return folder


def test_of_a_trial_what_it_wrote_last(logged: Logged) -> None:
    run = logged("")
    folder = trial_folder(run, "off-by-one-7f-2")
    (folder / "trial.log").write_text("old\n")
    os.utime(folder / "trial.log", (1, 1))
    (folder / "agent" / "claude-code.txt").write_text("the agent speaks\n")
    found = tail(run, Wanted(component="trial:off-by-one-7f-2"))
    assert found.lines == ("the agent speaks",)
    with (folder / "agent" / "claude-code.txt").open("a") as stream:
        stream.write("and goes on\n")
    again = Wanted(component="trial:off-by-one-7f-2", cursor=found.cursor)
    assert tail(run, again).lines == ("and goes on",)


def test_a_trials_link_out_of_the_run_is_not_followed(logged: Logged, tmp_path: Path) -> None:
    run = logged("")
    (tmp_path / "outside.txt").write_text("secret\n")
    folder = trial_folder(run, "t-1")
    (folder / "agent" / "log.txt").symlink_to(tmp_path / "outside.txt")
    assert tail(run, Wanted(component="trial:t-1")).lines == ()


@pytest.mark.parametrize(
    "component",
    ["", "vllm", "trial:", "trial:..", "trial:a/b", "trial:../../etc", "trial:-x\n", "trial:nobody"],
)
def test_an_unknown_component_is_an_error_that_names_them(logged: Logged, component: str) -> None:
    with pytest.raises(RunError) as told:
        tail(logged("x\n"), Wanted(component=component))
    assert told.value.code in ("log.unknown_component", "trial.unknown")
    assert told.value.next_action


def test_lines_by_pattern_are_the_newest_and_the_way_back_goes_on(logged: Logged) -> None:
    run = logged(numbered(200))
    found = tail(run, Wanted(pattern=r"number \d*7$", lines=2))
    assert found.lines == ("line number 187", "line number 197")
    assert tail(run, Wanted(pattern=r"number \d*7$", lines=1, cursor=found.earlier)).lines == (
        "line number 177",
    )
    assert tail(run, Wanted(pattern="nowhere")).lines == ()


def test_a_match_far_in_a_long_line_is_shown(logged: Logged) -> None:
    run = logged("step:1 - " + "a/b:1.0 - " * 400 + "critic/score/mean:0.25 - " + "c:2 - " * 400 + "\n")
    (line,) = tail(run, Wanted(pattern="score/mean:0")).lines
    assert "critic/score/mean:0.25" in line
    assert line.startswith("…") and line.endswith("…") and len(line) == LINE_CHARS


def test_a_long_search_is_bounded_and_says_how_far_it_came(
    logged: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "_PATTERN_BYTES", (100_000, 100_000))
    run = logged("needle\n" + "hay " * 30 + "\n" + ("straw " * 20 + "\n") * 10_000)
    found, calls = tail(run, Wanted(pattern="needle")), 1
    assert "MB were looked through" in found.truncated
    while not found.lines and found.earlier:
        found, calls = tail(run, Wanted(pattern="needle", cursor=found.earlier)), calls + 1
    assert found.lines == ("needle",)
    assert calls > 2


def test_a_pattern_that_never_ends_is_an_error_within_seconds(logged: Logged) -> None:
    run = logged("a" * 5000 + "!\n")
    begun = time.monotonic()
    with pytest.raises(RunError) as told:
        tail(run, Wanted(pattern="(a+)+$"))
    assert told.value.code == "log.slow_pattern" and told.value.next_action
    assert time.monotonic() - begun < 10


def test_noise_is_folded_and_counted_unless_it_is_wanted(logged: Logged) -> None:
    bars = "".join(
        RAY.format(TRAINER, f"Training Progress: {n}%|█  | {n}/9 [00:01<00:02, 1.0s/it]") for n in range(9)
    )
    run = logged("first\n" + bars + "x:1 [0] NCCL INFO ring\n" * 3 + "the same warning again\n" * 4)
    found = tail(run, Wanted())
    assert found.lines[0] == "first"
    assert found.lines[1].startswith(f"({TRAINER}) Training Progress: 8%")
    assert found.lines[2] == "the same warning again (×4)"
    assert found.collapsed == {"repeated": 3, "nccl": 3, "progress": 8}
    assert len(tail(run, Wanted(raw=True)).lines) == 17


def test_secrets_are_not_told(logged: Logged) -> None:
    run = logged("using sk-ant-0123456789abc\nANTHROPIC_API_KEY=abcdefgh x\n")
    assert tail(run, Wanted()).lines == ("using sk-***", "ANTHROPIC_API_KEY=*** x")
    assert "abcdefgh" not in str(tail(run, Wanted(pattern="API_KEY", raw=True)).lines)


@pytest.mark.parametrize("character", ["x", "ü", '"', "\\", "█"])
def test_the_default_answer_is_small_and_drops_the_oldest_lines(logged: Logged, character: str) -> None:
    run = logged("".join(f"{number} {character * 900}\n" for number in range(100)), name="n" * 200)
    found = tail(run, Wanted())
    assert tokens(found) <= DEFAULT_TOKENS
    assert found.lines[-1].startswith("99 ")
    assert "would not fit" in found.truncated
    before = tail(run, Wanted(cursor=found.earlier))
    assert int(before.lines[-1].split()[0]) == int(found.lines[0].split()[0]) - 1
    assert tokens(tail(run, Wanted(lines=200))) <= 5 * DEFAULT_TOKENS


def test_from_a_step_on_the_newest_lines_are_dropped_and_the_cursor_goes_on(logged: Logged) -> None:
    run = logged("step:1 - a:1\n" + "".join(f"{number} {'y' * 900}\n" for number in range(100)))
    found = tail(run, Wanted(step=1))
    assert found.lines[0] == "step:1 - a:1" and tokens(found) <= DEFAULT_TOKENS
    last = int(found.lines[-1].split()[0])
    assert tail(run, Wanted(cursor=found.cursor)).lines[0].startswith(f"{last + 1} ")


def test_never_more_than_two_hundred_lines(logged: Logged) -> None:
    assert len(tail(logged("ab\n" * 500), Wanted(lines=10_000, raw=True)).lines) == 200
    assert len(tail(logged("ab\n" * 5, name="b"), Wanted(lines=-3)).lines) == 1


def test_no_log_an_empty_log_and_a_folder_in_its_place_have_no_lines(made: Made) -> None:
    run = made()
    assert (tail(run, Wanted()).lines, tail(run, Wanted()).note) == ((), "there is none yet")
    run.attempt_log(1).write_text("")
    assert (tail(run, Wanted()).lines, tail(run, Wanted()).note) == ((), "it is empty")
    run.attempt_log(1).unlink()
    run.attempt_log(1).mkdir()
    assert tail(run, Wanted()).lines == ()


def test_a_log_that_was_begun_anew_is_told_from_its_start(logged: Logged) -> None:
    run = logged(numbered(50))
    cursor = tail(run, Wanted()).cursor
    run.attempt_log(1).write_text("anew\n")
    found = tail(run, Wanted(cursor=cursor))
    assert (found.lines, found.note) == (("anew",), "it was begun anew")


@pytest.mark.parametrize("cursor", ["x", "s1-00000000-0-0000", "s1-zz-0-0", "é" * 100, "s1-" + "0" * 200])
def test_a_wrong_cursor_is_an_error_that_says_so(logged: Logged, cursor: str) -> None:
    run = logged("x\n")
    with pytest.raises(RunError) as told:
        tail(run, Wanted(cursor=cursor))
    assert told.value.code == "log.bad_cursor"
    assert told.value.next_action == f"liverl logs {run.name}"


def test_another_runs_another_components_and_another_attempts_cursor_are_wrong(logged: Logged) -> None:
    run, other = logged("x\n"), logged("y\n", name="other")
    run.component_log(1, "litellm").write_text("z\n")
    of_litellm = tail(run, Wanted(component="litellm")).cursor
    for wanted in (
        Wanted(cursor=tail(other, Wanted()).cursor),
        Wanted(cursor=of_litellm, component="trainer"),
        Wanted(cursor=tail(run, Wanted()).cursor.replace("s1-", "s7-")),
    ):
        with pytest.raises(RunError) as told:
            tail(run, wanted)
        assert told.value.code == "log.bad_cursor"
    assert tail(run, Wanted(cursor=of_litellm)).lines == ()


def test_a_cursor_at_the_end_of_an_attempts_log_leads_to_the_next_attempts(logged: Logged) -> None:
    run = logged("one\n")
    cursor = tail(run, Wanted()).cursor
    write_plan(run, replace(PLAN, attempt=2))
    append(run, "the last of one\n")
    run.attempt_log(2).write_text("two\n")
    found = tail(run, Wanted(cursor=cursor))
    assert found.lines == ("the last of one",)
    assert tail(run, Wanted(cursor=found.cursor)).lines == ("two",)


def test_any_bytes_make_an_answer_of_valid_json(logged: Logged) -> None:
    chance = random.Random(5)
    for number in range(30):
        content = b"".join(
            chance.choice([chance.randbytes(40), b"\n", b"\r", b"\x00" * 9, b"\x1b[31m", b"step:1 - ", b"("])
            for _ in range(chance.randrange(200))
        )
        run = logged(content, name=f"r{number}")
        for wanted in (
            Wanted(),
            Wanted(raw=True),
            Wanted(pattern="a|b"),
            Wanted(component="rollout"),
            Wanted(lines=1),
        ):
            found = tail(run, wanted)
            assert json.loads(json.dumps(as_json(found)))["ok"] is True
            assert tokens(found) <= DEFAULT_TOKENS
            assert not any(ord(letter) < 32 or letter == "\x7f" for line in found.lines for letter in line)


def test_any_arguments_give_lines_or_an_error_with_a_cure(logged: Logged) -> None:
    run, chance = logged(numbered(30)), random.Random(9)
    for _ in range(200):
        text = "".join(chance.choice("ab1-/.:()[]*+?\\|\x00é sf") for _ in range(chance.randrange(12)))
        wanted = Wanted(
            lines=chance.choice([-1, 0, 3, 10**9]),
            cursor=chance.choice(["", text]),
            pattern=chance.choice(["", text]),
            component=chance.choice(["all", text, f"trial:{text}"]),
            step=chance.choice([None, -1, 2**70]),
        )
        try:
            assert len(tail(run, wanted).lines) <= 200
        except LiveRLError as error:
            assert error.next_action


@pytest.mark.parametrize("content", [b"x" * 3_000_000, b"x\r" * 1_500_000], ids=["plain", "redrawn"])
def test_one_line_as_long_as_the_log_is_one_short_line(logged: Logged, content: bytes) -> None:
    found = tail(logged(b"before\n" + content), Wanted())
    assert len(found.lines[-1]) <= LINE_CHARS
    assert tokens(found) <= DEFAULT_TOKENS


def test_who_follows_gets_every_line_till_the_run_ends_and_the_next_attempts(logged: Logged) -> None:
    run = logged(numbered(3))
    lines = follow(run, Wanted(lines=2), interval_s=0.01)
    seen = [next(lines), next(lines)]
    append(run, "four\nfi")
    seen.append(next(lines))
    append(run, "ve\n")
    seen.append(next(lines))
    write_plan(run, replace(PLAN, attempt=2))
    run.attempt_log(2).write_text("of the second\nnot whole")
    move(run, number=2, state="finished")
    seen += lines
    assert seen == [
        "line number 2", "line number 3", "four", "five", "── attempt 2", "of the second", "not whole",
    ]  # fmt: skip


def test_who_follows_is_not_told_the_same_noise_again_and_again(logged: Logged) -> None:
    run = logged("a warning that comes again\n")
    lines = follow(run, Wanted(), interval_s=0.01)
    seen = [next(lines)]
    writer = threading.Thread(target=lambda: append(run, "a warning that comes again\nnews\n"))
    writer.start()
    seen.append(next(lines))
    writer.join()
    move(run, state="finished")
    assert [*seen, *lines] == ["a warning that comes again", "news"]


def test_who_follows_stays_while_the_record_can_not_be_read_for_a_moment(logged: Logged) -> None:
    run = logged(numbered(1))
    lines = follow(run, Wanted(), interval_s=0.01)
    seen = [next(lines)]
    good = run.run_json.read_bytes()
    run.run_json.write_bytes(b"half")
    append(run, "meanwhile\n")
    seen.append(next(lines))
    run.run_json.write_bytes(good)
    move(run, state="failed")
    assert [*seen, *lines] == ["line number 1", "meanwhile"]
