"""Trains the reader and writes its weights; see README.md.

    train.py TRACES --out ../../plugins/providers/reader/model/reader.json
    train.py TRACES --cross-validate
    train.py TRACES --leave-out

TRACES is the folder that `traces` filled: NAME.jsonl, NAME-without.jsonl and NAME-exchanged.jsonl for each collection.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

import report
import word_model
from card import card
from choice import answer_features, choose
from data import Case, load, read_names
from exchanged import exchanged, renumbered
from models import Model, fit_curve, on_curve
from questions import CORPORA, JUDGED, judged, written
from word_model import WordModel
from words import Words, input_names, words_of

FOLDS, SEED = 5, 35
# Weight of a question of each collection: short clean prose is plentiful and easy.
WEIGHTS = {"xquad-en": 0.5, "scifact": 0.5}
# Of the answer model.
WEIGHT_WITHOUT_GOLD = 0.03
BUDGET = {"enough": 0.7, "gain": 0.016}
# The numbers that need token vectors.
OF_VECTORS = ("similarity", "mean", "focus_similarity")

SEEDS_OF_WORDS = (1, 2)


class AnswerWeights(NamedTuple):
    """Of a written question, of one that nothing answers beside other written ones, and of one with an exchanged
    word: in learning, and on the curve to a probability, where it stands for how often such questions come."""

    written: float
    unanswerable: float
    exchanged: float
    unanswerable_on_curve: float
    exchanged_on_curve: float


# Without words the model judges answers in languages without cues, where any weight of exchanged questions, which are
# English, took the status from right answers.
WITHOUT_WORDS = AnswerWeights(0.1, 1.5, 0.0, 1.5, 0.0)
# Scores of words tell a stated detail from a missing one, so such questions can count more.
WITH_WORDS = AnswerWeights(0.3, 6.0, 0.3, 1.5, 0.05)
# The inverse of the penalty of the linear model of an answer.
C_WITHOUT_WORDS, C_WITH_WORDS = 0.02, 0.2


def sentence_model():
    return Model(trees=400, leaves=8, least=20, seeds=1)


def answer_model(c):
    return Model(trees=150, leaves=6, least=25, rate=0.05, c=c)


def read_cases(folder: Path, names, suffix="") -> list[Case]:
    cases = []
    for name in CORPORA:
        questions = {q.id: q for q in judged(name) + written(name)}
        for without in (False, True):
            path = folder / f"{name}{suffix}{'-without' if without else ''}.jsonl"
            cases += load(name, str(path), questions, without, names)
        asked = list(questions.values())
        changed = {q.id: q for q in exchanged(name, asked) + renumbered(name, asked)}
        cases += load(name, str(folder / f"{name}{suffix}-exchanged.jsonl"), changed, False, names)
    return [case for case in cases if len(case.texts) and not case.lists]


def folds_of(cases):
    """Each group, which is a gold entry or a question without one, is in one fold."""
    groups = sorted({(c.set, c.group) for c in cases})
    order = np.random.default_rng(SEED).permutation(len(groups))
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


def answer_weights(cases, of: AnswerWeights, on_curve=False):
    """Judged questions count more than written ones: their patterns take every right answer. A ranking without
    the gold entry is a question that nothing answers; there are fewer of those in use than here."""
    unanswerable = of.unanswerable_on_curve if on_curve else of.unanswerable
    exchanged = of.exchanged_on_curve if on_curve else of.exchanged

    def weight(case):
        if case.question.is_exchanged:
            return exchanged
        weight = of.written if case.question.is_written else 1.0
        if case.without_gold:
            return weight * WEIGHT_WITHOUT_GOLD
        return weight if case.question.is_answerable else weight * unanswerable

    return np.array([WEIGHTS.get(c.set, 1.0) * weight(c) for c in cases])


class Answers(NamedTuple):
    """What an answer model learns from: a row of features a case."""

    names: list[str]
    x: np.ndarray
    right: np.ndarray
    weights: np.ndarray
    curve_weights: np.ndarray
    c: float

    def fit(self, picked):
        return answer_model(self.c).fit(self.x[picked], self.right[picked], self.weights[picked])

    def out_of_fold_scores(self, folds):
        scores = np.zeros(len(folds))
        for fold in range(FOLDS):
            scores[folds == fold] = self.fit(folds != fold).score(self.x[folds == fold])
        return scores


def answer_rows(cases, found, names, columns) -> Answers:
    x = np.array([f[1] for f in found], dtype=np.float32)[:, columns.answer]
    right = np.array([int(f[2]) for f in found])
    weights = [answer_weights(cases, WITHOUT_WORDS, on_curve) for on_curve in (False, True)]
    return Answers([names.answer[i] for i in columns.answer], x, right, *weights, C_WITHOUT_WORDS)


def with_words(answers: Answers, cases, words, folds) -> Answers:
    """The rows with the scores of words, by models that did not see their questions."""
    x = np.zeros((len(cases), len(word_model.NAMES)), dtype=np.float32)
    for fold in range(FOLDS):
        models = fit_words(cases, words, folds != fold)
        for i in np.flatnonzero(folds == fold):
            x[i] = word_model.answer_features(words[i], *models.scores(words[i]))
    weights = [answer_weights(cases, WITH_WORDS, on_curve) for on_curve in (False, True)]
    return Answers(answers.names + word_model.NAMES, np.hstack([answers.x, x]), answers.right, *weights, C_WITH_WORDS)


def fit_words(cases, words, picked) -> WordModel:
    def kind(case):
        if case.question.is_exchanged:
            return "exchanged"
        if case.without_gold:
            return "without_gold"
        return "answered" if case.question.is_answerable else "unanswerable"

    picked = np.flatnonzero(picked)
    weights = [WEIGHTS.get(cases[i].set, 1.0) for i in picked]
    data = [words[i] for i in picked], [kind(cases[i]) for i in picked], weights
    return word_model.mean([WordModel(seed).fit(*data) for seed in SEEDS_OF_WORDS])


class CrossValidated(NamedTuple):
    """What weights made of questions that they did not see."""

    curve: list
    found: list
    answers: Answers
    confidence: np.ndarray
    answer_curve: list
    # The same by a model that has the scores of words.
    words: list[Words]
    worded: "CrossValidated | None" = None


def cross_validate(cases, names, columns, has_vectors):
    """With the scores of words where there are vectors."""
    folds = folds_of(cases)
    scores = out_of_fold_scores(cases, folds, columns)
    curve = sentence_curve(cases, scores)
    probabilities = [on_curve(curve, s) for s in scores]
    found = answers(cases, probabilities, names)
    rows = answer_rows(cases, found, names, columns)
    seen = CrossValidated(curve, found, rows, *confidence_of(rows, folds), words=[])
    if not has_vectors:
        return seen
    words = [words_of(case, p, f[0], names) for case, p, f in zip(cases, probabilities, found)]
    worded = with_words(rows, cases, words, folds)
    return seen._replace(words=words, worded=CrossValidated(curve, found, worded, *confidence_of(worded, folds), words=words))


def confidence_of(answers: Answers, folds):
    scores = answers.out_of_fold_scores(folds)
    curve = fit_curve(scores, answers.right, answers.curve_weights)
    return on_curve(curve, scores), curve


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
    written = {
        "sentence": sentences.written([names.sentence[i] for i in columns.sentence]),
        "answer": written_answers(seen),
    }
    if seen.worded:
        written["answer_with_words"] = written_answers(seen.worded)
        written["words"] = fit_words(cases, seen.words, np.ones(len(cases), dtype=bool)).written(
            input_names(names), next(case.embedder for case in cases if case.embedder)
        )
    return written


def written_answers(seen):
    model = seen.answers.fit(np.ones(len(seen.found), dtype=bool))
    model.curve = seen.answer_curve
    return model.written(seen.answers.names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cross-validate", action="store_true")
    parser.add_argument("--leave-out", action="store_true", help="each collection by weights of the others")
    parser.add_argument("--without-vectors", action="store_true")
    parser.add_argument("--without-words", action="store_true", help="report the model without the scores of words")
    arguments = parser.parse_args()
    names = read_names(str(arguments.traces / f"{next(iter(CORPORA))}.jsonl"))
    cases = read_cases(arguments.traces, names)
    columns = {has_vectors: Columns(names, has_vectors) for has_vectors in (True, False)}
    reported = not arguments.without_vectors
    needed = [v for v in (True, False) if arguments.out or arguments.cross_validate and v == reported]
    seen = {v: cross_validate(cases, names, columns[v], v) for v in needed}
    if arguments.cross_validate:
        shown = seen[reported].worded if reported and not arguments.without_words else seen[reported]
        report.print_table(cases, shown.found, shown.confidence)
    if arguments.leave_out:
        leave_out(cases, columns[reported])
    if arguments.out:
        purpose = "the sentences and words that answer a question, and the probability that they do"
        used = [*CORPORA, "qa", "written", "exchanged"]
        seeds = {"folds": SEED, "words": " and ".join(map(str, SEEDS_OF_WORDS))}
        header = card("reader", purpose, "training/reader/train", used, names.version, seeds)
        weights = {
            "card": header,
            "budget": BUDGET,
            "with_vectors": train(cases, names, columns[True], seen[True]),
            "without_vectors": train(cases, names, columns[False], seen[False]),
        }
        arguments.out.write_text(json.dumps(weights, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
