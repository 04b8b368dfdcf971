"""Adds a score to that of the fusion and measures what the order gains:
trial.py WORK NAME... The weight of a collection is the best one of the others."""
import json
import math
import sys

import numpy as np

WEIGHTS = [0, .05, .1, .15, .2, .3, .4, .5, .75, 1, 1.5, 2]
SAMPLES, SEED = 10_000, 41


def ndcg(ids, grades):
    discounted = lambda gains: sum(g / math.log2(i + 2) for i, g in enumerate(gains[:10]))
    return discounted([grades.get(i, 0) for i in ids]) / discounted(sorted(grades.values(), reverse=True))


def standardized(x):
    return (x - x.mean()) / (x.std() or 1)


def gains(questions, scores, key, depth, scaled):
    """What nDCG@10 gains: a row for each question, a column for each weight."""
    rows = []
    for question in questions:
        found = question["hits"]
        added = [s and s.get(key) for s in scores[question["id"]][:depth]]
        known = [a for a in added if a is not None]
        added = np.array([np.mean(known) if a is None else a for a in added])
        fused = np.array([hit["score"] for hit in found[:depth]])
        if scaled:
            fused, added = standardized(fused), standardized(added)
        ids = [hit["id"] for hit in found]
        row = []
        for weight in WEIGHTS:
            order = np.argsort(-(fused + weight * added), kind="stable")
            row.append(ndcg([ids[i] for i in order] + ids[depth:], question["grades"]))
        rows.append(np.array(row) - row[0])
    return np.array(rows)


def left_out(tables):
    """The place of the weight that is best for the others, for each collection."""
    means = np.array([table.mean(0) for table in tables])
    return [int(np.delete(means, i, 0).mean(0).argmax()) for i in range(len(tables))]


def interval(columns, random):
    """95 % of the mean over collections when questions are drawn again."""
    means = [c[random.integers(len(c), size=(SAMPLES, len(c)))].mean(1) for c in columns]
    return np.percentile(np.mean(means, 0), [2.5, 97.5])


def report(title, tables, random):
    chosen = left_out(tables)
    columns = [table[:, at] for table, at in zip(tables, chosen)]
    low, high = interval(columns, random)
    each = " ".join(f"{c.mean():+.4f}({WEIGHTS[at]})" for c, at in zip(columns, chosen))
    best = np.mean([t.mean(0) for t in tables], 0)
    print(f"{title:34} {np.mean([c.mean() for c in columns]):+.4f} [{low:+.4f} {high:+.4f}] {each}"
          f"  one weight for all: {best.max():+.4f} ({WEIGHTS[best.argmax()]})")
    return columns


def main(work, *names):
    random = np.random.default_rng(SEED)
    sets = []
    for name in names:
        scores = {s["id"]: s["scores"] for s in map(json.loads, open(f"{work}/{name}.scores"))}
        questions = [q for q in map(json.loads, open(f"{work}/{name}.jsonl")) if q["id"] in scores]
        sets.append((questions, scores))
        product = np.mean([ndcg([h["id"] for h in q["hits"]], q["grades"]) for q in questions])
        print(f"{name}: {len(questions)} questions, product {product:.4f}")
        pairs = [(s["stored"], s["exact"]) for q in questions for s in scores[q["id"]] if s and "exact" in s]
        if pairs:
            off = np.array([a - b for a, b in pairs])
            print(f"  exact against stored score: mean {np.mean(-off):+.5f}, deviation {off.std():.5f}, most {abs(off).max():.4f}; {len(pairs)} hits")
    has_exact = any("exact" in s for q in sets[0][0] for s in sets[0][1][q["id"]] if s)
    for scaled in (False, True):
        kept = {}
        for key, depth in [("stored", 50), ("stored", 20)] + ([("exact", 20), ("whole", 20)] if has_exact else []):
            tables = [gains(q, s, key, depth, scaled) for q, s in sets]
            kept[key, depth] = report(f"{key} of {depth}{', standardized' if scaled else ''}", tables, random)
        if has_exact:
            for key in ("exact", "whole"):
                apart = [a - b for a, b in zip(kept[key, 20], kept["stored", 20])]
                low, high = interval(apart, random)
                print(f"  {key} - stored: {np.mean([c.mean() for c in apart]):+.4f} [{low:+.4f} {high:+.4f}] " + " ".join(f"{c.mean():+.4f}" for c in apart))


main(*sys.argv[1:])
