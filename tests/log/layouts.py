"""One run's metrics as people's logs and notes have them: series made by a seed, and the layouts they are printed in.

rows       30 steps under the names of a program
LAYOUTS    how each layout prints such rows: a file's name and its bytes
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence

Row = Mapping[str, float]
Rows = Sequence[tuple[int, Row]]
Layout = Callable[[Rows], tuple[str, bytes]]

STEPS = 30
BROKEN_FROM = 13
# What programs call loss, reward, KL, entropy, gradient norm, length, share of cut answers and learning rate.
METRICS = (
    "actor/pg_loss", "critic/score/mean", "actor/kl_loss", "actor/entropy", "actor/grad_norm", "response_length/mean",
    "response_length/clip_ratio", "actor/lr",
)  # fmt: skip
NAMES: Mapping[str, Sequence[str]] = {
    "verl": METRICS,
    "trl": (
        "loss", "reward", "kl", "entropy", "grad_norm", "completions/mean_length", "completions/clipped_ratio",
        "learning_rate",
    ),
    "slime": (
        "train/loss", "rollout/raw_reward", "train/kl_loss", "train/entropy_loss", "train/grad_norm",
        "rollout/response_len/mean", "rollout/truncated_ratio", "train/lr-pg_0",
    ),
    "own": ("loss", "reward", "kl", "ent", "gnorm", "len", "truncated", "lr"),
}  # fmt: skip
LAYOUTS: dict[str, Layout] = {}


def rows(program: str, is_broken: bool = False) -> Rows:
    """A run that learns; a broken one has no finite loss, KL and gradient from a step on."""
    made = random.Random(7)

    def about(value: float, share: float) -> float:
        return float(f"{value * (1 + share * (2 * made.random() - 1)):.4g}")

    found = []
    for step in range(1, STEPS + 1):
        part = step / STEPS
        values = [
            about(0.021, 0.8), about(0.21 + 0.34 * part, 0.1), about(0.0011 + 0.003 * part, 0.2),
            about(0.42 - 0.1 * part, 0.05), about(0.31, 0.25), about(412 + 80 * part, 0.04), about(0.031, 0.5), 1e-6,
        ]  # fmt: skip
        if is_broken and step >= BROKEN_FROM:
            values[0] = values[2] = values[4] = math.nan
        found.append((step, dict(zip(NAMES[program], values, strict=True))))
    return found


def layout(form: Layout) -> Layout:
    """Name a layout by its function."""
    LAYOUTS[form.__name__] = form
    return form


def lined(
    name: str, head: str, print_row: Callable[[int, Row], str], end: str = "\n", file: str = "a.log"
) -> None:
    """A layout with a line a step, or more of them: `head` with its step in `{}`, then the row."""

    def form(told: Rows) -> tuple[str, bytes]:
        return file, "".join(
            head.replace("{}", str(step)) + print_row(step, row) + end for step, row in told
        ).encode()

    LAYOUTS[name] = form


def shown(value: float) -> str:
    """Four decimals, the smallest in powers of ten."""
    return f"{value:.2e}" if 0 < abs(value) < 1e-4 else f"{value:.4f}"


def pairs(between: str, sign: str = "=", value: Callable[[float], str] = shown) -> Callable[[int, Row], str]:
    """The pairs of a row."""
    return lambda _, row: between.join(f"{key}{sign}{value(each)}" for key, each in row.items())


def below(before: str, sign: str, after: str = "", name: str = "{}") -> Callable[[int, Row], str]:
    """A pair a line."""
    return lambda _, row: "".join(
        f"\n{before}{name.format(key)}{sign}{shown(value)}{after}" for key, value in row.items()
    )


def printed(row: Row, quote: str = "'", between: str = ", ") -> str:
    """A dict as Python prints it."""
    return "{" + between.join(f"{quote}{key}{quote}: {value!r}" for key, value in row.items()) + "}"


def cells(told: Rows, value: Callable[[float], str] = shown) -> list[list[str]]:
    """A table's header and its rows."""
    return [["step", *told[0][1]], *([str(step), *map(value, row.values())] for step, row in told)]


