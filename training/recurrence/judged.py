"""The entries that recurrence is trained on, each with those that tell of the same event."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reader"))

from questions import CORPORA, lines  # noqa: E402

# Collections whose queries are entries: reports that cite each other, and duplicates.
COLLECTIONS = [name for name in ("nrc-reactor", "gitbugs-seamonkey") if name in CORPORA]
if not COLLECTIONS:
    raise SystemExit("WITHOUT leaves no collection to train on")


def golds(name: str) -> dict[str, set[str]]:
    """For each entry those that tell of the same event."""
    folder = CORPORA[name]
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
