"""Makes golden_cross_encoder.json: what the reference library answers for a
tiny random cross-encoder.

    python -m venv venv && venv/bin/pip install torch transformers
    venv/bin/python make_golden_cross_encoder.py

The weights are the random numbers of tests/tiny/mod.rs, drawn in the same
order. The ids are those of the Hugging Face `tokenizers` library, cut by its
`longest_first`; the logits are those of BertForSequenceClassification in
float32.
"""

import json
import pathlib
import tempfile

import torch
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForSequenceClassification

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "beam", "lost", "pump", "valve", "##s", "open"]
HIDDEN, LAYERS, HEADS, INTERMEDIATE, POSITIONS = 64, 2, 2, 96, 40

SHORT = [
    ("beam lost", "pumps and valves open"),
    ("beam lost", "beam lost"),
    ("beam lost", "lost beam"),
    ("lost beam", "beam lost"),
    ("pumps and valves open", "beam lost"),
    ("", "valve open"),
    ("valve open", ""),
    ("", ""),
    ("BEAM", "the moon, lost; beams"),
    ("open [SEP] valve", "pump [CLS] [MASK] lost"),
    ("pump", "valve " * 20),
]
# Of 40 tokens three are special: 37 are left, an odd number.
LENGTHS = [
    (5, 32), (5, 33), (5, 60), (17, 19), (18, 19), (18, 20), (19, 18), (19, 19), (20, 18),
    (20, 20), (30, 20), (20, 30), (60, 3), (33, 4), (50, 18), (70, 69), (69, 70), (37, 0), (0, 40),
]


def words(count, first):
    pool = ["beam", "lost", "pump", "valve", "open"]
    return " ".join(pool[(first + n * n) % 5] for n in range(count))


def random_numbers():
    state = 1
    while True:
        state = (state * 6364136223846793005 + 1) % 2**64
        yield ((state >> 40) / 2**24 - 0.5) * 0.5


def names():
    yield from (f"bert.embeddings.{t}_embeddings.weight" for t in ["word", "position", "token_type"])
    yield from (f"bert.embeddings.LayerNorm.{part}" for part in ["weight", "bias"])
    for layer in range(LAYERS):
        for part in [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
            "attention.output.LayerNorm",
            "output.LayerNorm",
        ]:
            yield f"bert.encoder.layer.{layer}.{part}.weight"
            yield f"bert.encoder.layer.{layer}.{part}.bias"
    for part in ["bert.pooler.dense", "classifier"]:
        yield f"{part}.weight"
        yield f"{part}.bias"


def make_model():
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INTERMEDIATE,
        max_position_embeddings=POSITIONS,
        layer_norm_eps=1e-12,
        num_labels=1,
    )
    model = BertForSequenceClassification(config).eval()
    shapes = {name: tensor.shape for name, tensor in model.named_parameters()}
    numbers = random_numbers()
    weights = {}
    for name in names():
        middle = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        drawn = [next(numbers) + middle for _ in range(shapes[name].numel())]
        weights[name] = torch.tensor(drawn).view(shapes[name])
    assert weights.keys() == shapes.keys()
    model.load_state_dict(weights, strict=False)
    return model


def make_tokenizer():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as vocabulary:
        vocabulary.write("\n".join(WORDS) + "\n")
        vocabulary.flush()
        tokenizer = BertWordPieceTokenizer(vocabulary.name, lowercase=True)
    tokenizer.enable_truncation(max_length=POSITIONS, strategy="longest_first")
    return tokenizer


def main():
    model, tokenizer = make_model(), make_tokenizer()
    pairs = SHORT + [(words(first, 1), words(second, 3)) for first, second in LENGTHS]
    golden, largest = [], 0.0
    for query, document in pairs:
        encoding = tokenizer.encode(query, document)
        types = encoding.type_ids
        second = len(types) - sum(types)
        assert types == [0] * second + [1] * (len(types) - second)
        inputs = {"input_ids": torch.tensor([encoding.ids]), "token_type_ids": torch.tensor([types])}
        with torch.no_grad():
            logit = model.float()(**inputs).logits.item()
            exact = model.double()(**inputs).logits.item()
        largest = max(largest, abs(logit - exact))
        golden.append(
            {
                "query": query,
                "document": document,
                "ids": encoding.ids,
                "second": second,
                "logit": round(logit, 7),
            }
        )
    print(f"{len(golden)} pairs; float32 and float64 differ by at most {largest:.1e}")
    here = pathlib.Path(__file__).parent
    (here / "golden_cross_encoder.json").write_text(json.dumps(golden, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
