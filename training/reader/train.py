"""Trains the reader and writes its weights; see README.md.

    train.py TRACES --out ../../plugins/providers/reader/model/reader.json
    train.py TRACES --cross-validate
    train.py TRACES --leave-out

TRACES is the folder that `traces` filled: NAME.jsonl and NAME-without.jsonl for each collection.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

import report
from choice import answer_features, choose
from data import Case, load, read_names
from models import Model, fit_curve, on_curve
from questions import CORPORA, JUDGED, judged, written

FOLDS = 5
# Weight of a question of each collection: short clean prose is plentiful and easy.
WEIGHTS = {"xquad-en": 0.5, "scifact": 0.5}
# Of the answer model.
WEIGHT_WITHOUT_GOLD = 0.03
WEIGHT_WRITTEN = 0.1
# Of a written question that nothing answers, beside other written ones.
WEIGHT_UNANSWERABLE = 1.5
BUDGET = {"enough": 0.72, "gain": 0.015}
# The numbers that need token vectors.
OF_VECTORS = ("similarity", "mean", "focus_similarity")


def sentence_model():
    return Model(trees=250, leaves=15, least=20, seeds=1)


def answer_model():
    return Model(trees=150, leaves=6, least=25, rate=0.05, c=0.02)


def read_cases(folder: Path, names, suffix="") -> list[Case]:
    cases = []
    for name in CORPORA:
        questions = {q.id: q for q in judged(name) + written(name)}
        for without in (False, True):
            path = folder / f"{name}{suffix}{'-without' if without else ''}.jsonl"
            cases += load(name, str(path), questions, without, names)
    return [case for case in cases if len(case.texts) and not case.lists]


def folds_of(cases):
    """Each group, which is a gold entry or a question without one, is in one fold."""
    groups = sorted({(c.set, c.group) for c in cases})
    order = np.random.default_rng(35).permutation(len(groups))
    fold = {groups[g]: i % FOLDS for i, g in enumerate(order)}
    return np.array([fold[(c.set, c.group)] for c in cases])


class Columns:
    """The features that a model uses."""

    def __init__(self, names, with_vectors):
        uses = lambda n: with_vectors or not n.startswith(OF_VECTORS)
        self.sentence = [i for i, n in enumerate(names.sentence) if uses(n)]
        self.answer = [i for i, n in enumerate(names.answer) if uses(n)]


def sentence_rows(cases, columns):
    """The sentence model learns from rankings that hold the gold entry."""
    learned = [c for c in cases if not c.without_gold and c.question.is_answerable]
    x = np.concatenate([c.features for c in learned])[:, columns.sentence]
    y = np.concatenate([c.labels for c in learned])
    w = np.concatenate([np.full(len(c.texts), WEIGHTS.get(c.set, 1.0)) for c in learned])
    return x, y, w


def fit_sentences(cases, columns):
    return sentence_model().fit(*sentence_rows(cases, columns))


def out_of_fold_scores(cases, folds, columns):
    scores = [None] * len(cases)
    for fold in range(FOLDS):
        model = fit_sentences([c for c, f in zip(cases, folds) if f != fold], columns)
        for i in np.flatnonzero(folds == fold):
            scores[i] = model.score(cases[i].features[:, columns.sentence])
    return scores


def sentence_curve(cases, scores):
    kept = [i for i, c in enumerate(cases) if not c.without_gold and c.question.is_answerable]
    weights = np.concatenate([np.full(len(cases[i].texts), WEIGHTS.get(cases[i].set, 1.0)) for i in kept])
    return fit_curve(np.concatenate([scores[i] for i in kept]), np.concatenate([cases[i].labels for i in kept]), weights)


def answers(cases, probabilities, names):
    """For each case the chosen rows, its features and whether it is right."""
    found = []
    for case, p in zip(cases, probabilities):
        chosen = choose(case, p, BUDGET)
        right = case.question.is_answerable and case.question.is_right(report.answer_text(case, chosen))
        found.append((chosen, answer_features(case, chosen, p, names), right))
    return found


def answer_weights(cases):
    """Judged questions count more than written ones: their patterns take every right answer. A ranking without
    the gold entry is a question that nothing answers; there are fewer of those in use than here."""
    return np.array([
        WEIGHTS.get(c.set, 1.0)
        * (WEIGHT_WITHOUT_GOLD if c.without_gold else 1.0)
        * (WEIGHT_WRITTEN if c.question.is_written else 1.0)
        * (1.0 if c.without_gold or c.question.is_answerable else WEIGHT_UNANSWERABLE)
        for c in cases
    ])


def fit_answers(cases, found, columns):
    x = np.array([f[1] for f in found], dtype=np.float32)[:, columns.answer]
    y = np.array([int(f[2]) for f in found])
    return answer_model().fit(x, y, answer_weights(cases))


def out_of_fold_answers(cases, found, folds, columns):
    scores = np.zeros(len(cases))
    for fold in range(FOLDS):
        inside = folds == fold
        model = fit_answers([c for c, i in zip(cases, inside) if not i], [f for f, i in zip(found, inside) if not i], columns)
        x = np.array([f[1] for f, i in zip(found, inside) if i], dtype=np.float32)[:, columns.answer]
        scores[inside] = model.score(x)
    return scores


class CrossValidated(NamedTuple):
    """What weights made of questions that they did not see."""

    curve: list
    found: list
    confidence: np.ndarray
    answer_curve: list


def cross_validate(cases, names, columns):
    folds = folds_of(cases)
    scores = out_of_fold_scores(cases, folds, columns)
    curve = sentence_curve(cases, scores)
    probabilities = [on_curve(curve, s) for s in scores]
    found = answers(cases, probabilities, names)
    answer_scores = out_of_fold_answers(cases, found, folds, columns)
    labels = np.array([int(f[2]) for f in found])
    answer_curve = fit_curve(answer_scores, labels, answer_weights(cases))
    confidence = on_curve(answer_curve, answer_scores)
    return CrossValidated(curve, found, confidence, answer_curve)


def leave_out(cases, columns):
    """Right answers of each collection with judged questions, by weights that saw no question of it."""
    for name in JUDGED:
        seen = [c for c in cases if c.set != name]
        scores = out_of_fold_scores(seen, folds_of(seen), columns)
        model = fit_sentences(seen, columns)
        model.curve = sentence_curve(seen, scores)
        for is_written in (False, True):
            rows = []
            for case in cases:
                question = case.question
                if case.set == name and question.is_written == is_written and question.is_answerable and not case.without_gold:
                    p = model.probability(case.features[:, columns.sentence])
                    chosen = choose(case, p, BUDGET)
                    rows.append((question.is_right(report.answer_text(case, chosen)), sum(len(case.texts[i]) for i in chosen)))
            if rows:
                right, chars = np.mean(rows, axis=0)
                label = name + (" (written)" if is_written else "")
                print(f"without {label}: {sum(r[0] for r in rows)} of {len(rows)} right ({right:.3f}), {chars:.0f} characters")


def train(cases, names, columns, seen):
    """Models of all questions, with the curves of the cross-validated scores."""
    sentences = fit_sentences(cases, columns)
    sentences.curve = seen.curve
    by_answer = fit_answers(cases, seen.found, columns)
    by_answer.curve = seen.answer_curve
    named = lambda columns, names: [names[i] for i in columns]
    return {
        "sentence": sentences.written(named(columns.sentence, names.sentence)),
        "answer": by_answer.written(named(columns.answer, names.answer)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--leave-out", action="store_true", help="each collection by weights of the others")
    parser.add_argument("--without-vectors", action="store_true")
    arguments = parser.parse_args()
    names = read_names(str(arguments.traces / "nrc-reactor.jsonl"))
    cases = read_cases(arguments.traces, names)
    columns = {has_vectors: Columns(names, has_vectors) for has_vectors in (True, False)}
    reported = not arguments.without_vectors
    needed = [v for v in (True, False) if arguments.out or arguments.cross_validate and v == reported]
    seen = {v: cross_validate(cases, names, columns[v]) for v in needed}
    if arguments.cross_validate:
        report.print_table(cases, seen[reported].found, seen[reported].confidence)
    if arguments.leave_out:
        leave_out(cases, columns[reported])
    if arguments.out:
        weights = {
            "made_by": "training/reader/train",
            "made_from": sorted(CORPORA) + ["training/reader/questions"],
            "features_version": names.version,
            "budget": BUDGET,
            "with_vectors": train(cases, names, columns[True], seen[True]),
            "without_vectors": train(cases, names, columns[False], seen[False]),
        }
        arguments.out.write_text(json.dumps(weights, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
