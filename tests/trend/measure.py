"""Measures change points of a collection with shuffled dates: run by `measure`.

Frequent and rare values of the fields of the entries are the questions. Printed are
those with a change point,
for the collection as it is and with its dates in random orders.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections import Counter
from pathlib import Path

FIELDS = 40
LEAST = 20


def questions(entries: list[dict]) -> list[tuple[str, str]]:
    """The most frequent values of fields, as (field, value)."""
    counts: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        fields = {**entry.get("metadata", {}), "author": entry.get("author")}
        for field, value in fields.items():
            values = value if isinstance(value, list) else [value]
            counts.update((field, one) for one in values if isinstance(one, str) and one)
    some = [pair for pair, count in counts.most_common() if count >= LEAST and count < len(entries) * 0.9]
    # Spread over frequent and rare ones.
    return some[:: max(1, len(some) // FIELDS)][:FIELDS]


def load(gannet: str, entries: list[dict], folder: Path) -> None:
    folder.mkdir(parents=True)
    lines = folder / "entries.jsonl"
    lines.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    command = [gannet, "--data", str(folder / "store"), "ingest", str(lines), "--no-enhance"]
    subprocess.run(command, check=True, capture_output=True)


def with_change(gannet: str, folder: Path, asked: list[tuple[str, str]]) -> int:
    found = 0
    for field, value in asked:
        command = [gannet, "--data", str(folder / "store"), "--format", "json", "trend", "how many entries",
                   "--filter", f"{field}={value}"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found += bool(json.loads(done.stdout).get("change_points"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("gannet")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--orders", type=int, default=5)
    wanted = parser.parse_args()
    entries = [json.loads(line) for line in wanted.corpus.read_text().splitlines()]
    asked = questions(entries)
    load(wanted.gannet, entries, wanted.folder / "as-is")
    as_is = with_change(wanted.gannet, wanted.folder / "as-is", asked)
    shuffled = 0
    dates = [entry.get("timestamp") for entry in entries]
    for order in range(wanted.orders):
        random.Random(order).shuffle(dates)
        mixed = [{**entry, "timestamp": date} for entry, date in zip(entries, dates)]
        load(wanted.gannet, mixed, wanted.folder / str(order))
        shuffled += with_change(wanted.gannet, wanted.folder / str(order), asked)
    asked_shuffled = len(asked) * wanted.orders
    print(f"{wanted.corpus.parent.name}: {len(asked)} questions, {as_is} with a change point; "
          f"shuffled: {asked_shuffled} questions, {shuffled} with a change point "
          f"({shuffled / max(asked_shuffled, 1):.1%})", flush=True)


if __name__ == "__main__":
    main()
