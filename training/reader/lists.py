"""Writes the questions of each collection for the traces: as they are, without their gold entries, and exchanged.

    lists.py OUT
    lists.py --collections      the names of the collections
    lists.py --corpus NAME      the folder of a collection
"""

import json
import sys
from pathlib import Path

from exchanged import exchanged, renumbered
from questions import CORPORA, Question, judged, written


def main():
    if sys.argv[1] == "--collections":
        print(*CORPORA)
        return
    if sys.argv[1] == "--corpus":
        print(CORPORA[sys.argv[2]])
        return
    out = Path(sys.argv[1])
    for name in CORPORA:
        questions = judged(name) + written(name)
        write(out / f"{name}.questions", questions)
        write(out / f"{name}-without.questions", [q for q in questions if q.gold], without=True)
        write(out / f"{name}-exchanged.questions", exchanged(name, questions) + renumbered(name, questions))


def write(path: Path, questions: list[Question], without: bool = False):
    with open(path, "w", encoding="utf-8") as file:
        for q in questions:
            row = {"id": q.id, "text": q.text, "without": ",".join(q.gold) if without else ""}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
