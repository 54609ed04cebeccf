"""Asks all questions at once, each with a time limit."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from liverl.config import Facts, Origin, RunConfig
from liverl.errors import LiveRLError
from liverl.preflight.ask import NoAnswerError
from liverl.preflight.chain import check_chain
from liverl.preflight.clock import check_clock
from liverl.preflight.context import Context
from liverl.preflight.disk import check_disk
from liverl.preflight.finding import Finding, Severity
from liverl.preflight.gpu_memory import check_gpu_memory
from liverl.preflight.gpus import check_gpus
from liverl.preflight.jobs import check_jobs
from liverl.preflight.kernel import check_kernel
from liverl.preflight.layouts import check_layouts
from liverl.preflight.leftovers import check_leftovers
from liverl.preflight.limits import check_limits
from liverl.preflight.memory import check_memory
from liverl.preflight.models import check_models
from liverl.preflight.packages import check_packages
from liverl.preflight.parallels import check_parallels
from liverl.preflight.places import check_places
from liverl.preflight.ports import check_ports
from liverl.preflight.proxies import check_proxies
from liverl.preflight.reach import check_reach
from liverl.preflight.readable import check_readable
from liverl.preflight.sandboxes import check_sandboxes
from liverl.preflight.scaffolds import check_scaffolds
from liverl.preflight.tasks import check_task_controls, check_task_files, controls_time_s
from liverl.preflight.template import check_template
from liverl.preflight.trackers import check_trackers
from liverl.preflight.variables import check_variables
from liverl.preflight.verls import check_verls
from liverl.record.masking import mask

Question = Callable[[Context], list[Finding]]
Listener = Callable[[str, list[Finding]], None]

QUESTIONS: Mapping[str, Question] = {
    "packages": check_packages,
    "sandbox": check_sandboxes,
    "scaffold": check_scaffolds,
    "job": check_jobs,
    "ports": check_ports,
    "gpus": check_gpus,
    "kernel": check_kernel,
    "limits": check_limits,
    "clock": check_clock,
    "leftovers": check_leftovers,
    "proxies": check_proxies,
    "variables": check_variables,
    "memory": check_memory,
    "gpu_memory": check_gpu_memory,
    "disk": check_disk,
    "places": check_places,
    "tracker": check_trackers,
    "parallel": check_parallels,
    "model": check_models,
    "layout": check_layouts,
    "readable": check_readable,
    "template": check_template,
    "chain": check_chain,
    "tasks": check_task_files,
    "verl": check_verls,
    "controls": check_task_controls,
}
TIMEOUT_S = 120.0
# What changes by itself, or is quick to look at: asked again before every launch, however recent the pass.
LIVE = (
    "job",
    "ports",
    "gpus",
    "memory",
    "disk",
    "places",
    "leftovers",
    "limits",
    "proxies",
    "variables",
    "model",
    "tasks",
)
# Those that start processes of the data plane take their time; any other one only looks, and hangs where a disk or a
# driver does. Their own limits on a hung client (nvidia-smi, docker, kubectl) are below this.
SLOW = ("tasks", "readable", "template", "chain", "verl", "controls", "scaffold", "sandbox")
LOOK_S = 10.0


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
    probe: bool = False,
) -> list[Finding]:
    """The findings of all questions (or of those named in `only`), in the order of `QUESTIONS`.

    They run in parallel; one that has not answered after `timeout_s`, or the other time that it is known to take,
    gives a `skipped` finding. Where a disk does not answer, that alone is told. `on_answer` is called in this
    thread with each question's name and findings as they come.
    """
    context = Context(config, facts, config_file, origins or {}, timeout_s, probe)
    asked = {name: question for name, question in questions.items() if not only or name in only}
    if hung := check_reach(context):
        return hung
    limits_s = {name: _limit_s(name, config, timeout_s) for name in asked}
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


def _limit_s(name: str, config: RunConfig, timeout_s: float) -> float:
    if name == "controls":
        return max(timeout_s, controls_time_s(config))
    return timeout_s if name in SLOW or name not in QUESTIONS else min(timeout_s, LOOK_S)


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
    except Exception as error:  # the thread's own edge: unanswered, the question would block nothing
        findings = [_broken(name, error)]
    answers.put((name, findings))


def _broken(name: str, error: Exception) -> Finding:
    last = traceback.extract_tb(error.__traceback__)[-1]
    seen = (
        mask(f"{type(error).__name__}: {error}"[:300])
        + f"   ({Path(last.filename).name}, line {last.lineno})"
    )
    title = f"The question '{name}' met what it can't read"
    return Finding(f"{name}:broken", "error", title, seen, "Mend the file that it names, then: liverl check")


def _unanswered(name: str, timeout_s: float) -> Finding:
    title = f"The question '{name}' was not answered within {timeout_s:.0f} s"
    cure = "Check again when the machine is less busy: liverl check"
    return Finding(f"{name}:timeout", "skipped", title, "", cure)
