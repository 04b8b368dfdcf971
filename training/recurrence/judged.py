"""The entries that recurrence is trained on, each with those that tell of the same event."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent.parent / "shared" / "data"
# Collections whose queries are entries: reports that cite each other, and duplicates.
COLLECTIONS = ["nrc-reactor", "gitbugs-seamonkey"]


def lines(path: Path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def golds(name: str) -> dict[str, set[str]]:
    """For each entry those that tell of the same event."""
    folder = DATA / name
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, entry, score = line.split("\t")
        if int(score) > 0:
            relevant.setdefault(query, set()).add(entry)
    return {query["exclude"][0]: relevant[query["id"]] for query in lines(folder / "queries.jsonl")}


def main():
    """Writes the ids of the entries of each collection for the traces."""
    out = Path(sys.argv[1])
    for name in COLLECTIONS:
        (out / f"{name}.entries").write_text("".join(f"{id}\n" for id in golds(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
