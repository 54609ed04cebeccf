"""Findings while a run is watched: a line when one appears, worsens or clears, a post, a stop."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from liverl.diagnose.catalogue import catalogue
from liverl.diagnose.finding import Began, Diagnosis, Finding
from liverl.operate.diagnose import diagnose_run
from liverl.operate.findings_seen import news
from liverl.operate.guarding import due, guards_of, idle
from liverl.operate.news import of_finding
from liverl.operate.remembered import recall, remember
from liverl.operate.watch import watch_news
from liverl.operate.watcher import start_watcher
from liverl.operate.webhook import post, posts_for
from liverl.record.asks import ask_stop, take_stop
from liverl.run.roots import state_file
from tests.operate.made import Made
from tests.operate.test_diagnose import NAN, healthy_step
from tests.operate.test_watch import lines_of


def finding(
    identity: str = "a:b", severity: str = "error", cause: str = "", cleared: int | None = None
) -> Finding:
    return Finding(
        identity, severity, "It broke", "high", Began(step=7), (), "", "a/b.md", cause, cleared  # type: ignore[arg-type]
    )  # fmt: skip


def lines(before: Sequence[Finding], now: Sequence[Finding], is_first: bool = False) -> list[str]:
    return [each.text for each in news(before, now, is_first=is_first)]


def test_a_finding_is_told_when_it_appears_worsens_and_clears() -> None:
    one, worse = finding(), finding(severity="fatal")
    assert lines((), (one,)) == ["now shows a:b (error, since step 7): It broke"]
    assert lines((), (one,), is_first=True) == ["shows a:b (error, since step 7): It broke"]
    assert lines((one,), (one,)) == []
    assert lines((one,), (worse,)) == ["has got worse: a:b (fatal, since step 7): It broke"]
    assert lines((one,), (finding(severity="warn", cleared=20),)) == ["no longer shows a:b, since step 20"]
    assert lines((one,), ()) == ["no longer shows a:b"]


def test_an_avalanche_is_one_line() -> None:
    many = [finding("c:root", "fatal"), *(finding(f"d:{index}", cause="c:root") for index in range(5))]
    assert lines((), many) == ["now shows c:root (fatal, since step 7): It broke; 5 more follow from it"]


def test_what_is_only_info_is_no_news() -> None:
    assert lines((), (finding(severity="info"),)) == []


@pytest.mark.parametrize(
    ("shown", "guards", "is_due"),
    [
        (finding(severity="fatal"), ("a:b",), True),
        (finding(severity="fatal"), ("a:*",), True),
        (finding(severity="fatal"), ("c:*",), False),
        (finding(severity="error"), ("a:b",), False),
        (finding(severity="fatal", cause="x:y"), ("a:b",), False),
        (finding(severity="fatal", cleared=9), ("a:b",), False),
        (finding(severity="fatal"), (), False),
    ],
)
def test_a_guard_stops_for_a_fatal_cause_that_it_names_and_that_holds(
    shown: Finding, guards: tuple[str, ...], is_due: bool
) -> None:
    assert (due([shown], guards) is not None) is is_due


def test_a_guard_that_can_never_be_due_is_found_before_the_run() -> None:
    assert idle(("policy:nan", "disk:*", "policy:nna", "reward:all-wrong"), catalogue()) == (
        "policy:nna",
        "reward:all-wrong",
    )


def next_line(lines: Iterator[str], words: str) -> str:
    return next(line for line in lines if words in line)


def test_a_watched_run_tells_a_finding_and_its_guard_asks_it_to_stop(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("r")
    for step in range(1, 12):
        healthy_step(run, step)
    monkeypatch.setattr("liverl.operate.guarding.guards_of", lambda run: ("policy:nan",))
    lines = lines_of(run, 0.01)
    assert next(lines).startswith("r is training")
    for step in (12, 13):
        healthy_step(run, step, **{"actor/grad_norm": NAN})
    assert next_line(lines, "policy:nan (fatal, since step 12").startswith("r now shows")
    assert "is being stopped (guard: policy:nan" in next(lines)
    asked = take_stop(run)
    assert asked is not None and asked.reason.startswith("guard: policy:nan") and not asked.kill


def test_a_program_is_told_each_change_as_an_object(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made("r")
    for step in range(1, 12):
        healthy_step(run, step)
    monkeypatch.setattr("liverl.operate.guarding.guards_of", lambda run: ("policy:nan",))
    told = (each.as_dict() for each in watch_news(run, 0.01))
    first = next(told)
    assert (first["run"], first["change"], first["state"]) == ("r", "state", "training")
    for step in (12, 13):
        healthy_step(run, step, **{"actor/grad_norm": NAN})
    found = next(each for each in told if each.get("id") == "policy:nan")
    assert (found["change"], found["severity"], found["began"]["step"]) == ("appeared", "fatal", 12)
    assert found["title"] and found["when"].endswith("Z") and found["text"].startswith("now shows policy:nan")
    assert next(told)["change"] == "guard"
    json.dumps(found)


def test_what_worsens_and_clears_is_told_as_an_object_too() -> None:
    one, worse, passed = finding(), finding(severity="fatal"), finding(severity="warn", cleared=20)
    told = [of_finding("r", seen).as_dict() for now in (worse, passed) for seen in news((one,), (now,))]
    assert [(each["change"], each["severity"], each["id"]) for each in told] == [
        ("worsened", "fatal", "a:b"),
        ("cleared", "warn", "a:b"),
    ]
    assert told[1]["cleared"] == 20 and told[1]["began"] == {"step": 7}


def test_no_guard_is_set_unless_the_configuration_names_one(made: Made) -> None:
    from liverl.config.schema import RunConfig

    assert RunConfig.model_fields["logging"].default.stop_on == []
    run = made("r")
    assert guards_of(run) == () and not start_watcher(run, guards_of(run))


@contextmanager
def scripted_hook(status: int = 200) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A chat's webhook: its address, and what was posted."""
    posted: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hooks/secret-path", posted
    finally:
        server.shutdown()
        server.server_close()


