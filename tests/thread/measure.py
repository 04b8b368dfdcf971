"""Counts what threads of a collection have: run by `measure`.

Asked are the entries whose text has what may be the id of another one, so that no
reference is left out; of a small collection all.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

CHECKED = 50
SMALL = 1_000
HISTORY = {"first_seen", "seen_again", "repaired"}


def main(store: str, corpus: str, pattern: str, prefix: str) -> None:
    entries = {entry["id"]: entry for entry in map(json.loads, Path(corpus).read_text().splitlines())}
    written: dict[str, set[str]] = {}
    for entry_id, entry in entries.items():
        words = re.findall(rf"(?<!\d){pattern}(?!\d)", f"{entry['title']}\n{entry['text']}")
        written[entry_id] = {prefix + word for word in words} & entries.keys() - {entry_id}
    asked = [entry_id for entry_id, ids in written.items() if ids or len(entries) <= SMALL]
    kinds: Counter[str] = Counter()
    references, history = set(), {}
    for entry_id in asked:
        command = [os.environ["GANNET"], "--data", store, "thread", entry_id, "--max-results", "30", "--format", "jsonl"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for step in map(json.loads, lines):
            kinds.update(step["kinds"])
            if "referred_to" in step["kinds"]:
                references.add((entry_id, step["entry_id"]))
            for kind in HISTORY & set(step["kinds"]):
                history[kind, step["entry_id"]] = step["sentence"] or step["title"]
    print(f"{Path(store).name}: {len(asked)} entries, {sum(map(len, written.values()))} ids written, {len(references)} references")
    print(dict(kinds))
    random.seed(7)
    for entry_id, other in random.sample(sorted(references), min(CHECKED, len(references))):
        text = f"{entries[entry_id]['title']}\n{entries[entry_id]['text']}"
        at = text.find(other.removeprefix(prefix))
        print(f"  {entry_id} {other}: {text[max(0, at - 60) : at + 12]!r}")
    for (kind, entry_id), sentence in sorted(history.items()):
        print(f"  {kind} {entry_id}: {sentence!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
