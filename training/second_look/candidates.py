"""Asks a running service the sampled questions of a collection and writes the
first hits of `rag` with their scores: candidates.py URL DATA NAME OUT."""
import json
import random
import sys
import urllib.request
from pathlib import Path

from sets import SETS

SEED, QUESTIONS, HITS = 41, 150, 50


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=600))


def main(url, data, name, out):
    folder, queries, qrels = SETS[name]
    folder = Path(data) / folder
    questions = [json.loads(line) for line in open(folder / queries)]
    grades = {}
    for line in open(folder / qrels).read().splitlines()[1:]:
        question, entry, grade = line.split("\t")
        grades.setdefault(question, {})[entry] = int(grade)
    questions = [q for q in questions if max(grades.get(q["id"], {"": 0}).values()) > 0]
    questions.sort(key=lambda q: q["id"])
    random.Random(SEED).shuffle(questions)
    with open(out, "w") as file:
        for question in questions[:QUESTIONS]:
            exclude = question.get("exclude", [])
            body = {"query": question["text"], "mode": "rag", "max_results": HITS + len(exclude),
                    "advanced_params": {"answer": "entries"}}
            found = [e for e in post(f"{url}/api/search", body)["entries"] if e["entry_id"] not in exclude]
            embedded = post(f"{url}/v1/embeddings", {"input": [question["text"]], "model": "builtin"})
            vector = embedded["data"][0]["embedding"]
            hits = [{"id": e["entry_id"], "score": e["score"], "kind": e["score_kind"],
                     "by": {p["module"]: p["score"] for p in e.get("provenance", [])}} for e in found]
            line = {"id": question["id"], "text": question["text"], "grades": grades[question["id"]],
                    "vector": vector, "hits": hits}
            file.write(json.dumps(line) + "\n")


main(*sys.argv[1:])
