"""A small agent that was written for ARIEL's search service, on Gannet.

Usage: agent.py URL QUESTION, over a service whose store has entries.

`LogbookAgent` calls its service as tools for ARIEL do. To move it to Gannet
only `main` changed: it makes another service.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import Any, Dict, List

from gannet_client import Gannet
from gannet_client.ariel import ArielSearchService


class LogbookAgent:
    """Answers a question, and looks at what was written around the event."""

    def __init__(self, service: ArielSearchService) -> None:
        self.service = service

    async def answer(self, question: str) -> str:
        healthy, reason = await self.service.health_check()
        if not healthy:
            return f"The logbook cannot be searched: {reason}"
        result = await self.service.search(question, mode="rag", max_results=5)
        if not result.entries:
            return "The logbook has nothing about it."
        around = await self.written_around(result.entries[0], question)
        return "\n".join([result.answer or "", "", "Written within a week of the first entry:", *around])

    async def written_around(self, entry: Dict[str, Any], question: str) -> List[str]:
        week = timedelta(days=7)
        time_range = (entry["timestamp"] - week, entry["timestamp"] + week)
        result = await self.service.search(
            question, mode="keyword", time_range=time_range, max_results=3
        )
        return [f"- {found['entry_id']}: {title(found)}" for found in result.entries]


def title(entry: Dict[str, Any]) -> str:
    return str(entry["raw_text"]).split("\n", 1)[0]


def main(url: str, question: str) -> None:
    service = ArielSearchService(Gannet(url))
    print(asyncio.run(LogbookAgent(service).answer(question)))


if __name__ == "__main__":
    main(*sys.argv[1:])
