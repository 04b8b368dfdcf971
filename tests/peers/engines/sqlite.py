"""SQLite with FTS5, in the process."""

import sqlite3

from corpus import tokens
from engines.base import SHOWN, Base


class Engine(Base):
    modes = {"keyword": "FTS5, any word, `bm25`"}

    def version(self):
        return f"SQLite FTS5 {sqlite3.sqlite_version}"

    def load(self, entries, vectors):
        store = self.connect()
        store.execute("CREATE VIRTUAL TABLE entries USING fts5(id UNINDEXED, text, author UNINDEXED, kind UNINDEXED, time UNINDEXED)")
        rows = ((entry["id"], entry["text"], entry["author"], entry["kind"], entry["timestamp"]) for entry in entries)
        store.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows)
        store.execute("INSERT INTO entries (entries) VALUES ('optimize')")
        store.commit()
        store.close()

    def connect(self):
        return sqlite3.connect(self.folder / "entries.db")

    def keyword(self, connection, question, limit=SHOWN):
        words = " OR ".join(f'"{word}"' for word in tokens(question.text))
        found = connection.execute("SELECT * FROM entries WHERE entries MATCH ? ORDER BY rank LIMIT ?", (words, limit))
        return found.fetchall()
