"""Gannet by HTTP, with its defaults."""

import base64
import re
import sqlite3
import subprocess
import time

import numpy

from engines.base import SHOWN, Base, descendants
from engines.http_json import Connection, wait_for


class Engine(Base):
    modes = {
        "keyword": "words first all, then any",
        "semantic": "scan of signs, rescored; embeds the question",
        "hybrid": "`rag` without an answer: fusion, token vectors; embeds the question",
    }

    def version(self):
        return self.run("--version").strip()

    def run(self, *words):
        done = subprocess.run([self.setup.program, *words], capture_output=True, text=True, cwd=self.folder)
        if done.returncode:
            raise RuntimeError(f"gannet {' '.join(words)}: {done.stderr}")
        return done.stdout

    @property
    def store(self):
        return self.folder / "store"

    def load(self, entries, vectors):
        began = time.monotonic()
        self.run("ingest", "--data", str(self.store), "--no-enhance", str(self.folder.parent / "entries.jsonl"))
        self.ingested = time.monotonic() - began
        self.run("enhance", "--data", str(self.store))
        self.enhanced = time.monotonic() - began - self.ingested

    def notes(self):
        if hasattr(self, "enhanced"):
            return [f"`gannet ingest` took {self.ingested:.1f} s, `gannet enhance`, which computes the embeddings, {self.enhanced:.1f} s"]
        return []

    def vectors(self):
        """The vectors of all entries, in the order of ingestion."""
        with sqlite3.connect(f"file:{self.store}/store.db?mode=ro", uri=True) as store:
            rows = store.execute("SELECT entry_id, vector FROM embeddings JOIN entries USING (doc) ORDER BY doc, ordinal").fetchall()
        return [name for name, _ in rows], numpy.frombuffer(b"".join(row for _, row in rows), dtype="<f4").reshape(len(rows), -1)

    def open(self):
        # Programs ask faster than people.
        (self.folder / "config.yml").write_text("server:\n  requests_per_minute: 0\n")
        log = self.folder / "serve.log"
        command = [self.setup.program, "serve", "--data", str(self.store), "--port", "0"]
        with open(log, "w") as output:
            self.server = subprocess.Popen(command, cwd=self.folder, stdout=output, stderr=output)
        listening = wait_for(lambda: re.search(r"listening on (http\S+)", log.read_text()), self.server)
        self.address = listening[1].rstrip("/")
        wait_for(lambda: self.connect().send("GET", "/readyz"), self.server)

    def connect(self):
        return Connection(self.address)

    def embed(self, connection, text):
        """The vector of a question."""
        answer = connection.post("/v1/embeddings", {"input": text, "encoding_format": "base64"})
        return numpy.frombuffer(base64.b64decode(answer["data"][0]["embedding"]), dtype="<f4")

    def search(self, connection, question, mode, **parameters):
        body = {"query": question.text, "mode": mode, "max_results": SHOWN, "advanced_params": parameters}
        answer = connection.post("/api/search", body)
        return [(entry["entry_id"], entry["raw_text"]) for entry in answer["entries"]]

    def keyword(self, connection, question, limit=SHOWN):
        return self.search(connection, question, "keyword")

    def semantic(self, connection, question, limit=SHOWN):
        # The peers show entries of any similarity, too.
        return self.search(connection, question, "semantic", similarity_threshold=0)

    def hybrid(self, connection, question):
        return self.search(connection, question, "rag", answer="none")

    def processes(self):
        return descendants(self.server.pid)

    def close(self):
        if hasattr(self, "server"):
            self.server.terminate()
            self.server.wait()
