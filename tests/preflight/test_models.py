"""A model folder is complete, or the missing part is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.models import check_models, inspect_folder
from tests.preflight.conftest import MakeConfig

MakeModel = Callable[..., Path]


def ids(folder: Path, make_config: MakeConfig, **sections: dict[str, object]) -> list[str]:
    return [finding.id for finding in inspect_folder(folder, make_config(**sections))]


def test_a_complete_folder_has_no_findings(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    assert ids(make_model(tmp_path / "m"), make_config) == []


@pytest.mark.parametrize(
    ("part", "id_"),
    [
        ("config.json", "model:no_config"),
        ("model.safetensors", "model:no_weights"),
        ("tokenizer.json", "model:no_tokenizer"),
        ("chat_template.jinja", "model:no_template"),
    ],
)
def test_a_missing_part_is_named(
    part: str, id_: str, make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / part).unlink()
    assert ids(folder, make_config) == [id_]


def test_a_missing_folder_is_unreadable(make_config: MakeConfig, tmp_path: Path) -> None:
    assert ids(tmp_path / "none", make_config) == ["model:unreadable"]


def test_a_broken_config_is_named(make_model: MakeModel, make_config: MakeConfig, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "config.json").write_text("{")
    assert ids(folder, make_config) == ["model:no_config"]


def test_missing_shards_are_counted(make_model: MakeModel, make_config: MakeConfig, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m")
    shards = {"a": "model.safetensors", "b": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    (finding,) = inspect_folder(folder, make_config())
    assert finding.title == "1 of 2 weight files are missing"


def test_a_window_too_small_for_a_trial_is_fatal(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    (finding,) = inspect_folder(make_model(tmp_path / "m", window=600), make_config())
    assert finding.id == "model:window"
    assert "max_response_length to 344" in finding.cure


def test_the_window_of_a_nested_language_model_counts(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m", text_config={"max_position_embeddings": 600})
    assert ids(folder, make_config) == ["model:window"]


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"text_config": 3}', "[" * 100_000])
def test_a_config_that_is_no_model_is_told_and_never_raises(
    text: str, make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "config.json").write_text(text)
    assert set(ids(folder, make_config)) <= {"model:no_config"}


@pytest.mark.parametrize("text", ["[]", "3", "null", '"x"', "{", "[" * 100_000])
def test_a_tokenizers_settings_that_are_none_have_no_template(
    text: str, make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "chat_template.jinja").unlink()
    (folder / "tokenizer_config.json").write_text(text)
    assert ids(folder, make_config) == ["model:no_template"]


@pytest.mark.parametrize(
    ("index", "id_"),
    [
        ("[]", "model:bad_index"),
        ('{"weight_map": []}', "model:bad_index"),
        ("[" * 100_000, "model:bad_index"),
        ('{"weight_map": {"a": 5, "b": "x.safetensors", "c": [1]}}', "model:incomplete"),
    ],
)
def test_an_odd_index_of_the_weights_is_told_and_never_raises(
    index: str, id_: str, make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "model.safetensors.index.json").write_text(index)
    assert ids(folder, make_config) == [id_]


def test_a_policy_that_is_still_to_be_built_is_fine(make_context: Callable[..., Context]) -> None:
    (finding,) = check_models(make_context())
    assert (finding.id, finding.severity) == ("model:to_build", "info")
