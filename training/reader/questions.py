"""The questions that the reader is trained on, each with what answers it."""

import json
import os
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SHARED = REPOSITORY.parent / "shared" / "data"
CORPORA = {
    "nrc-reactor": SHARED / "nrc-reactor",
    "safenet": SHARED / "safenet",
    "gitbugs-seamonkey": SHARED / "gitbugs-seamonkey",
    "scifact": SHARED / "scifact",
    "xquad-en": SHARED / "xquad-en",
    "demo": REPOSITORY / "demo",
}
# Questions with patterns of the answer, by collection.
JUDGED = {
    "nrc-reactor": SHARED / "qa" / "nrc.jsonl",
    "safenet": SHARED / "qa" / "safenet.jsonl",
    "xquad-en": SHARED / "xquad-en" / "qa.jsonl",
}
# Collections that no model is to see, separated by blanks.
WITHOUT = os.environ.get("WITHOUT", "").split()
if unknown := [left_out for left_out in WITHOUT if left_out not in CORPORA]:
    raise SystemExit(f"WITHOUT: no collection {', '.join(unknown)}; there are {' '.join(CORPORA)}, with blanks between")
for left_out in dict.fromkeys(WITHOUT):
    del CORPORA[left_out]
    JUDGED.pop(left_out, None)
if not CORPORA:
    raise SystemExit("WITHOUT leaves no collection to train on")


@dataclass
class Question:
    id: str
    text: str
    kind: str
    gold: list[str]
    # Required facts, each a list of patterns of which one must match.
    facts: list[list[re.Pattern]]
    # Of a written question: the places of the answer in the text of its entry.
    places: list[tuple[int, int]] = field(default_factory=list)
    is_written: bool = False
    # Whether nothing answers it because a word of another question was exchanged, and that question's group.
    is_exchanged: bool = False
    made_of: str = ""

    @property
    def group(self) -> str:
        """Questions of a group are about the same entry: no weights that saw one are tested on another."""
        return self.made_of or (self.gold[0] if self.gold else self.id)

    @property
    def is_answerable(self) -> bool:
        return bool(self.facts)

    def is_right(self, answer: str) -> bool:
        """As `gannet eval --qa` judges it."""
        return all(any(p.search(answer) for p in fact) for fact in self.facts)

    def labels(self, entry: str, text: str, sentences: list[dict]) -> list[int]:
        """Whether each sentence of an entry holds the answer or a part of it."""
        if entry not in self.gold:
            return [0] * len(sentences)
        if self.is_written:
            return [int(self.overlaps(text, s)) for s in sentences]
        patterns = [p for fact in self.facts for p in fact]
        return [int(any(p.search(s["text"]) for p in patterns)) for s in sentences]

    def answer_spans(self, entry: str, text: str) -> list[tuple[int, int]]:
        """Where the words of the answer are in an entry, in bytes."""
        if entry not in self.gold:
            return []
        # The key words of a written question, where its answer is.
        places = [(a, min(b + 1, len(text))) for a, b in self.places] if self.is_written else [(0, len(text))]
        patterns = [p for fact in self.facts for p in fact]
        found = [m.span() for p in patterns for a, b in places for m in p.finditer(text, a, b)]
        return [(len(text[:a].encode()), len(text[:b].encode())) for a, b in found]

    def overlaps(self, text: str, sentence: dict) -> bool:
        """By characters; the places of sentences are bytes."""
        raw = text.encode()
        start = len(raw[: sentence["start"]].decode(errors="ignore"))
        end = len(raw[: sentence["end"]].decode(errors="ignore"))
        for a, b in self.places:
            shared = min(end, b) - max(start, a)
            if shared > 0.5 * min(end - start, b - a):
                return True
        return False


def lines(path: Path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def corpus(name: str) -> dict[str, dict]:
    return {entry["id"]: entry for entry in lines(CORPORA[name] / "corpus.jsonl")}


def judged(name: str) -> list[Question]:
    if name not in JUDGED:
        return []
    return [
        Question(
            id=q["id"],
            text=q["text"],
            kind=q["category"],
            gold=q["gold"],
            facts=[[re.compile(a, re.I) for a in fact] for fact in q["answers"]],
        )
        for q in lines(JUDGED[name])
    ]


def written(name: str) -> list[Question]:
    """The questions of `questions/`: their answers are places in entries."""
    path = HERE / "questions" / f"{name}.jsonl"
    if not path.exists():
        return []
    entries = corpus(name)
    found = []
    for q in lines(path):
        entry = entries[q["entry"]]
        text = entry["text"]
        # What is searched has the title before the text.
        title = (entry.get("title") or "").strip()
        shift = len(title) + 2 if title else 0
        if zlib.crc32(text.encode()) != q["text_crc"]:
            raise SystemExit(f"{q['id']}: the text of {q['entry']} is another one now")
        keys = [text[a:b] for a, b in q["key"]]
        found.append(
            Question(
                id=q["id"],
                text=q["text"],
                kind=q["kind"],
                gold=[q["entry"]],
                facts=[[re.compile(r"\s+".join(map(re.escape, k.split())), re.I)] for k in keys],
                places=[(a + shift, b + shift) for a, b in q["answer"]],
                is_written=True,
            )
        )
    return found