def turned(told: Rows, corner: str, head: str = "") -> list[list[str]]:
    """The same table on its side."""
    found = [list(column) for column in zip(*cells(told), strict=True)]
    return [[corner, *(head + step for step in found[0][1:])], *found[1:]]


def ruled(table: list[list[str]], left: str, between: str, right: str, pad: bool = True) -> list[str]:
    """A table's lines, its columns as wide as their widest cell."""
    widths = [max(map(len, column)) if pad else 0 for column in zip(*table, strict=True)]
    return [
        left + between.join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + right
        for line in table
    ]


def drawn(table: list[list[str]], signs: str) -> list[str]:
    """A table with lines around it: `signs` are a bar, a line, and what stands where lines cross."""
    bar, line, cross = signs
    told = ruled(table, f"{bar} ", f" {bar} ", f" {bar}")
    rule = (
        cross + cross.join(line * (max(map(len, column)) + 2) for column in zip(*table, strict=True)) + cross
    )
    return [rule, told[0], rule, *told[1:], rule]


def text(lines: Sequence[str], file: str = "a.log", end: str = "\n") -> tuple[str, bytes]:
    """A file of lines."""
    return file, "".join(line + end for line in lines).encode()


BAR = "{}/30 [02:10<12:10, 41.3s/it"
for _name, _head, _print in (
    ("verl", "step:{} - ", pairs(" - ", ":", repr)),
    ("verl_ray", "\x1b[36m(TaskRunner pid=31)\x1b[0m step:{} - ", pairs(" - ", ":", repr)),
    ("verl_numpy", "step:{} - ", pairs(" - ", ":", "np.float64({})".format)),
    ("equal_signs", "[step {}] ", pairs(" ")),
    ("equal_signs_spaced", "step = {}, ", pairs(", ", " = ")),
    ("colons", "Step {}/30: ", pairs(", ", ": ")),
    ("colons_tight", "step:{} ", pairs(" ", ":")),
    ("bars", "Step {} | ", pairs(" | ", " ")),
    ("bars_colons", "10:02:11    INFO Step {} | ", pairs(" | ", ": ")),
    ("dashes", "Step {} - ", pairs(" - ", ": ")),
    ("arrow", "Step {} -> ", pairs(", ", " ")),
    ("semicolons", "step {}: ", pairs("; ", ": ")),
    ("tabs", "step: {}\t", pairs("\t", ": ")),
    ("words", "epoch 0 iter {} ", pairs(" ", " ")),
    ("words_commas", "iter {}: ", pairs(", ", " ")),
    ("averages", "Epoch: [0][{}/30]\t", pairs("\t", " ", lambda value: f"{shown(value)} ({shown(value)})")),
    ("epoch_step", "Epoch [1/1], Step [{}/30], ", pairs(", ", ": ")),
    ("bracket", "[{}/30] ", pairs(", ")),
    ("bracket_padded", "[00{}] ", pairs(" ", ": ")),
    ("number_sign", "#{} ", pairs(", ", ": ")),
    ("one_letter", "s{} ", pairs(" ")),
    ("keras", "{}/30 [=====>....] - ETA: 12:10 - ", pairs(" - ", ": ")),
    ("tensors", "step {}: ", pairs(", ", "=", lambda value: f"tensor({shown(value)}, device='cuda:0')")),
    ("powers", "Step {}: ", pairs(", ", ": ", "{:.4E}".format)),
    ("logfmt", 'time=2026-03-04T08:00:00Z level=info msg="train step" step={} ', pairs(" ")),
    ("logfmt_quoted", 'lvl=info msg=metrics step="{}" ', pairs(" ", "=", '"{:.6f}"'.format)),
    ("loguru", "2026-03-04 08:00:00.123 | INFO     | loop:train:123 - step {} | ", pairs(" | ")),
    ("logging", "2026-03-04 08:00:00,123 - grpo - INFO - Step {}: ", pairs(", ")),
    ("glog", "I0304 08:00:00.123456 140213 train.py:88] step {} ", pairs(", ")),
    ("syslog", "Mar  4 08:00:00 node07 python[2211]: step {} ", pairs(" ")),
    ("rank", "0: step {} | ", pairs(" | ")),
    ("container", "trainer-1  | step {}: ", pairs(" ")),
    ("line_numbers", "train.log:77:step {}: ", pairs(" ")),
    ("quoted", "> step {}: ", pairs(" ")),
    ("colours", "\x1b[1mstep {}\x1b[0m \x1b[36m", pairs(" \x1b[36m", "\x1b[0m=")),
    ("colours_lost", "[1mstep {}[0m ", lambda _, row: pairs("[0m ", "=[32m")(0, row) + "[0m"),
    ("head_pairs", "===== Step {}/30 =====\n", pairs(", ")),
    ("head_colons", "--- step {} ---", below("", ": ")),
    ("head_padded", "========== Step {}/30 ==========", below("  ", ": ", "", "{:<28}")),
    ("head_bullets", "Step {}", below("- ", ": ")),
    ("head_bold", "## Step {}\n", below("* ", ": ", "", "**{}**")),
    ("head_dots", "Step {}:", below("  ", " ............ ")),
    ("head_columns", "Step {}:", below("    ", "", "", "{:<36}")),
    ("head_box", "[08:00:11] Step {}/30\n+----+----+", below("| ", " |  ", " |", "{:<28}")),
    ("sections", "[[steps]]\nstep = {}", below("", " = ", "", '"{}"')),
    ("yaml_list", "- step: {}", below("  ", ": ")),
    ("yaml_documents", "---\nstep: {}", below("", ": ")),
    ("yaml_keys", "step_{}:", below("  ", ": ")),
    ("dict", "", lambda step, row: printed({"step": step, **row})),
    ("dict_headed", "2026-03-04 08:00:00 INFO trainer.py:277 -- Global step {}: ", lambda _, row: printed(row)),
    ("dict_uncounted", "", lambda step, row: printed({**row, "epoch": step / STEPS})),
    ("dict_lines", "", lambda step, row: printed({"step": step, **row}, between=",\n ")),
    ("dict_lines_headed", "Step {} metrics:\n", lambda _, row: printed(row, between=",\n ")),
    ("json_headed", "2026-03-04 08:00:00 - INFO - ", lambda step, row: printed({"step": step, **row}, '"')),
    ("call", "wandb.log(", lambda step, row: f"{printed(row)}, step={step})"),
    ("bar_postfix", BAR, lambda _, row: f", {pairs(', ')(0, row)}]"),
    ("bar_epoch", f"Epoch 0:  10%|███    | {BAR}", lambda _, row: f", v_num=3, {pairs(', ')(0, row)}]"),
    ("json_message", '{"level": "INFO", "message": "step {}: ', lambda _, row: f'{pairs(", ")(0, row)}"}}'),
):  # fmt: skip
    lined(_name, _head, _print)
