"""What the workers of a run say all the time holds none of the literals that a log is searched for."""

from __future__ import annotations

from bench.scanning import noise
from liverl.diagnose.catalogue import catalogue, patterns
from liverl.log.literals import needles_of


def test_hardly_a_line_of_noise_holds_what_is_looked_for() -> None:
    said = b"".join(noise(8_000_000))[:1_000_000]
    lower, lines = said.lower(), said.count(b"\n")
    told = {
        needle: (lower if needle.caseless else said).count(needle.text)
        for pattern in patterns(catalogue())
        for needle in needles_of(pattern)
    }
    often = {needle.text.decode(): times for needle, times in told.items() if times > lines / 1000}
    assert not often, f"of {lines} lines"
