"""Trains the models of recurrence.

    train.py TRACES [--cross-validate] [--out WEIGHTS] [--examples EXAMPLES]
"""

import argparse
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np

import examples
import judged

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reader"))

from card import card  # noqa: E402
from cross_validation import calibrated, calibration_error, folds_of, out_of_fold  # noqa: E402
from models import Model, fit_curve  # noqa: E402

FOLDS, SEED = 5, 37
# Features that a model of the same kind of event does not see.
OF_TIME = ["days", "is_earlier"]
# What a text that is no entry lacks.
OF_FIELDS = ["same_place", "has_place"]
# Entries of a list that are looked at.
SHOWN = 10
# From these probabilities on an entry is stated as one of a group.
STATED = 0.65
STATED_KIND = 0.75


class Pairs:
    """Pairs of entries with their features and labels."""

    def __init__(self, traces: Path):
        rows, labels, asked, collections = [], [], [], []
        self.golds = {}
        for name in judged.COLLECTIONS:
            golds = judged.golds(name)
            lines = judged.lines(traces / f"{name}.jsonl")
            self.names, self.features_version = lines[0]["features"], lines[0]["features_version"]
            for line in lines[1:]:
                key = f"{name}/{line['id']}"
                self.golds[key] = len(golds[line["id"]])
                for entry in line["entries"]:
                    rows.append(entry["features"])
                    labels.append(int(entry["id"] in golds[line["id"]]))
                    asked.append(key)
                    collections.append(name)
        self.x, self.y = np.array(rows), np.array(labels)
        self.asked, self.collections = np.array(asked), np.array(collections)
        # Each asked entry counts as much as any other.
        self.w = np.ones(len(self.y))

    def inputs(self, has_time: bool):
        names = [n for n in self.names if has_time or n not in OF_TIME]
        return names, self.x[:, [self.names.index(n) for n in names]]


def fitted(names, x, y, w):
    """Also with each pair as that of a text, which has no fields."""
    without = x.copy()
    without[:, [names.index(n) for n in OF_FIELDS]] = 0
    model = Model(trees=120, leaves=15, least=20)
    return model.fit(np.vstack([x, without]), np.concatenate([y, y]), np.concatenate([w, w * 0.3]))


def report(pairs, p, is_stated):
    print("| collection | golds in the first ten | among the candidates | stated, right | calibration error from 0.1 on |")
    print("|---|---|---|---|---|")
    for name in judged.COLLECTIONS:
        rows = np.flatnonzero(pairs.collections == name)
        first, ceiling = [], []
        for part in np.split(rows, np.flatnonzero(pairs.asked[rows][1:] != pairs.asked[rows][:-1]) + 1):
            golds = pairs.golds[pairs.asked[part[0]]]
            best = part[np.argsort(-p[part], kind="stable")][:SHOWN]
            first.append(pairs.y[best].sum() / golds)
            ceiling.append(pairs.y[part].sum() / golds)
        said = rows[is_stated[rows]]
        stated, right = len(said), pairs.y[said].sum()
        near = rows[p[rows] >= 0.1]
        print(f"| {name} | {np.mean(first):.3f} | {np.mean(ceiling):.3f} | {stated}, {right} ({right / max(stated, 1):.2f}) | "
              f"{calibration_error(p[near], pairs.y[near]):.3f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("traces", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--examples", type=Path, help="pairs for the test that the program computes the same")
    arguments = parser.parse_args()
    pairs = Pairs(arguments.traces)
    folds = folds_of(pairs.asked, FOLDS, SEED)
    models, found = {}, {}
    for key, has_time in (("same_event", True), ("same_kind", False)):
        names, x = pairs.inputs(has_time)
        fit = partial(fitted, names)
        scores = out_of_fold(fit, x, pairs.y, pairs.w, folds)
        found[key, "entry"] = calibrated(scores, pairs.y, pairs.w, folds)
        if arguments.cross_validate and len(judged.COLLECTIONS) > 1:
            left_out = out_of_fold(fit, x, pairs.y, pairs.w, pairs.collections)
            found[key, "collection"] = calibrated(left_out, pairs.y, pairs.w, pairs.collections)
        final = fit(x, pairs.y, pairs.w)
        final.curve = fit_curve(scores, pairs.y, pairs.w)
        models[key] = final.written(names)
    if arguments.cross_validate:
        for by in ("entry", "collection")[: len(judged.COLLECTIONS)]:
            event, kind = found["same_event", by], found["same_kind", by]
            print(f"\nby {by}, stated by both models\n")
            report(pairs, event, (event >= STATED) | (kind >= STATED_KIND))
            print(f"\nby {by}, without time\n")
            report(pairs, kind, kind >= STATED_KIND)
    if arguments.out:
        used, version = judged.COLLECTIONS, pairs.features_version
        header = card("recurrence", "the probability that two entries are about the same event or fault", "training/recurrence/train", used, version, {"folds": SEED})
        text = json.dumps({"card": header, **models}, separators=(",", ":"))
        arguments.out.write_text(text + "\n", encoding="utf-8")
    if arguments.examples:
        examples.write(arguments.examples, pairs, models, SEED)


if __name__ == "__main__":
    main()
