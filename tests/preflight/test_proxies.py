"""A proxy that would swallow the run's calls to itself is found, with the exact line that exempts this machine."""

from __future__ import annotations

import shlex
import subprocess
from urllib.request import getproxies, proxy_bypass

import pytest

from liverl.preflight.proxies import judge_proxies

PROXY = "http://proxy.example:3128"


def ids(**environment: str) -> list[tuple[str, str]]:
    return [(each.id, each.severity) for each in judge_proxies(environment)]


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_a_proxy_for_plain_http_is_fatal(name: str) -> None:
    assert ids(**{name: PROXY}) == [("proxy:swallows", "fatal")]


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY"])
def test_a_proxy_for_https_alone_swallows_nothing(name: str) -> None:
    assert ids(**{name: PROXY}) == [("proxy:none", "info")]


@pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "a.example, 127.0.0.1", "localhost,127.0.0.1"])
def test_a_proxy_that_leaves_this_machine_alone_is_fine(exempt: str) -> None:
    assert ids(http_proxy=PROXY, no_proxy=exempt) == [("proxy:exempt", "info")]
    assert ids(http_proxy=PROXY, NO_PROXY=exempt) == [("proxy:exempt", "info")]


@pytest.mark.parametrize("exempt", ["127.0.0.0/8", "localhost", "", "10.0.0.1,a.example"])
def test_what_does_not_exempt_this_machine_is_not_taken_for_it(exempt: str) -> None:
    assert ids(http_proxy=PROXY, no_proxy=exempt) == [("proxy:swallows", "fatal")]


def test_small_letters_win_even_when_empty_as_in_python() -> None:
    assert ids(http_proxy="", HTTP_PROXY=PROXY) == [("proxy:none", "info")]
    assert ids(http_proxy=PROXY, no_proxy="", NO_PROXY="127.0.0.1") == [("proxy:swallows", "fatal")]


def test_the_cure_is_a_line_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"http_proxy": PROXY, "no_proxy": "corp.example"}
    (finding,) = judge_proxies(environment)
    after = subprocess.run(
        ["bash", "-c", f"{finding.cure}; echo $no_proxy; echo $NO_PROXY"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    small, capital = after.stdout.split()
    assert small == capital == "corp.example,127.0.0.1,localhost"
    assert judge_proxies({**environment, "no_proxy": small})[0].id == "proxy:exempt"
    monkeypatch.setenv("no_proxy", small)
    monkeypatch.setenv("http_proxy", PROXY)
    assert getproxies()["http"] == PROXY
    assert proxy_bypass("127.0.0.1")


def test_a_password_in_a_proxys_address_is_not_shown() -> None:
    (finding,) = judge_proxies({"http_proxy": "http://me:pa55word@proxy:1"})
    assert "pa55word" not in str(finding)
    assert shlex.split(finding.cure)[0] == "export"
