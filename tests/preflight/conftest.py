"""Configurations, folders and ports of the test's own."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from liverl.config import Facts, RunConfig
from liverl.preflight.context import Context

LAPTOP = Facts(gpus=0, cores=2, memory_gb=24.0)
MakeConfig = Callable[..., RunConfig]


@pytest.fixture
def make_config(tmp_path: Path) -> MakeConfig:
    """A configuration whose paths lie in the test's folder; keywords are sections with their values."""

    def made(**sections: dict[str, object]) -> RunConfig:
        tree: dict[str, dict[str, object]] = {
            "experiment": {"run_root": tmp_path / "runs"},
            "model": {"built_path": tmp_path / "models" / "policy"},
            "data": {"train": tmp_path / "train", "val": tmp_path / "val"},
        }
        for section, values in sections.items():
            tree.setdefault(section, {}).update(values)
        return RunConfig.model_validate(tree)

    return made


@pytest.fixture
def make_context(make_config: MakeConfig) -> Callable[..., Context]:
    return lambda **sections: Context(make_config(**sections), LAPTOP, timeout_s=60.0)


@pytest.fixture
def make_task() -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / "environment" / "app").mkdir(parents=True)
        (folder / "tests").mkdir()
        (folder / "solution").mkdir()
        (folder / "task.toml").write_text('schema_version = "1.4"\n[task]\nname = "t/t"\n')
        (folder / "instruction.md").write_text("Write yes into done.txt.\n")
        (folder / "environment" / "Dockerfile").write_text("FROM scratch\n")
        (folder / "tests" / "test.sh").write_text("true\n")
        (folder / "solution" / "solve.sh").write_text("true\n")
        return folder

    return made


@pytest.fixture
def make_model() -> Callable[..., Path]:
    """A model folder with real headers and no content; `parameters` in one tensor."""

    def made(folder: Path, parameters: int = 10, window: int = 4096, **settings: object) -> Path:
        folder.mkdir(parents=True)
        config = {"max_position_embeddings": window, "num_key_value_heads": 4, **settings}
        (folder / "config.json").write_text(json.dumps(config))
        tensor = {"dtype": "F32", "shape": [parameters], "data_offsets": [0, 0]}
        header = json.dumps({"__metadata__": {}, "w": tensor}).encode()
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
        (folder / "tokenizer.json").write_text("{}")
        (folder / "chat_template.jinja").write_text("{{ messages }}")
        return folder

    return made


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]
