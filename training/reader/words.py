"""The words of the sentences that may be quoted, as `reader.rs` and `words.rs` have them."""

from dataclasses import dataclass

import numpy as np

from data import BYTES_OF_SIGNS, Case, Names

# Sentences whose words are scored: the chosen ones, and so many of the most probable.
SENTENCES = 6
# The first features, which are multiplied with what the question asks for.
FLAGS = 4
ASKS = ["cause", "fix", "number", "duration", "date", "name", "place", "outcome", "manner", "nothing"]
# The features of the program are multiples of this.
STEP = 1 / 4096


@dataclass
class Words:
    """The words of a case."""

    # The vectors of the question.
    asked: np.ndarray
    signs: np.ndarray
    features: np.ndarray
    # The row of the case that each is in, and whether that is chosen.
    sentence: np.ndarray
    chosen: np.ndarray
    answers: np.ndarray


def input_names(names: Names) -> list[str]:
    """Those of a word, and the product of each ask with each flag."""
    return names.word + [f"{ask}_{flag}" for ask in ASKS for flag in names.word[:FLAGS]]


def unpacked(signs):
    """One row a word, of length 1."""
    bits = np.unpackbits(signs, axis=1, bitorder="little").astype(np.float32)
    return (2 * bits - 1) / np.sqrt(bits.shape[1], dtype=np.float32)


def words_of(case: Case, p, chosen, names: Names) -> Words:
    rows = sorted({*chosen, *np.argsort(-p, kind="stable")[:SENTENCES].tolist()})
    found = [case.words[row] for row in rows]
    sentence = np.repeat(np.array(rows, dtype=int), [len(words.answers) for words in found])
    own = np.concatenate([words.features for words in found])
    odds = np.clip(p, 1e-4, 1 - 1e-4)
    own[:, names.word.index("odds")] = np.round(np.log(odds / (1 - odds)) / STEP)[sentence] * STEP
    asks = case.features[0][[names.sentence.index(f"asks_{ask}") for ask in ASKS]]
    crossed = (asks[None, :, None] * own[:, None, :FLAGS]).reshape(len(own), len(ASKS) * FLAGS)
    no_vectors = np.zeros(2 * 8 * BYTES_OF_SIGNS, np.float32)
    return Words(
        asked=no_vectors if case.question_vectors is None else case.question_vectors,
        signs=np.concatenate([words.signs for words in found]),
        features=np.concatenate([own, crossed], axis=1).astype(np.float32),
        sentence=sentence,
        chosen=np.isin(sentence, chosen),
        answers=np.concatenate([words.answers for words in found]),
    )
