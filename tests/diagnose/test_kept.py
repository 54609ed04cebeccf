"""The write-ups as they were read last: taken where nothing has changed, and from nobody else's file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from liverl.diagnose import catalogue as catalogue_module
from liverl.diagnose.catalogue import FOLDER, catalogue, patterns
from liverl.diagnose.kept import digest_of, load, save
from liverl.diagnose.writeup import read_writeup
from liverl.log.literals import _needles_of, needles_of

_PATHS = [path for path in sorted(FOLDER.rglob("*.md")) if path.name != "README.md"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where an empty cache folder keeps the write-ups."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    catalogue.cache_clear()
    return tmp_path / "liverl" / "writeups.pickle"


def test_a_second_process_finds_what_the_first_has_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = catalogue()
    assert cache.stat().st_mode & 0o777 == 0o600
    catalogue.cache_clear()

    def fail(*_: object) -> None:
        raise AssertionError("read anew")

    monkeypatch.setattr(catalogue_module, "read_writeup", fail)
    again = catalogue()
    assert again == read == tuple(read_writeup(path, FOLDER) for path in _PATHS)
    assert {each: needles_of(each) for each in patterns(again)} == {
        each: _needles_of(each) for each in patterns(read)
    }


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"other\n" + pickle.dumps(([], {}))])
def test_a_file_that_is_none_is_passed_over_and_replaced(cache: Path, content: bytes) -> None:
    cache.parent.mkdir()
    cache.write_bytes(content)
    assert len(catalogue()) == len(_PATHS)
    assert load(digest_of(_PATHS)) is not None


def test_half_a_file_is_passed_over(cache: Path) -> None:
    save("digest", list(range(1000)))
    cache.write_bytes(cache.read_bytes()[:-100])
    assert load("digest") is None


def test_a_file_that_others_may_write_is_not_trusted(cache: Path) -> None:
    save("digest", "kept")
    assert load("digest") == "kept"
    cache.chmod(0o666)
    assert load("digest") is None


def test_a_changed_writeup_has_another_digest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("one")
    before = digest_of([page])
    assert digest_of([page]) == before
    page.write_text("two")
    assert digest_of([page]) != before


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null"])
def test_where_nothing_can_be_kept_all_is_read(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    catalogue.cache_clear()
    assert len(catalogue()) == len(_PATHS)
