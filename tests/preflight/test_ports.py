"""A taken port is found with its owner, and the cure names the next free one and the line to change."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from liverl.config import Origin
from liverl.preflight.context import Context
from liverl.preflight.ports import check_ports, is_free, next_free

MakeContext = Callable[..., Context]


def test_a_taken_port_is_fatal_and_names_its_owner(make_context: MakeContext, busy_port: int) -> None:
    free = next_free(busy_port, set())
    context = make_context(
        infrastructure={
            "litellm_port": busy_port,
            "ray_port": free,
            "ray_dashboard_port": next_free(free, set()),
        }
    )
    (finding,) = check_ports(context)
    assert (finding.id, finding.severity) == ("port:busy", "fatal")
    assert f"process {os.getpid()} (" in finding.evidence


def test_the_cure_names_a_free_port_that_the_run_does_not_use_itself(
    make_context: MakeContext, busy_port: int
) -> None:
    ray = next_free(busy_port, set())
    context = make_context(
        infrastructure={
            "litellm_port": busy_port,
            "ray_port": ray,
            "ray_dashboard_port": next_free(ray, set()),
        }
    )
    (finding,) = check_ports(context)
    named = re.search(r"`litellm_port: (\d+)`", finding.cure)
    assert named is not None
    assert is_free(int(named[1]))
    assert int(named[1]) not in (ray, context.config.infrastructure.ray_dashboard_port)


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
    assert on_gpus.id == "port:busy"


def test_free_ports_are_said_to_be_free(make_context: MakeContext, busy_port: int) -> None:
    one = next_free(busy_port, set())
    two = next_free(one, set())
    ports = {"litellm_port": one, "ray_port": two, "ray_dashboard_port": next_free(two, set())}
    (finding,) = check_ports(make_context(infrastructure=ports))
    assert finding.id == "port:free"
