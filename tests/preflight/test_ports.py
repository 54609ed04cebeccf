"""A taken port is found with its owner, and the cure names the next free one and the line to change."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.config import Origin
from liverl.preflight.context import Context
from liverl.preflight.live import LiveRun, Seen
from liverl.preflight.ports import check_ports, holders_of, is_free, judge_port, next_free, wanted_ports
from liverl.preflight.sockets import Socket
from tests.run.scripted import Launch, launch_run, process, until

MakeContext = Callable[..., Context]
__all__ = ["launch_run"]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def ports_beside(port: int) -> dict[str, int]:
    """A section in which that port is LiteLLM's, and the others are free."""
    ray = next_free(port, set())
    return {"litellm_port": port, "ray_port": ray, "ray_dashboard_port": next_free(ray, set())}


def test_a_taken_port_is_fatal_and_names_its_owner(make_context: MakeContext, busy_port: int) -> None:
    (finding,) = check_ports(make_context(infrastructure=ports_beside(busy_port)))
    assert (finding.id, finding.severity) == ("port:conflict", "fatal")
    assert f"process {os.getpid()} (" in finding.evidence
    assert re.search(r"since 20\d\d-\d\d-\d\dT", finding.evidence)
    assert f"kill {os.getpid()}" in finding.cure


def test_the_cure_names_a_free_port_that_the_run_does_not_use_itself(
    make_context: MakeContext, busy_port: int
) -> None:
    context = make_context(infrastructure=ports_beside(busy_port))
    (finding,) = check_ports(context)
    named = re.search(r"`litellm_port: (\d+)`", finding.cure)
    assert named is not None
    assert is_free(int(named[1]))
    assert int(named[1]) not in wanted_ports(context.config).values()
    assert int(named[1]) != context.config.infrastructure.ray_dashboard_port


def test_the_cure_names_the_line_of_the_config(make_context: MakeContext, busy_port: int) -> None:
    context = make_context(infrastructure={"ray_port": busy_port})
    context = replace(context, origins={"infrastructure.ray_port": Origin("config.yaml", 48)})
    found = [finding for finding in check_ports(context) if str(busy_port) in finding.title]
    assert "line 48 of config.yaml" in found[0].cure


def test_the_dashboards_port_counts_only_where_the_dashboard_starts(
    make_context: MakeContext, busy_port: int
) -> None:
    litellm = next_free(busy_port, set())
    ports = {
        "litellm_port": litellm,
        "ray_port": next_free(litellm, set()),
        "ray_dashboard_port": busy_port,
    }
    (on_cpu,) = check_ports(make_context(infrastructure=ports))
    assert (on_cpu.id, str(busy_port) in on_cpu.title) == ("port:free", False)
    (on_gpus,) = check_ports(make_context(infrastructure=ports, engine={"rollout": "vllm"}))
    assert on_gpus.id == "port:conflict"


def test_free_ports_are_said_to_be_free(make_context: MakeContext, busy_port: int) -> None:
    (finding,) = check_ports(make_context(infrastructure=ports_beside(next_free(busy_port, set()))))
    assert finding.id == "port:free"


def test_a_port_that_a_live_run_holds_is_mine_and_named_with_the_run(
    launch_run: Launch, make_context: MakeContext, busy_port: int
) -> None:
    port = next_free(busy_port, set())
    door = (sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1")
    run = launch_run(door=door, ports={"litellm": port}, end="hang", stubborn=False)
    until(lambda: not is_free(port))
    (finding,) = check_ports(make_context(infrastructure=ports_beside(port)))
    assert (finding.id, finding.severity) == ("port:mine", "error")
    assert finding.title.endswith(f"by the run {run.name}")
    assert f"process {process(run, 'door')} (" in finding.evidence
    assert finding.cure.startswith(f"liverl stop {run.name}, or set `litellm_port: ")


def test_a_port_that_was_promised_to_a_live_run_is_not_offered(
    launch_run: Launch, make_context: MakeContext, busy_port: int
) -> None:
    ports = ports_beside(busy_port)
    next_one = next_free(ports["ray_dashboard_port"], set())
    launch_run(ports={"litellm": next_one}, end="hang", stubborn=False)
    (finding,) = check_ports(make_context(infrastructure=ports))
    assert f"`litellm_port: {next_one}`" not in finding.cure


def test_an_owner_in_another_container_is_told_by_its_user(make_context: MakeContext, busy_port: int) -> None:
    program = (
        "import sys\n"
        "from liverl.preflight.live import Seen\n"
        "from liverl.preflight.ports import holders_of\n"
        "from liverl.preflight.sockets import sockets\n"
        "print(holders_of([int(sys.argv[1])], sockets(), Seen())[int(sys.argv[1])].told)\n"
    )
    inside = ["unshare", "--map-root-user", "--fork", "--pid", "--mount-proc"]
    done = subprocess.run(
        [*inside, sys.executable, "-c", program, str(busy_port)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if "unshare" in done.stderr:
        pytest.skip(f"no namespaces of this user's own: {done.stderr.strip()}")
    assert done.stdout.startswith("a process of user ")
    assert "whose pid is not seen from here" in done.stdout


def test_a_port_that_nobody_is_named_for_is_told_as_such(make_context: MakeContext, busy_port: int) -> None:
    holder = holders_of([busy_port], [], Seen())[busy_port]
    finding = judge_port(make_context(), "litellm_port", busy_port, holder, 0)
    assert (finding.id, finding.severity) == ("port:conflict", "fatal")
    assert "nobody" in finding.evidence and "kill" not in finding.cure


def test_an_unseen_owner_of_a_port_that_a_live_run_recorded_is_that_run() -> None:
    run = LiveRun(Path("/r/a"), "running", "here", 1, ports={"litellm": 8002})
    holder = holders_of([8002], [Socket(8002, True, 0, 1)], Seen((run,)))[8002]
    assert holder.run == run


def test_a_port_that_is_bound_and_not_listened_on_is_taken(make_context: MakeContext) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        (finding,) = check_ports(make_context(infrastructure=ports_beside(port)))
        assert finding.id == "port:conflict"
