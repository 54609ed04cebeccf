"""Reads a model folder with Transformers; what can't be read is an error that names the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from liverl.errors import PolicyError

READING = (OSError, ValueError, KeyError, TypeError)
"""What Transformers raises of a file that is missing or not what it takes it for."""


def read_tokenizer(folder: Path) -> Any:
    """The folder's tokenizer; raises PolicyError `model.unreadable`."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder)
    except READING as error:
        raise unreadable(folder, error) from error


def no_tools(folder: Path) -> PolicyError:
    """The error of a chat template that does not show the model its tools."""
    return PolicyError(
        "model.no_tools",
        "The model's chat template leaves tools out",
        evidence=str(folder),
        next_action="Use the instruction-tuned model, or a chat_template.jinja that renders tools",
    )


def unreadable(folder: Path, error: Exception) -> PolicyError:
    """The error of a folder that could not be read."""
    return PolicyError(
        "model.unreadable",
        f"Transformers can't read the model in {folder}",
        evidence=f"{type(error).__name__}: {error}",
        next_action="Copy the whole folder again, or set model.path to another",
    )
