"""Places where a fault can sit: found where phrase and token agree, broken and mended by one substitution."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from liverl.policy.programs import read_programs
from liverl.policy.sites import break_function, find_sites

TRAIN = Path(__file__).resolve().parents[2] / "tasks" / "train"

FUNCTIONS = {
    "comparison": 'def a(x, y):\n    """True if x is at least y."""\n    return x >= y',
    "aggregate": 'def a(x):\n    """Largest of x."""\n    return max(x)',
    "arithmetic": 'def a(x, y):\n    """X times y."""\n    return x * y',
    "range": 'def a(x):\n    """From 1 to x, included."""\n    return list(range(1, x + 1))',
    "index": 'def a(x):\n    """The last of x."""\n    return x[-1]',
    "constant": 'def a(x):\n    """Each costs 35."""\n    return x * 35',
}


@pytest.mark.parametrize("family", FUNCTIONS)
def test_a_site_is_found_where_a_phrase_asks_for_the_token(family: str) -> None:
    sites = find_sites(FUNCTIONS[family], random.Random(0))
    assert family in {site.family for site in sites}


def test_no_site_where_the_phrase_asks_for_another_token() -> None:
    text = FUNCTIONS["comparison"].replace(">=", ">")
    assert not find_sites(text, random.Random(0))


def test_no_site_where_the_token_is_ambiguous() -> None:
    text = FUNCTIONS["aggregate"].replace("max(x)", "max(x) - max(x)")
    assert not find_sites(text, random.Random(0))


def test_the_edit_of_a_broken_function_is_what_sed_makes_of_it(tmp_path: Path) -> None:
    rng = random.Random(1)
    functions = [function for program in read_programs(TRAIN) for function in program.functions]
    for number in range(40):
        function = rng.choice(functions)
        broken = break_function(function.text, rng)
        if broken is None:
            continue
        path = tmp_path / f"{number}.py"
        path.write_text(broken.text + "\n")
        edit = f"/def {function.name}(/,/^$/s|{broken.old}|{broken.new}|"
        subprocess.run(["sed", "-i", edit, str(path)], check=True)
        mended = path.read_text()
        changed = [
            (a, b) for a, b in zip(broken.text.split("\n"), mended.split("\n"), strict=False) if a != b
        ]
        assert changed, edit
        assert [broken.new in after for _, after in changed][-1]
