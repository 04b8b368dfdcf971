"""The words of the sentences that may be quoted: their stored signs, and their features for a question."""

import json
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data import Case
from encoder import encoder, unit
from questions import REPOSITORY

# Sentences whose words are scored: the chosen ones, and so many of the most probable.
SENTENCES = 6
# Words after the question word, or from the beginning, that are the focus.
FOCUS_WORDS = 2
# Whether a word has a digit, is a number, begins with a capital inside a sentence, and is in the question; its
# greatest cosine with a word of the question, and its cosine with the focus; the share of its sentence's words that
# are in the question, and the log-odds of the sentence's probability.
NAMES = ["digit", "number", "capital", "asked", "nearest", "focus", "asked_share", "odds"]
FLAGS = 4
ASKS = ["cause", "fix", "number", "duration", "date", "name", "place", "outcome", "manner", "nothing"]
# The features of a word.
FEATURES = NAMES + [f"{ask}_{flag}" for ask in ASKS for flag in NAMES[:FLAGS]]
BYTES_OF_SIGNS = 48

READER = REPOSITORY / "plugins" / "providers" / "reader" / "src"
QUESTION_WORDS = set(json.loads((READER / "cues" / "en.json").read_text())["question_words"])
STOP_WORDS = set(
    re.findall(r'"(.+?)"', (REPOSITORY / "registry" / "api" / "src" / "query" / "stop_words.rs").read_text().split("];")[0])
)


@dataclass
class Asked:
    """The vectors of a question."""

    # Of its question word, and of the words after it; zeros where there is none.
    vectors: np.ndarray
    # Of its words without stop words.
    words: list[str]
    word_vectors: np.ndarray
    focus: np.ndarray


@dataclass
class Words:
    """The words of a case."""

    asked: np.ndarray
    signs: np.ndarray
    features: np.ndarray
    # The row of the case that each is in, and whether that is chosen.
    sentence: np.ndarray
    chosen: np.ndarray
    answers: np.ndarray


def read_question(text) -> Asked:
    words = encoder().words(text)
    at = next((i for i, (word, _) in enumerate(words) if word in QUESTION_WORDS), None)
    content = lambda words: [(w, v) for w, v in words if w not in STOP_WORDS and any(map(str.isalnum, w))]
    zero = np.zeros(encoder().codes.shape[1], np.float32)
    after = content(words if at is None else words[at + 1 :])[:FOCUS_WORDS]
    focus = unit(np.sum([vector for _, vector in after], axis=0)) if after else zero
    told = content(words)
    return Asked(
        vectors=np.concatenate([focus, zero if at is None else words[at][1]]),
        words=[word for word, _ in told],
        word_vectors=np.array([vector for _, vector in told], np.float32).reshape(-1, len(zero)),
        focus=focus,
    )


class Signs:
    """The signs of the words of entries, from a store."""

    def __init__(self, store: Path):
        self.database = sqlite3.connect(f"file:{store / 'store.db'}?mode=ro", uri=True)
        self.of = {}

    def of_entry(self, entry):
        """Where each word begins, in bytes, and its packed signs, in the order of the text."""
        if entry not in self.of:
            found = {}
            for start, record in self.database.execute(
                "SELECT p.start, p.token_signs FROM entries e CROSS JOIN embeddings p ON p.doc = e.doc"
                " AND p.model = (SELECT model FROM models) WHERE e.tenant = 'default' AND e.entry_id = ?"
                " ORDER BY p.ordinal",
                (entry,),
            ):
                for place, signs in read_record(record):
                    found.setdefault(start + place, signs)
            starts = np.array(sorted(found), dtype=int)
            signs = np.array([found[start] for start in starts], np.uint8).reshape(-1, BYTES_OF_SIGNS)
            self.of[entry] = starts, signs
        return self.of[entry]


def read_record(record):
    """Places with signs, as `push_places` writes them."""
    if record is None or len(record) % 8 != 4:
        return []
    count = int.from_bytes(record[-4:], "little")
    end = len(record) - 4 - 4 * (count + count % 2)
    signs = np.frombuffer(record[:end], np.uint8).reshape(-1, BYTES_OF_SIGNS)
    places = np.frombuffer(record[end:-4], np.uint16).reshape(-1, 2)[:count]
    return [(int(start), signs[vector]) for start, vector in places]


def unpacked(signs):
    """One row a word, of length 1."""
    bits = np.unpackbits(signs, axis=1, bitorder="little").astype(np.float32)
    return (2 * bits - 1) / np.sqrt(bits.shape[1], dtype=np.float32)


def read_words(case: Case, asked: Asked, store: Signs, p, chosen, names) -> Words:
    rows = sorted(set(chosen) | {int(i) for i in np.argsort(-p, kind="stable")[:SENTENCES]})
    texts, signs, sentence, answers = [], [], [], []
    for row in rows:
        entry = case.entries[case.entry_of[row]]
        raw = case.raw_texts[case.entry_of[row]].encode()
        starts, of_entry = store.of_entry(entry)
        first, end = np.searchsorted(starts, case.spans[row])
        signs.append(of_entry[first:end])
        for start in starts[first:end]:
            texts.append(re.match(r"[^\W_]*", raw[start : start + 100].decode(errors="ignore")).group())
            answers.append(any(a <= start < b for a, b in case.answer_spans[case.entry_of[row]]))
            sentence.append(row)
    signs, sentence = np.concatenate(signs), np.array(sentence, dtype=int)
    asks = case.features[0][[names.sentence.index(f"asks_{ask}") for ask in ASKS]]
    return Words(
        asked=asked.vectors,
        signs=signs,
        features=features(texts, unpacked(signs), sentence, asked, p, asks),
        sentence=sentence,
        chosen=np.isin(sentence, chosen),
        answers=np.array(answers, dtype=bool),
    )


def features(texts, vectors, sentence, asked, p, asks):
    """FEATURES: NAMES, and the product of each ask with each flag."""
    has = lambda test: np.array([float(test(text)) for text in texts])
    in_question = has(lambda text: text.lower() in asked.words)
    similar = vectors @ asked.word_vectors.T
    nearest = similar.max(axis=1) if similar.size else np.zeros(len(texts))
    is_first = np.r_[True, sentence[1:] != sentence[:-1]][: len(texts)]
    odds = np.clip(p, 1e-4, 1 - 1e-4)
    columns = [
        has(lambda text: any(map(str.isdigit, text))),
        has(lambda text: any(map(str.isdigit, text)) and not any(map(str.isalpha, text))),
        has(lambda text: text[:1].isupper()) * ~is_first,
        in_question,
        nearest,
        vectors @ asked.focus,
        np.array([in_question[sentence == s].mean() for s in sentence]),
        np.log(odds / (1 - odds))[sentence],
    ]
    own = np.array(columns, np.float32).T.reshape(len(texts), len(NAMES))
    crossed = (asks[None, :, None] * own[:, None, :FLAGS]).reshape(len(texts), -1)
    return np.concatenate([own, crossed], axis=1).astype(np.float32)
