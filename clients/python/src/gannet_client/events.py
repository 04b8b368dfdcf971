"""Server-Sent Events of a search."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Mapping, Optional

from .documents import SearchResult
from .errors import Unreachable


@dataclass(frozen=True)
class Event:
    """Something that happened while a search ran."""

    #: `stage`, `hit`, `answer`, `token`, `citation`; the last one is `done`.
    name: str
    #: Its fields, such as `text` of a token.
    data: Mapping[str, Any]
    #: The number of the event, from 0.
    number: int
    #: The whole result, in the event `done`.
    result: Optional[SearchResult] = None


def events(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events in the lines of a response, without heartbeats."""
    name, number, data = "message", 0, []
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "id":
            number = int(value)
        elif field == "data":
            data.append(value)
        elif not line and data:
            yield event(name, number, "\n".join(data))
            name, data = "message", []


def event(name: str, number: int, text: str) -> Event:
    """An event of its name and data."""
    data = json.loads(text)
    if not isinstance(data, dict):
        raise Unreachable(f"the data of the event `{name}` is not an object")
    result = SearchResult.of(data) if name == "done" else None
    return Event(name, data, number, result)
