"""The model of words: how likely each word of a sentence is the answer, or the beginning of it."""

from base64 import b64encode

import numpy as np

from models import number
from words import Words, unpacked

RANK = 16
PASSES = 4
BATCH = 16
RATE = 3e-3
DECAY = 0.005
# Share of the dimensions of signs that a step leaves out.
LEFT_OUT = 0.3
# Weight of a question that nothing answers, of one whose gold entries were taken out of the ranking, of one without
# the sentences that answer it, and of one with an exchanged word.
WEIGHT_UNANSWERABLE, WEIGHT_WITHOUT_GOLD, WEIGHT_WITHOUT_SENTENCE, WEIGHT_EXCHANGED = 6.0, 0.15, 0.5, 0.5
# Vectors of length 1 are scaled for steps of one size.
SCALE = 4.0
CLIP = 4.0
# Scores of an answer without words, as of one that is far from any answer.
NO_WORDS = [-12.0, -12.0, -6.0, 0.0, 0.0, 0.0]
NAMES = ["word_best", "word_sum", "word_elsewhere", "word_spread", "word_margin", "word_none"]


class WordModel:
    """A word scores `question · U · (V · signs) + w · features`, and that there is no answer `question · U · n + b`.
    The probability of each is the softmax of these scores over all words of the question and no answer."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def fit(self, words: list[Words], kinds, weights):
        """`kinds`: whether the words hold an answer ("answered"), or none ("unanswerable", "without_gold")."""
        found = np.concatenate([w.features for w in words])
        self.mean, deviation = found.mean(axis=0), found.std(axis=0)
        self.scale = 1 / np.maximum(deviation, 1e-3)
        self.parameters = self.begin(words[0])
        jobs = jobs_of(words, kinds, weights)
        adam, steps = Adam(self.parameters), PASSES * -(-len(jobs) // BATCH)
        for _ in range(PASSES):
            self.random.shuffle(jobs)
            for first in range(0, len(jobs), BATCH):
                gradient = {name: np.zeros_like(p) for name, p in self.parameters.items()}
                for at, kind, weight in jobs[first : first + BATCH]:
                    self.add_gradient(gradient, words[at], kind, weight / BATCH)
                adam.step(gradient, RATE * (1 - adam.steps / (steps + 1)))
        return self

    def begin(self, words):
        inputs, dimension, features = len(words.asked), 8 * words.signs.shape[1], words.features.shape[1]
        normal = lambda deviation, *shape: self.random.normal(0, deviation, shape).astype(np.float32)
        return {
            "u": normal(inputs**-0.5, inputs, RANK),
            "v": normal(0.5 * dimension**-0.5, dimension, RANK),
            "w": np.zeros(features, np.float32),
            "n": np.zeros(RANK, np.float32),
            "b": np.zeros(1, np.float32),
        }

    def scaled(self, features):
        return np.clip((features - self.mean) * self.scale, -CLIP, CLIP).astype(np.float32)

    def add_gradient(self, gradient, words, kind, weight):
        p = self.parameters
        kept = np.ones(len(words.sentence), dtype=bool)
        if kind == "without_sentence":
            kept = ~np.isin(words.sentence, words.sentence[words.answers])
        if not kept.any():
            return
        signs = SCALE * unpacked(words.signs[kept])
        signs *= (self.random.random(signs.shape[1]) > LEFT_OUT).astype(np.float32) / (1 - LEFT_OUT)
        x, asked = self.scaled(words.features[kept]), SCALE * words.asked
        question, projected = asked @ p["u"], signs @ p["v"]
        scores = np.append(projected @ question + x @ p["w"], question @ p["n"] + p["b"])
        shares = softmax(scores)
        wanted = np.append(words.answers[kept], False) if kind == "answered" else np.arange(len(scores)) == kept.sum()
        error = (weight * (shares - np.where(wanted, shares, 0) / shares[wanted].sum())).astype(np.float32)
        of_words, of_none = error[:-1], error[-1]
        of_question = projected.T @ of_words + of_none * p["n"]
        gradient["u"] += np.outer(asked, of_question)
        gradient["v"] += np.outer(signs.T @ of_words, question)
        gradient["w"] += x.T @ of_words
        gradient["n"] += of_none * question
        gradient["b"] += of_none

    def scores(self, words):
        """Of each word, and of no answer."""
        p = self.parameters
        question = SCALE * words.asked @ p["u"]
        of_words = SCALE * unpacked(words.signs) @ (p["v"] @ question) + self.scaled(words.features) @ p["w"]
        return of_words, float(question @ p["n"] + p["b"][0])

    def written(self, names, embedder):
        """Matrices in eight bits, a step for each column. `embedder`: whose vectors the model was made with."""
        p = self.parameters
        return {
            "embedder": embedder,
            "features": names,
            "u": in_eight_bits(p["u"]),
            "v": in_eight_bits(p["v"]),
            "weights": [[number(w), number(m), number(s)] for w, m, s in zip(p["w"], self.mean, self.scale)],
            "none": [number(n) for n in p["n"]],
            "intercept": number(p["b"][0]),
        }


def mean(models: list[WordModel]) -> WordModel:
    """One model whose scores are the means of theirs: the ranks stand side by side."""
    joined, count = models[0], len(models)
    of = lambda name: [model.parameters[name] for model in models]
    joined.parameters = {
        "u": np.hstack(of("u")),
        "v": np.hstack(of("v")) / count,
        "w": np.mean(of("w"), axis=0),
        "n": np.hstack(of("n")) / count,
        "b": np.mean(of("b"), axis=0),
    }
    return joined


def in_eight_bits(matrix):
    """Rows of codes; a code times the step of its column is the number."""
    steps = np.maximum(np.abs(matrix).max(axis=0), 1e-9) / 127
    codes = np.rint(matrix / steps).astype(np.int8)
    return {"steps": [number(s) for s in steps], "codes": b64encode(codes.tobytes()).decode()}


def jobs_of(words, kinds, weights):
    jobs = []
    for at, (kind, weight) in enumerate(zip(kinds, weights)):
        if not len(words[at].sentence):
            continue
        if kind == "unanswerable":
            jobs.append((at, kind, weight * WEIGHT_UNANSWERABLE))
        elif kind == "without_gold":
            jobs.append((at, kind, weight * WEIGHT_WITHOUT_GOLD))
        elif kind == "exchanged":
            jobs.append((at, kind, weight * WEIGHT_EXCHANGED))
        elif words[at].answers.any():
            jobs += [(at, kind, weight), (at, "without_sentence", weight * WEIGHT_WITHOUT_SENTENCE)]
    return jobs


class Adam:
    """Kingma and Ba 2015, with decay of the two matrices."""

    def __init__(self, parameters):
        self.parameters, self.steps = parameters, 0
        self.first = {name: np.zeros_like(p) for name, p in parameters.items()}
        self.second = {name: np.zeros_like(p) for name, p in parameters.items()}

    def step(self, gradient, rate):
        self.steps += 1
        for name, p in self.parameters.items():
            g, first, second = gradient[name], self.first[name], self.second[name]
            first += 0.1 * (g - first)
            second += 0.01 * (g * g - second)
            step = first / (1 - 0.9**self.steps) / (np.sqrt(second / (1 - 0.99**self.steps)) + 1e-8)
            p -= (rate * (step + (DECAY * p if name in "uv" else 0))).astype(np.float32)


def softmax(scores):
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


def answer_features(words: Words, scores, none):
    """NAMES: of the words of the chosen sentences the best score and the logarithm of the sum of all, above that of
    no answer, and the latter above that of the other words; how evenly they are spread; the best above the second."""
    chosen, others = scores[words.chosen], scores[~words.chosen]
    if not len(chosen):
        return NO_WORDS
    ranked = np.sort(chosen)[::-1]
    total = np.logaddexp.reduce(chosen)
    shares = softmax(chosen)
    values = [
        ranked[0] - none,
        total - none,
        total - (np.logaddexp.reduce(others) if len(others) else -12.0),
        -(shares * np.log(np.maximum(shares, 1e-9))).sum(),
        ranked[0] - ranked[1] if len(ranked) > 1 else 0.0,
        none,
    ]
    return [float(np.clip(v, -15, 15)) for v in values]
