"""What an exact search finds, and how much of it another one found."""

import collections
import functools
import math

import numpy
import snowballstemmer

from corpus import tokens

K1, B = 1.2, 0.75
SHOWN = 10


class Bm25:
    """BM25 over what `terms` makes of texts: no stop words, any term of the
    question."""

    def __init__(self, texts, terms=tokens):
        self.terms = terms
        counted = [collections.Counter(terms(text)) for text in texts]
        lengths = numpy.array([sum(words.values()) for words in counted], dtype=numpy.float32)
        self.norm = K1 * (1 - B + B * lengths / lengths.mean())
        postings = collections.defaultdict(lambda: ([], []))
        for number, words in enumerate(counted):
            for word, times in words.items():
                postings[word][0].append(number)
                postings[word][1].append(times)
        self.postings = {
            word: (numpy.array(rows), numpy.array(times, dtype=numpy.float32))
            for word, (rows, times) in postings.items()
        }

    def scores(self, question):
        """The score of each entry."""
        scores = numpy.zeros(len(self.norm), dtype=numpy.float32)
        for word in set(self.terms(question)):
            rows, times = self.postings.get(word, ([], []))
            if len(rows):
                idf = math.log(1 + (len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
                scores[rows] += idf * times * (K1 + 1) / (times + self.norm[rows])
        return scores


class Stems:
    """The words of a text by their English stems."""

    def __init__(self):
        self.stem = functools.cache(snowballstemmer.stemmer("english").stemWord)

    def __call__(self, text):
        return [self.stem(word) for word in tokens(text)]


class Cosine:
    """The cosine of each entry's vector with the question's."""

    def __init__(self, vectors):
        self.vectors = normalized(vectors)

    def scores(self, vector):
        return self.vectors @ (vector / numpy.linalg.norm(vector))


def normalized(vectors):
    """The vectors with length 1."""
    return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


def overlap(scores, found):
    """The part of the first ten that an exact search would show too. Where
    several entries score as the tenth does, each of them is as good."""
    tenth = numpy.partition(scores, -SHOWN)[-SHOWN]
    found = list(dict.fromkeys(found))[:SHOWN]
    return sum(scores[row] >= tenth - 1e-5 and scores[row] > 0 for row in found) / SHOWN


def best(scores):
    """The rows of the ten best."""
    rows = numpy.argpartition(scores, -SHOWN)[-SHOWN:]
    return rows[numpy.argsort(-scores[rows])]
