"""What a run's resolved configuration tells of its set-up."""

from __future__ import annotations

import pytest

from liverl.operate.run_facts import setting_of
from tests.operate.made import Made

RESOLVED = """engine:
  rollout: {rollout}  # profiles/gpu.yaml:5
  strategy: fsdp2  # default
model:
  path: /models/Qwen3-8B  # config.yaml:3
scaffold:
  name: claude-code  # default
sandbox:
  backend: docker  # config.yaml:9
"""


@pytest.mark.parametrize(("rollout", "told"), [("vllm", {"rollout": "vllm"}), ("cpu", {})])
def test_the_set_up_is_told_and_a_server_that_no_write_up_speaks_of_is_left_open(
    made: Made, rollout: str, told: dict[str, str]
) -> None:
    run = made("r")
    run.resolved.write_text(RESOLVED.format(rollout=rollout))
    rest = {"engine": "fsdp2", "family": "qwen3", "scaffold": "claude-code", "backend": "docker"}
    assert setting_of(run) == rest | told


def test_of_a_run_without_a_configuration_nothing_is_known(made: Made) -> None:
    run = made("r")
    run.resolved.unlink(missing_ok=True)
    assert setting_of(run) == {}
