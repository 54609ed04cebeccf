"""Results as text for a person: short, true, the next action last."""

from __future__ import annotations

from collections.abc import Iterable

from liverl.operate.answer import cut
from liverl.operate.excerpt import Tail
from liverl.operate.show import TrialView
from liverl.operate.standing import Status, trend_text
from liverl.operate.trials import TrialList
from liverl.operate.validation import Validation
from liverl.record.trials import TrialRow

_LABEL = 12
_REASON = 300
_FOLDED = {
    "progress": "progress bars",
    "nccl": "lines of NCCL",
    "ray": "lines of Ray's",
    "repeated": "repeated lines",
}


def label(name: str, value: str) -> str:
    """One indented line: a name, and its value in a column."""
    return f"  {name:<{_LABEL}}{value}"


def duration(seconds: float | None) -> str:
    """Seconds in the unit that a person would use."""
    if seconds is None:
        return "unknown yet"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def number(value: float | None) -> str:
    """A reward, or that there is none."""
    return "none yet" if value is None else f"{value:.2f}"


def validation(found: Validation) -> str:
    """First and last validation in one line."""
    if found.first is None or found.first_step is None:
        return "none yet"
    if found.first_step == found.last_step:
        return f"{number(found.first)} at step {found.first_step} ({found.trials} trials)"
    arrow = f"{number(found.first)} → {number(found.last)}"
    line = f"{arrow} (step {found.first_step} → {found.last_step}, {found.trials} trials each)"
    if found.best_step not in (found.first_step, found.last_step):
        line += f"; best {number(found.best)} at step {found.best_step}"
    return line


def status(now: Status) -> str:
    """One run on one screen."""
    doing = f", {now.phase}" if now.phase not in ("", now.state) and now.is_live else ""
    why = (
        f": {cut(now.reason, _REASON)}" if now.reason and now.reason not in ("the trainer finished",) else ""
    )
    lines = [f"{now.name}  {now.state}{doing}{why}"]
    lines += [
        label("seen" if index == 0 else "", cut(line, _REASON)) for index, line in enumerate(now.evidence)
    ]
    lines.append(label("step", f"{now.step} of {now.steps_total}" + _pace(now)))
    trend = trend_text(now.trend)
    lines.append(label("reward", number(now.reward) + (f"   {trend}" if trend else "")))
    lines.append(label("validation", validation(now.validation)))
    if now.is_live and now.boot is not None:
        lines.append(label("boot", now.boot.line))
    elif now.is_live and now.trials_total:
        lines.append(label("trials", f"{now.trials_done} of {now.trials_total} now"))
    if now.health.steps:
        lines.append(label("health", f"{now.health.line}   (last {now.health.steps} steps)"))
    lines.append(label("findings", now.findings or f"not looked for: liverl diagnose {now.name}"))
    if now.last_write is not None:
        lines.append(label("last write", f"{duration(now.last_write.age_s)} ago, {now.last_write.file}"))
    lines += [label("run", now.run_dir), label("log", now.log), label("next", now.next_action)]
    return "\n".join(lines)


def status_line(now: Status) -> str:
    """One run in one line of a list."""
    steps = f"step {now.step:>4}/{now.steps_total:<4}"
    return f"{now.name:<36} {now.state:<11} {steps} validation {validation(now.validation)}"


def logs(found: Tail) -> str:
    """Lines of a log, and below them what was left out and how to get at it."""
    folded = ", ".join(f"{count} {_FOLDED.get(kind, kind)}" for kind, count in found.collapsed.items())
    lines = [
        *found.lines,
        label("log", found.log + (f", from line {found.first_line}" if found.first_line else "")),
    ]
    lines += [label("note", text) for text in (found.note, found.truncated) if text]
    if folded:
        lines.append(label("folded", f"{folded}; all of it: --raw"))
    if found.earlier:
        lines.append(label("earlier", f"liverl logs {found.name} --cursor {found.earlier}{found.options}"))
    return "\n".join([*lines, label("next", found.next_action)])


def _pace(now: Status) -> str:
    if now.rate_s is None:
        return ""
    left = f", {duration(now.eta_s)} left" if now.is_live and now.eta_s is not None else ""
    return f"   {now.rate_s:.3g} s a step{left}"


