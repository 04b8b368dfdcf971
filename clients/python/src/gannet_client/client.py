"""The client."""

from __future__ import annotations

import uuid
from http.client import HTTPException
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from .documents import Capabilities, CreatedEntry, Entry, EntryPage, Option, SearchResult, Status
from .errors import Unreachable
from .events import Event, events
from .requests import NewEntry, Search, Time, Turn, as_text, without_unset
from .saved import SavedSearch, SearchMatches
from .transport import Transport, problem


class Gannet:
    """A service of Gannet. Threads can share it.

    Every call raises `Problem` when the service refuses it or fails, and
    `Unreachable` when there is no answer.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8085",
        *,
        api_key: Optional[str] = None,
        timeout: float = 60.0,
    ) -> None:
        """`timeout` is the time in seconds that an answer, or a part of a
        stream, may take."""
        self._transport = Transport(url, api_key, timeout)

    def search(
        self,
        query: Union[str, Search],
        *,
        mode: Optional[str] = None,
        max_results: Optional[int] = None,
        start_date: Optional[Time] = None,
        end_date: Optional[Time] = None,
        author: Optional[str] = None,
        source_system: Optional[str] = None,
        filters: Optional[Mapping[str, Union[str, int, float]]] = None,
        params: Optional[Mapping[str, Any]] = None,
        history: Sequence[Turn] = (),
    ) -> SearchResult:
        """Searches in any mode; see `Search` for the arguments and for more of
        them."""
        search = query
        if not isinstance(search, Search):
            search = Search(
                search,
                mode=mode,
                max_results=max_results,
                start_date=start_date,
                end_date=end_date,
                author=author,
                source_system=source_system,
                filters=filters or {},
                params=params or {},
                history=history,
            )
        return SearchResult.of(self._transport.json("POST", "/api/search", body=search.body()))

    def stream(self, search: Union[str, Search]) -> Iterator[Event]:
        """Searches, and gives each event as it comes. The last one is `done`
        and has the whole result. Closing the iterator ends the search."""
        search = Search(search) if isinstance(search, str) else search
        accept = {"accept": "text/event-stream"}
        response = self._transport.open(
            "POST", "/api/search/stream", body=search.body(), headers=accept
        )
        with response:
            try:
                for event in events(response):
                    if event.name == "error":
                        raise problem(event.data)
                    yield event
                    if event.result is not None:
                        return
            except (OSError, HTTPException) as error:
                raise Unreachable(f"the stream was cut off: {error}") from error
        raise Unreachable("the stream ended before the search did")

    def entry(self, entry_id: str) -> Entry:
        """An entry by its id; `Problem` with the code `not_found` when there
        is none."""
        return Entry.of(self._transport.json("GET", f"/api/entries/{quote(entry_id, safe='')}"))

    def entries(
        self,
        *,
        page_size: int = 20,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
        start_date: Optional[Time] = None,
        end_date: Optional[Time] = None,
        author: Optional[str] = None,
        source_system: Optional[str] = None,
        oldest_first: bool = False,
    ) -> EntryPage:
        """A page of entries in the order of time."""
        query = without_unset(
            {
                "page_size": page_size,
                "page": page,
                "cursor": cursor,
                "start_date": as_text(start_date),
                "end_date": as_text(end_date),
                "author": author,
                "source_system": source_system,
                "sort_order": "asc" if oldest_first else "desc",
            }
        )
        return EntryPage.of(self._transport.json("GET", "/api/entries", query=query))

    def browse(self, *, page_size: int = 100, **filters: Any) -> Iterator[Entry]:
        """All entries that match, page by page; the filters are those of
        `entries`. Entries that come in meanwhile are neither missed nor shown
        twice."""
        page = self.entries(page_size=page_size, **filters)
        yield from page.entries
        while page.next_cursor is not None:
            page = self.entries(page_size=page_size, cursor=page.next_cursor, **filters)
            yield from page.entries

    def create_entry(
        self, entry: NewEntry, *, idempotency_key: Optional[str] = None
    ) -> CreatedEntry:
        """Writes an entry. It is durable when this returns, and found within a
        second. A call that is repeated with the same key writes it once."""
        headers = {"idempotency-key": idempotency_key or uuid.uuid4().hex}
        body = entry.body()
        return CreatedEntry.of(
            self._transport.json("POST", "/api/entries", body=body, headers=headers)
        )

    def create_entries(
        self, entries: Sequence[NewEntry], *, idempotency_key: Optional[str] = None
    ) -> List[CreatedEntry]:
        """Writes up to 500 entries: all of them or none."""
        headers = {"idempotency-key": idempotency_key or uuid.uuid4().hex}
        body = {"entries": [entry.body() for entry in entries]}
        reply = self._transport.json("POST", "/api/entries/batch", body=body, headers=headers)
        return [CreatedEntry.of(one) for one in reply["entries"]]

    def give_feedback(
        self,
        question: str,
        verdict: str,
        *,
        entry_id: Optional[str] = None,
        answer: Optional[SearchResult] = None,
    ) -> None:
        """Says whether an entry or an answer answers a question: `helpful`,
        `not_helpful`, or `opened` for an entry. The service keeps it where its
        configuration says so, and refuses it elsewhere."""
        body: Dict[str, Any] = {"question": question, "verdict": verdict}
        if entry_id is not None:
            body["entry_id"] = entry_id
        elif answer is not None:
            body["citations"] = list(answer.citations)
            body["answer_confidence"] = answer.answer_confidence
            body["mode"] = answer.mode
        self._transport.json("POST", "/api/feedback", body=body)

    def saved_searches(self) -> List[SavedSearch]:
        """The saved searches of the configuration and of the caller."""
        reply = self._transport.json("GET", "/api/searches")
        return [SavedSearch.of(one) for one in reply["searches"]]

    def save_search(
        self,
        query: str = "",
        *,
        name: Optional[str] = None,
        filters: Optional[Mapping[str, str]] = None,
        by: str = "keyword",
        min_similarity: Optional[float] = None,
        deliver_to: Sequence[str] = (),
    ) -> SavedSearch:
        """Saves a search; entries that come from now on are matched against it.
        `by` is `keyword`, `meaning` or `either`; without a query there must be
        filters. `deliver_to` names deliveries that are open to users."""
        body: Dict[str, Any] = without_unset(
            {
                "query": query,
                "name": name,
                "filters": dict(filters or {}),
                "by": by,
                "min_similarity": min_similarity,
                "deliver_to": list(deliver_to),
            }
        )
        return SavedSearch.of(self._transport.json("POST", "/api/searches", body=body))

    def delete_search(self, search_id: str) -> None:
        """Deletes a saved search of the caller; `Problem` with the code
        `not_found` when there is none."""
        self._transport.json("DELETE", f"/api/searches/{quote(search_id, safe='')}")

    def search_matches(self, *, after: int = 0) -> SearchMatches:
        """The entries that saved searches found, after those of an earlier call
        (`SearchMatches.next`)."""
        query = {"after": after}
        return SearchMatches.of(self._transport.json("GET", "/api/searches/matches", query=query))

    def capabilities(self) -> Capabilities:
        """The modes that are enabled, with their parameters."""
        return Capabilities.of(self._transport.json("GET", "/api/capabilities"))

    def filter_options(self, field: str) -> List[Option]:
        """The values of `authors` or `source_systems`."""
        reply = self._transport.json("GET", f"/api/filter-options/{quote(field, safe='')}")
        return [Option.of(one) for one in reply["options"]]

    def status(self) -> Status:
        """Contents and health of the store."""
        return Status.of(self._transport.json("GET", "/api/status"))

    def embeddings(
        self,
        texts: Sequence[str],
        *,
        model: Optional[str] = None,
        for_documents: bool = False,
    ) -> List[List[float]]:
        """The vectors of up to 256 texts. `model` is a provider of the
        service's configuration; `for_documents` says that the texts are what
        is searched, and not questions."""
        body: Dict[str, Any] = without_unset({"input": list(texts), "model": model})
        body["input_type"] = "document" if for_documents else "query"
        reply = self._transport.json("POST", "/v1/embeddings", body=body)
        data = sorted(reply["data"], key=lambda one: int(one["index"]))
        return [one["embedding"] for one in data]
