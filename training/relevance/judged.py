"""The questions that relevance is trained on, each with which entries are about it."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reader"))

import questions as reader  # noqa: E402

SETS = reader.REPOSITORY / "tests" / "cases" / "sets" / "questions.jsonl"
# Judged queries, by collection.
JUDGED = {
    "nrc-reactor": ("queries-adhoc-dev.jsonl", "qrels-adhoc-dev.tsv"),
    "gitbugs-seamonkey": ("queries.jsonl", "qrels.tsv"),
    "scifact": ("queries-train.jsonl", "qrels-train.tsv"),
}
# Of the queries of scifact every so many-th: the others say no more.
STEP = {"scifact": 4}


@dataclass
class Judged:
    id: str
    text: str
    kind: str
    relevant: set[str]
    # Entries that are judged and not relevant; all others where it is `None`.
    others: set[str] | None = None
    # Entries that may be either.
    unclear: set[str] = field(default_factory=set)
    # Whether a text has the whole answer: an entry that has may be either, too.
    answered: Callable[[str], bool] | None = None

    def label(self, entry: str, text: str) -> int | None:
        if entry in self.relevant:
            return 1
        if entry in self.unclear or not (self.others is None or entry in self.others):
            return None
        return None if self.answered and self.answered(text) else 0


def queries(name: str) -> list[Judged]:
    if name not in JUDGED:
        return []
    folder = reader.CORPORA[name]
    file, judgements = JUDGED[name]
    scores: dict[str, dict[str, int]] = {}
    for line in (folder / judgements).read_text(encoding="utf-8").splitlines()[1:]:
        query, entry, score = line.split("\t")
        scores.setdefault(query, {})[entry] = int(score)
    found = []
    for q in reader.lines(folder / file)[:: STEP.get(name, 1)]:
        of_query = scores.get(q["id"], {})
        relevant = {entry for entry, score in of_query.items() if score > 0}
        is_pooled = len(relevant) < len(of_query)
        others = set(of_query) - relevant if is_pooled else None
        found.append(Judged(q["id"], q["text"], "query", relevant, others, set(q.get("exclude", []))))
    return found


def questions(name: str) -> list[Judged]:
    """Questions about one event, and those that nothing answers."""
    found = []
    for q in reader.judged(name) + reader.written(name):
        if not q.gold and q.is_written or q.gold and not q.is_answerable:
            continue
        kind = "nothing" if not q.gold else "written" if q.is_written else "judged"
        found.append(Judged(q.id, q.text, kind, set(q.gold), answered=q.is_right if q.facts else None))
    return found


def sets(name: str) -> list[Judged]:
    """Questions about sets with a topic."""
    found = []
    for q in reader.lines(SETS):
        if q["collection"] == name and not q["field_only"]:
            ids = set(q["gold"].get("all_ids") or q["gold"].get("ids") or [])
            is_whole = len(ids) == q["gold"].get("count", 0)
            others = None if is_whole else set()
            found.append(Judged(q["id"], q["text"], "set", ids, others, set(q.get("also_right", []))))
    return found


def of_collection(name: str) -> list[Judged]:
    return queries(name) + questions(name) + sets(name)


def main():
    """Writes the questions of each collection for the traces."""
    out = Path(sys.argv[1])
    for name in reader.CORPORA:
        with open(out / f"{name}.questions", "w", encoding="utf-8") as file:
            for q in of_collection(name):
                file.write(json.dumps({"id": q.id, "text": q.text}) + "\n")


if __name__ == "__main__":
    main()
