"""Of a process's threads the one that stands somewhere, and of its frames those that tell where.

standing   the frames, innermost first
Threads    as py-spy tells them in JSON
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Threads = Sequence[dict[str, Any]]
MOST_FRAMES = 8
# Files through which every call goes: of Ray, torch and Python's own threads and event loop.
_WRAPPERS = (
    "ray/_private/client_mode_hook.py", "ray/_private/auto_init_hook.py", "ray/util/tracing/tracing_helper.py",
    "ray/_private/function_manager.py", "ray/_private/workers/default_worker.py", "ray/_private/async_compat.py",
    "torch/distributed/c10d_logger.py", "torch/utils/_contextlib.py", "verl/single_controller/base/decorator.py",
    "contextlib.py", "runpy.py", "<frozen runpy>", "asyncio/base_events.py", "asyncio/runners.py", "asyncio/events.py",
    "uvloop/__init__.py",
)  # fmt: skip
_WRAPPING = (
    "Thread._bootstrap (threading.py", "Thread._bootstrap_inner (threading.py", "Thread.run (threading.py",
    "Worker.main_loop (ray/_private/worker.py", "_WorkItem.run (concurrent/futures/thread.py",
    "_bootstrap (threading.py", "_bootstrap_inner (threading.py", "run (threading.py",
    "main_loop (ray/_private/worker.py",
)  # fmt: skip
# What waits for work by design says nothing, nor do the threads that Ray, tqdm and Weights & Biases keep.
_IDLE = ("selectors.py", "concurrent/futures/thread.py")
_KEPT = ("ray/_private/gc_collect_manager.py", "ray/_private/process_watcher.py", 
         "tqdm/_monitor.py", "socketserver.py", "wandb/")  # fmt: skip
# What waits for work all its life: Ray's listener, ZeroMQ's collector, the client of verl's transfer queue.
_LISTENS = (
    "listen_error_messages", "GarbageCollectorThread.run", "TransferQueueClient._start_loop", "_run_notify_loop",
    "_run_event_loop_forever",
)  # fmt: skip


def standing(threads: Threads) -> tuple[str, ...]:
    """The frames of the main thread, else of one that is active, else of any; none where all of them wait for work."""
    told = sorted(
        (each for each in threads if each.get("frames")),
        key=lambda each: (each.get("thread_name") != "MainThread", not each.get("active")),
    )
    return next((frames for each in told if (frames := _frames(each["frames"]))), ())


def _frames(frames: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    if _file(frames[0]).endswith(_IDLE) or any(_is_kept(frame) for frame in frames):
        return ()
    told = [_told(frame) for frame in frames if not _file(frame).endswith(_WRAPPERS)]
    return tuple(frame for frame in told if not frame.startswith(_WRAPPING))[:MOST_FRAMES]


def _is_kept(frame: dict[str, Any]) -> bool:
    return frame["name"] in _LISTENS or any(part in _file(frame) for part in _KEPT)


def _told(frame: dict[str, Any]) -> str:
    return f"{frame['name']} ({_file(frame)}:{frame.get('line', 0)})"


def _file(frame: dict[str, Any]) -> str:
    return str(frame.get("short_filename") or frame.get("filename") or "?")
