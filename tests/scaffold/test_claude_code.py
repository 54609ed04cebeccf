"""What Claude Code printed is read to its end, however much that is."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from liverl.trial.run import TrialSpec, run_trial
from tests.trial.conftest import MakeTask, make_task  # noqa: F401  (a fixture)

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(
        shutil.which("bwrap") is None, reason="bwrap is not installed: bash scripts/setup_env.sh"
    ),
]

TURN = {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "x" * 1000}]}}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "done"}
PRINTS = f"""#!/usr/bin/python3
import json
for number in range(1500):
    turn = json.loads({json.dumps(TURN)!r})
    turn["message"]["id"] = str(number)
    print(json.dumps(turn))
print({json.dumps(RESULT)!r})
"""


@pytest.fixture
def binary() -> Iterator[Path]:
    """A program that prints 1.5 MiB of events in Claude Code's format, in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        program = Path(folder) / "claude"
        program.write_text(PRINTS)
        program.chmod(0o755)
        yield program


async def test_the_result_after_more_than_a_mebibyte_of_turns_counts(
    make_task: MakeTask,  # noqa: F811
    binary: Path,
    tmp_path: Path,
) -> None:
    outcome = await run_trial(
        TrialSpec(
            task=make_task(),
            name="trial-1",
            trials_dir=tmp_path / "trials",
            scaffold="claude-code",
            options={"binary": str(binary)},
        )
    )
    assert (outcome.outcome, outcome.blame) == ("unsolved", ""), outcome.error
    assert outcome.turns == 1500
