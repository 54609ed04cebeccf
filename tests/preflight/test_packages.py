"""Versions are compared with the pins: missing, other, and harmlessly other."""

from __future__ import annotations

from pathlib import Path

from liverl.preflight.packages import REQUIREMENTS, judge_packages, read_pins
from liverl.preflight.sandboxes import judge_sandboxes

PINS = {"verl": "0.9.1", "torch": "2.11.0", "rich": "15.0.0"}


def ids(have: dict[str, str], needs_vllm: bool = False) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in judge_packages(PINS, have, needs_vllm)]


def test_pinned_packages_are_fine_and_a_local_build_is_the_same_release() -> None:
    assert ids({**PINS, "torch": "2.11.0+cpu"}) == [("packages:pinned", "info")]


def test_a_missing_package_is_fatal() -> None:
    assert ids({"verl": "0.9.1", "rich": "15.0.0"}) == [("packages:missing", "fatal")]


def test_another_version_is_an_error_where_it_matters_and_a_warning_elsewhere() -> None:
    assert ids({**PINS, "verl": "0.9.0", "rich": "14.1.0"}) == [
        ("packages:version", "error"),
        ("packages:drift", "warn"),
    ]


def test_a_gpu_run_needs_vllm() -> None:
    assert ids(PINS, needs_vllm=True) == [("packages:vllm", "fatal")]


def test_names_are_compared_normalised(tmp_path: Path) -> None:
    file = tmp_path / "r.txt"
    file.write_text("# a==b\nTransfer_Queue==0.1.11\nray[default]==2.60.0\n")
    assert read_pins(file) == {"transfer-queue": "0.1.11", "ray": "2.60.0"}


def test_the_shipped_pins_hold_what_matters() -> None:
    assert {"verl", "torch", "harbor", "litellm", "ray"} <= set(read_pins(REQUIREMENTS))


def test_each_thing_that_sandboxes_lack_is_a_finding_with_its_cure() -> None:
    answer = {"missing": [{"what": "bwrap", "cure": "apt-get install -y bubblewrap"}], "evidence": ""}
    (finding,) = judge_sandboxes(answer)
    assert (finding.severity, finding.cure) == ("fatal", "apt-get install -y bubblewrap")
