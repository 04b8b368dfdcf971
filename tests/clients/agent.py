"""Talks to Gannet with the official client of the Model Context Protocol.

Usage: agent.py stdio GANNET STORE, or agent.py http URL, over a store that
`gannet quickstart` made. The client checks every structured result against the
schema of its tool. Exits with 1 at the first expectation that is not met.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

READING = {
    "keyword_search", "semantic_search", "rag", "recurrence", "digest", "thread", "trend", "agent", "unified", "browse", "filter_options",
    "count_entries",
    "entry_get", "entries_by_ids", "capabilities", "status",
    "saved_searches", "saved_search_matches",
}
WRITING = {"saved_search_create", "saved_search_delete"}


def expect(is_met, what):
    if not is_met:
        sys.exit(f"not met: {what}")


def plain(model):
    """The JSON of a result, whatever the client's version calls its fields."""
    return model.model_dump(by_alias=True)


async def call(session, tool, **arguments):
    result = plain(await session.call_tool(tool, arguments))
    expect(json.loads(result["content"][0]["text"]) == result["structuredContent"], f"{tool}: text and structure are the same")
    return result["isError"], result["structuredContent"]


def connect(transport, *target):
    if transport == "http":
        return streamable_http_client(target[0])
    gannet, store = target
    return stdio_client(StdioServerParameters(command=gannet, args=["mcp", "--data", store]))


async def main(transport, *target):
    async with connect(transport, *target) as streams, ClientSession(*streams[:2]) as session:
        started = plain(await session.initialize())
        expect(started["serverInfo"]["name"] == "gannet", "the server names itself")
        expect("verbatim" in started["instructions"], "the server instructs")

        tools = {tool["name"]: tool for tool in plain(await session.list_tools())["tools"]}
        expect(set(tools) == READING | WRITING, f"tools are {sorted(tools)}")
        for name, tool in tools.items():
            expect(tool["annotations"]["readOnlyHint"] == (name in READING), f"{name} reads only or writes")
            expect(tool["outputSchema"]["type"] == "object", f"{name} has an output schema")

        failed, found = await call(session, "keyword_search", query="vacuum pump", max_results=3)
        expect(not failed and found["results_found"] == 3, f"keyword_search finds: {found}")
        ids = [entry["entry_id"] for entry in found["entries"]]

        failed, more = await call(session, "keyword_search", query="vacuum pump", max_results=3, exclude_entry_ids=ids)
        expect(not failed and not set(ids) & {entry["entry_id"] for entry in more["entries"]}, "others are found")

        failed, answer = await call(session, "rag", query="why was the flow switch replaced?")
        expect(not failed and answer["answer"] and answer["entries"], f"rag answers: {answer}")
        failed, _ = await call(session, "semantic_search", query="water leak")
        expect(not failed, "semantic_search works")

        failed, whole = await call(session, "entry_get", entry_id=ids[0])
        expect(not failed and whole["entry_id"] == ids[0], "entry_get reads")
        failed, several = await call(session, "entries_by_ids", entry_ids=[*ids, "no-such"])
        expect(not failed and several["not_found"] == ["no-such"], "entries_by_ids reads")
        failed, page = await call(session, "browse", page_size=5)
        expect(not failed and len(page["entries"]) == 5 and page["next_cursor"], "browse lists")
        failed, authors = await call(session, "filter_options", field="authors")
        expect(not failed and authors["options"], "filter_options lists")
        failed, counted = await call(session, "count_entries", group_by="year")
        of_years = sum(group["count"] for group in counted["groups"])
        expect(not failed and counted["count"] == of_years > 0, "count_entries counts")
        failed, saved = await call(session, "saved_search_create", query="vacuum pump")
        expect(not failed and saved["by"] == "keyword", "saved_search_create saves")
        failed, deleted = await call(session, "saved_search_delete", search_id=saved["search_id"])
        expect(not failed and deleted["search_id"] == saved["search_id"], "saved_search_delete deletes")
        for tool in ("capabilities", "status", "saved_searches", "saved_search_matches"):
            failed, reply = await call(session, tool)
            expect(not failed and reply, f"{tool} replies")

        failed, envelope = await call(session, "keyword_search", query="  ")
        expect(failed and envelope["error_type"] == "validation_error", f"a blank query: {envelope}")
        failed, envelope = await call(session, "entry_get", entry_id="no-such")
        expect(failed and envelope["error_type"] == "not_found", f"an unknown entry: {envelope}")
        failed, _ = await call(session, "keyword_search", query="beam \u0000 ÅNGSTRÖM 🦆 \"((" * 2000)
        expect(not failed, "any text is a query")
    print(f"{transport}: {len(tools)} tools, all expectations met")


asyncio.run(main(*sys.argv[1:]))
