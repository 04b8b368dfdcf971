"""The models: boosted trees and a linear model, and how they are written."""

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression

# Of the trees of every model; a training's own seed makes its folds.
SEED = 35
CLIP = 4.0


class Model:
    """The mean of the log-odds of both, on a curve to a probability."""

    def __init__(self, trees: int, leaves: int, least: int, rate: float = 0.05, seeds: int = 1, c: float = 0.05):
        self.settings = dict(trees=trees, leaves=leaves, least=least, rate=rate, seeds=seeds, c=c)
        self.curve = None

    def fit(self, x, y, w):
        s = self.settings
        self.mean, deviation = x.mean(axis=0), x.std(axis=0)
        self.scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0.0)
        linear = LogisticRegression(C=s["c"], max_iter=2000)
        linear.fit(self.scaled(x), y, sample_weight=w)
        self.weights, self.intercept = linear.coef_[0], float(linear.intercept_[0])
        self.boosters = []
        for seed in range(s["seeds"]):
            parameters = dict(
                objective="binary", learning_rate=s["rate"], num_leaves=s["leaves"], min_data_in_leaf=s["least"],
                feature_fraction=0.4, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5.0, verbose=-1,
                num_threads=2, seed=SEED + seed, deterministic=True, force_row_wise=True,
            )
            data = lightgbm.Dataset(x, label=y, weight=w)
            self.boosters.append(lightgbm.train(parameters, data, num_boost_round=s["trees"]))
        return self

    def scaled(self, x):
        return np.clip((x - self.mean) * self.scale, -CLIP, CLIP)

    def linear_score(self, x):
        return self.scaled(x) @ self.weights + self.intercept

    def tree_score(self, x):
        return np.mean([b.predict(x, raw_score=True) for b in self.boosters], axis=0)

    def score(self, x):
        if len(x) == 0:
            return np.zeros(0)
        return (self.linear_score(x) + self.tree_score(x)) / 2

    def probability(self, x):
        return on_curve(self.curve, self.score(x))

    def written(self, names):
        trees = [t for b in self.boosters for t in b.dump_model()["tree_info"]]
        share = 1 / len(self.boosters)
        return {
            "features": names,
            "linear": {
                "intercept": number(self.intercept),
                "weights": [[number(w), number(m), number(s)] for w, m, s in zip(self.weights, self.mean, self.scale)],
            },
            "trees": [tree(t["tree_structure"], share) for t in trees],
            "curve": [[number(a), number(b)] for a, b in self.curve],
        }


def fit_curve(scores, labels, weights):
    """A logistic curve through scores that the model did not see (Platt 1999), as points."""
    platt = LogisticRegression(C=1e6)
    platt.fit(scores.reshape(-1, 1), labels, sample_weight=weights)
    points = np.linspace(-8, 8, 65)
    odds = platt.coef_[0][0] * points + platt.intercept_[0]
    return list(zip(points, 1 / (1 + np.exp(-odds))))


def on_curve(curve, scores):
    points = np.array(curve)
    return np.interp(scores, points[:, 0], points[:, 1])


def tree(structure, share):
    inputs, thresholds, left, right, leaves = [], [], [], [], []

    def visit(node):
        if "leaf_value" in node:
            leaves.append(number(node["leaf_value"] * share))
            return -len(leaves)
        at = len(inputs)
        inputs.append(node["split_feature"])
        thresholds.append(number(node["threshold"], 7))
        left.append(0)
        right.append(0)
        left[at] = visit(node["left_child"])
        right[at] = visit(node["right_child"])
        return at

    visit(structure)
    return {"inputs": inputs, "thresholds": thresholds, "left": left, "right": right, "leaves": leaves}


def number(value, digits=5):
    """So many significant digits: small files, and no less exact than float32 needs."""
    return float(f"{float(value):.{digits}g}")