def test_a_line_is_posted_as_chats_understand_it() -> None:
    with scripted_hook() as (url, posted):
        assert post("r failed: why", url) == ""
    told = {"text": "r failed: why", "content": "r failed: why", "allowed_mentions": {"parse": []}}
    assert posted == [told]


def test_a_post_calls_nobody_and_holds_no_secret() -> None:
    key = "sk-" + "a1b2" * 8
    with scripted_hook() as (url, posted):
        post(f"r now shows x: @everyone <!channel> OPENAI_API_KEY={key}", url)
    assert "@everyone" not in posted[0]["text"] and "<!" not in posted[0]["text"]
    assert key not in str(posted)


def test_a_webhook_that_refuses_or_is_gone_is_told_without_its_address() -> None:
    with scripted_hook(404) as (url, _):
        assert post("x", url) == "the webhook answered 404"
    gone = post("x", url)
    assert "could not be reached" in gone and "secret-path" not in gone
    assert post("x", "file:///etc/passwd") == "LIVERL_WEBHOOK is no http address"


@contextmanager
def scripted_socket(answer: bytes, drip: bytes = b"") -> Iterator[str]:
    """A server that answers these bytes, then drips others for ever."""
    server = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                connection.recv(1 << 16)
                connection.sendall(answer)
                while drip and not is_over.wait(0.1):
                    connection.sendall(drip)
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/hooks/secret-path"
    finally:
        is_over.set()
        server.close()


def test_a_webhook_that_answers_garbage_a_redirect_or_very_much_ends_nothing() -> None:
    with scripted_socket(b"garbage\r\n\r\n") as url:
        assert "could not be reached" in post("x", url)
    with scripted_hook() as (elsewhere, posted):
        moved = f"HTTP/1.1 302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n"
        with scripted_socket(moved.encode()) as url:
            assert post("x", url) == "the webhook answered 302"
    assert posted == []
    with scripted_socket(b"HTTP/1.1 200 OK\r\n\r\n", drip=b"x" * (1 << 16)) as url:
        assert post("x", url) == ""