lined("windows_ends", "Step {}: ", pairs(", ", ": "), "\r\n")
lined("redrawn", f"Training:  10%|███    | {BAR}, ", lambda _, row: f"{pairs(', ')(0, row)}]", "\r")


@layout
def json_lines(told: Rows) -> tuple[str, bytes]:
    return text([json.dumps({"step": step, **row}) for step, row in told], "a.jsonl")


@layout
def json_nested(told: Rows) -> tuple[str, bytes]:
    return text([json.dumps({"_step": step, "metrics": row}) for step, row in told], "a.jsonl")


@layout
def json_document(told: Rows) -> tuple[str, bytes]:
    return "a.json", json.dumps([{"step": step, **row} for step, row in told], indent=2).encode()


@layout
def json_columns(told: Rows) -> tuple[str, bytes]:
    first = told[0][1]
    return "a.json", json.dumps({key: {str(step): row[key] for step, row in told} for key in first}).encode()


@layout
def commas(told: Rows) -> tuple[str, bytes]:
    return text(ruled(cells(told), "", ",", "", pad=False), "a.csv")


@layout
def commas_in_utf_16(told: Rows) -> tuple[str, bytes]:
    return "a.csv", commas(told)[1].decode().encode("utf-16")


@layout
def semicolons_decimal_commas(told: Rows) -> tuple[str, bytes]:
    lines = ruled(cells(told, lambda value: f"{value:.8f}"), "", ";", "", pad=False)
    return text([lines[0], *(line.replace(".", ",") for line in lines[1:])], "a.csv")


