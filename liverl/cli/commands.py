"""What each command calls, and which exit code its result has; slow imports only where they are used."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liverl.cli import exits
from liverl.operate.find import Place, find_run, list_runs

if TYPE_CHECKING:
    from liverl.operate.profile import Asked, Profile
    from liverl.record.layout import RunDir

Command = Callable[[argparse.Namespace], int]


def run_command(given: argparse.Namespace) -> int:
    """Run the command that the arguments name and return its exit code."""
    name = " ".join(filter(None, (given.command, getattr(given, "action", None))))
    return _COMMANDS[name](given)


def _check(given: argparse.Namespace) -> int:
    from liverl.cli import findings
    from liverl.config import ConfigProblems
    from liverl.operate.check import check, problems

    try:
        found = check(_profile(given), None if given.json else findings.progress)
    except ConfigProblems as broken:
        found = problems(broken)
        _put(given, found, findings.checked(found))
        return exits.USAGE
    _put(given, found, findings.checked(found))
    return exits.OK if found.ok else exits.REFUSED


def _run(given: argparse.Namespace) -> int:
    from liverl.cli import findings
    from liverl.operate.launch import Listener, launch

    say = _say(given)
    listener = Listener(lambda found: say(findings.listed(found)), say)
    run = launch(_profile(given), listener, name=given.name)
    say(f"started {run.name} in {run.root}")
    return _detached(given, run) if given.detach else _attend(given, run)


def _resume(given: argparse.Namespace) -> int:
    from liverl.operate.resume import resume

    run = _find(given)
    going = resume(run)
    say = _say(given)
    say(f"resumed {going.name}: attempt {going.attempt}, from step {going.from_step} of {going.steps_total}")
    return _detached(given, run) if given.detach else _attend(given, run)


def _detached(given: argparse.Namespace, run: RunDir) -> int:
    shown = {"name": run.name, "run_dir": str(run.root), "next": f"liverl status {run.name}"}
    _put(given, shown, f"next: liverl status {run.name}    liverl stop {run.name}")
    return exits.OK


def _attend(given: argparse.Namespace, run: RunDir) -> int:
    """Show a run until it ends; Ctrl-C ends it cleanly, a second one leaves it to end by itself."""
    from liverl.cli import text
    from liverl.cli.live import follow
    from liverl.operate.status import watch
    from liverl.operate.stop import stop

    try:
        last = follow(watch(run, 0.5), sys.stderr if given.json else sys.stdout)
    except KeyboardInterrupt:
        print(f"\nstopping {run.name} ...", file=sys.stderr, flush=True)
        stopped = stop(run, "Ctrl-C")
        kept = (
            f"its checkpoint of step {stopped.checkpoint_step}"
            if stopped.checkpoint_step
            else "the beginning"
        )
        _put(given, stopped, f"stopped; it can go on from {kept}:\n  {stopped.next_action}")
        return exits.INTERRUPTED
    if last.state == "finished":
        _put(given, last, text.learned(last))
        return exits.OK
    _put(given, last, text.status(last))
    return exits.INTERRUPTED if last.state == "stopped" else exits.RUN_FAILED


def _status(given: argparse.Namespace) -> int:
    from liverl.cli import text
    from liverl.operate.status import status

    if given.list:
        states = [status(run) for run in list_runs(_place(given))]
        lines = (
            "\n".join(text.status_line(state) for state in states)
            or "There is no run yet.\n  next: liverl run"
        )
        _put(given, [state.as_dict() for state in states], lines)
        return exits.OK
    now = status(_find(given))
    _put(given, now, text.status(now))
    return exits.of_state(now.state)


def _stop(given: argparse.Namespace) -> int:
    from liverl.operate.stop import stop

    stopped = stop(_find(given), "liverl stop")
    _put(given, stopped, f"{stopped.name} {stopped.reason}\n  next: {stopped.next_action}")
    return exits.OK


def _trials(given: argparse.Namespace) -> int:
    from liverl.cli import text
    from liverl.operate.trials import Wanted, trials

    wanted = Wanted(given.step, given.split, given.task, given.outcome, given.blame, given.failed)
    found = trials(_find(given), wanted)
    _put(given, found, text.trials(found, given.last))
    return exits.OK


def _show(given: argparse.Namespace) -> int:
    from liverl.cli import text
    from liverl.operate.show import show

    view = show(_find(given), given.trial)
    _put(given, view, text.trial(view))
    return exits.OK


def _trial(given: argparse.Namespace) -> int:
    from liverl.cli import text
    from liverl.operate.single import try_task

    tried = try_task(_profile(given), given.task, _say(given))
    _put(given, tried, text.tried(tried.view, tried.run_dir))
    return exits.RUN_FAILED if tried.view.row.outcome == "infrastructure" else exits.OK


def _config_show(given: argparse.Namespace) -> int:
    from liverl.cli import settings
    from liverl.operate.config_show import show, show_verl

    profile = _profile(given)
    if given.verl:
        command = show_verl(profile)
        _put(given, command, settings.verl(command))
    else:
        shown = show(profile)
        _put(given, shown, settings.shown(shown, every=given.resolved))
    return exits.OK


def _policy_build(given: argparse.Namespace) -> int:
    from liverl.operate.policy import build

    out = Path(given.out) if given.out else None
    built = build(_profile(given).config, _say(given), out=out, seed=given.seed)
    _put(given, built, f"built in {built.seconds:.0f} s: {built.path}\n  next: liverl run")
    return exits.OK


def _profile(given: argparse.Namespace) -> Profile:
    from liverl.operate.profile import Asked, read_profile

    asked: Asked = Asked(given.config, tuple(given.set), given.smoke)
    return read_profile(asked, _place(given))


def _place(given: argparse.Namespace) -> Place:
    return Place.here(getattr(given, "run_root", None))


def _find(given: argparse.Namespace) -> RunDir:
    return find_run(given.name, _place(given))


def _say(given: argparse.Namespace) -> Callable[[str], None]:
    """Progress goes to standard output, or, where that is to hold JSON alone, to standard error."""
    stream = sys.stderr if given.json else sys.stdout
    return lambda line: print(line, file=stream, flush=True)


def _put(given: argparse.Namespace, result: Any, text: str) -> None:
    print(json.dumps(_plain(result), ensure_ascii=False) if given.json else text)


def _plain(result: Any) -> Any:
    if hasattr(result, "as_dict"):
        return result.as_dict()
    return asdict(result) if is_dataclass(result) and not isinstance(result, type) else result


_COMMANDS: dict[str, Command] = {
    "check": _check,
    "run": _run,
    "resume": _resume,
    "status": _status,
    "stop": _stop,
    "trials": _trials,
    "show": _show,
    "trial": _trial,
    "config show": _config_show,
    "policy build": _policy_build,
}
