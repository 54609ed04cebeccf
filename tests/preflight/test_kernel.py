"""What the kernel refuses is fatal and named with its own words."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from liverl.preflight.context import Context
from liverl.preflight.kernel import check_kernel, judge_kernel

MakeContext = Callable[..., Context]


def test_this_kernel_is_able(make_context: MakeContext) -> None:
    (finding,) = check_kernel(make_context())
    assert (finding.id, finding.severity) == ("kernel:able", "info")
    assert "Linux" in finding.evidence


def test_what_a_kernel_refuses_is_fatal() -> None:
    refused = {"pidfd_open": "[Errno 38] Function not implemented", "/proc": ""}
    (finding,) = judge_kernel(refused, "Linux-3.10.0")
    assert (finding.id, finding.severity) == ("kernel:lacks", "fatal")
    assert finding.evidence == "pidfd_open: [Errno 38] Function not implemented (Linux-3.10.0)"


def test_a_call_that_python_was_built_without_is_lacking_too(
    make_context: MakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    (finding,) = check_kernel(make_context())
    assert finding.id == "kernel:lacks"
