"""What the exit codes mean."""

from __future__ import annotations

OK = 0
REFUSED = 1
USAGE = 2
RUN_FAILED = 3
NOT_FOUND = 4
INTERRUPTED = 130

HELP = """exit codes:
  0    done
  1    refused: a check found something fatal, or the run's state forbids it; or diagnose found a run sick
  2    wrong usage, or a problem in config.yaml
  3    the run (or the trial, the build, triage's model) failed; or it is dead, stalled or unreachable
  4    no such run, trial, task or file
  130  interrupted (Ctrl-C), cleanly
"""

_BY_CODE = {
    "run.none": NOT_FOUND,
    "clean.nothing": NOT_FOUND,
    "run.unknown": NOT_FOUND,
    "run.no_run_file": NOT_FOUND,
    "trial.unknown": NOT_FOUND,
    "diagnose.missing": NOT_FOUND,
    "log.missing": NOT_FOUND,
    "log.no_file": USAGE,
    "log.packed": USAGE,
    "log.permission": USAGE,
    "log.too_large": USAGE,
    "log.unreadable": USAGE,
    "diagnose.folder": USAGE,
    "diagnose.stdin": USAGE,
    "task.unknown": NOT_FOUND,
    "drill.unknown": NOT_FOUND,
    "drill.no_folder": USAGE,
    "run.not_started": RUN_FAILED,
    "run.bad_run_file": RUN_FAILED,
    "policy.build_failed": RUN_FAILED,
    "trial.failed": RUN_FAILED,
}


def of_error(code: str) -> int:
    """The exit code of an error."""
    if code.startswith("config."):
        return USAGE
    return _BY_CODE.get(code, REFUSED)


def of_state(state: str) -> int:
    """The exit code of a run's state."""
    return RUN_FAILED if state in ("failed", "dead", "stalled", "unreachable") else OK
