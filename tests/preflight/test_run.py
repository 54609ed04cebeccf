"""All questions at once, none of which can hang or sink the others."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from liverl.config import ConfigProblems, Origin, Problem
from liverl.errors import EngineError, SandboxError
from liverl.preflight import Finding, config_findings, machine_facts, run_checks, worst_first
from liverl.preflight.ask import NoAnswerError, ask
from liverl.preflight.context import Context
from liverl.preflight.verls import refusal
from tests.preflight.conftest import LAPTOP, MakeConfig

FINE = Finding("a.fine", "info", "Fine")


def test_findings_come_in_the_order_of_the_questions(make_config: MakeConfig) -> None:
    second_asked = threading.Event()

    def slow(context: Context) -> list[Finding]:
        assert second_asked.wait(10)
        return [Finding("slow", "info", "")]

    def quick(context: Context) -> list[Finding]:
        second_asked.set()
        return [FINE]

    heard: list[str] = []
    findings = run_checks(
        make_config(),
        LAPTOP,
        questions={"slow": slow, "quick": quick},
        on_answer=lambda name, _: heard.append(name),
    )
    assert [finding.id for finding in findings] == ["slow", "a.fine"]
    assert sorted(heard) == ["quick", "slow"]


def test_a_question_that_hangs_is_skipped_and_the_others_are_answered(make_config: MakeConfig) -> None:
    never = threading.Event()

    def hang(context: Context) -> list[Finding]:
        never.wait(60)
        return []

    questions = {"hang": hang, "quick": lambda context: [FINE]}
    findings = run_checks(make_config(), LAPTOP, questions=questions, timeout_s=0.3)
    never.set()
    assert [(finding.id, finding.severity) for finding in findings] == [
        ("hang:timeout", "skipped"),
        ("a.fine", "info"),
    ]


def test_trying_many_tasks_may_take_longer_than_other_questions(
    make_config: MakeConfig, tmp_path: Path
) -> None:
    for number in range(10):
        (tmp_path / "train" / str(number)).mkdir(parents=True)
    given: dict[str, float] = {}

    def controls(context: Context) -> list[Finding]:
        given["controls"] = context.timeout_s
        return [FINE]

    def other(context: Context) -> list[Finding]:
        given["other"] = context.timeout_s
        return [FINE]

    run_checks(make_config(), LAPTOP, questions={"controls": controls, "other": other}, timeout_s=5)
    assert given["other"] == 5
    assert given["controls"] > 30


def test_an_error_of_a_question_is_a_fatal_finding(make_config: MakeConfig) -> None:
    def broken(context: Context) -> list[Finding]:
        raise SandboxError("sandbox.x", "It broke", evidence="e", next_action="n")

    (finding,) = run_checks(make_config(), LAPTOP, questions={"broken": broken})
    assert finding == Finding("sandbox:x", "fatal", "It broke", "e", "n")


def test_a_probe_without_an_answer_in_time_is_not_a_failure(make_config: MakeConfig) -> None:
    def late(context: Context) -> list[Finding]:
        raise NoAnswerError("probe.timeout", "Late")

    (finding,) = run_checks(make_config(), LAPTOP, questions={"late": late})
    assert finding.severity == "skipped"


def test_a_question_that_breaks_is_an_error_that_blocks_and_shows_no_secret(make_config: MakeConfig) -> None:
    def odd(context: Context) -> list[Finding]:
        raise TypeError("unhashable: token=abcdef12")

    (finding,) = run_checks(make_config(), LAPTOP, questions={"odd": odd})
    assert (finding.id, finding.severity, finding.blocks) == ("odd:broken", "error", True)
    assert "TypeError: unhashable: token=***" in finding.evidence and "test_run.py" in finding.evidence


def test_what_a_probe_complains_of_is_told_without_secrets(make_config: MakeConfig, tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 'HTTPError: --api-key Xyz12 is wrong' >&2\nexit 1\n")
    python.chmod(0o755)
    context = Context(make_config(environment={"venv": str(tmp_path / "venv")}), LAPTOP)
    with pytest.raises(NoAnswerError) as told:
        ask("model", context)
    assert told.value.evidence == "HTTPError: --api-key *** is wrong"


def test_only_the_named_questions_are_asked(make_config: MakeConfig) -> None:
    questions = {"a": lambda context: [FINE], "b": lambda context: [FINE]}
    assert len(run_checks(make_config(), LAPTOP, questions=questions, only=["b"])) == 1


def test_a_key_that_verl_refuses_is_named_with_its_line(make_config: MakeConfig) -> None:
    config = make_config(verl={"trainer.nonsense": 1})
    context = Context(config, LAPTOP, origins={"verl.trainer.nonsense": Origin("config.yaml", 9)})
    error = EngineError("verl.refused", "verl refuses", evidence="Key trainer.nonsense is not in struct")
    finding = refusal(context, error)
    assert finding.severity == "fatal"
    assert finding.cure == "Remove or mend trainer.nonsense (line 9 of config.yaml)"


def test_the_worst_comes_first() -> None:
    findings = [FINE, Finding("w", "warn", ""), Finding("f", "fatal", ""), Finding("e", "error", "")]
    assert [finding.id for finding in worst_first(findings)] == ["f", "e", "w", "a.fine"]
    assert [finding.blocks for finding in worst_first(findings)] == [True, True, False, False]


def test_problems_of_a_configuration_become_findings() -> None:
    problem = Problem("config.yaml", 3, "training.steps", 0, "is out of range", "Write 1")
    (finding,) = config_findings(ConfigProblems("config.yaml", [problem]))
    assert (finding.id, finding.evidence, finding.cure) == ("config:invalid", "config.yaml:3", "Write 1")


def test_this_machine_has_cores_and_memory() -> None:
    facts = machine_facts()
    assert facts.cores >= 1
    assert facts.memory_gb > 0.1
