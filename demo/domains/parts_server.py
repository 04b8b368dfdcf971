"""The store of spare parts of the demo, as a server.

It answers searches in `parts.json` in the form of OpenSearch:
`POST /parts/_search`. It is there to try a domain that is another server; it
reads the words of a query and nothing else of it.

    python3 demo/domains/parts_server.py [PORT]
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PARTS = json.loads(Path(__file__).with_name("parts.json").read_text(encoding="utf-8"))
# Words that are in every question and say nothing.
EMPTY = {"and", "are", "for", "have", "how", "many", "the", "where"}


def words(text):
    """The words of a text, with plurals and singulars as one."""
    found = re.findall(r"\w+", text.lower())
    return {word.rstrip("s") for word in found if len(word) > 2 and word not in EMPTY}


def strings(value):
    """Every string in a part of a query."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        members = value.values() if isinstance(value, dict) else value
        for member in members:
            yield from strings(member)


def found(request):
    """The parts that share a word with a query, those with the most first."""
    must = request.get("query", {}).get("bool", {}).get("must", [])
    asked = words(" ".join(strings(must)))
    hits = []
    for part in PARTS:
        shared = len(asked & words(f"{part['title']} {part['text']}"))
        if shared:
            hits.append({"_id": part["id"], "_score": float(shared), "_source": part})
    hits.sort(key=lambda hit: -hit["_score"])
    return hits[: request.get("size", 10)]


class Parts(BaseHTTPRequestHandler):
    """Answers each search with parts."""

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        hits = found(json.loads(self.rfile.read(length) or b"{}"))
        body = json.dumps({"timed_out": False, "hits": {"hits": hits}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Requests are not logged."""


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9200
    server = ThreadingHTTPServer(("127.0.0.1", port), Parts)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
