"""The commands that only look: status, diagnose, logs, trials, show, compare, ledger, watch."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from liverl.cli import exits
from liverl.cli.given import harmless, place, put, run_of, say

if TYPE_CHECKING:
    from liverl.operate.diagnosed import Diagnosed


def status(given: argparse.Namespace) -> int:
    """How a run is doing, or all of them."""
    from liverl.cli import text
    from liverl.operate.findings_now import look_once
    from liverl.operate.status import status as read_status

    if given.list:
        from liverl.operate.listing import listing

        found = listing(place(given))
        lines = [text.status_line(state) for state in found.statuses] or [found.summary]
        put(given, found, "\n".join([*lines, *found.unreadable, f"  next: {found.next_action}"]))
        return exits.OK
    run = run_of(given)
    look_once(run)
    now = read_status(run)
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


def diagnose(given: argparse.Namespace) -> int:
    """What is wrong, first cause first; with --fix the cure, with --bundle all that a maintainer would ask for."""
    from liverl.operate.diagnose import diagnose as find_out

    _check_name(given.name)
    found = find_out(given.name, place(given), is_whole=given.all)
    if given.fix or given.apply:
        return _fix(given, found)
    if given.bundle is not None:
        return _bundle(given, found)
    put(given, found, "\n".join(found.lines()))
    return exits.OK if found.ok else exits.REFUSED


def _check_name(name: str | None) -> None:
    """Raises `RunError` for what reads as standard input: a line is quoted by its number in a file that is there."""
    from liverl.errors import RunError

    if name == "-":
        raise RunError(
            "diagnose.stdin",
            "Standard input is no file.",
            next_action="write it to one: COMMAND > run.log; liverl diagnose run.log",
        )


def _fix(given: argparse.Namespace, found: Diagnosed) -> int:
    from liverl.operate.fix import apply, propose

    primary = found.diagnosis.primary
    if primary is None:
        put(given, found, "\n".join([*found.lines(), "  nothing to fix"]))
        return exits.OK
    fix = propose(primary, place(given), given.config, given.name)
    if given.apply and fix.ok:
        from liverl.cli.asking import confirmed

        say(given)("\n".join(fix.lines()[:-1]))
        fix = apply(fix, place(given), confirmed(f"\nChange {fix.path}?", given, "nothing was changed"))
    put(given, fix, "\n".join(fix.lines()))
    return exits.OK if fix.ok else exits.REFUSED


def _bundle(given: argparse.Namespace, found: Diagnosed) -> int:
    from pathlib import Path

    from liverl.operate.bundle import write_bundle

    is_file = given.name and not found.is_run
    made = write_bundle(
        found,
        Path(given.bundle).expanduser(),
        None if is_file else run_of(given),
        Path(given.name).expanduser() if is_file else None,
    )
    put(given, made, f"{made.summary}\n  next: {made.next_action}")
    return exits.OK


def triage(given: argparse.Namespace) -> int:
    """A model's conclusion on top of the diagnosis."""
    from liverl.operate.triage.loop import Limits
    from liverl.operate.triage.verb import endpoint
    from liverl.operate.triage.verb import triage as look_further

    _check_name(given.name)
    asked = None if given.offline else endpoint(given.model, given.endpoint)
    found = look_further(given.name, place(given), asked, Limits(turns=max(1, min(given.turns, 50))))
    put(given, found, "\n".join(found.lines()))
    return exits.OK if found.ok else exits.REFUSED


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
    """A line, or a JSON object, whenever a state or the findings change; of a named run its line also to the webhook,
    unless another posts it."""
    from liverl.operate.watch import watch_news
    from liverl.operate.webhook import address, post, posts_for

    where = run_of(given) if given.name else place(given)
    url = address() if given.name and posts_for(run_of(given)) else ""
    for each in watch_news(where):
        print(
            harmless(json.dumps(each.as_dict(), ensure_ascii=False) if given.json else each.line), flush=True
        )
        if url and (failed := post(each.line, url)):
            print(harmless(failed), file=sys.stderr, flush=True)
    return exits.OK
