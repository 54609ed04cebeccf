"""How a run is stopped: asked first, killed only by a second word, and looked after."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from dataclasses import replace

import pytest

from liverl.errors import RunError
from liverl.record.asks import StopAsk, ask_stop
from liverl.record.events import Event, read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.runfile import read_run
from liverl.run.direct import ask_by_signal
from liverl.run.liveness import read_liveness
from liverl.run.processes import start_ticks
from liverl.run.retention import newest_complete
from liverl.run.stop import stop
from tests.run.scripted import Launch, all_gone, ended, made_pids, process, until

pytestmark = pytest.mark.fault


def stopping(run: RunDir) -> list[Event]:
    return [event for event in read_events(run) if event.kind == "stopping"]


def test_a_stop_ends_cleanly_says_how_to_go_on_and_verifies_that_all_is_gone(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", stubborn=False, ports={"litellm": 18_102})
    pids = made_pids(run, 1)
    run.scratch.mkdir()
    ending = stop(run, "asked by a test")
    assert (ending.state, ending.is_over, ending.left, ending.remains) == ("stopped", True, (), ())
    assert "asked by a test" in ending.reason
    assert ending.verified == (
        "no process of it lives",
        "no sandbox of it is there",
        "its ports are free (18102)",
        "no Ray session folder of it is there",
    )
    assert all_gone(pids)
    assert read_events(run)[-1].kind == "stopped"
    assert read_events(run)[-1].fields["next"] == f"liverl resume {run.name}"


def test_what_does_not_end_is_named_and_killed_only_by_a_second_word(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang")
    trainer, *stubborn = made_pids(run)
    until(lambda: len(read_metrics(run)) == 2)
    ending = stop(run, "test")
    assert not ending.is_over
    assert ending.state == "stopping"
    assert {item.pid for item in ending.left} == set(stubborn)
    assert all_gone([trainer])
    assert not all_gone(stubborn[:1])
    assert {named["pid"] for named in stopping(run)[-1].fields["processes"]} == set(stubborn)
    assert stopping(run)[-1].fields["next"] == f"liverl stop {run.name} --kill"
    assert read_liveness(run).is_live
    assert "not ended by SIGINT and SIGTERM" in read_run(run).last.reason
    ending = stop(run, "test again", kill=True)
    assert (ending.state, ending.is_over) == ("stopped", True)
    assert all_gone(stubborn)


def test_the_orphaned_first_process_of_a_sandbox_which_hears_no_sigterm_needs_no_second_word(
    launch_run: Launch,
) -> None:
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "--pid", "--fork", "true"], check=False)
    if tried.returncode != 0:
        pytest.skip("this machine allows no namespaces")
    run = launch_run(steps=1, end="hang", stubborn=False, orphan=True)
    pids = made_pids(run, 2)
    ending = stop(run, "test")
    assert (ending.state, ending.is_over, ending.left) == ("stopped", True, ())
    assert not any("processes" in event.fields for event in stopping(run))
    assert all_gone(pids)


def test_what_ends_a_moment_after_it_was_named_is_waited_for(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    _, *stubborn = made_pids(run)

    def end_them() -> None:
        until(lambda: any("processes" in event.fields for event in stopping(run)))
        for pid in stubborn:
            os.kill(pid, signal.SIGKILL)

    late = threading.Thread(target=end_them)
    late.start()
    ending = stop(run, "test")
    late.join()
    assert (ending.state, ending.is_over, ending.left) == ("stopped", True, ())


def test_asked_again_without_kill_it_names_them_again_and_kills_nothing(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    _, *stubborn = made_pids(run)
    assert stop(run, "test").left
    assert stop(run, "test").left
    assert len(stopping(run)) == 2
    assert not all_gone(stubborn[:1])
    for pid in stubborn:
        os.kill(pid, signal.SIGKILL)
    assert ended(run).state == "stopped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_supervisor_is_a_stop(launch_run: Launch, number: signal.Signals) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False)
    made_pids(run, 1)
    os.kill(process(run, "supervisor"), number)
    state = ended(run)
    assert state.state == "stopped"
    assert number.name in state.reason


def test_a_second_interrupt_of_the_supervisor_is_the_second_word(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    pids = made_pids(run)
    supervisor = process(run, "supervisor")
    os.kill(supervisor, signal.SIGINT)
    until(lambda: stopping(run))
    assert not all_gone(pids)
    os.kill(supervisor, signal.SIGINT)
    assert ended(run).state == "stopped"
    assert all_gone(pids)


def test_a_trainer_deaf_to_interrupts_is_terminated_after_its_grace(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", deaf=True, stubborn=False)
    pids = made_pids(run, 1)
    assert stop(run, "test").state == "stopped"
    assert all_gone(pids)
    assert read_run(run).last.exit_status == -signal.SIGTERM


def test_a_checkpoint_that_is_being_written_is_waited_for(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", saving_s=2.0, stubborn=False)
    until(lambda: (run.checkpoints / "global_step_3" / "weights").exists())
    assert newest_complete(run.checkpoints) == 2
    ending = stop(run, "test", limit_s=1.0)
    assert (ending.state, ending.is_over) == ("stopped", True)
    assert newest_complete(run.checkpoints) == 3
    assert stopping(run)[0].fields["step"] == 3
    assert "checkpoint of step 3" in stopping(run)[0].fields["message"]


def test_a_suspended_supervisor_is_passed_over_and_then_ends_by_itself(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False)
    pids = made_pids(run, 1)
    os.kill(process(run, "supervisor"), signal.SIGSTOP)
    ending = stop(run, "test", limit_s=0.3)
    assert (ending.state, ending.is_over) == ("stopped", True)
    assert all_gone(pids)


def test_a_supervisor_that_never_answers_is_killed_by_the_second_word_alone(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    pids = made_pids(run)
    supervisor, guard = process(run, "supervisor"), process(run, "guard")
    assert stop(run, "test").left
    os.kill(supervisor, signal.SIGSTOP)
    ask_stop(run, "test")  # which it does not see
    assert not all_gone(pids)
    ending = stop(run, "test", kill=True, limit_s=0.3)
    assert (ending.state, ending.is_over) == ("stopped", True)
    until(lambda: all_gone([*pids, supervisor, guard]))


def test_a_supervisor_that_hangs_for_good_is_killed_and_its_guard_ends_the_rest(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    pids = made_pids(run)
    supervisor = process(run, "supervisor")
    over = threading.Event()

    def hold() -> None:
        while not over.wait(0.002) and start_ticks(supervisor) is not None:
            os.kill(supervisor, signal.SIGSTOP)

    holding = threading.Thread(target=hold)
    holding.start()
    ending = stop(run, "test", kill=True, limit_s=0.3)
    over.set()
    holding.join()
    assert (ending.state, ending.left) == ("dead", ())
    assert all_gone([*pids, supervisor, process(run, "guard")])


def refuse_requests(run: RunDir) -> None:
    """From now on nothing can be written into requests/, as on a full disk."""
    run.requests.rmdir()
    run.requests.write_text("")


def test_where_nothing_can_be_asked_in_writing_the_supervisor_is_signalled(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False)
    pids = made_pids(run, 1)
    refuse_requests(run)
    ending = stop(run, "test")
    assert (ending.state, ending.is_over) == ("stopped", True)
    assert "SIGTERM" in ending.reason
    assert all_gone(pids)


def test_the_second_word_is_given_by_signals_too(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    pids = made_pids(run)
    refuse_requests(run)
    assert stop(run, "test").left
    assert not all_gone(pids)
    ending = stop(run, "test", kill=True)
    assert (ending.state, ending.is_over) == ("stopped", True)
    assert all_gone(pids)


def test_where_nobody_can_be_asked_at_all_it_is_said(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False)
    made_pids(run, 1)
    attempt = replace(read_run(run).last, host="elsewhere", boot_id="another")
    with pytest.raises(RunError) as told:
        ask_by_signal(run, attempt, StopAsk("", "test"), OSError("no space left"), lambda: None)
    assert (told.value.code, told.value.evidence) == ("run.cant_ask", "no space left")
    stop(run, "test")


def test_a_port_that_somebody_else_took_is_named(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False, ports={"litellm": 18_103})
    made_pids(run, 1)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 18_103))
        other.listen(1)
        ending = stop(run, "test", verify_s=0.2)
    assert (ending.state, ending.is_over) == ("stopped", False)
    assert ending.remains == ("port 18103 is still taken",)


def test_a_run_that_has_ended_is_not_stopped(launch_run: Launch) -> None:
    run = launch_run(steps=1, stubborn=False)
    ended(run)
    with pytest.raises(RunError, match="nothing to stop"):
        stop(run, "test")
    assert list(run.requests.iterdir()) == []
