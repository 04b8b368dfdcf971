"""What the client sends and reads is in the OpenAPI document of the service."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Tuple
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

from gannet_client import Gannet, NewEntry, Search, Turn, client, documents, saved

#: The dataclasses of answers, and their schemas.
SCHEMAS = {
    documents.Attachment: "AttachmentReply",
    documents.Entry: "EntryReply",
    documents.SearchResult: "SearchResponse",
    documents.EntryPage: "ListReply",
    documents.CreatedEntry: "EntryCreateResponse",
    documents.Capabilities: "Capabilities",
    documents.ModeCategory: "ModeCategory",
    documents.Mode: "Mode",
    documents.Option: "FilterOption",
    documents.Status: "StatusResponse",
    documents.Delivery: "DeliveryStatus",
    documents.VectorTable: "EmbeddingTable",
    saved.SavedSearch: "SavedSearch",
    saved.Fragment: "SavedSearchFragment",
    saved.SearchMatch: "SavedSearchMatch",
    saved.SearchMatches: "SavedSearchMatches",
}
#: Diagnostics have no schema of their own in the document.
WITHOUT_SCHEMA = {documents.Diagnostic}

Call = Tuple[str, str, Dict[str, List[str]], Dict[str, Any]]


@pytest.fixture(scope="module")
def document(url: str) -> Any:
    with urlopen(f"{url}/openapi.json") as response:
        return json.load(response)


def test_every_field_of_an_answer_is_in_the_document(document: Any) -> None:
    classes = {
        one
        for one in (*vars(documents).values(), *vars(saved).values())
        if dataclasses.is_dataclass(one) and isinstance(one, type)
    }
    assert classes == set(SCHEMAS) | WITHOUT_SCHEMA
    for one, name in SCHEMAS.items():
        schema = document["components"]["schemas"][name]
        fields = {field.name for field in dataclasses.fields(one)}
        assert fields <= set(schema["properties"]), name


def test_every_request_is_in_the_document(
    document: Any, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = recorded(url, monkeypatch)
    for method, path, query, body in calls:
        template = template_of(document, path)
        operation = document["paths"][template][method.lower()]
        parameters = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
        assert set(query) <= parameters, template
        properties = body_properties(document, operation)
        assert set(body) <= properties, template

    # Every path that stands in the client was called.
    source = Path(client.__file__).read_text()
    written = {path.rstrip("/") for path in re.findall(r'"(/(?:api|v1)/[^"{]*)', source)}
    called = {path for _, path, _, _ in calls}
    for path in written:
        assert any(one == path or one.startswith(path + "/") for one in called), path


def recorded(url: str, monkeypatch: pytest.MonkeyPatch) -> List[Call]:
    """The requests of every method, with all that can be said in them."""
    calls: List[Call] = []
    gannet = Gannet(url)
    opener = gannet._transport._opener
    send = opener.open

    def open_recorded(request: Request, **arguments: Any) -> Any:
        parts = urlsplit(request.full_url)
        body = json.loads(request.data) if isinstance(request.data, bytes) else {}
        calls.append((request.get_method(), parts.path, parse_qs(parts.query), body))
        return send(request, **arguments)

    monkeypatch.setattr(opener, "open", open_recorded)
    search = Search(
        "klystron",
        mode="keyword",
        max_results=2,
        start_date="2025",
        end_date="2026",
        author="a",
        source_system="Generic JSON",
        filters={"shift": "Day"},
        params={"fuzzy_fallback": True},
        sort_by_time=True,
        facets=["author"],
        ignored_words=["klystron"],
        history=[Turn("user", "hello")],
    )
    assert all(getattr(search, field.name) for field in dataclasses.fields(search))
    gannet.search(search)
    list(gannet.stream(search))
    gannet.entry("SKY-0111")
    page = gannet.entries(
        page=1, start_date="2025", end_date="2026", author="a", source_system="Generic JSON"
    )
    assert page.next_cursor is not None
    gannet.entries(cursor=page.next_cursor, oldest_first=False)
    entry = NewEntry(
        "One",
        "first",
        author="Ada",
        logbook="Vacuum",
        shift="Owl",
        tags=["vacuum"],
        metadata={"a": 1},
        timestamp=datetime(2031, 1, 1, tzinfo=timezone.utc),
    )
    assert all(getattr(entry, field.name) for field in dataclasses.fields(entry))
    gannet.create_entry(entry)
    gannet.create_entries([entry])
    gannet.give_feedback("klystron", "opened", entry_id="SKY-0111")
    gannet.give_feedback("klystron", "helpful", answer=gannet.search("why did the wiggler quench?"))
    kept = gannet.save_search(
        "klystron",
        name="Klystrons",
        filters={"author": "a"},
        by="either",
        min_similarity=0.6,
        deliver_to=["news"],
    )
    gannet.saved_searches()
    gannet.search_matches(after=1)
    gannet.delete_search(kept.search_id)
    gannet.capabilities()
    gannet.filter_options("authors")
    gannet.status()
    gannet.embeddings(["a"], model="builtin")
    return calls


def template_of(document: Any, path: str) -> str:
    """The path of the document that an address has."""
    if path in document["paths"]:
        return path
    for template in document["paths"]:
        pattern = re.sub(r"\{\w+\}", "[^/]+", template)
        if re.fullmatch(pattern, path):
            return str(template)
    raise AssertionError(f"{path} is not in the document")


def body_properties(document: Any, operation: Any) -> Any:
    """The names of the fields that a request may have."""
    if "requestBody" not in operation:
        return set()
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    name = schema["$ref"].rsplit("/", 1)[1]
    return set(document["components"]["schemas"][name]["properties"])
