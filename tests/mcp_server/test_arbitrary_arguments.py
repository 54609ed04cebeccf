"""Whatever a model writes into an argument, it gets an answer or an error that says what to do, never a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client

from mcp_server.server import make_server
from tests.operate.made import Made

NASTY = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["..", "/", "~", "\0", "a/../../b", "(" * 200, "(a+)+$", "[", "%s", "{run}", "-1", "é" * 90]
    ),
)
CALLS = st.one_of(
    st.tuples(st.just("status"), st.fixed_dictionaries({"run": NASTY})),
    st.tuples(
        st.just("tail_log"),
        st.fixed_dictionaries(
            {},
            optional={
                "run": NASTY,
                "cursor": NASTY,
                "pattern": NASTY,
                "component": NASTY,
                "lines": st.integers(),
            },
        ),
    ),
    st.tuples(
        st.just("trials"), st.fixed_dictionaries({}, optional={"run": NASTY, "task": NASTY, "outcome": NASTY})
    ),
    st.tuples(st.just("show_trial"), st.fixed_dictionaries({"trial": NASTY}, optional={"run": NASTY})),
    st.tuples(st.just("diagnose"), st.fixed_dictionaries({}, optional={"run": NASTY, "file": NASTY})),
    st.tuples(st.just("compare"), st.fixed_dictionaries({"runs": st.lists(NASTY, max_size=4)})),
    st.tuples(st.just("launch"), st.fixed_dictionaries({"fingerprint": NASTY}, optional={"name": NASTY})),
    st.tuples(st.just("stop"), st.fixed_dictionaries({"run": NASTY})),
    st.tuples(st.just("resume"), st.fixed_dictionaries({"run": NASTY})),
    st.tuples(st.just("clean"), st.fixed_dictionaries({"run": NASTY})),
)


@pytest.fixture
def runs(made: Made, here: Path) -> Path:
    """A run that is over."""
    run = made("over", state="finished", steps=((1, 0.5),), trials=({"trial": "t__1"},))
    run.attempt_log(1).write_text("step:1 - a:1\n" * 50)
    return here


def files(folder: Path) -> list[Path]:
    """What lies in the project: all but the user's own state."""
    return [path for path in folder.rglob("*") if "state" not in path.relative_to(folder).parts]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(call=CALLS)
def test_any_argument_is_answered_or_refused_with_a_next_action(
    runs: Path, call: tuple[str, dict[str, Any]]
) -> None:
    before = sorted(files(runs))

    async def ask() -> Any:
        async with Client(make_server()) as client:
            return await client.call_tool(*call)

    result = asyncio.run(ask())
    if result.is_error:
        text = "".join(part.text for part in result.content)
        assert "Next: " in text or "validation error" in text, text
    else:
        assert result.structured_content["summary"] and isinstance(result.structured_content["ok"], bool)
    assert sorted(files(runs)) == before
