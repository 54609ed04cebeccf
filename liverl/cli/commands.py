"""What each command calls, and which exit code its result has; slow imports only where they are used."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from liverl.cli import exits, looking
from liverl.cli.given import place, profile, put, run_of, say
from liverl.errors import RunError

if TYPE_CHECKING:
    from liverl.operate.launch import Launched
    from liverl.operate.stop import Stopped
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
        found = check(profile(given), None if given.json else findings.progress, probe=given.probe)
    except ConfigProblems as broken:
        found = problems(broken)
        put(given, found, findings.checked(found))
        return exits.USAGE
    put(given, found, findings.checked(found))
    return exits.OK if found.ok else exits.REFUSED


def _run(given: argparse.Namespace) -> int:
    from liverl.cli import findings
    from liverl.cli.asking import confirmed
    from liverl.operate.check import check, check_again
    from liverl.operate.launch import refuse, refuse_live, start
    from liverl.operate.passes import fingerprint, recall

    tell = say(given)
    asked = profile(given)
    refuse_live(asked)
    before = recall(fingerprint(asked))
    listener = None if given.json else findings.progress
    checked = check_again(asked, before, listener) if before else check(asked, listener)
    tell(findings.listed(checked))
    refuse(checked)
    yes = confirmed("\nStart this run?", given, "liverl config show   and change config.yaml")
    launched = start(asked, checked, yes, name=given.name)
    tell(f"started {launched.run.name} in {launched.run.root}")
    return _detached(given, launched) if given.detach else _attend(given, launched.run)


def _resume(given: argparse.Namespace) -> int:
    from liverl.cli import findings
    from liverl.cli.asking import confirmed
    from liverl.operate.launch import Launched, refuse
    from liverl.operate.resume import check_resume, resume

    run = run_of(given, only_own=True)
    checked = check_resume(run, None if given.json else findings.progress)
    say(given)(findings.listed(checked))
    refuse(checked)
    yes = confirmed(f"\nGo on with {run.name}?", given, f"liverl status {run.name}")

    def begin() -> None:
        going = resume(run, checked, yes)
        from_step = f"from step {going.from_step} of {going.steps_total}"
        say(given)(f"resumed {going.name}: attempt {going.attempt}, {from_step}")

    if not given.detach:
        return _attend(given, run, begin)
    begin()
    return _detached(given, Launched(run))


def _detached(given: argparse.Namespace, launched: Launched) -> int:
    from liverl.operate.launch import alive

    living = alive(launched)
    put(given, living, "\n".join(living.lines()))
    return exits.OK


def _attend(given: argparse.Namespace, run: RunDir, begin: Callable[[], None] = lambda: None) -> int:
    """Begin a run and show it until it ends; Ctrl-C ends it cleanly, a second one kills what does not end."""
    from liverl.cli import text
    from liverl.cli.live import follow
    from liverl.operate.status import watch
    from liverl.operate.stop import stop

    try:
        begin()
        last = follow(watch(run, 0.5), sys.stderr if given.json else sys.stdout)
    except KeyboardInterrupt:
        print(
            f"\nstopping {run.name} ... (Ctrl-C again kills what does not end)", file=sys.stderr, flush=True
        )
        try:
            stopped = stop(run, "Ctrl-C")
        except KeyboardInterrupt:
            stopped = stop(run, "Ctrl-C, twice", kill=True)
        put(given, stopped, _stopped_text(stopped))
        return exits.INTERRUPTED
    if last.state == "finished":
        put(given, last, text.learned(last))
        return exits.OK
    put(given, last, text.status(last))
    return exits.INTERRUPTED if last.state == "stopped" else exits.RUN_FAILED


def _stop(given: argparse.Namespace) -> int:
    from liverl.cli.asking import confirmed
    from liverl.operate.stop import stop

    run = run_of(given, only_own=True)
    if given.kill:
        confirmed(f"Kill what is left of {run.name}? It saves nothing.", given, f"liverl status {run.name}")
    stopped = stop(run, "liverl stop", kill=given.kill)
    put(given, stopped, _stopped_text(stopped))
    return exits.OK if stopped.ok else exits.RUN_FAILED


def _stopped_text(stopped: Stopped) -> str:
    return "\n".join([*stopped.lines(), f"  next: {stopped.next_action}"])


def _clean(given: argparse.Namespace) -> int:
    from liverl.cli.asking import confirmed
    from liverl.operate.clean import Wanted, clean, plan_clean, run_to_clean

    run = run_of(given) if given.name else run_to_clean(place(given))
    wanted = Wanted.of(logs=given.logs, trials=given.trials, pods=given.pods, everything=given.all)
    planned = plan_clean(run, wanted)
    if given.dry_run or planned.is_empty:
        put(given, planned, "\n".join([*planned.lines(), f"  next: {planned.next_action}"]))
        return exits.OK
    say(given)("\n".join(planned.lines()))
    confirmed("Remove these?", given, f"{planned.command} --yes")
    done = clean(run, wanted, planned)
    put(given, done, "\n".join([done.summary, *done.outcome(), f"  next: {done.next_action}"]))
    return exits.OK if done.ok else exits.RUN_FAILED


def _trial(given: argparse.Namespace) -> int:
    from liverl.cli import text
    from liverl.operate.single import try_task

    tried = try_task(profile(given), given.task, say(given))
    put(given, tried, text.tried(tried.view, tried.run_dir))
    return exits.OK if tried.ok else exits.RUN_FAILED


def _drill(given: argparse.Namespace) -> int:
    from liverl.operate.drill import DrillList, drill

    if not given.name:
        listed = DrillList()
        put(given, listed, "\n".join([*listed.lines(), f"  next: {listed.next_action}"]))
        return exits.OK
    made = drill(given.name, say(given), root=place(given).run_root, keep=given.keep)
    put(given, made, "\n".join([*made.lines(), f"  next: {made.next_action}"]))
    return exits.OK if made.ok else exits.RUN_FAILED


def _config_show(given: argparse.Namespace) -> int:
    from liverl.cli import settings
    from liverl.operate.config_show import show, show_verl

    asked = profile(given)
    if given.verl:
        command = show_verl(asked)
        put(given, command, settings.verl(command))
    else:
        shown = show(asked)
        put(given, shown, settings.shown(shown, every=given.resolved))
    return exits.OK


def _policy_build(given: argparse.Namespace) -> int:
    from liverl.operate.policy import build

    out = Path(given.out) if given.out else None
    built = build(profile(given).config, say(given), out=out, seed=given.seed)
    put(given, built, f"built in {built.seconds:.0f} s: {built.path}\n  next: liverl run")
    return exits.OK


def _mcp(given: argparse.Namespace) -> int:
    try:
        if given.http:
            from mcp_server.http import serve_http

            return serve_http(given.port)
        from mcp_server.server import serve

        return serve()
    except ModuleNotFoundError as missing:
        raise RunError(
            "mcp.missing",
            "The MCP server's packages are not installed.",
            evidence=str(missing),
            next_action="bash scripts/setup_env.sh",
        ) from missing


_COMMANDS: dict[str, Command] = {
    "check": _check,
    "run": _run,
    "resume": _resume,
    "status": looking.status,
    "logs": looking.logs,
    "stop": _stop,
    "clean": _clean,
    "trials": looking.trials,
    "show": looking.show,
    "diagnose": looking.diagnose,
    "triage": looking.triage,
    "compare": looking.compare,
    "ledger": looking.ledger,
    "watch": looking.watch,
    "trial": _trial,
    "drill": _drill,
    "config show": _config_show,
    "policy build": _policy_build,
    "mcp": _mcp,
}
