"""A write-up's front matter and prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.diagnose.writeup import parse_writeup, read_writeup
from liverl.errors import RunError

PROSE = "".join(f"\n## {title}\n\nText of `a command`.\n" for title in
                ("Symptom", "Cause", "Confirm", "Cure", "Prevention", "Sources"))  # fmt: skip
FRONT = "id: a:b\ntitle: It broke\nseverity: fatal\nsignature:\n  - line: 'It broke'\n"


def writeup(front: str = FRONT, prose: str = PROSE) -> str:
    return f"---\n{front}---\n# It broke\n{prose}"


def test_what_is_left_out_has_its_default() -> None:
    found = parse_writeup(writeup(), "a/b.md")
    assert (found.past, found.outgrown, found.outlived, found.confidence, found.is_generic) == (
        "error",
        None,
        "info",
        "high",
        False,
    )
    assert found.signature[0].line is not None and found.signature[0].line.key == "a:b#0"
    assert parse_writeup(writeup(FRONT.replace("fatal", "warn")), "a/b.md").outlived == "warn"


@pytest.mark.parametrize(
    ("front", "told"),
    [
        (FRONT.replace("a:b", "AB"), "AREA:WHAT"),
        (FRONT.replace("fatal", "bad"), "severity"),
        (FRONT.replace("title: It broke\n", ""), "title"),
        (FRONT + "colour: red\n", "unknown field colour"),
        (FRONT.replace("line:", "lines:"), "unknown field lines"),
        (FRONT.replace("line: 'It broke'", "times: 3"), "needs line, when or facts"),
        (FRONT.replace("'It broke'", "'It (broke'"), "unterminated"),
        (FRONT.replace("line: 'It broke'", "when: ['1 +']"), "not an expression"),
        (FRONT.replace("line: 'It broke'", "facts: [\"'a/x' > 1\"]"), "facts speaks of metrics"),
        (FRONT + "applies: {colour: [red]}\n", "applies"),
        ("id: [\n", "flow"),
    ],
)
def test_a_wrong_field_is_named_with_the_file(front: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(writeup(front))
    with pytest.raises(RunError) as raised:
        read_writeup(tmp_path / "b.md", tmp_path)
    assert "troubleshooting/b.md" in raised.value.message and told in raised.value.evidence


def test_every_section_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="## Cure"):
        parse_writeup(writeup(prose=PROSE.replace("## Cure", "## Care")), "a/b.md")


def test_a_file_without_front_matter_is_no_writeup() -> None:
    with pytest.raises(ValueError, match="front matter"):
        parse_writeup("# It broke\n", "a/b.md")


@pytest.mark.parametrize(
    ("sign", "is_brief"),
    [
        ("{line: 'gave up', also: ['twice'], never: ['again'], facts: ['lines < 30']}", True),
        ("{line: 'gave up', facts: ['lines > 30']}", False),
        ("{line: 'gave up', facts: ['lines < 300 or steps == 0']}", False),
        ("{facts: ['lines < 30'], never: ['again']}", False),
    ],
)
def test_a_line_of_an_excerpt_is_looked_for_in_excerpts_alone(sign: str, is_brief: bool) -> None:
    front = f"id: a:b\ntitle: T\nseverity: warn\nsignature: [{sign}]\n"
    (made,) = parse_writeup(writeup(front), "a/b.md").signature
    assert {each.is_brief for each in made.patterns} == {is_brief}
    assert [each.pattern for each in made.patterns] == [
        text for text in ("gave up", "twice", "again") if text in sign
    ]
