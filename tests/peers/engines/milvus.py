"""Milvus Lite, the local form of Milvus, by the client of Milvus."""

import importlib.metadata

from pymilvus import AnnSearchRequest, DataType, Function, FunctionType, MilvusClient, RRFRanker

from engines.base import CANDIDATES, RRF, SHOWN, Base, batches

FIELDS = ["id", "text", "author", "kind", "time"]


class Engine(Base):
    modes = {
        "keyword": "its function BM25, any word",
        "semantic": "HNSW",
        "hybrid": "its own, RRF",
    }
    widths = [32, 64, 128, 256, 512]
    width = widths[0]

    def version(self):
        return f"Milvus Lite {importlib.metadata.version('milvus-lite')}"

    def open(self):
        self.client = MilvusClient(str(self.folder / "milvus.db"))
        if self.client.has_collection("entries"):
            self.client.load_collection("entries")

    prepare = open

    def load(self, entries, vectors):
        schema = MilvusClient.create_schema(auto_id=False)
        schema.add_field("id", DataType.VARCHAR, max_length=64, is_primary=True)
        schema.add_field("text", DataType.VARCHAR, max_length=4000, enable_analyzer=True)
        for name in FIELDS[2:]:
            schema.add_field(name, DataType.VARCHAR, max_length=100)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=vectors.shape[1])
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(Function("bm25", FunctionType.BM25, ["text"], ["words"]))
        self.client.create_collection("entries", schema=schema)
        for some in batches(entries, 1000):
            rows = [
                {**{name: entry[name] for name in FIELDS[:-1]}, "time": entry["timestamp"], "vector": vector}
                for entry, vector in zip(entries[some], vectors[some])
            ]
            self.client.insert("entries", rows)
        self.client.flush("entries")
        indexes = self.client.prepare_index_params()
        indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params={"bm25_k1": 1.2, "bm25_b": 0.75})
        indexes.add_index("vector", index_type="HNSW", metric_type="COSINE", params={"M": 16, "efConstruction": 200})
        self.client.create_index("entries", indexes)

    def connect(self):
        return self.client

    def set_width(self, width):
        self.width = width

    def parameters(self):
        return {"metric_type": "COSINE", "params": {"ef": self.width}}

    def keyword(self, connection, question, limit=SHOWN):
        found = connection.search("entries", data=[question.text], anns_field="words", limit=limit, output_fields=FIELDS)
        return rows(found)

    def semantic(self, connection, question, limit=SHOWN):
        found = connection.search(
            "entries",
            data=[question.vector],
            anns_field="vector",
            limit=limit,
            search_params=self.parameters(),
            output_fields=FIELDS,
        )
        return rows(found)

    def hybrid(self, connection, question):
        both = [
            AnnSearchRequest([question.text], "words", {"metric_type": "BM25"}, CANDIDATES),
            AnnSearchRequest([question.vector], "vector", self.parameters(), CANDIDATES),
        ]
        return rows(connection.hybrid_search("entries", both, RRFRanker(RRF), limit=SHOWN, output_fields=FIELDS))

    def close(self):
        self.client.close()


def rows(found):
    """The hits of the one question."""
    return [(hit["id"], hit["entity"]) for hit in found[0]]
