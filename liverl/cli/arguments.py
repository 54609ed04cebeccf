"""The commands of `liverl` and their options; imports nothing slow, so that help is there at once."""

from __future__ import annotations

import argparse

from liverl.cli import exits

_ABOUT = "Trains a coding agent with online reinforcement learning, and shows what it does."
_EXAMPLES = """examples:
  liverl check                          would a run work here, and what would be run?
  liverl run                            check, ask, train, show progress
  liverl run --smoke --detach           the same, small and short, in the background
  liverl status                         the newest run; with --json for programs
  liverl logs -f                        its log as it grows, without noise
  liverl diagnose                       what is wrong with it, first cause first; takes any log, too
  liverl trials --failed                what went wrong
  liverl show TRIAL                     one trial, from its first message to its reward
  liverl stop                           end it cleanly; `liverl resume` goes on

"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="liverl",
        description=_ABOUT,
        epilog=_EXAMPLES + exits.HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _check(commands)
    _run(commands)
    _of_a_run(commands)
    _logs(commands)
    _trials(commands)
    _show(commands)
    _trial(commands)
    _config(commands)
    _policy(commands)
    _diagnose(commands)
    _triage(commands)
    _compare(commands)
    _clean(commands)
    _ledger(commands)
    _watch(commands)
    _drill(commands)
    _mcp(commands)
    return top


_Commands = argparse._SubParsersAction  # argparse has no public name for it


def _add(commands: _Commands[argparse.ArgumentParser], name: str, what: str) -> argparse.ArgumentParser:
    made = commands.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=exits.HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--json", action="store_true", help="print JSON, for programs")
    return made


def _with_config(made: argparse.ArgumentParser) -> None:
    made.add_argument("--config", metavar="FILE", help="default: the nearest config.yaml upwards from here")
    made.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="one value, such as training.steps=3"
    )
    made.add_argument(
        "--smoke",
        action="store_true",
        help="small and short: two or three minutes, two more to make the policy",
    )


def _with_root(made: argparse.ArgumentParser) -> None:
    made.add_argument("--run-root", metavar="DIR", help="the folder that holds the runs")


def _check(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(
        commands, "check", "say what would keep a run from working, and the cure of each; start nothing"
    )
    _with_config(made)
    made.add_argument(
        "--probe",
        action=argparse.BooleanOptionalAction,
        help="also try sandboxes, tasks and the model's endpoint; default: where the CPU generates",
    )


def _run(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "run", "check, ask, train, and show progress")
    _with_config(made)
    made.add_argument("--yes", action="store_true", help="a person has decided: do not ask (for scripts)")
    _with_root(made)
    made.add_argument("--name", default="", help="the run's name; default: model-scaffold-day")
    made.add_argument("--detach", action="store_true", help="return as soon as it has started")


def _of_a_run(commands: _Commands[argparse.ArgumentParser]) -> None:
    for name, what in (
        ("status", "say how a run is doing"),
        ("resume", "go on with a run from its last checkpoint"),
        ("stop", "end a run cleanly"),
    ):
        made = _add(commands, name, what)
        made.add_argument(
            "name",
            nargs="?",
            metavar="RUN",
            help="name or folder; default: the newest live run, else the newest",
        )
        _with_root(made)
        if name == "status":
            made.add_argument("--list", action="store_true", help="all runs, newest first")
        if name == "stop":
            made.add_argument(
                "--kill",
                action="store_true",
                help="end by SIGKILL what an earlier stop has left alive; asks first",
            )
            _with_yes(made)
        if name == "resume":
            _with_yes(made)
            made.add_argument("--detach", action="store_true", help="return as soon as it has started")


def _with_yes(made: argparse.ArgumentParser) -> None:
    made.add_argument("--yes", action="store_true", help="do not ask (for scripts)")


def _logs(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "logs", "show the last lines of a run's log, without noise")
    made.add_argument("name", nargs="?", metavar="RUN", help="name or folder; default: the newest")
    _with_root(made)
    made.add_argument("-f", "--follow", action="store_true", help="go on until the run ends")
    made.add_argument(
        "-n", "--lines", type=int, default=40, metavar="N", help="at most so many (default 40, to 200)"
    )
    made.add_argument("--grep", default="", metavar="PATTERN", help="lines that match a regular expression")
    made.add_argument(
        "--component", default="all", metavar="WHAT", help="trainer, rollout, gateway, litellm, or trial:NAME"
    )
    made.add_argument("--step", type=int, metavar="N", help="from that step's line on")
    made.add_argument("--cursor", default="", metavar="TEXT", help="what came since an earlier answer")
    made.add_argument("--raw", action="store_true", help="keep progress bars and other noise")


def _diagnose(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "diagnose", "say what is wrong with a run or with what a log tells, and the cure")
    made.add_argument(
        "name",
        nargs="?",
        metavar="RUN|FILE",
        help="a run, or any log, jsonl, csv or trainer_state.json, or - for standard input; default: the newest "
        "live run, else the newest",
    )
    _with_root(made)
    made.add_argument("--all", action="store_true", help="every finding whole, however long that is")
    made.add_argument(
        "--fix",
        action="store_true",
        help="show the cure as a change of config.yaml; of a file from elsewhere, what it would set",
    )
    made.add_argument("--apply", action="store_true", help="with --fix: change the file, after asking")
    made.add_argument(
        "--config",
        metavar="FILE",
        help="with --fix: the run's config.yaml; default: the nearest upwards, of a file from elsewhere none",
    )
    made.add_argument(
        "--bundle",
        metavar="FILE",
        nargs="?",
        const="",
        help="write what a maintainer would ask for, without secrets; default: a new diagnosis-*.tar.gz here",
    )
    _with_yes(made)


def _triage(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "triage", "have a model look further, read-only, each of its citations checked")
    made.add_argument("name", nargs="?", metavar="RUN|FILE", help="as for diagnose")
    _with_root(made)
    made.add_argument("--model", default="", metavar="NAME", help="default: ANTHROPIC_MODEL")
    made.add_argument(
        "--endpoint",
        default="",
        metavar="URL",
        help="a Messages endpoint, such as a LiteLLM of one's own; default: ANTHROPIC_BASE_URL, else Anthropic's",
    )
    made.add_argument("--turns", type=int, default=12, metavar="N", help="at most so many (default 12)")
    made.add_argument("--offline", action="store_true", help="ask no model: the same facts for a person")


def _compare(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "compare", "set two or more runs side by side: configuration and curves")
    made.add_argument("names", nargs="+", metavar="RUN", help="names or folders")
    _with_root(made)


def _clean(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "clean", "remove what a dead run left; checkpoints and tracking data stay")
    made.add_argument("name", nargs="?", metavar="RUN", help="name or folder")
    _with_root(made)
    made.add_argument("--logs", action="store_true", help="its logs too")
    made.add_argument("--trials", action="store_true", help="its trials' folders too")
    made.add_argument(
        "--pods", action="store_true", help="pods labelled with its name and its folder's digest too"
    )
    made.add_argument("--all", action="store_true", help="all of these")
    made.add_argument("--dry-run", action="store_true", help="list only")
    _with_yes(made)


def _ledger(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "ledger", "list every attempt that ended, newest first")
    _with_root(made)
    made.add_argument("-n", "--last", type=int, default=20, metavar="N", help="at most so many (default 20)")


def _watch(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(
        commands,
        "watch",
        "print one line, or one JSON object, whenever a run's state or findings, or a file's, change",
    )
    made.add_argument(
        "name", nargs="?", metavar="RUN", help="name, folder, or a file; default: the newest, and later ones"
    )
    _with_root(made)


def _drill(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(
        commands, "drill", "make a failure on purpose, in a real run, and see whether it is diagnosed"
    )
    made.add_argument("name", nargs="?", default="", metavar="DRILL", help="default: list the drills")
    made.add_argument("--run-root", metavar="DIR", help="the folder for its run; default: a temporary one")
    made.add_argument("--keep", action="store_true", help="keep the run, to look at it")


def _port(text: str) -> int:
    if text.isdigit() and 1024 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is no port: 1024 to 65535")


def _mcp(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "mcp", "serve these commands to MCP clients, by standard input and output")
    made.add_argument(
        "--http",
        action="store_true",
        help="by HTTP on loopback, behind the token in LIVERL_MCP_TOKEN or a new one",
    )
    made.add_argument("--port", type=_port, default=8765, metavar="N", help="with --http (default 8765)")


def _trials(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "trials", "list the trials of a run")
    made.add_argument("name", nargs="?", metavar="RUN", help="name or folder; default: the newest")
    _with_root(made)
    made.add_argument("--step", type=int, metavar="N", help="of one step")
    made.add_argument("--split", choices=("train", "val"), help="training or validation")
    made.add_argument("--task", metavar="TASK", help="of the tasks whose name begins so")
    made.add_argument(
        "--outcome",
        metavar="OUTCOME",
        help="solved, unsolved, timeout, overlong, max_turns, agent_error, infrastructure",
    )
    made.add_argument("--blame", metavar="WHO", help="agent, sandbox, gateway, engine, verifier")
    made.add_argument("--failed", action="store_true", help="neither solved nor unsolved: it went wrong")
    made.add_argument(
        "--last", type=int, default=40, metavar="N", help="at most so many, the newest (0: all; default 40)"
    )


def _show(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "show", "show one trial, from its first message to its reward")
    made.add_argument("trial", metavar="TRIAL", help="its name, or how the name begins or ends")
    made.add_argument("--run", dest="name", metavar="RUN", help="name or folder; default: the newest")
    _with_root(made)


def _trial(commands: _Commands[argparse.ArgumentParser]) -> None:
    made = _add(commands, "trial", "run one trial live, with the untrained policy")
    made.add_argument("task", metavar="TASK", help="a task's name, or its folder")
    _with_config(made)
    _with_root(made)


def _config(commands: _Commands[argparse.ArgumentParser]) -> None:
    group = commands.add_parser("config", help="show what a run would be told")
    shows = group.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = _add(shows, "show", "show config.yaml as it would be used here")
    _with_config(made)
    made.add_argument("--resolved", action="store_true", help="every value, and where it comes from")
    made.add_argument("--verl", action="store_true", help="verl's exact command and environment")


def _policy(commands: _Commands[argparse.ArgumentParser]) -> None:
    group = commands.add_parser("policy", help="make the small policy")
    makes = group.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = _add(makes, "build", "make the small policy and warm-start it on demonstrations")
    _with_config(made)
    made.add_argument("--out", metavar="DIR", help="default: model.built_path of config.yaml")
    made.add_argument("--seed", type=int, metavar="N", help="default: experiment.seed of config.yaml")