@layout
def a_metric_a_row(told: Rows) -> tuple[str, bytes]:
    lines = [f"{step},{key},{value!r}" for step, row in told for key, value in row.items()]
    return text(["step,tag,value", *lines], "a.csv")


@layout
def commas_on_their_side(told: Rows) -> tuple[str, bytes]:
    return text(ruled(turned(told, "metric", "step_"), "", ",", "", pad=False), "a.csv")


@layout
def columns_on_their_side(told: Rows) -> tuple[str, bytes]:
    return text(ruled(turned(told, "step"), "", "  ", ""), "a.txt")


@layout
def columns(told: Rows) -> tuple[str, bytes]:
    return text(ruled(cells(told), "", "  ", ""))


@layout
def columns_of_a_logger(told: Rows) -> tuple[str, bytes]:
    return text(ruled(cells(told), "2026-03-04 08:00:00,123 INFO ", "  ", ""))


@layout
def markdown(told: Rows) -> tuple[str, bytes]:
    lines = ruled(cells(told), "| ", " | ", " |")
    return text(["# Run 14", "", lines[0], "|---" * 9 + "|", *lines[1:], "", "Stopped by hand."], "a.md")


@layout
def markdown_on_its_side(told: Rows) -> tuple[str, bytes]:
    lines = ruled(turned(told, "Metric", "Step "), "| ", " | ", " |")
    return text([lines[0], "|---" * (STEPS + 1) + "|", *lines[1:]], "a.md")


@layout
def grid(told: Rows) -> tuple[str, bytes]:
    return text(drawn(cells(told), "|-+"))


@layout
def grid_of_lines(told: Rows) -> tuple[str, bytes]:
    return text(drawn(cells(told), "│─┼"))


@layout
def boxes_with_their_step(told: Rows) -> tuple[str, bytes]:
    rule = "-" * 52
    return text([
        line
        for step, row in told
        for line in (rule, *(f"| {key:<32} | {value!s:<13} |" for key, value in {**row, "iterations": step}.items()))
    ])  # fmt: skip


@layout
def page(told: Rows) -> tuple[str, bytes]:
    lines = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in cells(told)]
    return text(["<table>", *lines, "</table>"], "a.html")


@layout
def lists(told: Rows) -> tuple[str, bytes]:
    return text([f"{key}: [{', '.join(shown(row[key]) for _, row in told)}]" for key in told[0][1]], "a.txt")


@layout
def lists_without_brackets(told: Rows) -> tuple[str, bytes]:
    return text([f"{key}: {' '.join(shown(row[key]) for _, row in told)}" for key in told[0][1]], "a.txt")


@layout
def among_other_lines(told: Rows) -> tuple[str, bytes]:
    return text([
        line
        for step, row in told
        for line in (
            "[2026-03-04 08:00:00 TP0] Decode batch. #running-req: 90, gen throughput (token/s): 4812.1, #queue-req: 0",
            f"step {step}: {pairs(' ')(0, row)}",
            f"(AgentLoopWorker pid=77) trial t{step} step 3 reward=1.0 turns=4",
            f"[eval] step {step}: accuracy=0.41 loss=1.2312",
        )
    ])  # fmt: skip


@layout
def wrapped(told: Rows) -> tuple[str, bytes]:
    lines = [f"step:{step} - {pairs(' - ', ':', repr)(0, row)}" for step, row in told]
    return text([line[at : at + 80] for line in lines for at in range(0, len(line), 80)])
