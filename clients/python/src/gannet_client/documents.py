"""What the service answers, as dataclasses.

A field of a newer service that is not known here is left out. The names of the
fields are those of the OpenAPI document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Mapping, Optional, Tuple

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Attachment:
    """A file of an entry."""

    #: Where it is; empty where the source only names it.
    url: str
    filename: Optional[str]
    caption: Optional[str]
    thumbnail_url: Optional[str]
    #: The MIME type.
    type: Optional[str]

    @classmethod
    def of(cls, json: Json) -> Attachment:
        """An attachment from its JSON."""
        return cls(
            json["url"],
            json.get("filename"),
            json.get("caption"),
            json.get("thumbnail_url"),
            json.get("type"),
        )


@dataclass(frozen=True)
class Entry:
    """An entry, with what a search says of it."""

    entry_id: str
    source_system: str
    #: When it was logged, in the time zone of the facility.
    timestamp: datetime
    #: Who wrote it; may be empty.
    author: str
    #: The whole text, the title first.
    raw_text: str
    attachments: Tuple[Attachment, ...]
    metadata: Dict[str, Any]
    created_at: Optional[datetime]
    updated_at: Optional[datetime]
    summary: Optional[str]
    keywords: Tuple[str, ...]
    #: What sort of text it is.
    kind: str
    #: The score that made the order; `None` outside of a search.
    score: Optional[float]
    #: What sort of number the score is.
    score_kind: Optional[str]
    #: The probability that the entry is about what was searched, 0 to 1.
    relevance: Optional[float]
    #: Parts of the text, escaped as HTML, with the matches in `<b>`.
    highlights: Tuple[str, ...]
    #: Which modules found it, with rank and score.
    provenance: Tuple[Json, ...]
    #: Its address in the facility's logbook, where one is configured.
    entry_url: Optional[str]

    @property
    def title(self) -> str:
        """The first line of the text."""
        return self.raw_text.split("\n", 1)[0]

    @classmethod
    def of(cls, json: Json) -> Entry:
        """An entry from its JSON."""
        return cls(
            entry_id=json["entry_id"],
            source_system=json["source_system"],
            timestamp=time(json["timestamp"]),
            author=json["author"],
            raw_text=json["raw_text"],
            attachments=tuple(Attachment.of(one) for one in json["attachments"]),
            metadata=dict(json["metadata"]),
            created_at=optional_time(json.get("created_at")),
            updated_at=optional_time(json.get("updated_at")),
            summary=json.get("summary"),
            keywords=tuple(json["keywords"]),
            kind=json["kind"],
            score=json.get("score"),
            score_kind=json.get("score_kind"),
            relevance=json.get("relevance"),
            highlights=tuple(json["highlights"]),
            provenance=tuple(json.get("provenance", ())),
            entry_url=json.get("entry_url"),
        )


@dataclass(frozen=True)
class Diagnostic:
    """What went wrong, or was read in a particular way."""

    #: `info`, `warning` or `error`.
    level: str
    #: The component, such as `rag.retrieve.semantic`.
    source: str
    message: str
    category: Optional[str]

    @classmethod
    def of(cls, json: Json) -> Diagnostic:
        """A diagnostic from its JSON."""
        return cls(json["level"], json["source"], json["message"], json.get("category"))


@dataclass(frozen=True)
class SearchResult:
    """What a search found."""

    #: Best first, or newest first.
    entries: Tuple[Entry, ...]
    #: The answer, where the mode gives one.
    answer: Optional[str]
    #: Whether the answer is grounded; see the documentation of answers.
    answer_status: Optional[str]
    #: The probability that the answer is right, 0 to 1, where the mode knows it.
    answer_confidence: Optional[float]
    #: The words of the answer that answer the question: start and end of each,
    #: in bytes of its UTF-8 form. `highlighted` has the words themselves.
    answer_highlights: Tuple[Tuple[int, int], ...]
    #: Ids of the entries that the answer cites, in order of first mention.
    citations: Tuple[str, ...]
    #: The same; without an answer the ids of the entries that were found.
    sources: Tuple[str, ...]
    search_modes_used: Tuple[str, ...]
    reasoning: str
    total_results: int
    execution_time_ms: int
    diagnostics: Tuple[Diagnostic, ...]
    pipeline_details: Optional[Json]
    mode: str
    #: Whether a part failed, so that the result is partial.
    degraded: bool
    #: How many entries match, where facets were asked for.
    matches: Optional[Json]
    facets: Tuple[Json, ...]
    #: What was read in the question: times, names, intent.
    plan: Json
    #: The same for every run of the same search on the same index.
    stability_hash: str

    @property
    def highlighted(self) -> Tuple[str, ...]:
        """The words of the answer that answer the question."""
        text = (self.answer or "").encode()
        return tuple(text[start:end].decode() for start, end in self.answer_highlights)

    @classmethod
    def of(cls, json: Json) -> SearchResult:
        """A result from its JSON."""
        return cls(
            entries=tuple(Entry.of(one) for one in json["entries"]),
            answer=json.get("answer"),
            answer_status=json.get("answer_status"),
            answer_confidence=json.get("answer_confidence"),
            answer_highlights=tuple(
                (one["start"], one["end"]) for one in json.get("answer_highlights", ())
            ),
            citations=tuple(json["citations"]),
            sources=tuple(json["sources"]),
            search_modes_used=tuple(json["search_modes_used"]),
            reasoning=json["reasoning"],
            total_results=json["total_results"],
            execution_time_ms=json["execution_time_ms"],
            diagnostics=tuple(Diagnostic.of(one) for one in json["diagnostics"]),
            pipeline_details=json.get("pipeline_details"),
            mode=json["mode"],
            degraded=json["degraded"],
            matches=json.get("matches"),
            facets=tuple(json["facets"]),
            plan=json["plan"],
            stability_hash=json["stability_hash"],
        )


@dataclass(frozen=True)
class EntryPage:
    """A page of entries in the order of time."""

    entries: Tuple[Entry, ...]
    #: Entries on all pages.
    total: int
    page: int
    page_size: int
    total_pages: int
    #: Where the next page begins; `None` at the end.
    next_cursor: Optional[str]

    @classmethod
    def of(cls, json: Json) -> EntryPage:
        """A page from its JSON."""
        return cls(
            tuple(Entry.of(one) for one in json["entries"]),
            json["total"],
            json["page"],
            json["page_size"],
            json["total_pages"],
            json.get("next_cursor"),
        )


@dataclass(frozen=True)
class CreatedEntry:
    """An entry was written."""

    entry_id: str
    message: str
    sync_status: str
    source_system: str
    attachment_count: int

    @classmethod
    def of(cls, json: Json) -> CreatedEntry:
        """A written entry from its JSON."""
        return cls(
            json["entry_id"],
            json["message"],
            json["sync_status"],
            json["source_system"],
            json["attachment_count"],
        )


@dataclass(frozen=True)
class Mode:
    """A search module or pipeline."""

    name: str
    label: str
    description: str
    #: What can be set per call, see `Search.params`.
    parameters: Tuple[Json, ...]

    @classmethod
    def of(cls, json: Json) -> Mode:
        """A mode from its JSON."""
        return cls(json["name"], json["label"], json["description"], tuple(json["parameters"]))


@dataclass(frozen=True)
class ModeCategory:
    """Modes that need a chat model (`llm`), or none (`direct`)."""

    label: str
    modes: Tuple[Mode, ...]

    @classmethod
    def of(cls, json: Json) -> ModeCategory:
        """A category from its JSON."""
        return cls(json["label"], tuple(Mode.of(one) for one in json["modes"]))


@dataclass(frozen=True)
class Capabilities:
    """The modes that are enabled, with their parameters."""

    categories: Dict[str, ModeCategory]
    #: The mode of a search that names none.
    default_mode: str
    shared_parameters: Tuple[Json, ...]

    @property
    def modes(self) -> List[str]:
        """The names of all modes."""
        return [mode.name for category in self.categories.values() for mode in category.modes]

    @classmethod
    def of(cls, json: Json) -> Capabilities:
        """Capabilities from their JSON."""
        categories = json["categories"].items()
        return cls(
            {name: ModeCategory.of(category) for name, category in categories},
            json["default_mode"],
            tuple(json["shared_parameters"]),
        )


@dataclass(frozen=True)
class Option:
    """A value of a field."""

    value: str
    label: str

    @classmethod
    def of(cls, json: Json) -> Option:
        """An option from its JSON."""
        return cls(json["value"], json["label"])


@dataclass(frozen=True)
class VectorTable:
    """The vectors of a model."""

    #: The model.
    table_name: str
    #: Passages with a vector.
    entry_count: int
    #: Its dimension, where it is the active model.
    dimension: Optional[int]
    is_active: bool

    @classmethod
    def of(cls, json: Json) -> VectorTable:
        """A table from its JSON."""
        return cls(
            json["table_name"], json["entry_count"], json.get("dimension"), json["is_active"]
        )


@dataclass(frozen=True)
class Delivery:
    """How a delivery of digests and saved searches is."""

    name: str
    #: `file`, `feed`, `webhook`, `mail` or `entry`.
    kind: str
    #: Messages that wait, and when the oldest of them was made.
    pending: int
    oldest_pending_at: Optional[datetime]
    delivered: int
    last_delivered_at: Optional[datetime]
    given_up: int
    #: Why the last message was not delivered, if it was not.
    error: Optional[str]

    @classmethod
    def of(cls, json: Json) -> Delivery:
        """A delivery from its JSON."""
        return cls(
            name=json["name"],
            kind=json["kind"],
            pending=json["pending"],
            oldest_pending_at=optional_time(json.get("oldest_pending_at")),
            delivered=json["delivered"],
            last_delivered_at=optional_time(json.get("last_delivered_at")),
            given_up=json["given_up"],
            error=json.get("error"),
        )


@dataclass(frozen=True)
class Status:
    """Contents and health of the store."""

    healthy: bool
    database_connected: bool
    database_uri: str
    entry_count: int
    embedding_tables: Tuple[VectorTable, ...]
    active_embedding_model: Optional[str]
    enabled_search_modules: Tuple[str, ...]
    enabled_pipelines: Tuple[str, ...]
    enabled_enhancement_modules: Tuple[str, ...]
    last_ingestion: Optional[datetime]
    errors: Tuple[str, ...]
    #: For administrators.
    deliveries: Tuple[Delivery, ...] = ()

    @classmethod
    def of(cls, json: Json) -> Status:
        """A status from its JSON."""
        return cls(
            healthy=json["healthy"],
            database_connected=json["database_connected"],
            database_uri=json["database_uri"],
            entry_count=json["entry_count"],
            embedding_tables=tuple(VectorTable.of(one) for one in json["embedding_tables"]),
            active_embedding_model=json.get("active_embedding_model"),
            enabled_search_modules=tuple(json["enabled_search_modules"]),
            enabled_pipelines=tuple(json["enabled_pipelines"]),
            enabled_enhancement_modules=tuple(json["enabled_enhancement_modules"]),
            last_ingestion=optional_time(json.get("last_ingestion")),
            errors=tuple(json["errors"]),
            deliveries=tuple(Delivery.of(one) for one in json.get("deliveries", ())),
        )


def optional_time(text: Optional[str]) -> Optional[datetime]:
    """A time that may be missing."""
    return None if text is None else time(text)


def time(text: str) -> datetime:
    """A time with its offset. Python 3.9 and 3.10 read neither `Z` nor
    fractions of other than three or six digits."""
    text = re.sub(r"[zZ]$", "+00:00", text)
    text = re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text)
    return datetime.fromisoformat(text)
