"""Can every task be run and graded: its files, and its two controls?

A task's own solution has to score 1 and doing nothing 0; otherwise its reward says nothing about the policy.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

_PARTS = {
    "instruction.md": "what the agent is asked",
    "environment": "what the agent works on",
    "tests/test.sh": "what grades the trial",
}
_SHOWN = 8
# Measured: 0.9 to 8.7 s a shipped task, at the lowest priority on two cores that were busy training.
_TASK_S = 10.0
# What starting the probe and taking its sandboxes down may take beside.
_AROUND_S = 25.0


def check_task_files(context: Context) -> list[Finding]:
    """Looks at every task folder of both sets, runs nothing."""
    config = context.config
    findings = [*_set("data.train", config.data.train), *_set("data.val", config.data.val)]
    findings += _together(config)
    findings += judge_images(task_images(config), config.sandbox.backend)
    if findings:
        return findings
    counts = f"{len(task_folders(config.data.train))} training and {len(task_folders(config.data.val))}"
    return [Finding("task:complete", "info", f"{counts} validation tasks have all their files")]


def check_task_controls(context: Context) -> list[Finding]:
    """Runs each task's solution, and nothing, in real sandboxes; sound tasks are remembered.

    Without live probes nothing is run: only what is remembered counts.
    """
    if not context.probe:
        return judge_remembered(ask("tasks", context))
    limit_s = max(5.0, context.timeout_s - _AROUND_S)
    return judge_controls(ask("tasks", context, ["--timeout-s", str(limit_s)]), limit_s)


def controls_time_s(config: RunConfig) -> float:
    """What trying the tasks of both sets may take: the more there are, the longer."""
    count = len(task_folders(config.data.train)) + len(task_folders(config.data.val))
    return _AROUND_S + count * _TASK_S


def judge_controls(answer: dict[str, Any], limit_s: float) -> list[Finding]:
    """One finding a task that is not sound, then one that says how many were tried."""
    rows: list[dict[str, Any]] = answer["tasks"]
    findings = [found for row in rows for found in _control(row)]
    tried = [row for row in rows if "oracle" in row]
    cached = sum(1 for row in tried if row["cached"])
    waiting = [str(row["task"]) for row in rows if row.get("unchecked")]
    if waiting:
        title = f"{len(waiting)} of {len(rows)} tasks were not measured: {limit_s:.0f} s were not enough to try them"
        more = "Run `liverl check` again before you train: those that were tried are remembered"
        findings.append(Finding("task:untried", "skipped", title, ", ".join(waiting[:_SHOWN]), more))
    if not findings:
        title = f"All {len(tried)} tasks are sound: their solution scores 1, doing nothing 0"
        findings.append(Finding("task:sound", "info", title, f"{cached} of them cached"))
    return findings


def judge_remembered(answer: dict[str, Any]) -> list[Finding]:
    """How many tasks are known to be sound, where none may be tried now."""
    rows: list[dict[str, Any]] = answer["tasks"]
    unknown = [str(row["task"]) for row in rows if row.get("unchecked")]
    if not unknown:
        return judge_controls(answer, 0.0)
    title = f"Whether {len(unknown)} of {len(rows)} tasks score what they should was not tried"
    seen = f"{', '.join(unknown[:_SHOWN])}{', …' if len(unknown) > _SHOWN else ''}"
    return [Finding("task:not_probed", "skipped", title, seen, "liverl check --probe")]


def task_folders(folder: Path) -> list[Path]:
    """The folders below `folder` that are meant as tasks, sorted by name."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))


def _set(key: str, folder: Path) -> Iterator[Finding]:
    tasks = task_folders(folder)
    if not tasks:
        cure = f"Set {key} to a folder that holds one folder a task"
        yield Finding("task:none", "fatal", f"{key} holds no tasks", str(folder), cure)
    for task in tasks:
        yield from inspect_task(task)


def inspect_task(task: Path) -> Iterator[Finding]:
    """One finding a missing or unreadable part of a task folder."""
    out = "or take the folder out of the task set"
    try:
        tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        title, cure = f"The task {task.name} has no task.toml", f"Add task.toml, {out}"
        yield Finding("task:no_toml", "fatal", title, str(task / "task.toml"), cure)
    except (OSError, ValueError) as error:
        title, cure = f"The task.toml of {task.name} can't be read", f"Mend its TOML, {out}"
        yield Finding("task:bad_toml", "fatal", title, f"{task / 'task.toml'}: {error}", cure)
    for part, purpose in _PARTS.items():
        if not (task / part).exists():
            title = f"The task {task.name} has no {part}: {purpose}"
            name = "tests" if part.startswith("tests") else part.partition(".")[0]
            yield Finding(f"task:no_{name}", "fatal", title, str(task / part), f"Add {part}, {out}")


def task_images(config: RunConfig) -> dict[str, str]:
    """The Docker image that a task names, by the task's name; nothing of a file that can't be read."""
    images: dict[str, str] = {}
    for task in (*task_folders(config.data.train), *task_folders(config.data.val)):
        try:
            told = tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
            images[task.name] = str(told["environment"]["docker_image"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return images


def judge_images(images: Mapping[str, str], backend: str) -> list[Finding]:
    """A word on images that nobody has looked for; bubblewrap needs none, a task's files are all it takes."""
    if backend == "bubblewrap" or not images:
        return []
    named = sorted(set(images.values()))
    title = f"Whether the images of {len(images)} tasks are there was not looked up"
    cure = f"docker pull {named[0]}   for each, on the machine that runs the sandboxes"
    return [Finding("task:image", "skipped", title, ", ".join(named[:_SHOWN]), cure)]


def _together(config: RunConfig) -> Iterator[Finding]:
    train, val = task_folders(config.data.train), task_folders(config.data.val)
    shared = sorted({task.name for task in train} & {task.name for task in val})
    if shared:
        title = f"{len(shared)} tasks are both trained and validated on"
        cure = "Take them out of one of data.train and data.val"
        yield Finding("task:leak", "error", title, ", ".join(shared[:_SHOWN]), cure)
    prompts = config.training.prompts_per_step
    if 0 < len(train) < prompts:
        title = "A step wants more tasks than there are"
        seen = f"training.prompts_per_step = {prompts}, data.train holds {len(train)}"
        cure = f"Set training.prompts_per_step to at most {len(train)}"
        yield Finding("task:too_few", "fatal", title, seen, cure)


def _control(row: dict[str, Any]) -> Iterator[Finding]:
    task, place = row["task"], str(row.get("path", ""))
    out = "or take it out of the task set"
    if "error" in row:
        told = row["error"]
        if str(told["code"]).startswith("task."):
            return  # a missing part, which the question about files names too
        seen = str(told.get("evidence") or told["message"])
        cure = str(told.get("next_action", ""))
        yield Finding("task:untestable", "fatal", f"The task {task} can't be tried", seen, cure)
    elif "oracle" in row:
        if row["oracle"] < 1:
            seen = f"its solution scores {row['oracle']:g} in {place}"
            cure = f"Mend {place}/solution/solve.sh or its tests, {out}"
            yield Finding(
                "task:oracle", "fatal", f"The task {task} is not solved by its own solution", seen, cure
            )
        if row["nothing"] > 0:
            seen = f"doing nothing scores {row['nothing']:g} in {place}"
            cure = f"Make {place}/tests fail before the work is done, {out}"
            yield Finding("task:free", "fatal", f"The task {task} is solved by doing nothing", seen, cure)
