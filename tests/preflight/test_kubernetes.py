"""A cluster is asked by kubectl, the real one where it is installed, and may hang, refuse or deny."""

from __future__ import annotations

import json
import shutil
import socket
import time
from pathlib import Path

import pytest

from liverl.preflight.kubernetes import check_kubernetes, config_files, judge_cluster, ready_nodes
from liverl.preflight.programs import Said
from tests.preflight.scripted_cluster import kubeconfig, node, scripted_cluster
from tests.preflight.scripted_programs import HANGING, PutProgram, only_programs, put_program

__all__ = ["only_programs", "put_program"]

NODES = json.dumps({"items": [node("a"), node("b", ready=False), node("c", unschedulable=True)]})
FORBIDDEN = Said(1, "", "Error from server (Forbidden): nodes is forbidden: User me cannot list")
REFUSED = Said(1, "", "The connection to the server 127.0.0.1:1 was refused")
YES, NO = Said(0, "yes\n"), Said(1, "no\n")
needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


def ids(environment: dict[str, str]) -> list[tuple[str, str]]:
    return [(each.id, each.severity) for each in check_kubernetes(environment)]


def test_a_ready_cluster_with_rights_is_reachable() -> None:
    (finding,) = judge_cluster(Said(0, NODES), YES)
    assert (finding.id, finding.severity) == ("kubernetes:reachable", "info")
    assert finding.evidence == "1 of 3 nodes are ready and take pods"
    assert ready_nodes(NODES) == ["a"]


@pytest.mark.parametrize("answer", ["", "[]", '{"items": 3}', '{"items": ["a"]}', "not json"])
def test_an_answer_that_is_no_list_of_nodes_has_none_ready(answer: str) -> None:
    assert judge_cluster(Said(0, answer), YES)[0].id == "kubernetes:no_node"


@pytest.mark.parametrize(
    ("nodes", "rights", "expected"),
    [
        (Said(0, NODES), NO, [("kubernetes:no_rights", "fatal")]),
        (Said(0, NODES), Said(None), [("kubernetes:rights_unknown", "skipped")]),
        (FORBIDDEN, YES, [("kubernetes:nodes_unseen", "skipped")]),
        (REFUSED, NO, [("kubernetes:unreachable", "fatal"), ("kubernetes:no_rights", "fatal")]),
        (Said(None), Said(None), [("kubernetes:unreachable", "fatal")]),
        (OSError("kubectl"), OSError("kubectl"), [("kubernetes:no_client", "skipped")]),
    ],
)
def test_what_kubectl_says_is_judged(
    nodes: Said | OSError, rights: Said | OSError, expected: list[tuple[str, str]]
) -> None:
    assert [(each.id, each.severity) for each in judge_cluster(nodes, rights)] == expected


def test_without_a_kubeconfig_kubectl_is_not_asked(put_program: PutProgram, tmp_path: Path) -> None:
    put_program("kubectl", f"touch {tmp_path}/asked")
    (finding,) = check_kubernetes({"KUBECONFIG": f"{tmp_path}/none:{tmp_path}/neither"})
    assert (finding.id, finding.severity) == ("kubernetes:no_config", "fatal")
    assert f"{tmp_path}/neither" in finding.evidence
    assert not (tmp_path / "asked").exists()


def test_kubeconfig_files_are_those_of_kubectl() -> None:
    assert config_files({"KUBECONFIG": "/a:/b"}) == [Path("/a"), Path("/b")]
    assert config_files({}) == [Path("~/.kube/config").expanduser()]


def test_a_kubectl_that_hangs_is_given_up(put_program: PutProgram, tmp_path: Path) -> None:
    put_program("kubectl", HANGING)
    began = time.monotonic()
    findings = check_kubernetes({"KUBECONFIG": str(kubeconfig(tmp_path, 1))}, limit_s=1.0)
    assert [(each.id, each.severity) for each in findings] == [("kubernetes:unreachable", "fatal")]
    assert time.monotonic() - began < 8


def test_without_kubectl_nothing_was_tried(only_programs: Path, tmp_path: Path) -> None:
    assert ids({"KUBECONFIG": str(kubeconfig(tmp_path, 1))}) == [("kubernetes:no_client", "skipped")]


@needs_kubectl
@pytest.mark.parametrize(
    ("nodes", "allowed", "expected"),
    [
        ([node("a")], True, ["kubernetes:reachable"]),
        ([node("a")], False, ["kubernetes:no_rights"]),
        ([node("a", ready=False)], True, ["kubernetes:no_node"]),
        ([], True, ["kubernetes:no_node"]),
    ],
)
def test_the_real_kubectl_tells_nodes_and_rights(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    nodes: list[dict[str, object]],
    allowed: bool,
    expected: list[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where kubectl keeps what it learned of a cluster
    with scripted_cluster(tmp_path, nodes, allowed) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        assert [each.id for each in check_kubernetes()] == expected


@needs_kubectl
def test_the_real_kubectl_finds_nobody_at_a_closed_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        monkeypatch.setenv("KUBECONFIG", str(kubeconfig(tmp_path, bound.getsockname()[1])))
        assert "kubernetes:unreachable" in [each.id for each in check_kubernetes()]
