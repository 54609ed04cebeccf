"""A write-up that applies to some set-ups only is told of those and of unknown ones, and of no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from liverl.config.schema import Sandbox
from liverl.diagnose.catalogue import catalogue
from liverl.diagnose.writeup import WriteUp
from liverl.log.settings import FAMILIES, KNOWN
from tests.troubleshooting.case import Case, cases

LIMITED = [each for each in catalogue() if each.applies]


def _shown(case: Case, setting: Mapping[str, str], folder: Path) -> set[str]:
    return {each.id for each in replace(case, setting=setting).diagnosed(folder).findings}


@pytest.mark.parametrize("writeup", LIMITED, ids=lambda each: each.id)
def test_an_unknown_setting_suppresses_nothing_and_another_one_does(writeup: WriteUp, tmp_path: Path) -> None:
    case = cases(writeup.path, "fires")[0]
    # What the case's own log tells of its set-up is left unknown too.
    unknown = dict.fromkeys(writeup.applies, "")
    assert writeup.id in _shown(case, unknown, tmp_path)
    for key, allowed in writeup.applies.items():
        assert writeup.id in _shown(case, unknown | {key: allowed[0]}, tmp_path)
        assert writeup.id not in _shown(case, unknown | {key: "another"}, tmp_path)


@pytest.mark.parametrize("writeup", LIMITED, ids=lambda each: each.id)
def test_what_it_applies_to_is_what_a_log_or_a_run_can_tell(writeup: WriteUp) -> None:
    known: dict[str, Callable[[str], object]] = {
        "family": FAMILIES.__contains__,
        # Harbor's own cluster of Google's has a name of its own.
        "backend": (*get_args(Sandbox.model_fields["backend"].annotation), "gke").__contains__,
    }
    for key, allowed in writeup.applies.items():
        told = known.get(key) or re.compile(KNOWN[key]).fullmatch
        assert all(told(value) for value in allowed), (key, allowed)