def learned(now: Status) -> str:
    """What a run that is over leaves: what it learned, where everything lies, what to do next."""
    lines = [label("learned", f"validation reward {validation(now.validation)}")]
    lines.append(label("run", now.run_dir))
    lines += [label(name, where) for name, where in now.artifacts]
    lines += [label("log", now.log), label("next", now.next_action)]
    return "\n".join(lines)


def trials(found: TrialList) -> str:
    """One line a trial, the newest last."""
    rows = found.shown
    if not rows:
        return f"{found.name}: no such trial among {found.total}"
    lines = [
        f"{'step':>5} {'split':<5} {'outcome':<14} {'reward':>6} {'turns':>5} {'tokens':>6} {'s':>6}  trial"
    ]
    lines += [trial_line(row) for row in rows]
    solved = sum(1 for row in found.rows if row.outcome == "solved")
    shown = f", the last {len(rows)} shown" if len(rows) < len(found.rows) else ""
    of = f"{found.total}" if found.is_whole else f"the last {found.total}"
    lines.append(f"{len(found.rows)} of {of} trials{shown}; {solved} solved")
    lines.append(label("next", f"liverl show {rows[-1].trial} --run {found.name}"))
    return "\n".join(lines)


def trial_line(row: TrialRow) -> str:
    """One trial in one line."""
    reward = "-" if row.reward is None else f"{row.reward:.2f}"
    tokens = row.prompt_tokens + row.completion_tokens
    blame = f"  ({row.blame}: {row.error[:80]})" if row.blame else ""
    return (
        f"{row.step:>5} {row.split:<5} {row.outcome:<14} {reward:>6} {row.turns:>5} {tokens:>6} "
        f"{row.seconds.get('total', 0.0):>6.1f}  {row.trial}{blame}"
    )


def trial(view: TrialView) -> str:
    """A whole trial: head, conversation, verifier, tokens, seconds."""
    next_action = label("next", f"liverl trials {view.run} --task {view.row.task}")
    return "\n".join([*_head(view), "", *_conversation(view), *_verdict(view), next_action])


def tried(view: TrialView, run_dir: str) -> str:
    """A trial whose conversation was shown as it happened: what came of it."""
    next_action = label("next", f"liverl show {view.row.trial} --run {run_dir}   or: liverl run")
    return "\n".join(["", *_head(view), "", *_verdict(view), next_action])


def _head(view: TrialView) -> list[str]:
    row = view.row
    reward = "none" if row.reward is None else f"{row.reward:.2f}"
    lines = [f"{row.trial}  {row.outcome}, reward {reward}"]
    lines.append(label("task", f"{row.task} ({row.split}, step {row.step}, weights {row.weight_version})"))
    if row.blame:
        lines.append(label("blame", f"{row.blame}: {row.error}"))
    tries = f", {row.tries} tries" if row.tries > 1 else ""
    lines.append(label("turns", f"{row.turns}{tries}"))
    lines.append(label("folder", view.folder))
    return lines


def _conversation(view: TrialView) -> Iterable[str]:
    if view.note:
        yield f"({view.note})"
    for turn in view.turns:
        mark = "sampled" if turn.sampled else "masked"
        yield f"── {turn.role} ({mark})"
        if turn.text.strip():
            yield turn.text.rstrip()
        for command in turn.commands:
            yield f"$ {command.text}" if command.tool == "bash" else f"{command.tool}: {command.text}"
            yield "── tool (masked)"
            yield "(no output came back)" if command.output is None else command.output.rstrip()
    if view.turns:
        yield ""


def _verdict(view: TrialView) -> list[str]:
    row = view.row
    lines = ["── verifier", view.verifier_output or "(it printed nothing)"]
    if view.exception:
        lines += ["── exception", view.exception.rstrip()]
    lines.append("")
    for index, segment in enumerate(view.segments):
        mean = "" if segment.mean_logprob is None else f", mean logprob {segment.mean_logprob:.3f}"
        text = f"prompt {segment.prompt}, sampled {segment.sampled}, masked {segment.masked}{mean}"
        lines.append(label("tokens", text + (f"  (segment {index + 1})" if len(view.segments) > 1 else "")))
    if not view.segments:
        lines.append(label("tokens", f"prompt {row.prompt_tokens}, sampled {row.completion_tokens}"))
    seconds = ", ".join(f"{phase} {spent:.2f}" for phase, spent in row.seconds.items())
    lines.append(label("seconds", seconds or "none recorded"))
    return lines
