"""Chroma, in the process."""

import chromadb

from engines.base import SHOWN, Base, batches


class Engine(Base):
    modes = {"semantic": "HNSW"}
    widths = [100, 200, 400, 800]

    def version(self):
        return f"Chroma {chromadb.__version__}"

    def client(self):
        settings = chromadb.Settings(anonymized_telemetry=False)
        return chromadb.PersistentClient(str(self.folder), settings)

    def load(self, entries, vectors):
        client = self.client()
        collection = client.create_collection("entries", embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
        for some in batches(entries, min(client.get_max_batch_size(), 1000)):
            fields = [{name: entry[name] for name in ("author", "kind", "timestamp")} for entry in entries[some]]
            collection.add(
                ids=[entry["id"] for entry in entries[some]],
                documents=[entry["text"] for entry in entries[some]],
                metadatas=fields,
                embeddings=vectors[some],
            )

    def open(self):
        self.collection = self.client().get_collection("entries", embedding_function=None)

    def connect(self):
        return self.collection

    def set_width(self, width):
        self.collection.modify(configuration={"hnsw": {"ef_search": width}})

    def semantic(self, connection, question, limit=SHOWN):
        found = connection.query(query_embeddings=[question.vector], n_results=limit, include=["documents", "metadatas"])
        return list(zip(found["ids"][0], found["documents"][0], found["metadatas"][0]))
