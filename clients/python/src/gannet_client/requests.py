"""What is sent to the service."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Dict, Mapping, Optional, Sequence, Union

#: A day, a time, or the same as a text (`2025-03`, `2025-03-01T07:00:00Z`).
Time = Union[str, date, datetime]


@dataclass(frozen=True)
class Turn:
    """Something that was said before."""

    #: `user` or `assistant`.
    role: str
    content: str

    def body(self) -> Dict[str, Any]:
        """The turn as JSON."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True)
class Search:
    """A search. Fields that are not set have the default of the service."""

    query: str
    #: A search module or pipeline, see `Gannet.capabilities`.
    mode: Optional[str] = None
    #: Entries at most, from 1 to 100.
    max_results: Optional[int] = None
    #: Only entries on or after this day or time.
    start_date: Optional[Time] = None
    #: Only entries on or before this day or time; a day is included.
    end_date: Optional[Time] = None
    #: Only entries whose author contains this text.
    author: Optional[str] = None
    source_system: Optional[str] = None
    #: Only entries with these values: logbook, tag, shift or a metadata key.
    filters: Mapping[str, Union[str, int, float]] = field(default_factory=dict)
    #: Parameters of the mode.
    params: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the entries are given newest first.
    sort_by_time: bool = False
    #: Fields whose values are counted over all entries that match.
    facets: Sequence[str] = ()
    #: Words of the query that are not read as a time, a name or an intent.
    ignored_words: Sequence[str] = ()
    #: Earlier turns, oldest first, for pipelines that take follow-up questions.
    history: Sequence[Turn] = ()

    def body(self) -> Dict[str, Any]:
        """The body of the request."""
        return without_unset(
            {
                "query": self.query,
                "mode": self.mode,
                "max_results": self.max_results,
                "start_date": as_text(self.start_date),
                "end_date": as_text(self.end_date),
                "author": self.author,
                "source_system": self.source_system,
                "filters": dict(self.filters),
                "advanced_params": dict(self.params),
                "sort_by_time": self.sort_by_time,
                "facets": list(self.facets),
                "ignored_words": list(self.ignored_words),
                "history": [turn.body() for turn in self.history],
            }
        )


@dataclass(frozen=True)
class NewEntry:
    """An entry that is to be written."""

    subject: str
    details: str
    author: Optional[str] = None
    logbook: Optional[str] = None
    shift: Optional[str] = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    #: When it happened, with a time zone; now when missing.
    timestamp: Optional[datetime] = None

    def body(self) -> Dict[str, Any]:
        """The body of the request.

        Raises `ValueError` for a timestamp without a time zone.
        """
        if self.timestamp is not None and self.timestamp.tzinfo is None:
            raise ValueError("timestamp: must have a time zone")
        return without_unset(
            {
                "subject": self.subject,
                "details": self.details,
                "author": self.author,
                "logbook": self.logbook,
                "shift": self.shift,
                "tags": list(self.tags),
                "metadata": dict(self.metadata),
                "timestamp": as_text(self.timestamp),
            }
        )


def as_text(time: Optional[Time]) -> Optional[str]:
    """A time as the service reads it."""
    return time.isoformat() if isinstance(time, date) else time


def without_unset(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if not is_unset(value)}


def is_unset(value: Any) -> bool:
    """Whether a value is the default that every field of a request has."""
    return value is None or value is False or (isinstance(value, (dict, list)) and not value)
