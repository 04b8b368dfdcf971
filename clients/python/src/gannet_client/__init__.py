"""A client of Gannet's HTTP interface.

>>> from gannet_client import Gannet
>>> gannet = Gannet("http://127.0.0.1:8085")
>>> result = gannet.search("why did the wiggler quench?", max_results=3)
>>> print(result.answer)
"""

from .client import Gannet
from .documents import (
    Attachment,
    Capabilities,
    CreatedEntry,
    Delivery,
    Diagnostic,
    Entry,
    EntryPage,
    Mode,
    ModeCategory,
    Option,
    SearchResult,
    Status,
    VectorTable,
)
from .errors import GannetError, Problem, Unreachable
from .events import Event
from .requests import NewEntry, Search, Turn
from .saved import Fragment, SavedSearch, SearchMatch, SearchMatches

__all__ = [
    "Attachment",
    "Capabilities",
    "CreatedEntry",
    "Delivery",
    "Diagnostic",
    "Entry",
    "EntryPage",
    "Event",
    "Fragment",
    "Gannet",
    "GannetError",
    "Mode",
    "ModeCategory",
    "NewEntry",
    "Option",
    "Problem",
    "SavedSearch",
    "Search",
    "SearchMatch",
    "SearchMatches",
    "SearchResult",
    "Status",
    "Turn",
    "Unreachable",
    "VectorTable",
]
