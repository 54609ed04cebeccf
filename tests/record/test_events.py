"""events.jsonl and the drop box."""

from __future__ import annotations

from liverl.record.asks import ask_stop, take_stop
from liverl.record.events import append_event, each_posted, ingest_event, post_event, read_events
from liverl.record.layout import RunDir


def test_appended_events_are_read_in_order_with_their_fields(run: RunDir) -> None:
    append_event(run, "started", attempt=1)
    append_event(run, "step", step=3, reward=0.5)
    assert [(event.kind, event.fields) for event in read_events(run)] == [
        ("started", {"attempt": 1}),
        ("step", {"step": 3, "reward": 0.5}),
    ]


def test_posted_events_are_taken_once_in_the_order_they_were_posted(run: RunDir) -> None:
    for number in range(12):
        post_event(run, "boot", number=number)
    assert [event.fields["number"] for event in list(each_posted(run))] == list(range(12))
    assert list(each_posted(run)) == []
    assert list(run.requests.iterdir()) == []


def test_an_ingested_event_keeps_the_time_it_was_posted_at(run: RunDir) -> None:
    post_event(run, "ready")
    (event,) = list(each_posted(run))
    ingest_event(run, event)
    assert read_events(run) == [event]


def test_an_unreadable_request_becomes_an_event_rather_than_a_crash(run: RunDir) -> None:
    (run.requests / "event-1.json").write_text("{")
    (event,) = list(each_posted(run))
    assert "event-1.json" in event.fields["message"]


def test_a_folder_with_an_events_name_is_passed_over_and_what_is_behind_it_is_taken(run: RunDir) -> None:
    (run.requests / "event-0.json").mkdir()
    post_event(run, "ready")
    assert [event.kind for event in list(each_posted(run))] == ["ready"]
    assert list(each_posted(run)) == []


def test_a_stop_is_taken_once(run: RunDir) -> None:
    assert take_stop(run) is None
    ask_stop(run, "lunch")
    ask = take_stop(run)
    assert ask is not None and ask.reason == "lunch"
    assert take_stop(run) is None


def test_a_posted_event_that_was_not_dealt_with_stays(run: RunDir) -> None:
    for number in range(2):
        post_event(run, "boot", number=number)
    posted = each_posted(run)
    assert [next(posted).fields["number"], next(posted).fields["number"]] == [0, 1]
    posted.close()
    assert [event.fields["number"] for event in list(each_posted(run))] == [1]
