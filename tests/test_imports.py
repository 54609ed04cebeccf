"""Who may import whom: the rooms and the arrows between them, walked in the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "liverl"

_CONTROL = {
    "errors",
    "config",
    "record",
    "log",
    "run",
    "preflight",
    "diagnose",
    "operate",
    "dashboard",
    "cli",
}
_BASE = {"errors", "config", "record"}
# Each room, and the rooms it may import beside itself.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "config": {"errors"},
    "record": {"errors"},
    "log": {"errors", "config", "record"},
    "run": {"errors", "config", "record"},
    "preflight": _BASE | {"log", "run"},
    "diagnose": _BASE | {"log", "run"},
    "operate": _BASE | {"log", "run", "preflight", "diagnose"},
    "dashboard": _BASE | {"log", "run", "preflight", "diagnose", "operate"},
    "cli": _BASE | {"log", "run", "preflight", "diagnose", "operate"},
    "gateway": _BASE,
    "sandbox": _BASE,
    "scaffold": _BASE,
    "trial": _BASE | {"gateway", "sandbox", "scaffold"},
    "engine": _BASE | {"gateway", "sandbox", "scaffold", "trial"},
    "policy": _BASE | {"scaffold"},
    "probe": _BASE | {"gateway", "sandbox", "scaffold", "trial", "engine", "policy"},
    "drill": _BASE | {"gateway", "sandbox", "scaffold", "trial", "engine", "policy"},
}
HEAVY = ("torch", "ray", "verl", "vllm", "litellm", "harbor", "transformers")
# It has to outlive whatever breaks around it, so it imports nothing that can.
# The MCP server is a face, as the command line is.
FACES = sorted((PACKAGE.parent / "mcp_server").glob("*.py"))
FACE_MAY = _BASE | {"operate"}
SUPERVISOR = ("run/supervisor.py", "run/guard.py", "run/children.py", "run/ending.py", "run/ingest.py",
              "run/journal.py", "run/processes.py", "run/retention.py", "run/environment.py", "run/ends.py",
              "run/ladder.py", "run/saving.py", "run/bootwatch.py", "run/archives.py", "run/telling.py",
              "run/writes.py", "run/liveness.py", "run/roots.py")  # fmt: skip


def modules() -> list[Path]:
    rooms = (path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
    return sorted([*rooms, PACKAGE / "errors.py"])


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every imported module with its line, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(["liverl", *path.relative_to(PACKAGE).parts[: -node.level]]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            yield node.lineno, module
            if module == "liverl":
                yield from ((node.lineno, f"liverl.{alias.name}") for alias in node.names)


def arrows(path: Path) -> Iterator[tuple[int, str]]:
    """The rooms a file imports, other than its own."""
    for line, module in imports(path):
        parts = module.split(".")
        if parts[0] == "liverl" and len(parts) > 1 and parts[1] != room_of(path):
            yield line, parts[1]


def test_every_room_is_on_the_plan() -> None:
    assert {room_of(path) for path in modules()} <= set(ALLOWED)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_rooms_that_its_own_may(path: Path) -> None:
    wrong = [f"line {line}: {room}" for line, room in arrows(path) if room not in ALLOWED[room_of(path)]]
    assert wrong == []


@pytest.mark.parametrize(
    "path",
    [path for path in modules() if room_of(path) in _CONTROL],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_the_control_plane_names_no_heavy_package(path: Path) -> None:
    wrong = [f"line {line}: {module}" for line, module in imports(path) if module.split(".")[0] in HEAVY]
    assert wrong == []


@pytest.mark.parametrize("path", FACES, ids=lambda path: path.name)
def test_the_mcp_server_imports_the_verbs_and_nothing_below_them(path: Path) -> None:
    found = {module for _, module in imports(path)}
    rooms = {module.split(".")[1] for module in found if module.startswith("liverl.")}
    assert rooms - {"__version__"} <= FACE_MAY
    assert not {module.split(".")[0] for module in found} & set(HEAVY)


@pytest.mark.parametrize("name", SUPERVISOR)
def test_the_supervisor_needs_only_the_standard_library_and_the_record(name: str) -> None:
    found = {module for _, module in imports(PACKAGE / name)}
    ours = {module for module in found if module.startswith("liverl")}
    assert {module.split(".")[1] for module in ours} <= {"errors", "record", "run"}
    assert {module.split(".")[0] for module in found - ours} <= sys.stdlib_module_names


@pytest.mark.parametrize("room", ["record"])
def test_the_record_is_standard_library_only(room: str) -> None:
    found = {module for path in (PACKAGE / room).glob("*.py") for _, module in imports(path)}
    outside = {module.split(".")[0] for module in found} - set(sys.stdlib_module_names)
    assert outside == {"liverl"}


def test_importing_the_whole_control_plane_loads_no_heavy_package() -> None:
    names = [
        ".".join(("liverl", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in modules()
        if room_of(path) in _CONTROL and path.name != "__main__.py"
    ]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print(*sorted({set(HEAVY)!r} & {{name.partition('.')[0] for name in sys.modules}}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=PACKAGE.parent, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_help_loads_neither_the_config_nor_the_checks() -> None:
    program = (
        "import sys\nfrom liverl.cli.arguments import parser\nparser().format_help()\n"
        "print(*[name for name in ('yaml', 'pydantic', 'rich', 'psutil') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
    )
    assert done.stdout.strip() == ""
