"""DuckDB with its extensions for full text and vectors, in the process."""

import importlib
import pathlib

import duckdb

from engines.base import SHOWN, Base

FIELDS = "id, text, author, kind, time"


class Engine(Base):
    modes = {
        "keyword": "fts, any word, `match_bm25`",
        "semantic": "vss, HNSW",
        "hybrid": "two statements, RRF in the client",
    }
    widths = [64, 128, 256, 512]

    def version(self):
        return f"DuckDB {duckdb.__version__}"

    def open(self):
        self.store = duckdb.connect(str(self.folder / "entries.duckdb"))
        # The package has the extension as a file: nothing is downloaded.
        for name in ("fts", "vss"):
            package = importlib.import_module(f"duckdb_extension_{name}")
            file = next(pathlib.Path(package.__path__[0]).glob(f"extensions/*/{name}.duckdb_extension"))
            self.store.execute(f"LOAD '{file}'")
        self.store.execute("SET hnsw_enable_experimental_persistence = true")

    prepare = open

    def load(self, entries, vectors):
        import pyarrow

        columns = {name: [entry[name] for entry in entries] for name in ("id", "text", "author", "kind", "timestamp")}
        flat = pyarrow.array(vectors.reshape(-1))
        columns["vector"] = pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        self.store.register("loaded", pyarrow.table(columns))
        self.store.execute(
            "CREATE TABLE entries AS SELECT id, text, author, kind, timestamp::TIMESTAMP AS time, vector::FLOAT[384] AS vector FROM loaded"
        )
        self.store.execute(
            "PRAGMA create_fts_index('entries', 'id', 'text', stemmer = 'none', stopwords = 'none', ignore = '[^a-z]+')"
        )
        self.store.execute("CREATE INDEX nearest ON entries USING HNSW (vector) WITH (metric = 'cosine')")
        self.store.execute("CHECKPOINT")

    def connect(self):
        cursor = self.store.cursor()
        cursor.execute(f"SET hnsw_ef_search = {getattr(self, 'width', 64)}")
        return cursor

    def set_width(self, width):
        self.width = width

    def keyword(self, connection, question, limit=SHOWN):
        sql = (
            f"SELECT {FIELDS} FROM (SELECT {FIELDS}, fts_main_entries.match_bm25(id, ?) AS score FROM entries)"
            f" WHERE score IS NOT NULL ORDER BY score DESC LIMIT {limit}"
        )
        return connection.execute(sql, [question.text]).fetchall()

    def semantic(self, connection, question, limit=SHOWN):
        sql = f"SELECT {FIELDS} FROM entries ORDER BY array_cosine_distance(vector, ?::FLOAT[384]) LIMIT {limit}"
        return connection.execute(sql, [question.vector.tolist()]).fetchall()

    def close(self):
        self.store.close()
