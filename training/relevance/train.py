"""Trains the model of relevance.

    train.py TRACES [--cross-validate] [--out WEIGHTS]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import judged as asked

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reader"))

from card import card  # noqa: E402
from cross_validation import calibrated, calibration_error, folds_of, out_of_fold  # noqa: E402
from models import Model, fit_curve  # noqa: E402

FOLDS, SEED = 5, 36
# Features that entries lack where no question was encoded.
OF_VECTORS = ["similarity", "similarity_least", "mean"]
# Questions about sets are few.
WEIGHT_OF_SETS = 5.0
# Hits of a question about one event that are judged in the report: what is shown.
SHOWN = 10


class Pairs:
    """Questions and entries with their features and labels."""

    def __init__(self, traces: Path):
        rows, labels, weights, questions, kinds, collections = [], [], [], [], [], []
        for name in asked.reader.CORPORA:
            lines = asked.reader.lines(traces / f"{name}.jsonl")
            self.names, self.features_version = lines[0]["features"], lines[0]["features_version"]
            entries = asked.reader.corpus(name)
            by_id = {q.id: q for q in asked.of_collection(name)}
            for line in lines[1:]:
                question = by_id[line["id"]]
                for entry in line["entries"]:
                    of_entry = entries.get(entry["id"], {"text": ""})
                    label = question.label(entry["id"], f"{of_entry.get('title') or ''}\n{of_entry['text']}")
                    if label is None:
                        continue
                    rows.append(entry["features"])
                    labels.append(label)
                    weights.append(WEIGHT_OF_SETS if question.kind == "set" else 1.0)
                    questions.append(f"{name}/{question.id}")
                    kinds.append(question.kind)
                    collections.append(name)
        self.x, self.y, self.w = np.array(rows), np.array(labels), np.array(weights)
        self.questions, self.kinds = np.array(questions), np.array(kinds)
        self.collections = np.array(collections)

    def inputs(self, has_vectors: bool):
        names = [n for n in self.names if has_vectors or n not in OF_VECTORS]
        return names, self.x[:, [self.names.index(n) for n in names]]


def fit(x, y, w):
    return Model(trees=150, leaves=15, least=50).fit(x, y, w)


def report(pairs, p):
    kinds = ("query", "judged", "written", "nothing", "set")
    print("| collection | calibration error | from 0.1 on | " + " | ".join(kinds) + " |")
    print("|---|---|---|" + "---|" * len(kinds))
    for collection in [*asked.reader.CORPORA, "all"]:
        of = np.ones(len(p), bool) if collection == "all" else pairs.collections == collection
        near = of & (p >= 0.1)
        cells = [f"{calibration_error(p[of], pairs.y[of]):.3f}", f"{calibration_error(p[near], pairs.y[near]):.3f}"]
        cells += [kept(pairs, p, of & (pairs.kinds == kind), kind) for kind in kinds]
        print(f"| {collection} | " + " | ".join(cells) + " |")


def kept(pairs, p, of, kind):
    """Questions that keep a relevant entry from 0.5 on, or that nothing answers and keep none, of all;
    of the entries that are kept how many are relevant, and of the relevant ones how many are kept."""
    rows = np.flatnonzero(of)
    if not len(rows):
        return "–"
    right = total = true = found = relevant = 0
    for part in np.split(rows, np.flatnonzero(pairs.questions[rows][1:] != pairs.questions[rows][:-1]) + 1):
        part = part if kind in ("query", "set") else part[:SHOWN]
        member, y = p[part] >= 0.5, pairs.y[part] == 1
        total += 1
        right += not member.any() if kind == "nothing" else (member & y).any()
        true, found, relevant = true + (member & y).sum(), found + member.sum(), relevant + y.sum()
    return f"{right}/{total}, {true / max(found, 1):.2f}, {true / max(relevant, 1):.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("traces", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    pairs = Pairs(arguments.traces)
    folds = folds_of(pairs.questions, FOLDS, SEED)
    models = {}
    for key, has_vectors in (("with_vectors", True), ("without_vectors", False)):
        names, x = pairs.inputs(has_vectors)
        scores = out_of_fold(fit, x, pairs.y, pairs.w, folds)
        if arguments.cross_validate:
            print(f"\n{key}, by question\n")
            report(pairs, calibrated(scores, pairs.y, pairs.w, folds))
            print(f"\n{key}, by collection\n")
            left_out = out_of_fold(fit, x, pairs.y, pairs.w, pairs.collections)
            report(pairs, calibrated(left_out, pairs.y, pairs.w, pairs.collections))
        final = fit(x, pairs.y, pairs.w)
        final.curve = fit_curve(scores, pairs.y, pairs.w)
        models[key] = final.written(names)
    if arguments.out:
        used, version = [*asked.reader.CORPORA, "qa", "needs", "written", "sets"], pairs.features_version
        header = card("relevance", "the probability that an entry is about a question", "training/relevance/train", used, version, {"folds": SEED})
        text = json.dumps({"card": header, **models}, separators=(",", ":"))
        arguments.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
