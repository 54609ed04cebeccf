"""The commands that only look: status, diagnose, logs, trials, show, compare, ledger, watch."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from liverl.cli import exits
from liverl.cli.given import harmless, place, put, run_of, say

if TYPE_CHECKING:
    from liverl.diagnose.finding import Finding
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
    with _named(given) as name:
        return _diagnose(given, name)


def _diagnose(given: argparse.Namespace, name: str | None) -> int:
    from liverl.operate.diagnose import diagnose as find_out

    found = _spoken(find_out(name, place(given), is_whole=given.all), name)
    if given.fix or given.apply:
        return _fix(given, found, name)
    if given.bundle is not None:
        return _bundle(given, found, name)
    put(given, found, "\n".join(found.lines()))
    return exits.OK if found.ok else exits.REFUSED


@contextlib.contextmanager
def _named(given: argparse.Namespace) -> Iterator[str | None]:
    """What is to be looked at: the name, or for `-` and `< FILE` the file that comes by standard input."""
    from liverl.operate.standard_input import file_of, is_file_from_its_start

    if given.name == "-" or (given.name is None and is_file_from_its_start()):
        with file_of(sys.stdin.buffer if sys.stdin else None) as path:
            given.name = (
                "-" if str(path).startswith("/proc/") else str(path)
            )  # as the next command has to say it
            yield str(path)
    else:
        yield given.name


def _spoken(found: Diagnosed, name: str | None) -> Diagnosed:
    """The diagnosis, of standard input without the place where it was kept."""
    from liverl.operate.standard_input import without

    return found if name is None or found.is_run else without(found, Path(name))


def _fix(given: argparse.Namespace, found: Diagnosed, name: str | None) -> int:
    from liverl.operate.elsewhere import is_elsewhere
    from liverl.operate.fix import apply, propose

    primary = found.diagnosis.primary
    if primary is None:
        put(given, found, "\n".join([*found.lines(), "  nothing to fix"]))
        return exits.OK
    if name is not None and not found.is_run and not given.config and is_elsewhere(Path(name)):
        return _advise(given, found, primary)
    fix = propose(primary, place(given), given.config, given.name)
    text = fix.lines()
    if given.apply and fix.ok:
        from liverl.cli.asking import confirmed

        say(given)("\n".join(fix.lines()[:-1]))
        fix = apply(fix, place(given), confirmed(f"\nChange {fix.path}?", given, "nothing was changed"))
        text = [fix.summary, f"  next: {fix.next_action}"]  # the diff was shown
    put(given, fix, "\n".join(text))
    return exits.OK if fix.ok else exits.REFUSED


def _advise(given: argparse.Namespace, found: Diagnosed, primary: Finding) -> int:
    """What a cure would set in a run whose configuration is not here."""
    from liverl.operate.elsewhere import advise, refused
    from liverl.operate.fix import command_of

    advice = advise(primary, found.configured, command_of(given.name, "FILE", place(given)))
    if given.apply and primary.changes:
        raise refused(advice)
    put(given, advice, "\n".join(advice.lines()))
    return exits.OK if advice.ok else exits.REFUSED


def _bundle(given: argparse.Namespace, found: Diagnosed, name: str | None) -> int:
    from liverl.operate.bundle import write_bundle

    is_file = name is not None and not found.is_run
    made = write_bundle(
        found,
        Path(given.bundle).expanduser() if given.bundle else None,
        None if is_file else run_of(given),
        Path(name).expanduser() if name is not None and is_file else None,
    )
    put(given, made, f"{made.summary}\n  next: {made.next_action}")
    return exits.OK


def triage(given: argparse.Namespace) -> int:
    """What a model proposes, beside the diagnosis."""
    from liverl.operate.triage.loop import Limits
    from liverl.operate.triage.verb import endpoint
    from liverl.operate.triage.verb import triage as look_further

    asked = None if given.offline else endpoint(given.model, given.endpoint)
    with _named(given) as name:
        made = look_further(name, place(given), asked, Limits(turns=max(1, min(given.turns, 50))))
        found = replace(made, found=_spoken(made.found, name))
    put(given, found, "\n".join(found.lines()))
    if not found.found.ok:
        return exits.REFUSED
    return exits.OK if found.ok else exits.RUN_FAILED


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
    """A line, or a JSON object, whenever a state or the findings change; of a named run or file its line also to the
    webhook, unless another posts it."""
    from liverl.operate.watch import watch_news, what_to_watch
    from liverl.operate.webhook import address, post, posts_for

    named = what_to_watch(given.name, place(given)) if given.name else None
    url = address() if isinstance(named, Path) or (named is not None and posts_for(named)) else ""
    for each in watch_news(named or place(given)):
        print(
            harmless(json.dumps(each.as_dict(), ensure_ascii=False) if given.json else each.line), flush=True
        )
        if url and (failed := post(each.line, url)):
            print(harmless(failed), file=sys.stderr, flush=True)
    return exits.OK
