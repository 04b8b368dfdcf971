"""Scores the first hits of the sampled questions: scores.py WORK STORES MODEL QUESTIONS HITS NAME...
For each hit the best cosine of its stored passages; for the first HITS also that
of its passages in floats, and that of its title and first 128 tokens in floats.
A file that is there is continued."""
import json
import sqlite3
import sys

import numpy as np

from encoder import encode, source, tokenizer
from sets import SETS

# Passages so far below the best stored one are not encoded again.
MARGIN = .03


class Texts:
    """Vectors of texts in floats, each encoded once."""
    def __init__(self, model):
        self.weights = source(f"{model}/model.safetensors")
        self.tokens = tokenizer(f"{model}/vocab.txt")
        self.known = {}

    def vectors(self, texts, limit):
        new = list(dict.fromkeys(t for t in texts if (t, limit) not in self.known))
        for places, vectors in encode(self.weights, self.tokens, new, limit):
            for place, vector in zip(places, vectors):
                self.known[new[place], limit] = vector
        return np.stack([self.known[t, limit] for t in texts])


def put_before(title, text):
    return text if text.startswith(title) else f"{title}\n{text}"


class Store:
    """The passages of a store, with their vectors."""
    def __init__(self, folder):
        self.records = sqlite3.connect(f"file:{folder}/store.db?mode=ro", uri=True)
        self.docs = dict(self.records.execute("select entry_id, doc from entries"))
        self.model = self.records.execute("select model from entry_vectors limit 1").fetchone()[0]

    def passages(self, entry):
        """Text and stored vector of each passage, and the text for a vector of the whole entry."""
        doc = self.docs[entry]
        raw, metadata = self.records.execute("select raw_text, metadata from entries where doc = ?", [doc]).fetchone()
        rows = self.records.execute('select start, "end", vector from embeddings where model = ? and doc = ?'
                                    " order by ordinal", [self.model, doc]).fetchall()
        title = json.loads(metadata).get("title", "").strip()
        texts = [put_before(title[:125], raw.encode()[begin:end].decode().strip()) for begin, end, _ in rows]
        vectors = np.array([np.frombuffer(row[2], "<f4") for row in rows])
        return texts, vectors, put_before(title, raw.strip())


def main(work, stores, model, questions, hits, *names):
    encoder = Texts(model)
    lists = {name: [json.loads(line) for line in open(f"{work}/{name}.jsonl")] for name in names}
    opened = {name: Store(f"{stores}/{SETS[name][0]}") for name in names}
    out = {name: open(f"{work}/{name}.scores", "a+") for name in names}
    done = {name: out[name].seek(0) or len(out[name].readlines()) for name in names}
    for place in range(int(questions)):
        for name in names:
            if not done[name] <= place < len(lists[name]):
                continue
            question = lists[name][place]
            rough = np.array(question["vector"])
            exact = encoder.vectors([question["text"]], 256)[0] if int(hits) else None
            scored = []
            for rank, hit in enumerate(question["hits"]):
                texts, stored, whole = opened[name].passages(hit["id"])
                if not texts:
                    scored.append(None)
                    continue
                by_store = stored @ rough
                line = {"stored": float(by_store.max())}
                if rank < int(hits):
                    near = [t for t, score in zip(texts, by_store) if score > by_store.max() - MARGIN]
                    line["exact"] = float((encoder.vectors(near, 256) @ exact).max())
                    line["whole"] = float(encoder.vectors([whole], 128)[0] @ exact)
                scored.append(line)
            out[name].write(json.dumps({"id": question["id"], "scores": scored}) + "\n")
            out[name].flush()


main(*sys.argv[1:])
