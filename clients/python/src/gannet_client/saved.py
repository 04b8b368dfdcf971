"""Saved searches: queries that new entries are matched against as they come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Dict, Optional, Tuple

from .documents import Entry, Json, optional_time, time


@dataclass(frozen=True)
class SavedSearch:
    """A saved search of the configuration or of the caller."""

    search_id: str
    name: str
    query: str
    #: Only entries with these values.
    filters: Dict[str, str]
    #: What an entry has in common with the query: `keyword`, `meaning` or `either`.
    by: str
    #: The least cosine similarity of a semantic match, 0 to 1.
    min_similarity: float
    #: Where matches are delivered.
    deliver_to: Tuple[str, ...]
    #: `None` for one of the configuration.
    created_at: Optional[datetime]
    #: Whether it is one of the configuration, which cannot be deleted here.
    configured: bool

    @classmethod
    def of(cls, json: Json) -> SavedSearch:
        """A saved search from its JSON."""
        return cls(
            search_id=json["search_id"],
            name=json["name"],
            query=json["query"],
            filters=dict(json["filters"]),
            by=json["by"],
            min_similarity=json["min_similarity"],
            deliver_to=tuple(json["deliver_to"]),
            created_at=optional_time(json.get("created_at")),
            configured=json["configured"],
        )


@dataclass(frozen=True)
class Fragment:
    """A part of a text."""

    text: str
    #: Where words of the query stand in it: from and to, in bytes of UTF-8.
    ranges: Tuple[Tuple[int, int], ...]

    @classmethod
    def of(cls, json: Json) -> Fragment:
        """A fragment from its JSON."""
        return cls(json["text"], tuple((start, end) for start, end in json["ranges"]))


@dataclass(frozen=True)
class SearchMatch:
    """An entry that a saved search found."""

    #: The number of the entry among all that came; it grows.
    number: int
    search_id: str
    search_name: str
    entry: Entry
    #: Whether it has the words of the query.
    keyword: bool
    #: The cosine similarity of its best passage, where that made a match.
    similarity: Optional[float]
    highlights: Tuple[Fragment, ...]
    matched_at: datetime

    @classmethod
    def of(cls, json: Json) -> SearchMatch:
        """A match from its JSON."""
        return cls(
            number=json["number"],
            search_id=json["search_id"],
            search_name=json["search_name"],
            entry=Entry.of(json["entry"]),
            keyword=json["keyword"],
            similarity=json.get("similarity"),
            highlights=tuple(Fragment.of(one) for one in json["highlights"]),
            matched_at=time(json["matched_at"]),
        )


@dataclass(frozen=True)
class SearchMatches:
    """Matches in the order in which the entries came, those of 100 entries at most."""

    matches: Tuple[SearchMatch, ...]
    #: The value of `after` for the next call.
    next: int

    @classmethod
    def of(cls, json: Json) -> SearchMatches:
        """Matches from their JSON."""
        return cls(tuple(SearchMatch.of(one) for one in json["matches"]), json["next"])
