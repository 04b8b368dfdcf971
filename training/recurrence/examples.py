"""Pairs with the probabilities that a test of the program expects, computed as the program does: in `f32`, in its order."""

import json
from bisect import bisect_right
from pathlib import Path

import numpy as np

F = np.float32
PAIRS = 6


def probability(model: dict, values: dict[str, np.float32]) -> np.float32:
    inputs = [values[name] for name in model["features"]]
    linear = F(model["linear"]["intercept"])
    for value, (weight, mean, scale) in zip(inputs, model["linear"]["weights"]):
        linear = linear + F(weight) * np.clip((value - F(mean)) * F(scale), F(-4), F(4))
    trees = F(0)
    for tree in model["trees"]:
        trees = trees + F(leaf(tree, inputs))
    return on_curve([(F(score), F(p)) for score, p in model["curve"]], (linear + trees) / F(2))


def leaf(tree: dict, inputs: list[np.float32]) -> float:
    at = 0 if tree["inputs"] else -1
    while at >= 0:
        goes_left = inputs[tree["inputs"][at]] <= F(tree["thresholds"][at])
        at = tree["left" if goes_left else "right"][at]
    return tree["leaves"][-1 - at]


def on_curve(curve: list[tuple[np.float32, np.float32]], at: np.float32) -> np.float32:
    after = bisect_right(curve, at, key=lambda point: point[0])
    if after in (0, len(curve)):
        return curve[min(after, len(curve) - 1)][1]
    low, high = curve[after - 1], curve[after]
    return low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0])


def examples(names: list[str], rows: np.ndarray, models: dict[str, dict]) -> dict:
    pairs = []
    for row in rows.astype(F):
        values = dict(zip(names, row))
        found = {key: float(probability(model, values)) for key, model in models.items()}
        pairs.append({"features": [float(value) for value in row], **found})
    return {"names": names, "pairs": pairs}


def write(path: Path, pairs, models: dict[str, dict], seed: int):
    """Of the pairs so many, each as likely as another."""
    picked = np.random.default_rng(seed).choice(len(pairs.x), PAIRS, replace=False)
    path.write_text(json.dumps(examples(pairs.names, pairs.x[picked], models), indent=1) + "\n", encoding="utf-8")
