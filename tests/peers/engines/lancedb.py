"""LanceDB, in the process."""

import lancedb
import pyarrow
from lancedb.rerankers import RRFReranker

from engines.base import SHOWN, Base

FIELDS = ["id", "text", "author", "kind", "time"]


class Engine(Base):
    modes = {
        "keyword": "full text index, any word, BM25",
        "semantic": "IVF_HNSW_SQ",
        "hybrid": "its own, RRF",
    }
    # Partitions that are searched, and the width in each.
    widths = [(1, 50), (4, 50), (20, 50), (20, 100), (20, 300)]
    width = widths[0]

    def version(self):
        return f"LanceDB {lancedb.__version__}"

    def load(self, entries, vectors):
        columns = {name: [entry[name] for entry in entries] for name in FIELDS[:-1]}
        columns["time"] = [entry["timestamp"] for entry in entries]
        flat = pyarrow.array(vectors.reshape(-1))
        columns["vector"] = pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        table = lancedb.connect(self.folder).create_table("entries", pyarrow.table(columns))
        table.create_fts_index("text", stem=False, remove_stop_words=False, ascii_folding=False, with_position=False)
        table.create_index(metric="cosine", index_type="IVF_HNSW_SQ", vector_column_name="vector")

    def open(self):
        self.table = lancedb.connect(self.folder).open_table("entries")

    def connect(self):
        return self.table

    def set_width(self, width):
        self.width = width

    def keyword(self, connection, question, limit=SHOWN):
        found = connection.search(question.text, query_type="fts").select(FIELDS).limit(limit)
        return rows(found.to_arrow())

    def semantic(self, connection, question, limit=SHOWN):
        found = connection.search(question.vector, query_type="vector").distance_type("cosine")
        return rows(self.narrowed(found).select(FIELDS).limit(limit).to_arrow())

    def hybrid(self, connection, question):
        found = connection.search(query_type="hybrid").vector(question.vector).text(question.text).distance_type("cosine")
        return rows(self.narrowed(found).rerank(RRFReranker()).select(FIELDS).limit(SHOWN).to_arrow())

    def narrowed(self, search):
        partitions, width = self.width
        return search.nprobes(partitions).ef(width)


def rows(table):
    """The rows of a table of Arrow."""
    return list(zip(*(table[name].to_pylist() for name in FIELDS)))
