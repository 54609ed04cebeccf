"""What nvidia-smi prints: the cards of this machine, and the processes on them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

PROGRAM = "nvidia-smi"
CARDS = ("--query-gpu=index,uuid,name,memory.total,memory.free", "--format=csv,noheader,nounits")
APPS = ("--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv,noheader,nounits")


@dataclass(frozen=True)
class Card:
    """A GPU; memory in MiB."""

    index: str
    uuid: str
    name: str
    total_mib: int
    free_mib: int

    @property
    def memory(self) -> str:
        """How much of it is free."""
        return f"{self.free_mib} of {self.total_mib} MiB free"


@dataclass(frozen=True)
class App:
    """A process on a GPU; `used_mib` is 0 where the driver does not tell."""

    uuid: str
    pid: int
    name: str
    used_mib: int


def parse_cards(text: str) -> list[Card]:
    """The answer to the question for cards."""
    return [Card(row[0], row[1], row[2], _number(row[3]), _number(row[4])) for row in _rows(text, 5)]


def parse_apps(text: str) -> list[App]:
    """The answer to the question for processes, which is empty where there are none."""
    return [App(row[0], _number(row[1]), row[2], _number(row[3])) for row in _rows(text, 4)]


def _rows(text: str, columns: int) -> Iterator[list[str]]:
    for row in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(row) > columns:  # a command with a comma in it, which nvidia-smi does not quote
            row = [*row[: columns - 2], ", ".join(row[columns - 2 : -1]), row[-1]]
        if len(row) == columns:
            yield [cell.strip() for cell in row]


def _number(text: str) -> int:
    """A number; 0 for [N/A], [Not Supported] and their like."""
    return int(text) if text.isdigit() else 0
