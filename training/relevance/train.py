"""Trains the model of relevance.

    train.py TRACES [--cross-validate] [--out WEIGHTS]
"""

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import judged as asked

CLIP = 4.0
FOLDS = 5
# Features that stores without token vectors lack.
OF_VECTORS = ["similarity", "similarity_least", "mean"]
PRODUCTS = [
    "coverage*terms", "coverage*coverage_title", "coverage*heaviest", "coverage_window*pairs", "pairs*terms",
    "frequency*terms", "coverage*coverage", "frequency*frequency",
]
PRODUCTS_OF_VECTORS = ["similarity*similarity", "similarity*coverage", "similarity*terms", "mean*mean", "mean*coverage"]


class Pairs:
    """Questions and entries with their features and labels."""

    def __init__(self, traces: Path):
        self.rows, self.labels, self.questions, self.weights = [], [], [], []
        self.kinds, self.collections, self.ranks = [], [], []
        for name in asked.reader.CORPORA:
            lines = asked.reader.lines(traces / f"{name}.jsonl")
            self.names = lines[0]["features"]
            entries = asked.reader.corpus(name)
            by_id = {q.id: q for q in asked.of_collection(name)}
            for line in lines[1:]:
                self.add(name, by_id[line["id"]], line, entries)
        self.x = np.array(self.rows, dtype=np.float64)
        self.y = np.array(self.labels)
        self.w = np.array(self.weights)
        self.questions = np.array(self.questions)
        self.kinds, self.collections = np.array(self.kinds), np.array(self.collections)

    def add(self, collection, question, line, entries):
        found = []
        for rank, entry in enumerate(line["entries"]):
            of_entry = entries.get(entry["id"], {"text": ""})
            label = question.label(entry["id"], f"{of_entry.get('title') or ''}\n{of_entry['text']}")
            if label is not None:
                found.append((entry["features"], label, rank))
        for features, label, rank in found:
            self.rows.append(features)
            self.labels.append(label)
            self.ranks.append(rank)
            self.questions.append(f"{collection}/{question.id}")
            self.kinds.append(question.kind)
            self.collections.append(collection)
            self.weights.append(1.0)

    def inputs(self, has_vectors: bool):
        names = [n for n in self.names if has_vectors or n not in OF_VECTORS]
        products = PRODUCTS + (PRODUCTS_OF_VECTORS if has_vectors else [])
        columns = [self.x[:, self.names.index(n)] for n in names]
        for product in products:
            a, b = (self.x[:, self.names.index(n)] for n in product.split("*"))
            columns.append(a * b)
        return names + products, np.stack(columns, axis=1)


class Linear:
    def fit(self, x, y, w, c=0.3):
        self.mean, deviation = x.mean(axis=0), x.std(axis=0)
        self.scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0.0)
        model = LogisticRegression(C=c, max_iter=3000)
        model.fit(self.scaled(x), y, sample_weight=w)
        self.weights, self.intercept = model.coef_[0], float(model.intercept_[0])
        return self

    def scaled(self, x):
        return np.clip((x - self.mean) * self.scale, -CLIP, CLIP)

    def probability(self, x):
        return 1 / (1 + np.exp(-(self.scaled(x) @ self.weights + self.intercept)))


def folds_of(questions):
    ids = sorted(set(questions))
    np.random.default_rng(36).shuffle(ids)
    of = {q: at % FOLDS for at, q in enumerate(ids)}
    return np.array([of[q] for q in questions])


def out_of_fold(x, y, w, folds):
    p = np.zeros(len(y))
    for fold in set(folds):
        train, test = folds != fold, folds == fold
        p[test] = Linear().fit(x[train], y[train], w[train]).probability(x[test])
    return p


def calibration_error(p, y, bins=10):
    at = np.minimum((p * bins).astype(int), bins - 1)
    error = 0.0
    for b in range(bins):
        inside = at == b
        if inside.any():
            error += inside.sum() * abs(p[inside].mean() - y[inside].mean())
    return error / len(y)


def report(pairs, p):
    for collection in [*asked.reader.CORPORA, None]:
        of = np.ones(len(p), bool) if collection is None else pairs.collections == collection
        near = of & (p >= 0.1)
        print(f"{collection or 'all':18} pairs {of.sum():6} ece {calibration_error(p[of], pairs.y[of]):.3f}"
              f" ece>=.1 {calibration_error(p[near], pairs.y[near]):.3f}", end="  ")
        for kind in ("query", "event", "nothing", "set"):
            print(kind, summary(pairs, p, of & (pairs.kinds == kind), kind), end="  ")
        print()


def summary(pairs, p, of, kind):
    kept = total = exact = 0
    tp = fp = fn = 0
    for q in set(pairs.questions[of]):
        rows = np.flatnonzero(of & (pairs.questions == q))
        rows = rows[:10] if kind in ("event", "nothing") else rows
        member, y = p[rows] >= 0.5, pairs.y[rows]
        total += 1
        tp, fp, fn = tp + (member & (y == 1)).sum(), fp + (member & (y == 0)).sum(), fn + (~member & (y == 1)).sum()
        kept += (member & (y == 1)).any() if kind != "nothing" else not member.any()
        exact += (member == (y == 1)).all()
    return f"{kept}/{total} exact {exact} P {tp / max(tp + fp, 1):.2f} R {tp / max(tp + fn, 1):.2f}"


def written(model, names):
    rows = zip(names, model.weights, model.mean, model.scale)
    return {
        "intercept": round(model.intercept, 5),
        "inputs": [[n, *(float(f"{v:.5g}") for v in values)] for n, *values in rows],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("traces", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    pairs = Pairs(arguments.traces)
    folds = folds_of(pairs.questions)
    models = {}
    for key, has_vectors in (("with_vectors", True), ("without_vectors", False)):
        names, x = pairs.inputs(has_vectors)
        if arguments.cross_validate:
            print(f"\n{key}, by question")
            report(pairs, out_of_fold(x, pairs.y, pairs.w, folds))
            print(f"{key}, by collection")
            report(pairs, out_of_fold(x, pairs.y, pairs.w, pairs.collections))
        models[key] = written(Linear().fit(x, pairs.y, pairs.w), names)
    if arguments.out:
        made = {"by": "training/relevance/train", "pairs": len(pairs.y)}
        arguments.out.write_text(json.dumps({"made": made, **models}) + "\n")


if __name__ == "__main__":
    main()
