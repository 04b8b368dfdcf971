"""Traces as arrays."""

import json
from base64 import b64decode
from dataclasses import dataclass

import numpy as np

from questions import Question, corpus


# Of the signs of a word.
BYTES_OF_SIGNS = 48


@dataclass
class Names:
    version: int
    sentence: list[str]
    answer: list[str]
    word: list[str]


@dataclass
class SentenceWords:
    """The stored words of a sentence, one row a word."""

    signs: np.ndarray
    features: np.ndarray
    # Whether each is a word of the answer.
    answers: np.ndarray


@dataclass
class Case:
    """A question with the sentences that the reader saw for it."""

    set: str
    question: Question
    # Whether the gold entries were taken out of the ranking.
    without_gold: bool
    entries: list[str]
    lead_ins: list[str]
    # One row a sentence, of all entries.
    features: np.ndarray
    labels: np.ndarray
    entry_of: np.ndarray
    place_of: np.ndarray
    texts: list[str]
    words: list[SentenceWords]
    # The vectors of the question, of its focus and of its question word, and their embedder; None where there are none.
    question_vectors: np.ndarray | None
    embedder: dict | None
    # One row an entry: what an answer with its first sentence has.
    answers: list[list[float] | None]
    lists: bool
    group: str = ""


def load(set_name: str, path: str, questions: dict[str, Question], without: bool, names: Names) -> list[Case]:
    entries = corpus(set_name)
    cases = []
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            row = json.loads(line)
            question, trace = questions[row["id"]], row["trace"]
            features, labels, entry_of, place_of, texts, words = [], [], [], [], [], []
            for at, entry in enumerate(trace["entries"]):
                text = raw_text(entries[entry["id"]])
                answers = question.answer_spans(entry["id"], text)
                for sentence in entry["sentences"]:
                    features.append(sentence["features"])
                    texts.append(sentence["text"])
                    words.append(read_words(sentence["words"], answers, len(names.word)))
                labels += question.labels(entry["id"], text, entry["sentences"])
                entry_of += [at] * len(entry["sentences"])
                place_of += range(len(entry["sentences"]))
            cases.append(
                Case(
                    set=set_name,
                    question=question,
                    without_gold=without,
                    entries=[entry["id"] for entry in trace["entries"]],
                    lead_ins=[lead_in(entries[entry["id"]]) for entry in trace["entries"]],
                    features=np.array(features, dtype=np.float32).reshape(len(texts), len(names.sentence)),
                    labels=np.array(labels, dtype=np.int8),
                    entry_of=np.array(entry_of, dtype=int),
                    place_of=np.array(place_of, dtype=int),
                    texts=texts,
                    words=words,
                    question_vectors=read_vectors(trace["question"]),
                    embedder=trace["question"] and trace["question"]["embedder"],
                    answers=[entry["answer"] for entry in trace["entries"]],
                    lists=trace["lists"],
                    group=question.group,
                )
            )
    return cases


def read_words(words: dict, answer_spans, features: int) -> SentenceWords:
    return SentenceWords(
        signs=np.frombuffer(b64decode(words["signs"]), np.uint8).reshape(-1, BYTES_OF_SIGNS),
        features=np.frombuffer(b64decode(words["features"]), "<f4").reshape(-1, features),
        answers=np.array([any(a <= start < b for a, b in answer_spans) for start in words["starts"]], dtype=bool),
    )


def read_vectors(question: dict | None) -> np.ndarray | None:
    return question and np.array(question["focus"] + question["question_word"], np.float32)


def raw_text(entry: dict) -> str:
    title, text = (entry.get("title") or "").strip(), entry.get("text") or ""
    return f"{title}\n\n{text}" if title else text


def lead_in(entry: dict) -> str:
    date, author = (entry.get("timestamp") or "")[:10], entry.get("author") or ""
    return f"On {date} ({author}): " if author else f"On {date}: "


def read_names(path: str) -> Names:
    with open(path, encoding="utf-8") as file:
        row = json.loads(next(file))
    return Names(row["features_version"], row["sentence"], row["answer"], row["word"])
