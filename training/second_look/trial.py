"""Adds a score to that of the fusion and measures what the order gains:
trial.py WORK NAME... The weight of a collection is the best one of the
others: of all that are named, and of those of them in FITTED."""
import json
import math
import sys

import numpy as np

from sets import FITTED

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


def left_out(tables, used):
    """The place of the best weight for those used, without the collection itself, for each collection."""
    means = np.array([table.mean(0) for table in tables])
    others = lambda i: [j for j in used if j != i]
    return [int(means[others(i)].mean(0).argmax()) for i in range(len(tables))]


def interval(columns, random):
    """95 % of the mean over collections when questions are drawn again."""
    means = [c[random.integers(len(c), size=(SAMPLES, len(c)))].mean(1) for c in columns]
    return np.percentile(np.mean(means, 0), [2.5, 97.5])


def report(title, tables, fitted, random):
    """Prints what a score gains with the weights that are best for the others, then with one weight for all."""
    for name, used in [("all", range(len(tables))), ("the fitted", fitted)]:
        chosen = left_out(tables, used)
        columns = [table[:, at] for table, at in zip(tables, chosen)]
        each = " ".join(f"{c.mean():+.4f}({WEIGHTS[at]})" for c, at in zip(columns, chosen))
        print(f"{title}, weights from {name}: {told(columns, random)} {each}")
    by_weight = np.mean([table.mean(0) for table in tables], 0)
    print("    one weight for all:", " ".join(f"{w}:{gain:+.4f}" for w, gain in zip(WEIGHTS, by_weight)))


def told(columns, random):
    low, high = interval(columns, random)
    return f"{np.mean([column.mean() for column in columns]):+.4f} [{low:+.4f} {high:+.4f}]"


def compare(tables, others, random):
    """Prints how far one score is above another with the same weight."""
    for at, weight in enumerate(WEIGHTS[1:9], 1):
        columns = [a[:, at] - b[:, at] for a, b in zip(tables, others)]
        print(f"    above stored, weight {weight}: {told(columns, random)}")


def main(work, *names):
    random = np.random.default_rng(SEED)
    sets = []
    for name in names:
        scores = {s["id"]: s["scores"] for s in map(json.loads, open(f"{work}/{name}.scores"))}
        questions = [q for q in map(json.loads, open(f"{work}/{name}.jsonl")) if q["id"] in scores]
        sets.append((questions, scores))
        product = np.mean([ndcg([hit["id"] for hit in q["hits"]], q["grades"]) for q in questions])
        off = np.array([s["exact"] - s["stored"] for q in questions for s in scores[q["id"]] if s and "exact" in s])
        print(f"{name}: {len(questions)} questions, product {product:.4f}")
        if len(off):
            most = abs(off).max()
            print(f"    exact - stored: {off.mean():+.5f}, deviation {off.std():.5f}, most {most:.4f}, {len(off)} hits")
    fitted = [place for place, name in enumerate(names) if name in FITTED]
    has_exact = any(s and "exact" in s for hits in sets[0][1].values() for s in hits)
    for scaled in (False, True):
        print("standardized" if scaled else "on the scale of the fusion")
        tables = {}
        for key, depth in [("stored", 50), ("stored", 20), ("exact", 20), ("whole", 20)]:
            if key == "stored" or has_exact:
                tables[key] = [gains(*one, key, depth, scaled) for one in sets]
                report(f"{key}, first {depth}", tables[key], fitted, random)
            if key != "stored" and has_exact:
                compare(tables[key], tables["stored"], random)


main(*sys.argv[1:])
