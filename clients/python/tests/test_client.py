"""The client against the service."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta, timezone

import pytest

from gannet_client import Gannet, NewEntry, Problem, Search, SearchResult, Turn, Unreachable

QUESTION = "why was the flow switch replaced?"


def test_every_mode_answers(gannet: Gannet) -> None:
    modes = gannet.capabilities().modes
    assert {"keyword", "semantic", "rag"} <= set(modes)
    # A digest is of the last day, of which the demo has no entries; a thread is
    # of an entry.
    for mode in set(modes) - {"digest", "thread"}:
        result = gannet.search("klystron filament", mode=mode, max_results=3)
        assert result.mode == mode
        assert 1 <= len(result.entries) <= 3
        assert result.entries[0].score is not None


def test_an_answer_cites_entries_of_the_result(gannet: Gannet) -> None:
    result = gannet.search(QUESTION, mode="rag")
    assert result.answer and result.citations
    assert result.answer_status == "grounded"
    ids = [entry.entry_id for entry in result.entries]
    assert set(result.citations) <= set(ids)
    assert result.answer_confidence is None or 0 <= result.answer_confidence <= 1
    assert all(words in result.answer for words in result.highlighted)
    assert result.total_results == len(ids)
    assert not result.degraded


def test_an_answer_has_its_confidence_and_the_words_that_answer() -> None:
    answer = "Nach 3 µs: the pump was changed [#A]."
    certain = result_of(
        answer=answer,
        answer_confidence=0.92,
        answer_highlights=[{"start": 5, "end": 10}, {"start": 25, "end": 32}],
    )
    assert certain.answer_confidence == 0.92
    assert certain.highlighted == ("3 µs", "changed")
    # An older service has neither.
    older = result_of(answer=answer)
    assert older.answer_confidence is None
    assert older.answer_highlights == ()
    assert older.highlighted == ()


def result_of(**fields: object) -> SearchResult:
    """A result with these fields beside the least that a service sends."""
    lists = ("entries", "citations", "sources", "search_modes_used", "diagnostics", "facets")
    least = {
        **{name: [] for name in lists},
        "reasoning": "",
        "total_results": 0,
        "execution_time_ms": 1,
        "mode": "rag",
        "degraded": False,
        "plan": {},
        "stability_hash": "0",
    }
    return SearchResult.of({**least, **fields})


def test_filters_are_strict(gannet: Gannet) -> None:
    search = Search(
        "trip",
        mode="keyword",
        author="quarry",
        start_date=date(2025, 4, 1),
        end_date="2025-06",
        filters={"shift": "Day"},
        facets=["author"],
        sort_by_time=True,
    )
    result = gannet.search(search)
    assert result.entries
    for entry in result.entries:
        assert "quarry" in entry.author.lower()
        assert datetime(2025, 4, 1, tzinfo=timezone.utc) <= entry.timestamp
        assert entry.timestamp < datetime(2025, 7, 1, tzinfo=timezone.utc)
        assert entry.metadata["shift"] == "Day"
    times = [entry.timestamp for entry in result.entries]
    assert times == sorted(times, reverse=True)
    assert result.facets and result.matches
    nobody = gannet.search("trip", mode="keyword", source_system="nowhere")
    assert nobody.entries == ()


def test_a_thread_has_what_refers_to_an_entry(gannet: Gannet) -> None:
    result = gannet.search("id:SKY-0111", mode="thread", max_results=20)
    ids = [entry.entry_id for entry in result.entries]
    assert {"SKY-0111", "SKY-0123", "SKY-0164"} <= set(ids)
    assert ids == sorted(ids)
    assert result.answer and "refers to this entry" in result.answer


def test_a_follow_up_is_understood_with_its_history(gannet: Gannet) -> None:
    history = [Turn("user", "why did the wiggler quench?"), Turn("assistant", "A lead heated up.")]
    result = gannet.search("what fixed it?", mode="rag", history=history)
    assert any("wiggler" in entry.raw_text.lower() for entry in result.entries)


def test_a_stream_ends_with_the_result_of_a_search(gannet: Gannet) -> None:
    events = list(gannet.stream(Search(QUESTION, mode="rag", max_results=4)))
    assert [event.number for event in events] == list(range(len(events)))
    names = [event.name for event in events]
    assert {"stage", "hit", "answer", "citation"} <= set(names)
    assert names.index("done") == len(names) - 1
    result = events[-1].result
    assert result is not None
    assert result.answer in [event.data["text"] for event in events if event.name == "answer"]
    again = gannet.search(QUESTION, mode="rag", max_results=4)
    assert again.stability_hash == result.stability_hash


def test_a_stream_can_be_left(gannet: Gannet) -> None:
    stream = gannet.stream(QUESTION)
    assert next(stream).number == 0
    stream.close()  # type: ignore[attr-defined]
    assert gannet.status().entry_count > 0


def test_an_entry_is_read_by_its_id(gannet: Gannet) -> None:
    entry = gannet.entry("SKY-0111")
    assert entry.title == "Circulator 1 flow switch replaced"
    assert entry.timestamp == datetime(2025, 4, 15, 10, 30, tzinfo=timezone.utc)
    assert entry.score is None
    with pytest.raises(Problem) as missing:
        gannet.entry("no/such entry?")
    assert (missing.value.status, missing.value.code) == (404, "not_found")
    assert missing.value.request_id


def test_all_entries_are_browsed_once_in_the_order_of_time(gannet: Gannet) -> None:
    page = gannet.entries(page_size=50, start_date="2025-03", end_date="2025-08")
    entries = list(gannet.browse(page_size=50, start_date="2025-03", end_date="2025-08"))
    assert len({entry.entry_id for entry in entries}) == len(entries) == page.total > 100
    times = [entry.timestamp for entry in entries]
    assert times == sorted(times, reverse=True)
    oldest = next(gannet.browse(page_size=1, oldest_first=True))
    assert oldest.timestamp <= times[-1]
    assert gannet.entries(page=2, page_size=5).entries == gannet.entries(page_size=10).entries[5:]


def test_an_entry_is_written_once_and_found(gannet: Gannet) -> None:
    entry = NewEntry(
        "Pump TP-9 exchanged",
        "The zorkbearing was noisy.",
        author="Ada",
        logbook="Vacuum",
        shift="Owl",
        tags=["vacuum"],
        metadata={"sector": "SR09"},
        timestamp=datetime(2031, 3, 1, 7, tzinfo=timezone(timedelta(hours=1))),
    )
    created = gannet.create_entry(entry, idempotency_key="client-test")
    again = gannet.create_entry(entry, idempotency_key="client-test")
    assert created.entry_id == again.entry_id
    stored = gannet.entry(created.entry_id)
    assert stored.timestamp == entry.timestamp
    assert (stored.author, stored.metadata["sector"]) == ("Ada", "SR09")
    listed = gannet.entries(start_date="2031-03-01", end_date="2031-03-01")
    assert [one.entry_id for one in listed.entries] == [created.entry_id]

    both = gannet.create_entries([NewEntry("One", "first"), NewEntry("Two", "second")])
    assert len({one.entry_id for one in both}) == 2
    with pytest.raises(ValueError, match="time zone"):
        gannet.create_entry(NewEntry("a", "b", timestamp=datetime(2031, 3, 1)))


def test_feedback_is_kept_of_entries_and_answers_that_are_there(gannet: Gannet) -> None:
    question = "why did the wiggler quench?"
    result = gannet.search(question)
    gannet.give_feedback(question, "helpful", answer=result)
    gannet.give_feedback(question, "opened", entry_id=result.entries[0].entry_id)
    with pytest.raises(Problem, match="no entry `nowhere`"):
        gannet.give_feedback(question, "helpful", entry_id="nowhere")


def test_a_saved_search_finds_what_comes_after_it(gannet: Gannet) -> None:
    saved = gannet.save_search("ferrolyte leak", filters={"author": "Ada"})
    assert (saved.name, saved.by, saved.filters) == ("ferrolyte leak", "keyword", {"author": "Ada"})
    assert saved in gannet.saved_searches()
    after = gannet.search_matches().next
    gannet.create_entry(NewEntry("Other", "A ferrolyte leak.", author="Bo"))
    created = gannet.create_entry(NewEntry("Pump", "The ferrolyte leaked.", author="Ada"))
    last = time.monotonic() + 30
    while not (found := gannet.search_matches(after=after)).matches and time.monotonic() < last:
        time.sleep(0.2)
    [match] = found.matches
    assert (match.search_id, match.entry.entry_id) == (saved.search_id, created.entry_id)
    [fragment] = match.highlights
    words = [fragment.text.encode()[start:end].decode() for start, end in fragment.ranges]
    assert match.keyword and words == ["ferrolyte", "leaked"]
    assert gannet.search_matches(after=found.next).matches == ()

    gannet.delete_search(saved.search_id)
    assert saved not in gannet.saved_searches()
    with pytest.raises(Problem, match="not found"):
        gannet.delete_search(saved.search_id)
    with pytest.raises(Problem, match="needs a query or a filter"):
        gannet.save_search()


def test_texts_are_embedded_in_their_order(gannet: Gannet) -> None:
    pump, leak = gannet.embeddings(["a pump", "a leak"])
    assert len(pump) == len(leak) == 384
    assert gannet.embeddings(["a leak"]) == [leak]
    assert gannet.embeddings(["a leak"], model="builtin", for_documents=True)


def test_status_and_options_are_told(gannet: Gannet) -> None:
    status = gannet.status()
    assert status.healthy and status.entry_count >= 354
    assert any(table.is_active and table.dimension == 384 for table in status.embedding_tables)
    assert "keyword" in status.enabled_search_modules
    values = [option.value for option in gannet.filter_options("authors")]
    assert "Tomas Brae" in values


def test_problems_have_their_code(gannet: Gannet) -> None:
    with pytest.raises(Problem) as unknown:
        gannet.search("trip", mode="no-such-mode")
    assert unknown.value.code == "unknown_mode"
    with pytest.raises(Problem) as empty:
        gannet.search("")
    assert empty.value.status == 422
    with pytest.raises(Problem) as streamed:
        list(gannet.stream(Search("trip", max_results=5000)))
    assert streamed.value.status == 422


def test_a_key_is_sent(url: str, api_key: str) -> None:
    reader = Gannet(url, api_key=api_key)
    assert reader.status().healthy
    with pytest.raises(Problem) as forbidden:
        reader.create_entry(NewEntry("One", "by one who only reads"))
    assert (forbidden.value.status, forbidden.value.code) == (403, "missing_scope")
    last = "0" if api_key[-1] != "0" else "1"
    with pytest.raises(Problem) as refused:
        Gannet(url, api_key=api_key[:-1] + last).status()
    assert refused.value.status == 401


def test_a_service_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        Gannet("http://127.0.0.1:1", timeout=5).status()
    with pytest.raises(ValueError, match="http"):
        Gannet("127.0.0.1:8085")
