"""What a write-up advises exists: its commands, its keys, the parts of its prose; and its patterns are quick."""

from __future__ import annotations

import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from liverl.cli.main import main
from liverl.config import keys
from liverl.diagnose.catalogue import FOLDER, catalogue
from liverl.diagnose.prose import command
from liverl.diagnose.writeup import SECTIONS, WriteUp
from liverl.log.literals import needles_of
from tests.cli.test_named_commands import commands, wrong
from tests.troubleshooting.case import cases

WRITEUPS = catalogue()
by_path = pytest.mark.parametrize("writeup", WRITEUPS, ids=lambda each: each.path.removesuffix(".md"))
NAMED = (
    "training_env/veomni-engine-setup-and-run-20260610.md",
    "training_env/r3-routing-coverage-rootcause-fix-20260610.md",
    "training_env/ohsdk-agent-name-vs-import-path-20260613.md",
    "training_env/reward_drop_analysis_v6_20260612.md",
    "training_env/fully-async-veomni-reward-flat-three-causes.md",
    "training_env/tool-call-parser-mismatch.md",
    "training_env/litellm-rollout-replica-discovery-race.md",
    "training_env/local-venv-cache.md",
    "harbor/swe-rebench-v2-reward-zero.md",
    "harbor/harbor-env-setup-slowdown.md",
    "docker/remote-docker-troubleshooting-20260527.md",
    "docker/remote-docker-backend-setup.md",
    "k8s/k8s-health-check-indicators.md",
    "k8s/kyverno-reports-controller-issue.md",
    "k8s/k8s-sandbox-disk-fix.md",
)
# A line is cut to this many characters before it is searched.
LONGEST = 16_384
HARD = (
    "a" * LONGEST,
    " " * LONGEST,
    "( " * (LONGEST // 2),
    "Error: " * (LONGEST // 7),
    "'x' " * (LONGEST // 4),
    "1.5 GiB " * 2048,
)
# A pattern that goes back over the line takes seconds here; the slowest honest one some milliseconds.
SLOW_S = 0.5


@pytest.mark.parametrize("path", NAMED)
def test_the_pages_that_the_docs_know_are_where_they_say(path: str) -> None:
    assert path in {each.path for each in WRITEUPS}


@by_path
def test_its_commands_exist(writeup: WriteUp) -> None:
    text = "\n".join(writeup.sections.values())
    named = [command for quoted in re.findall(r"`([^`]+)`|```\w*\n(.+?)```", text, re.DOTALL)
             for part in quoted for command in commands(part)]  # fmt: skip
    assert [(command, wrong(command)) for command in named if wrong(command)] == []


@by_path
def test_it_is_confirmed_by_a_command(writeup: WriteUp) -> None:
    """Not by a word that its prose quotes."""
    told = command(writeup.sections["Confirm"])
    assert " " in told or told == "whoami", told


@by_path
def test_its_search_finds_something_in_its_failure(writeup: WriteUp) -> None:
    told = command(writeup.sections["Confirm"])
    if not (searched := re.search(r"liverl logs\b[^|;]*--grep '([^']*)'", told)):
        return
    pattern = re.compile(searched[1])
    found = [any(map(pattern.search, case.text.splitlines())) for case in cases(writeup.path, "fires")]
    assert sum(found) >= len(found) / 3, told


@by_path
def test_what_it_looks_for_in_the_configuration_is_printed_there(
    writeup: WriteUp, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "\n".join(writeup.sections.values())
    for options, searched in re.findall(r"`liverl config show([^`|]*)\| grep ([^`]+)`", text):
        main(["config", "show", *options.split()])
        printed = capsys.readouterr().out
        words = [word.strip("'\"") for word in searched.split() if not word.startswith("-")]
        assert words and re.search(words[0], printed), (searched, options)


@by_path
def test_its_keys_exist(writeup: WriteUp) -> None:
    for key in writeup.cure:
        assert _is_verls(key) if key.startswith("verl.") else key in keys.fields(), key


@by_path
def test_the_settings_in_its_prose_exist(writeup: WriteUp) -> None:
    own = "checkpoint|engine|environment|experiment|infrastructure|logging|sandbox|scaffold|training|trial"
    text = " ".join(re.findall(r"`([^`]+)`", "\n".join(writeup.sections.values())))
    named = re.findall(rf"(?<![\w./-])(?:{own})\.[a-z_0-9]+(?![\w./])", text)
    assert [key for key in named if key not in keys.fields()] == []


@by_path
def test_its_prose_is_short_and_speaks_to_its_reader(writeup: WriteUp) -> None:
    text = (FOLDER / writeup.path).read_text(encoding="utf-8")
    prose = text.split("\n---\n", 1)[1]
    assert list(writeup.sections) == list(SECTIONS)
    assert len(writeup.title) <= 110 and not writeup.title.endswith(".")
    assert len(prose) < 3000
    assert not re.search(r"/work/|/root/|the reference's|the catalogue|\bFM-\d|logs/INDEX", text)
    assert "`" in writeup.sections["Confirm"]
    assert len(writeup.sections["Cure"].split("\n\n")[0]) < 500


@by_path
def test_its_patterns_have_a_literal_to_be_found_by_and_never_go_back(writeup: WriteUp) -> None:
    for sign in writeup.signature:
        for pattern in sign.patterns:
            assert needles_of(pattern), (pattern.key, "no literal of 4 characters: give `has`")
            for part in filter(None, (pattern.pattern, pattern.unless, pattern.near, pattern.not_near)):
                regex = re.compile(part)
                begun = time.process_time()
                for text in HARD:
                    regex.search(text)
                assert time.process_time() - begun < SLOW_S, (pattern.key, part)


def _is_verls(key: str) -> bool:
    """Whether verl has a key, or takes any below it: what stands empty there is open."""
    known = _verl_keys()
    above = [key[:at] for at in range(len(key)) if key[at] == "."]
    return key in known or any(known.get(part, 0) is None for part in above)


@cache
def _verl_keys() -> dict[str, Any]:
    """Every key of verl's own configuration, of any engine; None for one that is empty."""
    verl = pytest.importorskip("verl", reason="verl is not installed: bash scripts/setup_env.sh")
    folder = Path(verl.__file__).parent / "trainer" / "config"
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("_generated_ppo_*.yaml")):
        found |= _dotted(yaml.safe_load(path.read_text()), "verl.")
    return found


def _dotted(tree: Any, prefix: str) -> dict[str, Any]:
    if not isinstance(tree, dict) or not tree:
        return {prefix.rstrip("."): tree or None}
    below = [_dotted(value, f"{prefix}{key}.") for key, value in tree.items()]
    return {prefix.rstrip("."): 0} | {key: value for each in below for key, value in each.items()}
