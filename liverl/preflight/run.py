"""Asks all questions at once, each with a time limit."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from liverl.config import Facts, Origin, RunConfig
from liverl.errors import LiveRLError
from liverl.preflight.ask import NoAnswerError
from liverl.preflight.context import Context
from liverl.preflight.disk import check_disk
from liverl.preflight.finding import Finding, Severity
from liverl.preflight.memory import check_memory
from liverl.preflight.models import check_models
from liverl.preflight.packages import check_packages
from liverl.preflight.places import check_places
from liverl.preflight.ports import check_ports
from liverl.preflight.sandboxes import check_sandboxes
from liverl.preflight.scaffolds import check_scaffolds
from liverl.preflight.tasks import check_task_controls, check_task_files, controls_time_s
from liverl.preflight.trackers import check_trackers
from liverl.preflight.verls import check_verls

Question = Callable[[Context], list[Finding]]
Listener = Callable[[str, list[Finding]], None]

QUESTIONS: Mapping[str, Question] = {
    "packages": check_packages,
    "sandbox": check_sandboxes,
    "scaffold": check_scaffolds,
    "ports": check_ports,
    "memory": check_memory,
    "disk": check_disk,
    "places": check_places,
    "tracker": check_trackers,
    "model": check_models,
    "tasks": check_task_files,
    "verl": check_verls,
    "controls": check_task_controls,
}
TIMEOUT_S = 120.0


def run_checks(
    config: RunConfig,
    facts: Facts,
    *,
    config_file: Path = Path("config.yaml"),
    origins: Mapping[str, Origin] | None = None,
    timeout_s: float = TIMEOUT_S,
    only: Sequence[str] = (),
    questions: Mapping[str, Question] = QUESTIONS,
    on_answer: Listener | None = None,
) -> list[Finding]:
    """The findings of all questions (or of those named in `only`), in the order of `QUESTIONS`.

    They run in parallel; one that has not answered after `timeout_s`, or the longer time that it is known to
    take, gives a `skipped` finding. `on_answer` is called in this thread with each question's name and findings
    as they come.
    """
    context = Context(config, facts, config_file, origins or {}, timeout_s)
    asked = {name: question for name, question in questions.items() if not only or name in only}
    limits_s = {
        name: max(timeout_s, controls_time_s(config) if name == "controls" else 0.0) for name in asked
    }
    answers: queue.SimpleQueue[tuple[str, list[Finding]]] = queue.SimpleQueue()
    for name, question in asked.items():
        own = replace(context, timeout_s=limits_s[name])
        # Daemons: a question that hangs must not keep the command from ending.
        work = threading.Thread(target=_answer, args=(name, question, own, answers), daemon=True)
        work.start()
    found: dict[str, list[Finding]] = {}
    began = time.monotonic()
    while waiting := asked.keys() - found.keys():
        deadline = began + max(limits_s[name] for name in waiting)
        try:
            name, findings = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        found[name] = findings
        if on_answer:
            on_answer(name, findings)
    for name in asked:
        if name not in found:
            found[name] = [_unanswered(name, limits_s[name])]
            if on_answer:
                on_answer(name, found[name])
    return [finding for name in asked for finding in found[name]]


def _answer(
    name: str, question: Question, context: Context, answers: queue.SimpleQueue[tuple[str, list[Finding]]]
) -> None:
    try:
        findings = question(context)
    except NoAnswerError as error:
        severity: Severity = "skipped" if error.code == "probe.timeout" else "fatal"
        findings = [Finding.of_error(error, severity)]
    except LiveRLError as error:
        findings = [Finding.of_error(error)]
    except OSError as error:
        cure = "Give this user the right to read it, or name another place"
        findings = [Finding(f"{name}:unreadable", "fatal", f"The question '{name}' failed", str(error), cure)]
    answers.put((name, findings))


def _unanswered(name: str, timeout_s: float) -> Finding:
    title = f"The question '{name}' was not answered within {timeout_s:.0f} s"
    cure = "Check again when the machine is less busy: liverl check"
    return Finding(f"{name}:timeout", "skipped", title, "", cure)
