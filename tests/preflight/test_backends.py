"""A backend that trials do not run in yet has its client checked, and is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.config import Origin
from liverl.preflight.context import Context
from liverl.preflight.sandboxes import check_sandboxes
from tests.preflight.scripted_programs import PutProgram, put_program

MakeContext = Callable[..., Context]
__all__ = ["put_program"]


def test_docker_is_checked_and_refused_all_the_same(
    make_context: MakeContext, put_program: PutProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program("docker", 'case "$1" in info) echo 28.2.2 ;; compose) echo 2.30.0 ;; esac')
    monkeypatch.setenv("DOCKER_HOST", "ssh://me@far")
    context = make_context(sandbox={"backend": "docker"})
    context = replace(context, origins={"sandbox.backend": Origin("config.yaml", 7)})
    client, refusal = check_sandboxes(context)
    assert client.id == "docker:reachable"
    assert (refusal.id, refusal.severity) == ("sandbox:backend", "fatal")
    assert refusal.cure == "Set sandbox.backend (line 7 of config.yaml) to bubblewrap"


def test_kubernetes_is_checked_and_refused_all_the_same(
    make_context: MakeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    client, refusal = check_sandboxes(make_context(sandbox={"backend": "kubernetes"}))
    assert (client.id, refusal.id) == ("kubernetes:no_config", "sandbox:backend")
