"""Measures the digests of a collection: run by `measure`.

For each span of time it asks `gannet digest`, and counts how many entries of a
class above the routine ones are cited, lines without a citation, sentences that
are not in their entries, and characters.
"""

import argparse
import collections
import datetime
import json
import statistics
import subprocess

ROUTINE = {"", "n/a", "none", "non emergency"}


def class_of(entry, field):
    return str(entry.get("metadata", {}).get(field) or "").lower()


def digest(gannet, store, since, until):
    command = [gannet, "--data", store, "--format", "json", "digest", "--since", since, "--until", until]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def blanks(text):
    return " ".join(text.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gannet")
    parser.add_argument("store")
    parser.add_argument("corpus")
    parser.add_argument("--days", type=int, default=1, help="days of a span")
    parser.add_argument("--least", type=int, default=10, help="entries of a span at least")
    parser.add_argument("--every", type=int, default=1, help="take each so many-th span")
    parser.add_argument("--field", default="emergency_class", help="the field of the class")
    wanted = parser.parse_args()

    with open(wanted.corpus, encoding="utf-8") as lines:
        entries = {entry["id"]: entry for entry in map(json.loads, lines)}
    spans = collections.defaultdict(list)
    for entry in entries.values():
        day = datetime.date.fromisoformat(entry["timestamp"][:10]).toordinal()
        spans[day - day % wanted.days].append(entry)
    spans = [(start, found) for start, found in sorted(spans.items()) if len(found) >= wanted.least]
    spans = spans[:: wanted.every]

    grave = cited = sentences = uncited = foreign = listed = 0
    chars = []
    for start, found in spans:
        first = datetime.date.fromordinal(start)
        last = datetime.date.fromordinal(start + wanted.days - 1)
        given = digest(wanted.gannet, wanted.store, first.isoformat(), last.isoformat())
        of_class = [one["id"] for one in found if class_of(one, wanted.field) not in ROUTINE]
        grave += len(of_class)
        cited += sum(one in given["citations"] for one in of_class)
        listed += len(given["citations"])
        lines = [line for line in given["answer"].splitlines() if line.startswith("- ")]
        sentences += len(lines)
        uncited += sum("[#" not in line for line in lines)
        for item in (item for section in given["sections"] for item in section["items"]):
            entry = entries[item["entry_id"]]
            text = blanks(f"{entry['title']} {entry['text']}")
            foreign += blanks(item["sentence"].strip("… ")) not in text
        chars.append(len(given["answer"]))

    print(f"{len(spans)} spans, {sum(len(found) for _, found in spans)} entries, {listed} cited")
    print(f"of a class above the routine ones: {cited} of {grave}")
    print(f"{sentences} sentences, {uncited} without a citation, {foreign} not in their entries")
    print(f"characters: median {statistics.median(chars):.0f}, most {max(chars)}")


main()