def test_a_webhook_that_hangs_or_drips_holds_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liverl.operate.webhook.LIMIT_S", 0.5)
    for answer, drip in ((b"", b"H"), (b"HTTP/1.1 200 OK\r\nX: ", b"y")):
        with scripted_socket(answer, drip) as url:
            begun = time.monotonic()
            assert "no answer within" in post("x", url)
            assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://a b/", "http://", "http://x\n", "http://127.0.0.1:99999/"]
)
def test_an_address_that_is_none_is_told_and_ends_nothing(url: str) -> None:
    assert post("x", url)


def test_a_guard_overwrites_no_stop_that_a_person_has_asked_for(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("r")
    for step in range(1, 13):
        healthy_step(run, step, **({"actor/grad_norm": NAN} if step > 10 else {}))
    monkeypatch.setattr("liverl.operate.guarding.guards_of", lambda run: ("policy:nan",))
    ask_stop(run, "a person", kill=True)
    lines = lines_of(run, 0.01)
    next_line(lines, "shows policy:nan")
    asked = take_stop(run)
    assert asked is not None and asked.reason == "a person" and asked.kill


def test_a_guard_that_can_not_ask_says_so_beside_the_finding(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("r")
    for step in range(1, 13):
        healthy_step(run, step, **({"actor/grad_norm": NAN} if step > 10 else {}))
    run.requests.parent.mkdir(exist_ok=True)
    shutil.rmtree(run.requests, ignore_errors=True)
    run.requests.write_text("no folder")
    monkeypatch.setattr("liverl.operate.guarding.guards_of", lambda run: ("policy:nan",))
    lines = lines_of(run, 0.01)
    next_line(lines, "shows policy:nan")
    assert "could not be asked to stop (guard: policy:nan)" in next(lines)


@pytest.mark.parametrize("content", [b"[]", b"{}", b"\xff", b'{"time_s": "x", "attempt": 1, "step": 1}'])
def test_what_was_remembered_badly_is_nothing(content: bytes, made: Made) -> None:
    run = made("r")
    healthy_step(run, 1)
    diagnose_run(run)
    (kept,) = (state_file().parent / "findings").iterdir()
    kept.write_bytes(content)
    assert recall(run) is None


def test_what_follows_from_a_finding_is_not_counted(made: Made) -> None:
    run = made("r")
    for step in range(1, 13):
        healthy_step(run, step)
    found = diagnose_run(run)
    many = (finding("c:root", "fatal"), *(finding(f"d:{index}", cause="c:root") for index in range(5)))
    remember(run, 1, replace(found, diagnosis=Diagnosis("sick", many)))
    kept = recall(run)
    assert kept is not None and kept.told == "1 fatal, first c:root"


def test_where_the_packages_are_missing_a_watch_goes_on(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made("r", state="failed", steps=((1, 0.5),), reason="the trainer was killed")
    monkeypatch.setitem(sys.modules, "liverl.operate.diagnose", None)
    said = list(lines_of(run, 0.01))
    assert said[0].startswith("r failed") and "can't be diagnosed" in said[1] and len(said) == 2


def test_watch_posts_what_it_prints(made: Made, tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    run = made("r", state="failed", steps=((1, 0.5),), reason="the trainer was killed")
    with scripted_hook() as (url, posted):
        done = subprocess.run(
            [sys.executable, "-m", "liverl.cli", "watch", str(run.root)],
            env={**os.environ, "LIVERL_WEBHOOK": url}, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    assert (
        "r failed: the trainer was killed" in done.stdout and "secret-path" not in done.stdout + done.stderr
    )
    assert [row["text"] for row in posted] == done.stdout.splitlines()


def test_of_two_that_watch_a_run_one_posts(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess
    import sys

    run = made("r")
    monkeypatch.setenv("LIVERL_WEBHOOK", "http://127.0.0.1:1/x")
    assert posts_for(run)
    asked = (
        "from pathlib import Path; from liverl.record.layout import RunDir; "
        f"from liverl.operate.webhook import posts_for; print(posts_for(RunDir(Path({str(run.root)!r}))))"
    )
    other = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == "False"
