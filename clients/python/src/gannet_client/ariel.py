"""Gannet in the place of the search service of ARIEL.

`ArielSearchService` has the methods that ARIEL's agents and tools call on
theirs, with the same arguments and the same fields in what they return, so
that only the place where the service is made has to change.

What differs: an error of the service is raised as `GannetError` and is not an
empty result, so that a failed search does not look like one that found
nothing. `publish_entry` is not there, because Gannet writes into no other
logbook.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from .client import Gannet
from .documents import Diagnostic, Entry, Json, Status
from .errors import GannetError
from .requests import NewEntry, Search

#: The name of a mode, or an enum whose value is the name.
Mode = Union[str, Enum]


@dataclass(frozen=True)
class SearchRequest:
    """A search as ARIEL's capability sends it."""

    query: str
    modes: Sequence[Mode] = ()
    time_range: Optional[Tuple[datetime, datetime]] = None
    max_results: int = 10
    advanced_params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchResult:
    """What a search found, with the fields of ARIEL's result."""

    #: Entries as dictionaries, with `_score` and `_highlights`.
    entries: Tuple[Dict[str, Any], ...]
    answer: Optional[str]
    sources: Tuple[str, ...]
    search_modes_used: Tuple[str, ...]
    reasoning: str
    diagnostics: Tuple[Diagnostic, ...]
    pipeline_details: Optional[Json]


@dataclass(frozen=True)
class EntryCreateRequest:
    """An entry that is to be written. Credentials have no use here."""

    subject: str
    details: str
    author: Optional[str] = None
    logbook: Optional[str] = None
    shift: Optional[str] = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EntryCreateResult:
    """An entry was written."""

    entry_id: str
    source_system: str
    sync_status: str
    message: str
    attachment_count: int


class ArielSearchService:
    """The methods of ARIEL's search service, answered by Gannet."""

    def __init__(self, gannet: Gannet) -> None:
        self._gannet = gannet

    async def search(
        self,
        query: str,
        *,
        max_results: Optional[int] = None,
        time_range: Optional[Tuple[datetime, datetime]] = None,
        mode: Optional[Mode] = None,
        advanced_params: Optional[Mapping[str, Any]] = None,
    ) -> SearchResult:
        """Searches; the mode is the service's default when none is given.

        Raises `ValueError` for a blank query.
        """
        if not query.strip():
            raise ValueError("query: must not be blank")
        start, end = time_range or (None, None)
        search = Search(
            query,
            mode=mode.value if isinstance(mode, Enum) else mode,
            max_results=max_results,
            start_date=start,
            end_date=end,
            params=advanced_params or {},
        )
        found = await asyncio.to_thread(self._gannet.search, search)
        return SearchResult(
            entries=tuple(as_dictionary(entry) for entry in found.entries),
            answer=found.answer,
            sources=found.sources,
            search_modes_used=found.search_modes_used,
            reasoning=found.reasoning,
            diagnostics=found.diagnostics,
            pipeline_details=found.pipeline_details,
        )

    async def ainvoke(self, request: SearchRequest) -> SearchResult:
        """Searches in the first mode of a request."""
        return await self.search(
            request.query,
            # As in ARIEL, the nearest number that is allowed.
            max_results=min(max(request.max_results, 1), 100),
            time_range=request.time_range,
            mode=request.modes[0] if request.modes else None,
            advanced_params=request.advanced_params,
        )

    async def create_entry(self, request: EntryCreateRequest) -> EntryCreateResult:
        """Writes an entry into the store of the service."""
        entry = NewEntry(
            request.subject,
            request.details,
            author=request.author,
            logbook=request.logbook,
            shift=request.shift,
            tags=request.tags,
            metadata=request.metadata,
        )
        created = await asyncio.to_thread(self._gannet.create_entry, entry)
        return EntryCreateResult(
            created.entry_id,
            created.source_system,
            created.sync_status,
            created.message,
            created.attachment_count,
        )

    async def get_status(self) -> Status:
        """Contents and health of the store; the field names are ARIEL's."""
        return await asyncio.to_thread(self._gannet.status)

    async def health_check(self) -> Tuple[bool, str]:
        """Whether the service is healthy, and what is wrong."""
        try:
            status = await self.get_status()
        except GannetError as error:
            return False, str(error)
        return status.healthy, "; ".join(status.errors) or "healthy"


def as_dictionary(entry: Entry) -> Dict[str, Any]:
    """An entry as ARIEL's repository returns it, with score and highlights."""
    return {
        "entry_id": entry.entry_id,
        "source_system": entry.source_system,
        "timestamp": entry.timestamp,
        "author": entry.author,
        "raw_text": entry.raw_text,
        "attachments": [vars(attachment) for attachment in entry.attachments],
        "metadata": entry.metadata,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "summary": entry.summary,
        "keywords": list(entry.keywords),
        "_score": entry.score,
        "_highlights": list(entry.highlights),
    }
