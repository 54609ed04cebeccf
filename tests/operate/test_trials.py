"""Which trials a run had, and one of them."""

from __future__ import annotations

import pytest

from liverl.errors import RunError
from liverl.operate.conversation import turns
from liverl.operate.show import show
from liverl.operate.trials import Wanted, find_trial, trials
from liverl.record.trajectory import Segment, write_trajectory
from tests.operate.made import Made

ROWS = (
    {"trial": "cart-total-1", "task": "cart-total", "step": 1},
    {"trial": "cart-total-2", "task": "cart-total", "step": 2, "outcome": "solved", "reward": 1.0},
    {"trial": "leap-year-1", "task": "leap-year", "step": 2, "outcome": "timeout", "blame": "agent"},
    {"trial": "leap-year-2", "task": "leap-year", "split": "val", "step": 2},
)
MESSAGES = [
    {"role": "system", "content": "You repair programs."},
    {"role": "user", "content": [{"type": "text", "text": "Fix "}, {"type": "text", "text": "the year."}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": '{"command": "cat year.py"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "def leap(): ..."},
    {"role": "assistant", "content": "Done."},
]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(), 4),
        (Wanted(step=2), 3),
        (Wanted(task="leap"), 2),
        (Wanted(split="val"), 1),
        (Wanted(outcome="solved"), 1),
        (Wanted(failed=True), 1),
        (Wanted(blame="agent", step=1), 0),
    ],
)
def test_trials_are_chosen_by_what_is_wanted(made: Made, wanted: Wanted, expected: int) -> None:
    found = trials(made(trials=ROWS), wanted)
    assert (len(found.rows), found.total) == (expected, 4)
    assert len(found.payload()["trials"]) == expected


def test_a_trial_is_found_by_its_name_or_the_part_that_is_its_own(made: Made) -> None:
    run = made(trials=ROWS)
    assert find_trial(run, "leap-year-2").split == "val"
    assert find_trial(run, "total-2").step == 2
    with pytest.raises(RunError, match="Several trials match leap"):
        find_trial(run, "leap")
    with pytest.raises(RunError) as caught:
        find_trial(run, "nothing")
    assert caught.value.code == "trial.unknown"


def test_a_trial_is_shown_with_its_conversation_tokens_and_verifier(made: Made) -> None:
    run = made(trials=({"trial": "t", "path": "trials/train/v0000/t"},))
    folder = run.root / "trials/train/v0000/t"
    (folder / "verifier").mkdir(parents=True)
    (folder / "verifier" / "test-stdout.txt").write_text("1 failed\n")
    write_trajectory(folder, [Segment([1] * 5, [2] * 4, [1, 1, 0, 0], [-1.0, -3.0, 0.0, 0.0])], MESSAGES, [])
    view = show(run, "t")
    assert view.verifier_output == "1 failed"
    (segment,) = view.segments
    assert (segment.prompt, segment.sampled, segment.masked, segment.mean_logprob) == (5, 2, 2, -2.0)
    assert [turn.sampled for turn in view.turns] == [False, False, True, True]
    assert view.note == ""


def test_a_trial_whose_tokens_were_removed_still_shows_the_rest(made: Made) -> None:
    view = show(made(trials=({"trial": "t", "path": "trials/train/v0000/t"},)), "t")
    assert view.turns == ()
    assert "trial.keep_tokens_steps" in view.note
    assert view.row.trial == "t"


def test_a_torn_trajectory_is_said_to_be_unreadable(made: Made) -> None:
    run = made(trials=({"trial": "t", "path": "trials/train/v0000/t"},))
    folder = run.root / "trials/train/v0000/t"
    folder.mkdir(parents=True)
    (folder / "trajectory.json.gz").write_bytes(b"\x1f\x8bnonsense")
    assert "can't be read" in show(run, "t").note


def test_a_command_stands_beside_its_output() -> None:
    found = turns(MESSAGES)
    assert [turn.role for turn in found] == ["system", "user", "assistant", "assistant"]
    assert found[1].text == "Fix the year."
    (command,) = found[2].commands
    assert (command.tool, command.text, command.output) == ("bash", "cat year.py", "def leap(): ...")


def test_a_call_that_is_no_json_is_shown_as_it_was_sampled_and_without_output() -> None:
    call = {"id": "c9", "function": {"name": "bash", "arguments": '{"command": "ls'}}
    (turn,) = turns([{"role": "assistant", "content": "", "tool_calls": [call]}])
    assert turn.commands[0].text == '{"command": "ls'
    assert turn.commands[0].output is None


def test_a_tool_message_that_answers_no_known_call_is_a_turn_of_its_own() -> None:
    (turn,) = turns([{"role": "tool", "tool_call_id": "lost", "content": "x"}])
    assert (turn.role, turn.text, turn.sampled) == ("tool", "x", False)


@pytest.mark.parametrize("wanted", [Wanted(outcome="typo"), Wanted(blame="weather")])
def test_an_outcome_that_no_trial_can_have_is_an_error_with_those_there_are(
    made: Made, wanted: Wanted
) -> None:
    with pytest.raises(RunError) as caught:
        trials(made(trials=ROWS), wanted)
    assert caught.value.code == "trial.no_such" and caught.value.next_action.startswith("one of ")
