"""The built-in embedder in numpy, for the vectors of the words of a question.

The weights are those of the program, in eight bits; the states stay floats, so a vector differs from the program's by
a cosine of about .9996.
"""

import json
import re
import struct
import unicodedata
from functools import cache

import numpy as np
from scipy.special import erf

from questions import REPOSITORY

WEIGHTS = REPOSITORY / "plugins" / "providers" / "minilm" / "model" / "minilm-l6-v2.i8"
HEADER, ALIGNMENT = 32, 64
OUTPUTS_OF_PANEL, INPUTS_OF_STEP = 32, 4


class Sections:
    """The sections of a weights file in order; `weights/format.rs` describes it."""

    def __init__(self, path):
        data = path.read_bytes()
        length = struct.unpack("<I", data[12:16])[0]
        self.header = json.loads(data[HEADER : HEADER + length])
        self.payload = data[aligned(HEADER + length) :]
        self.at = 0

    def bytes(self, length):
        section = self.payload[self.at : self.at + length]
        self.at = aligned(self.at + length)
        return section

    def floats(self, *shape):
        return np.frombuffer(self.bytes(4 * int(np.prod(shape))), np.float32).reshape(shape)

    def norm(self, width):
        return self.floats(width), self.floats(width)

    def linear(self, inputs, outputs):
        panels = np.frombuffer(self.bytes(inputs * outputs), np.int8)
        panels = panels.reshape(outputs // OUTPUTS_OF_PANEL, inputs // INPUTS_OF_STEP, OUTPUTS_OF_PANEL, INPUTS_OF_STEP)
        codes = panels.transpose(0, 2, 1, 3).reshape(outputs, inputs)
        steps, _sums, bias = (self.floats(outputs) for _ in range(3))
        return (codes * steps[:, None]).T.astype(np.float32), bias


def aligned(at):
    return -(-at // ALIGNMENT) * ALIGNMENT


class Encoder:
    def __init__(self, path=WEIGHTS):
        sections = Sections(path)
        shape = sections.header["shape"]
        width, inner, vocabulary = shape["hidden"], shape["intermediate"], shape["vocabulary"]
        self.heads, self.epsilon, self.max_tokens = shape["heads"], shape["epsilon"], shape["max_tokens"]
        pieces = sections.bytes(sections.header["vocabulary_bytes"]).decode().split("\n")
        self.vocabulary = {piece: number for number, piece in enumerate(pieces)}
        self.codes = np.frombuffer(sections.bytes(vocabulary * width), np.int8).reshape(vocabulary, width)
        self.steps = sections.floats(vocabulary)
        self.positions = sections.floats(self.max_tokens, width)
        self.norm = sections.norm(width)
        sizes = [(width, 3 * width), (width, width), (width, inner), (inner, width)]
        self.layers = [
            ([sections.linear(*size) for size in sizes], sections.norm(width), sections.norm(width))
            for _ in range(shape["layers"])
        ]

    def words(self, text):
        """Each word with its vector of length 1, stop words among them."""
        ids, places = self.pieces(text)
        states = self.states(np.array(ids))
        return [(word, unit(states[first:end].sum(axis=0))) for word, first, end in places]

    def states(self, ids):
        x = self.codes[ids].astype(np.float32) * self.steps[ids][:, None] + self.positions[: len(ids)]
        x = self.normalised(x, self.norm)
        for (joint, output, inner, outer), attention_norm, output_norm in self.layers:
            x = self.normalised(x + self.attention(applied(joint, x)) @ output[0] + output[1], attention_norm)
            hidden = applied(inner, x)
            hidden *= (1 + erf(hidden / np.sqrt(2))) / 2
            x = self.normalised(x + applied(outer, hidden), output_norm)
        return x

    def attention(self, joint):
        tokens = len(joint)
        by_head = lambda x: x.reshape(tokens, self.heads, -1).transpose(1, 0, 2)
        queries, keys, values = map(by_head, np.split(joint, 3, axis=1))
        scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[2])
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        return (shares @ values).transpose(1, 0, 2).reshape(tokens, -1)

    def normalised(self, x, norm):
        x = x - x.mean(axis=1, keepdims=True)
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + self.epsilon) * norm[0] + norm[1]

    def pieces(self, text):
        """The ids of a text, and each word with the places of its pieces; unknown words are left out."""
        ids, places = [self.vocabulary["[CLS]"]], []
        for word in split(text):
            pieces = self.pieces_of(word)
            if pieces:
                places.append((word, len(ids), len(ids) + len(pieces)))
            ids += pieces or [self.vocabulary["[UNK]"]]
        last = self.max_tokens - 1
        return ids[:last] + [self.vocabulary["[SEP]"]], [place for place in places if place[2] <= last]

    def pieces_of(self, word):
        ids, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = (end for end in range(len(word), start, -1) if prefix + word[start:end] in self.vocabulary)
            end = next(ends, None)
            if end is None:
                return []
            ids.append(self.vocabulary[prefix + word[start:end]])
            start = end
        return ids


def split(text):
    """Words and punctuation, without case and accents."""
    letters = unicodedata.normalize("NFD", text.lower())
    return re.findall(r"[^\W_]+|[^\w\s]|_", "".join(c for c in letters if unicodedata.category(c) != "Mn"))


def applied(linear, x):
    return x @ linear[0] + linear[1]


def unit(vector):
    return (vector / max(np.linalg.norm(vector), 1e-9)).astype(np.float32)


@cache
def encoder():
    return Encoder()
