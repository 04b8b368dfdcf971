"""Traces as arrays."""

import json
from dataclasses import dataclass

import numpy as np

from questions import Question, corpus


@dataclass
class Names:
    version: int
    sentence: list[str]
    answer: list[str]


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
    # Where each begins and ends in the text of its entry, in bytes.
    spans: list[tuple[int, int]]
    raw_texts: list[str]
    # Of each entry, where the words of the answer are, in bytes.
    answer_spans: list[list[tuple[int, int]]]
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
            features, labels, entry_of, place_of, texts, spans = [], [], [], [], [], []
            raw_texts = [raw_text(entries[entry["id"]]) for entry in trace["entries"]]
            for at, entry in enumerate(trace["entries"]):
                for sentence in entry["sentences"]:
                    features.append(sentence["features"])
                    texts.append(sentence["text"])
                    spans.append((sentence["start"], sentence["end"]))
                labels += question.labels(entry["id"], raw_texts[at], entry["sentences"])
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
                    spans=spans,
                    raw_texts=raw_texts,
                    answer_spans=[
                        question.answer_spans(entry["id"], text) for entry, text in zip(trace["entries"], raw_texts)
                    ],
                    answers=[entry["answer"] for entry in trace["entries"]],
                    lists=trace["lists"],
                    group=question.gold[0] if question.gold else question.id,
                )
            )
    return cases


def raw_text(entry: dict) -> str:
    title, text = (entry.get("title") or "").strip(), entry.get("text") or ""
    return f"{title}\n\n{text}" if title else text


def lead_in(entry: dict) -> str:
    date, author = (entry.get("timestamp") or "")[:10], entry.get("author") or ""
    return f"On {date} ({author}): " if author else f"On {date}: "


def read_names(path: str) -> Names:
    with open(path, encoding="utf-8") as file:
        row = json.loads(next(file))
    return Names(row["features_version"], row["sentence"], row["answer"])
