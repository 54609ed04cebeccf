"""Docker is asked by socket and by its own client, real where there is one, and may hang, refuse or deny."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from liverl.preflight.docker import check_docker, insecure, judge_client, reach
from liverl.preflight.programs import Said
from tests.preflight.scripted_programs import HANGING, PutProgram, only_programs, put_program

__all__ = ["only_programs", "put_program"]

WORKS = 'case "$1" in info) echo 28.2.2 ;; compose) echo 2.30.0 ;; esac'


def ids(environment: dict[str, str]) -> list[tuple[str, str]]:
    return [(each.id, each.severity) for each in check_docker(environment)]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[str]:
    """A socket at which a scripted daemon answers pings."""
    path = tmp_path / "docker.sock"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                client.recv(1000)
                client.sendall(b"HTTP/1.0 200 OK\r\n\r\nOK")

    threading.Thread(target=serve, daemon=True).start()
    yield f"unix://{path}"
    server.close()


def test_a_daemon_that_answers_is_told_with_its_version(put_program: PutProgram, daemon: str) -> None:
    put_program("docker", WORKS)
    (finding,) = check_docker({"DOCKER_HOST": daemon})
    assert (finding.id, finding.severity) == ("docker:reachable", "info")
    assert "28.2.2" in finding.title


def test_a_socket_that_is_not_there_is_unreachable(put_program: PutProgram, tmp_path: Path) -> None:
    put_program("docker", WORKS)
    assert ids({"DOCKER_HOST": f"unix://{tmp_path}/none"}) == [("docker:unreachable", "fatal")]


def test_a_file_in_the_place_of_the_socket_is_no_daemon(put_program: PutProgram, tmp_path: Path) -> None:
    put_program("docker", WORKS)
    (tmp_path / "file").write_text("")
    (finding,) = check_docker({"DOCKER_HOST": f"unix://{tmp_path}/file"})
    assert (finding.id, "is not a socket" in finding.evidence) == ("docker:unreachable", True)


def test_a_socket_that_never_answers_is_given_up(put_program: PutProgram, tmp_path: Path) -> None:
    put_program("docker", WORKS)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "deaf"))
        deaf.listen()
        began = time.monotonic()
        assert ids({"DOCKER_HOST": f"unix://{tmp_path}/deaf"}) == [("docker:unreachable", "fatal")]
        assert time.monotonic() - began < 10


def test_a_socket_without_rights_is_told_as_such(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(tmp_path / "theirs"))
        (tmp_path / "theirs").chmod(0)
        user = os.geteuid()
        try:
            os.seteuid(user or 65534)  # root may open every socket
            (finding,) = reach(f"unix://{tmp_path}/theirs")
        finally:
            os.seteuid(user)
    assert (finding.id, "docker $USER" in finding.cure) == ("docker:no_rights", True)


def test_a_closed_port_is_unreachable_and_named(busy_port: int) -> None:
    assert reach(f"tcp://127.0.0.1:{busy_port}") == []
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        (finding,) = reach(f"tcp://127.0.0.1:{port}")
        assert (finding.id, f"127.0.0.1:{port}" in finding.title) == ("docker:unreachable", True)


@pytest.mark.parametrize("host", ["ssh://me@far", "tcp://", "tcp://far:notaport", "npipe:////./pipe/docker"])
def test_what_is_not_known_is_left_to_the_client(host: str) -> None:
    assert reach(host) == []


@pytest.mark.parametrize("host", ["tcp://10.0.0.9:2375", "http://10.0.0.9"])
def test_plain_tcp_is_warned_of(host: str) -> None:
    (finding,) = insecure(host)
    assert (finding.id, finding.severity) == ("docker:insecure", "warn")


@pytest.mark.parametrize("host", ["", "tcp://10.0.0.9:2376", "tcp://10.0.0.9", "unix:///x", "ssh://a"])
def test_other_ways_are_not(host: str) -> None:
    assert insecure(host) == []


def test_a_client_that_hangs_is_given_up(put_program: PutProgram, daemon: str) -> None:
    put_program("docker", HANGING)
    began = time.monotonic()
    findings = check_docker({"DOCKER_HOST": daemon}, limit_s=1.0)
    assert [(each.id, each.severity) for each in findings] == [("docker:unreachable", "fatal")]
    assert time.monotonic() - began < 8


def test_no_client_is_fatal(only_programs: Path, daemon: str) -> None:
    assert ids({"DOCKER_HOST": daemon}) == [("docker:no_client", "fatal")]


@pytest.mark.parametrize(
    ("words", "id_"),
    [
        ("permission denied while trying to connect to the Docker daemon socket", "docker:no_rights"),
        ("Cannot connect to the Docker daemon. Is the docker daemon running?", "docker:unreachable"),
    ],
)
def test_what_the_client_says_is_told(words: str, id_: str) -> None:
    (finding,) = judge_client(Said(1, "", words), Said(0, "2"))
    assert (finding.id, finding.severity, finding.evidence) == (id_, "fatal", words)


def test_without_compose_harbor_can_do_nothing() -> None:
    words = "docker: unknown command: docker compose\n\nRun 'docker --help' for more information"
    (finding,) = judge_client(Said(0, "28.2.2\n"), Said(1, "", words))
    assert (finding.id, finding.severity) == ("docker:no_compose", "fatal")
    assert finding.evidence == "docker: unknown command: docker compose"


needs_client = pytest.mark.skipif(shutil.which("docker") is None, reason="the docker client is not installed")


@needs_client
def test_the_real_client_says_that_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    done = subprocess.run(
        ["docker", "info", "--format", "{{.ServerVersion}}"], capture_output=True, text=True, check=False
    )
    (finding,) = judge_client(Said(done.returncode, done.stdout, done.stderr), Said(0, "2"))
    assert finding.id == "docker:unreachable"


@needs_client
def test_a_real_daemon_is_found_reachable_up_to_compose() -> None:
    done = subprocess.run(["docker", "info"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no Docker daemon runs here")
    findings = check_docker()
    assert {finding.id for finding in findings} <= {
        "docker:reachable",
        "docker:no_compose",
        "docker:insecure",
    }
