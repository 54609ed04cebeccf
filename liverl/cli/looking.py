"""The commands that only look: status, logs, trials, show, compare, ledger, watch."""

from __future__ import annotations

import argparse

from liverl.cli import exits
from liverl.cli.given import harmless, place, put, run_of


def status(given: argparse.Namespace) -> int:
    """How a run is doing, or all of them."""
    from liverl.cli import text
    from liverl.operate.status import status as read_status

    if given.list:
        from liverl.operate.listing import listing

        found = listing(place(given))
        lines = [text.status_line(state) for state in found.statuses] or [found.summary]
        put(given, found, "\n".join([*lines, *found.unreadable, f"  next: {found.next_action}"]))
        return exits.OK
    now = read_status(run_of(given))
    put(given, now, text.status(now))
    return exits.of_state(now.state)


def logs(given: argparse.Namespace) -> int:
    """The last lines of a log, and on with it as it grows."""
    from liverl.cli import text
    from liverl.operate.tail import Wanted, follow, tail

    run = run_of(given)
    wanted = Wanted(
        lines=max(1, min(given.lines, 200)),
        cursor=given.cursor,
        pattern=given.grep,
        component=given.component,
        step=given.step,
        raw=given.raw,
    )
    if not given.follow:
        found = tail(run, wanted)
        put(given, found, text.logs(found))
        return exits.OK
    for line in follow(run, wanted):
        print(harmless(line), flush=True)
    return exits.OK


def trials(given: argparse.Namespace) -> int:
    """The trials of a run."""
    from liverl.cli import text
    from liverl.operate.trials import Wanted
    from liverl.operate.trials import trials as list_trials

    wanted = Wanted(given.step, given.split, given.task, given.outcome, given.blame, given.failed, given.last)
    found = list_trials(run_of(given), wanted)
    put(given, found, text.trials(found))
    return exits.OK


def show(given: argparse.Namespace) -> int:
    """One trial."""
    from liverl.cli import text
    from liverl.operate.show import show as show_trial

    view = show_trial(run_of(given), given.trial)
    put(given, view, text.trial(view))
    return exits.OK


def compare(given: argparse.Namespace) -> int:
    """Runs side by side."""
    from liverl.operate.compare import compare as compare_runs
    from liverl.operate.find import find_run

    found = compare_runs([find_run(name, place(given)) for name in given.names])
    put(given, found, "\n".join(found.lines()))
    return exits.OK


def ledger(given: argparse.Namespace) -> int:
    """Every attempt that ended."""
    from liverl.operate.archive import ledger as read_ledger

    found = read_ledger(place(given), given.last)
    put(given, found, "\n".join(found.lines()))
    return exits.OK


def watch(given: argparse.Namespace) -> int:
    """A line whenever a state changes."""
    from liverl.operate.watch import watch_events

    for line in watch_events(run_of(given) if given.name else place(given)):
        print(harmless(line), flush=True)
    return exits.OK
