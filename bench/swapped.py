"""The shell agent, shown the observations of another task's trial: a control, never a scaffold to train with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, override

from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

from liverl.scaffold.shell import ShellAgent


class SwappedAgent(ShellAgent):
    """Runs every command in its own sandbox, and shows the policy what the other trial saw at that turn instead.

    `donors` is a JSON file: instruction → observations of another task, in order. After the last one it is repeated.
    """

    def __init__(self, *args: Any, donors: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.donors: dict[str, list[str]] = json.loads(Path(donors).read_text())
        self.shown: list[str] = []

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        self.shown = list(self.donors[instruction.strip()])
        await super().run(instruction, environment, context)

    @override
    async def _answer(
        self, function: Mapping[str, Any], environment: BaseEnvironment, commands: list[dict[str, Any]]
    ) -> str:
        await super()._answer(function, environment, commands)
        return self.shown.pop(0) if len(self.shown) > 1 else self.shown[0]
