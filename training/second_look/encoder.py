"""all-MiniLM-L6-v2 in 32-bit floats, with numpy: the weights that the eight-bit ones of the program were made of."""
import json

import numpy as np
from scipy.special import erf
from tokenizers import BertWordPieceTokenizer

HIDDEN, HEADS, LAYERS = 384, 12, 6
LINEARS = [["attention.self.query", "attention.self.key", "attention.self.value"],
           ["attention.output.dense"], ["intermediate.dense"], ["output.dense"]]


def source(path):
    """The weights of a `model.safetensors`, by name."""
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    positions = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    norm = lambda name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"])
    layers = []
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        linears = [(np.concatenate([tensors[f"{name}{part}.weight"] for part in parts]).T.copy(),
                    np.concatenate([tensors[f"{name}{part}.bias"] for part in parts])) for parts in LINEARS]
        layers.append((linears, norm(name + "attention.output.LayerNorm"), norm(name + "output.LayerNorm")))
    return tensors["embeddings.word_embeddings.weight"], positions, norm("embeddings.LayerNorm"), layers


def normed(x, scale_shift):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * scale_shift[0] + scale_shift[1]


def forward(weights, ids, mask):
    """The vectors, of length 1, of rows of ids that are filled up to one length."""
    words, positions, first, layers = weights
    rows, length = ids.shape
    x = normed(words[ids] + positions[:length], first).reshape(-1, HIDDEN)
    hidden = np.where(mask, 0, -1e9).astype("f4")[:, None, None, :]
    for linears, norm_1, norm_2 in layers:
        joint = (x @ linears[0][0] + linears[0][1]).reshape(rows, length, 3, HEADS, HIDDEN // HEADS)
        query, key, value = joint.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) * np.float32((HIDDEN // HEADS) ** -.5) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(-1, HIDDEN)
        x = normed(x + mixed @ linears[1][0] + linears[1][1], norm_1)
        inner = x @ linears[2][0] + linears[2][1]
        inner *= np.float32(.5) * (1 + erf(inner * np.float32(.5 ** .5)))
        x = normed(x + inner @ linears[3][0] + linears[3][1], norm_2)
    x = (x.reshape(rows, length, HIDDEN) * mask[..., None]).sum(1)
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype("f4")


def tokenizer(vocabulary):
    return BertWordPieceTokenizer(vocabulary, lowercase=True)


def encode(weights, tokens, texts, limit, tokens_at_once=2048):
    """The places of some of the texts and their vectors, until all are done; each text is cut at `limit` tokens."""
    cut = lambda ids: ids if len(ids) <= limit else ids[:limit - 1] + ids[-1:]
    ids = [cut(tokens.encode(text).ids) for text in texts]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    while order:
        count = max(1, tokens_at_once // len(ids[order[-1]]))
        batch, order = order[-count:], order[:-count]
        length = max(len(ids[i]) for i in batch)
        rows = np.zeros((len(batch), length), "i8")
        mask = np.zeros((len(batch), length), "f4")
        for row, i in enumerate(batch):
            rows[row, :len(ids[i])] = ids[i]
            mask[row, :len(ids[i])] = 1
        yield batch, forward(weights, rows, mask)
