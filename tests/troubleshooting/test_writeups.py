"""Every write-up fires on its failure and keeps quiet on its neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from liverl.diagnose.catalogue import FOLDER, catalogue, patterns
from liverl.diagnose.facts import FACTS
from liverl.diagnose.writeup import WriteUp
from liverl.log.literals import needles_of
from tests.troubleshooting.case import HERE, cases

WRITEUPS = catalogue()
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What healthy runs say again and again, as servers, bars and warnings do. A literal that stands in such lines makes the
# search of a whole log slow: each of them is then tried.
HOT = (
    'INFO:     10.2.0.7:40112 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "(vLLMHttpServer pid=40071) (vLLMReplica pid=40001) (RewardLoopWorker pid=40022) (SGLangHttpServer pid=42201)",
    'HTTP Request: POST http://127.0.0.1:8000/v1/chat/completions "HTTP/1.1 200 OK"',
    "INFO 11-21 13:17:59 [loggers.py:127] Engine 000: Avg prompt throughput: 812.4 tokens/s, "
    "Avg generation throughput: 2211.0 tokens/s, Running: 61 reqs, Waiting: 0 reqs, "
    "GPU KV cache usage: 31.2%, Prefix cache hit rate: 71.9%",
    "[2026-11-21 13:17:59] Decode batch. #running-req: 61, #token: 81022, token usage: 0.31, cuda graph: True, "
    "gen throughput (token/s): 2211.04, #queue-req: 0,",
    "/opt/conda3/lib/python3.12/site-packages/torch/utils/data.py:71: UserWarning: this argument is deprecated, see "
    "https://docs.example.org",
    "Training Progress:  41%|####      | 41/100 [10:13<14:42, 14.95s/it]",
    "INFO:2026-11-21 13:17:59,251:Collecting artifacts of the final trial 17, but its base program took 12 seconds",
    "INFO:2026-11-21 13:17:59,251:12 workers on 2 nodes, the next evaluation follows in 60 seconds",
)
# These look for such a line itself.
MEANT = {
    "env:slow-imports#1.also0",
    "perf:absurd-eta#1",
    "run:last-words#1.never2",
    "run:last-words#1.never3",
}
by_path = pytest.mark.parametrize("writeup", WRITEUPS, ids=lambda each: each.path.removesuffix(".md"))


@by_path
def test_it_fires_on_its_failure(writeup: WriteUp, tmp_path: Path) -> None:
    """Not in short excerpts alone: also in the log of a real run of some 200 lines, or in a file of metrics."""
    told = cases(writeup.path, "fires")
    lengths = [len(case.text.splitlines()) for case in told]
    tables = [case for case in told if not case.file.endswith(".log")]
    assert writeup.severity == "info" or max(lengths) >= 190 or tables, lengths
    for case in told:
        diagnosis = case.diagnosed(tmp_path)
        shown = {each.id: each for each in diagnosis.findings}
        assert writeup.id in shown, (case.name, [each.id for each in diagnosis.findings])
        finding = shown[writeup.id]
        if case.is_primary:
            first = [(each.id, str(each.began), each.evidence) for each in diagnosis.findings[:3]]
            assert diagnosis.findings[0].id == writeup.id, (case.name, first)
        if case.began is not None:
            assert finding.began.step == case.began, (case.name, finding)
        assert finding.evidence, case.name
        if finding.severity in ("fatal", "error", "warn"):
            assert diagnosis.verdict == "sick"


@by_path
def test_it_is_quiet_on_its_neighbour(writeup: WriteUp, tmp_path: Path) -> None:
    for case in cases(writeup.path, "quiet"):
        diagnosis = case.diagnosed(tmp_path)
        shown = [each for each in diagnosis.findings if each.id == writeup.id and each.is_alarm]
        assert not shown, (case.name, shown)


@by_path
def test_its_literals_are_not_what_healthy_logs_say_all_the_time(writeup: WriteUp) -> None:
    """Else: give the pattern a rarer part, or `has` one."""
    found = [
        (pattern.key, needle.text, line)
        for pattern in patterns((writeup,))
        if not pattern.at_end and pattern.key not in MEANT
        for needle in needles_of(pattern)
        for line in HOT
        if needle.text in (line.lower() if needle.caseless else line).encode()
    ]
    assert not found


@by_path
def test_its_facts_and_causes_exist(writeup: WriteUp) -> None:
    known = {each.id for each in WRITEUPS} | {each.id.split(":")[0] + ":*" for each in WRITEUPS} | {"*"}
    assert not set(writeup.secondary_to) - known
    named = {fact for sign in writeup.signature for each in (*sign.facts, *sign.when) for fact in each.facts}
    assert not named - FACTS


def test_no_case_is_without_its_writeup() -> None:
    named = {
        path.relative_to(HERE / "cases").with_suffix(".md").as_posix()
        for path in HERE.rglob("cases/**/*.yaml")
    }
    assert named == {each.path for each in WRITEUPS}


def test_a_healthy_run_shows_nothing(tmp_path: Path) -> None:
    from tests.troubleshooting.case import _case

    for steps in (20, 60, 120):
        diagnosis = _case("healthy", {"steps": steps}).diagnosed(tmp_path)
        assert [(each.id, each.evidence) for each in diagnosis.findings if each.is_alarm] == []
        assert diagnosis.verdict == "healthy"


def test_every_writeup_is_in_the_folder() -> None:
    assert FOLDER.is_dir()


@by_path
def test_no_key_stands_twice(writeup: WriteUp) -> None:
    """YAML takes the last of two without a word: a sign that was put between another and its facts would take them."""
    front = (FOLDER / writeup.path).read_text(encoding="utf-8").split("---\n")[1]
    cases_of = (HERE / "cases" / writeup.path).with_suffix(".yaml").read_text(encoding="utf-8")
    for text in (front, cases_of):
        twice = [
            key for keys in _keys(yaml.compose(text, Loader=_Loader)) for key in keys if keys.count(key) > 1
        ]
        assert not twice, (writeup.path, twice)


def _keys(node: yaml.Node | None) -> Iterator[list[str]]:
    """The keys of each mapping of a document."""
    if isinstance(node, yaml.MappingNode):
        yield [str(key.value) for key, _ in node.value]
        for _, value in node.value:
            yield from _keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _keys(each)
