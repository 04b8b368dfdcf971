"""Cross-validation of scores and probabilities, for the models of all trainings."""

import numpy as np

from models import fit_curve, on_curve


def folds_of(groups, folds, seed):
    """The fold of each row; rows of one group are in one fold."""
    ids = sorted(set(groups))
    np.random.default_rng(seed).shuffle(ids)
    of = {group: at % folds for at, group in enumerate(ids)}
    return np.array([of[group] for group in groups])


def out_of_fold(fit, x, y, w, folds):
    """Scores of models that did not see the fold; `fit(x, y, w)` gives a model."""
    scores = np.zeros(len(y))
    for fold in sorted(set(folds)):
        train, test = folds != fold, folds == fold
        scores[test] = fit(x[train], y[train], w[train]).score(x[test])
    return scores


def calibrated(scores, y, w, folds):
    """Probabilities by curves that did not see the fold either."""
    p = np.zeros(len(y))
    for fold in sorted(set(folds)):
        train, test = folds != fold, folds == fold
        p[test] = on_curve(fit_curve(scores[train], y[train], w[train]), scores[test])
    return p


def calibration_error(p, y, bins=10):
    """The mean difference between the mean probability and the share that is right, by the rows of each bin."""
    at = np.minimum((p * bins).astype(int), bins - 1)
    inside = [at == b for b in range(bins)]
    return sum(i.sum() * abs(p[i].mean() - y[i].mean()) for i in inside if i.any()) / max(len(y), 1)
