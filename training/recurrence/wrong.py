"""Lists the entries that are stated by the weights that ship and count as wrong, to be read by hand.

    GANNET=target/release/gannet python3 training/recurrence/wrong.py STORES
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import judged

# From these probabilities on an entry is stated as one of a group.
STATED, STATED_KIND = 0.65, 0.75


def stated(store: Path, asked: str) -> list[dict]:
    command = [os.environ["GANNET"], "--data", store, "again", asked, "--max-results", "50", "--format", "json"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = json.loads(printed)["entries"]
    return [one for one in entries if one["probability"] >= STATED or one["same_kind"] >= STATED_KIND]


def main():
    for name in judged.COLLECTIONS:
        said = right = 0
        for asked, golds in judged.golds(name).items():
            for one in stated(Path(sys.argv[1]) / name, asked):
                said += 1
                right += one["entry_id"] in golds
                if one["entry_id"] not in golds:
                    print(f"{name} {asked} {one['entry_id']} {one['probability']:.2f} {one['same_kind']:.2f} {one['title']}", flush=True)
        print(f"{name}: {said} stated, {right} right")


if __name__ == "__main__":
    main()
