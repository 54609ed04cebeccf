"""bench/RESULTS.md from the files of bench/results/: `python -m bench.table [--check]`.

Every number comes from a file. Beside it stand its bar, what was measured before, and their ratio, marked where it is
more than 5 % worse.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.machine import is_same, sentence
from bench.result import FOLDER, Before, Cell, Measure, Result, Table, load_all
from liverl.record.jsonl import write_by_rename

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
REGRESSION = 0.05
_HEAD = """# Results

Generated from `bench/results/*.json` by `python -m bench.table`; `bench/` says how each is measured. **worse** marks
what is more than 5 % worse than what the same program measured before on such a machine.
"""
_COLUMNS = ("what", "measured", "bar", "met", "before", "ratio")


def render(results: Iterable[Result]) -> str:
    """The whole page."""
    parts = [_HEAD, *(_section(result) for result in results)]
    return "\n".join(parts)


def plain(result: Result) -> str:
    """One result for a terminal."""
    return _section(result)


def ratio(measure: Measure, before: float | None) -> str:
    """The measured value over the one before, with its mark; "" where there is nothing to compare."""
    if measure.value is None or before is None:
        return ""
    shown = f"{measure.value / before:.2f}" if before else ("1.00" if measure.value == before else "")
    return f"{shown} **worse**".strip() if is_worse(measure, before) else shown


def is_worse(measure: Measure, before: float) -> bool:
    """Whether a value is more than 5 %, and more than its noise, worse than the one before."""
    if measure.value is None or not measure.better:
        return False
    loss = before - measure.value if measure.better == "higher" else measure.value - before
    return loss > abs(before) * REGRESSION and loss > measure.noise


def value(number: float | None, unit: str) -> str:
    """A number with its unit, in three or four digits."""
    if number is None:
        return "not measured"
    if unit == "share":
        return f"{number:.1%}"
    if unit == "":
        return f"{number:.0f}" if float(number).is_integer() else f"{number:.3g}"
    if unit == "reward":
        return f"{number:.2f}"
    digits = 0 if abs(number) >= 100 or float(number).is_integer() else 1
    return f"{number:.{digits}f} {unit}"


def _section(result: Result) -> str:
    lines = [f"## {result.title}", ""]
    if result.machine:
        lines += [f"{result.time[:10]}, {sentence(result.machine)}.", ""]
    lines += _markdown(_COLUMNS, [_row(measure, result) for measure in result.measures])
    if result.note:
        lines += ["", result.note]
    for table in result.tables:
        lines += ["", f"### {table.title}", "", *_table(table)]
    return "\n".join(lines) + "\n"


def _row(measure: Measure, result: Result) -> list[str]:
    bar = ""
    if measure.bar is not None:
        bar = f"{'≥' if measure.better == 'higher' else '≤'} {value(measure.bar, measure.unit)}"
    met = {True: "yes", False: "**no**", None: ""}[measure.is_met]
    old, compared = _before(measure, result, result.before)
    return [measure.label, value(measure.value, measure.unit), bar, met, old, compared]


def _before(measure: Measure, result: Result, before: Before | None) -> tuple[str, str]:
    number = before.values.get(measure.key) if before else None
    if before is None or number is None:
        return "", ""
    if not is_same(result.machine, before.machine):
        return value(number, measure.unit), "another machine"
    return value(number, measure.unit), ratio(measure, number)


def _table(table: Table) -> list[str]:
    return _markdown(table.columns, [[_cell(cell) for cell in row] for row in table.rows])


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[index]) for row in [columns, *rows]) for index in range(len(columns))]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    return [line(columns), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)]


def main() -> int:
    """Write the page; with --check only say whether it is up to date (1 when it is not)."""
    parser = argparse.ArgumentParser(prog="python -m bench.table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is stale")
    arguments = parser.parse_args()
    page = render(load_all(FOLDER))
    if arguments.check:
        fresh = RESULTS.is_file() and RESULTS.read_text(encoding="utf-8") == page
        print(f"{RESULTS.name} is {'up to date' if fresh else 'stale; run: python -m bench.table'}")
        return 0 if fresh else 1
    write_by_rename(RESULTS, page.encode())
    print(f"written: {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
