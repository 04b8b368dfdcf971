"""Gannet in the place of ARIEL's search service."""

from __future__ import annotations

import asyncio
import runpy
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from gannet_client import Gannet
from gannet_client.ariel import ArielSearchService, EntryCreateRequest, SearchRequest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class SearchMode(Enum):
    """As ARIEL's callers name modes."""

    RAG = "rag"
    KEYWORD = "keyword"


@pytest.fixture(scope="module")
def service(gannet: Gannet) -> ArielSearchService:
    return ArielSearchService(gannet)


def test_a_search_has_the_fields_of_ariels_result(service: ArielSearchService) -> None:
    result = asyncio.run(
        service.search("why was the flow switch replaced?", mode=SearchMode.RAG, max_results=3)
    )
    assert result.answer and result.sources
    assert set(result.search_modes_used) == {"keyword", "semantic"}
    assert result.pipeline_details and result.pipeline_details["pipeline_type"] == "rag"
    first = result.entries[0]
    assert first["entry_id"] == "SKY-0111"
    assert first["timestamp"] == datetime(2025, 4, 15, 10, 30, tzinfo=timezone.utc)
    assert first["_score"] > 0 and "<b>flow</b>" in first["_highlights"][0]


@pytest.mark.parametrize("zone", [None, timezone.utc])
def test_a_time_range_bounds_the_entries(service: ArielSearchService, zone: Any) -> None:
    time_range = (datetime(2025, 5, 1, tzinfo=zone), datetime(2025, 5, 31, 12, tzinfo=zone))
    request = SearchRequest("trip", [SearchMode.KEYWORD], time_range, max_results=1000)
    result = asyncio.run(service.ainvoke(request))
    times = [entry["timestamp"].replace(tzinfo=zone) for entry in result.entries]
    assert len(times) > 1
    assert all(time_range[0] <= time <= time_range[1] for time in times)


def test_entries_are_written_and_health_is_told(service: ArielSearchService) -> None:
    created = asyncio.run(service.create_entry(EntryCreateRequest("One", "from an agent", tags=["a"])))
    assert (created.sync_status, created.source_system) == ("local_only", "ARIEL Web")
    assert asyncio.run(service.health_check()) == (True, "healthy")
    assert asyncio.run(service.get_status()).database_connected
    away = ArielSearchService(Gannet("http://127.0.0.1:1"))
    healthy, reason = asyncio.run(away.health_check())
    assert not healthy and "127.0.0.1:1" in reason


def test_a_blank_question_is_refused(service: ArielSearchService) -> None:
    with pytest.raises(ValueError, match="blank"):
        asyncio.run(service.search("  "))


def test_the_agent_of_the_examples_answers(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    agent = runpy.run_path(str(EXAMPLES / "agent.py"))
    agent["main"](url, "why was the flow switch replaced?")
    said = capsys.readouterr().out
    assert "[#SKY-0111]" in said
    assert "- SKY-0111: Circulator 1 flow switch replaced" in said
