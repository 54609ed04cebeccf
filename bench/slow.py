"""What the slow suite took and found, from its own report.

    bash scripts/test.sh --slow --junitxml=slow.xml
    python -m bench.slow slow.xml [again.xml...]

A test that stands in several reports counts as in the last of them: what failed, was mended and was run again.

Writes bench/results/slow.json: how many tests passed, how long they took, and of each drill how soon its failure was
diagnosed with the right cause.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from bench.result import FOLDER, Measure, Result, Table, save
from bench.table import plain
from liverl.operate.drill_list import DRILLS


def figures(*reports: Path) -> Result:
    """The numbers of reports of pytest (--junitxml); raises `ValueError` where one is none, or holds no test."""
    newest = {
        (case.get("classname"), case.get("name")): case for report in reports for case in _cases(report)
    }
    cases = list(newest.values())
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    drills = [told for case in cases if "drill" in (told := _properties(case))]
    right = [told for told in drills if told["found"] in DRILLS[told["drill"]].expects]
    learning = [told for told in right if DRILLS[told["drill"]].kind == "learning"]
    others = [told for told in right if told not in learning]
    measures = [
        Measure("passed", "tests that passed", len(cases) - len(failed) - len(skipped)),
        Measure("failed", "tests that failed", len(failed), "", "lower", 0.0),
        Measure("skipped", "tests that were skipped", len(skipped)),
        Measure("seconds", "all tests", sum(_seconds(case) for case in cases), "s", "lower", noise=60.0),
        Measure("drills", "drills diagnosed with the right cause", len(right), "", "higher", float(len(DRILLS))),
        Measure("learning_steps", "steps until a failure of learning was told, at most",
                max((float(told["after_steps"]) for told in learning), default=None), "", "lower", 15.0, 1.0),
        Measure("crash_s", "seconds until a crash, a hang or a broken part was told, at most",
                max((float(told["after_s"]) for told in others), default=None), "s", "lower", noise=10.0),
    ]  # fmt: skip
    rows = [
        (told["drill"], DRILLS[told["drill"]].kind, told["found"], float(told["after_s"]),
         max(0, int(told["after_steps"])), float(told["seconds"]))
        for told in drills
    ]  # fmt: skip
    table = Table(
        "Each drill", ("drill", "kind", "diagnosed as", "after s", "after steps", "the whole drill, s"), rows
    )
    skips = "; ".join(dict.fromkeys(_reasons(skipped)))
    note = (
        "Of a failure of learning the time is that of the first diagnosis that told it, made after each step as "
        "`liverl watch` does; of the others that of the diagnosis at the run's end, or while it hangs. The bar of the "
        "others is two steps or 60 seconds, whichever is met."
    )
    return Result(
        "slow", "The slow suite", measures, (table,), note + (f" Skipped: {skips}." if skips else "")
    )


def _cases(report: Path) -> list[ElementTree.Element]:
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"{report} is no report of pytest: {error}") from error
    if not cases:
        raise ValueError(f"{report} holds no test")
    return cases


def _properties(case: ElementTree.Element) -> Mapping[str, str]:
    return {each.get("name", ""): each.get("value", "") for each in case.iter("property")}


def _seconds(case: ElementTree.Element) -> float:
    return float(case.get("time", 0))


def _reasons(skipped: list[ElementTree.Element]) -> Iterator[str]:
    for case in skipped:
        reason = case.find("skipped")
        if reason is not None:
            yield reason.get("message", "").rstrip(".")


def main() -> int:
    """Write the result; 1 where there is no report to take it from."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow", description=__doc__)
    parser.add_argument("reports", type=Path, nargs="+", metavar="slow.xml")
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the result files")
    arguments = parser.parse_args()
    try:
        result = figures(*arguments.reports)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(plain(result))
    print(f"written: {save(result, arguments.results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
