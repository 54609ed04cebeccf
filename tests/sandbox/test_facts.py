"""What the check says about machines that lack something."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.errors import SandboxError
from liverl.sandbox.facts import Host, find_missing, one_command, probe_sandbox, require_sandbox

PROGRAMS = {name: f"/usr/bin/{name}" for name in ("bwrap", "nsenter", "setpriv", "python3")}


def host(
    *os_ids: str,
    programs: dict[str, str | None] | None = None,
    version: tuple[int, ...] = (0, 8, 0),
    switches: dict[str, int] | None = None,
    is_root: bool = True,
    tried: str | None = "",
) -> Host:
    return Host(os_ids, {**PROGRAMS, **(programs or {})}, version, switches or {}, is_root, tried)


@pytest.mark.parametrize(
    ("os_ids", "command"),
    [
        (("debian",), "apt-get install -y bubblewrap"),
        (("linuxmint", "ubuntu", "debian"), "apt-get install -y bubblewrap"),
        (("fedora",), "dnf install -y bubblewrap"),
        (("rocky", "rhel", "centos", "fedora"), "dnf install -y bubblewrap"),
        (("arch",), "pacman -S --noconfirm bubblewrap"),
        (("opensuse", "leap", "suse"), "zypper install -y bubblewrap"),
        (("alpine",), "apk add bubblewrap"),
        (("unheard",), "install the package bubblewrap"),
    ],
)
def test_the_cure_is_the_distributions_own_command(os_ids: tuple[str, ...], command: str) -> None:
    lacking = host(*os_ids, programs={"bwrap": None}, version=())
    missing = find_missing(lacking)
    assert [one.what for one in missing] == ["bwrap (package bubblewrap)"]
    assert one_command(lacking, missing) == command


def test_who_is_not_root_is_told_to_become_it() -> None:
    lacking = host("debian", programs={"bwrap": None, "nsenter": None, "setpriv": None}, is_root=False)
    assert one_command(lacking, find_missing(lacking)) == "sudo apt-get install -y bubblewrap util-linux"


@pytest.mark.parametrize(
    ("switches", "cure"),
    [
        ({"kernel.unprivileged_userns_clone": 0}, "sysctl -w kernel.unprivileged_userns_clone=1"),
        ({"user.max_user_namespaces": 0}, "sysctl -w user.max_user_namespaces=15000"),
        (
            {"kernel.apparmor_restrict_unprivileged_userns": 1, "user.max_user_namespaces": 100},
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_a_switch_that_forbids_user_namespaces_is_named(switches: dict[str, int], cure: str) -> None:
    refused = host("ubuntu", switches=switches, tried="bwrap: No permissions to create a new namespace")
    assert [one.cure for one in find_missing(refused)] == [cure]
    assert find_missing(host("ubuntu", switches=switches, tried="")) == []


def test_a_refusal_without_a_known_switch_is_still_missing_something() -> None:
    assert find_missing(host("debian", tried="bwrap: Operation not permitted"))


def test_an_old_bubblewrap_is_named_with_its_version() -> None:
    assert "0.7 or newer (this is 0.6.1)" in find_missing(host("ubuntu", version=(0, 6, 1)))[0].what


@pytest.mark.sandbox
def test_the_probe_starts_a_real_sandbox(needs_bwrap: None) -> None:
    facts = probe_sandbox()
    assert facts["ok"], facts
    assert facts["limits"] in ("delegated-cgroup", "root-cgroup", "rlimit")
    assert facts["start_ms"] > 0 and facts["exec_ms"] > 0


def test_without_bubblewrap_the_probe_names_it_and_nothing_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = probe_sandbox()
    assert not facts["ok"] and facts["start_ms"] is None
    assert "bubblewrap" in facts["cure"]
    with pytest.raises(SandboxError, match="bubblewrap"):
        require_sandbox()
