"""Which thread of a process is told, and which of its frames."""

from __future__ import annotations

from typing import Any

from liverl.operate.frames import MOST_FRAMES, standing


def thread(name: str, *frames: str, active: bool = False) -> dict[str, Any]:
    """A thread in py-spy's form, of frames such as `wait (threading.py:3)`."""
    told = []
    for frame in frames:
        function, _, place = frame.rstrip(")").partition(" (")
        file, _, line = place.rpartition(":")
        told.append({"name": function, "short_filename": file, "filename": f"/x/{file}", "line": int(line)})
    return {"thread_name": name, "active": active, "frames": told}


GARBAGE = thread(
    "PythonGCThread",
    "Condition.wait (threading.py:355)",
    "PythonGCThread.run (ray/_private/gc_collect_manager.py:29)",
)
LISTENS = thread(
    "ray_listen_error_messages", "listen_error_messages (ray/_private/worker.py:2472)", active=True
)
LOOP = (
    "EpollSelector.select (selectors.py:468)",
    "BaseEventLoop._run_once (asyncio/base_events.py:1933)",
    "<module> (ray/dashboard/agent.py:543)",
)


def test_a_blocked_actor_is_told_without_what_every_call_goes_through() -> None:
    actor = thread(
        "MainThread",
        "Event.wait (threading.py:655)",
        "Rollout.generate (rollout.py:6)",
        "_inject_tracing_into_class.<locals>._resume_span (ray/util/tracing/tracing_helper.py:487)",
        "FunctionActorManager.actor_method_executor (ray/_private/function_manager.py:740)",
        "Worker.main_loop (ray/_private/worker.py:1069)",
        "<module> (ray/_private/workers/default_worker.py:323)",
    )
    assert standing([GARBAGE, actor]) == ("Event.wait (threading.py:655)", "Rollout.generate (rollout.py:6)")


def test_a_rank_in_a_collective_is_told_with_the_call_and_its_caller() -> None:
    rank = thread(
        "MainThread",
        "barrier (torch/distributed/distributed_c10d.py:5037)",
        "_exception_logger.<locals>.wrapper (torch/distributed/c10d_logger.py:83)",
        "train_step (step.py:6)",
    )
    assert standing([rank]) == (
        "barrier (torch/distributed/distributed_c10d.py:5037)",
        "train_step (step.py:6)",
    )


def test_threads_that_wait_for_work_say_nothing() -> None:
    main = thread("MainThread", "Worker.main_loop (ray/_private/worker.py:1069)")
    pool = thread("pool_0", "_worker (concurrent/futures/thread.py:89)", "Thread.run (threading.py:1010)")
    assert standing([thread("MainThread", *LOOP), pool, GARBAGE, LISTENS]) == ()
    assert (
        standing([main, thread("AsyncIO Thread: default", "Thread.run (threading.py:1010)"), LISTENS]) == ()
    )
    assert standing([]) == () and standing([thread("MainThread")]) == ()


def test_a_call_that_blocks_an_event_loop_is_told() -> None:
    main = thread("MainThread", "Worker.main_loop (ray/_private/worker.py:1069)")
    loop = thread("AsyncIO Thread: default", "grade (verifier.py:9)", "Handle._run (asyncio/events.py:88)")
    assert standing([main, loop]) == ("grade (verifier.py:9)",)


def test_the_main_thread_counts_more_than_one_that_is_active() -> None:
    main, other = thread("MainThread", "step (a.py:1)"), thread("io", "spin (b.py:2)", active=True)
    assert standing([other, main]) == ("step (a.py:1)",)


def test_no_more_frames_are_told_than_somebody_reads() -> None:
    deep = thread("MainThread", *(f"f{number} (deep.py:{number})" for number in range(100)))
    assert len(standing([deep])) == MOST_FRAMES
