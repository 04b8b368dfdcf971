"""Where a model comes from, as the header of its file states it: the fields of `ModelCard` of the plugin contract."""

import os
import platform
from datetime import date

from models import SEED
from questions import CORPORA, WITHOUT

# Who may use the weights, as the program.
LICENSE = "MIT OR Apache-2.0"
# The licence, the content and the source of each collection, and of judgements over them.
COLLECTIONS = {
    "nrc-reactor": ("public domain (17 U.S.C. 105)", "event notifications of power reactors, U.S. Nuclear Regulatory Commission; github.com/zachlandes/nrc-event-scraper at 8e2a5c8cf6d9 and 0c90b2c2def4"),
    "safenet": ("public domain (U.S. Government)", "wildland fire safety reports; github.com/nasa/mika at ecbc1f12aca5"),
    "gitbugs-seamonkey": ("CC BY 4.0", "bug reports of SeaMonkey and their duplicates, GitBugs; github.com/av9ash/gitbugs at eadf2d679499"),
    "scifact": ("ODC-By 1.0, claims CC BY 4.0", "abstracts and claims, SciFact; github.com/allenai/scifact, copies in docs/explanation/models.md"),
    "xquad-en": ("CC BY-SA 4.0", "paragraphs of Wikipedia with questions, XQuAD; github.com/google-deepmind/xquad at 60cac4116491"),
    "demo": (LICENSE, "the demo logbook of this repository"),
    "qa": ("not stated, over public-domain texts", "questions with known answers over `nrc-reactor` and `safenet`, written by a language model"),
    "needs": ("not stated, over public-domain texts", "21 information needs over `nrc-reactor`, judged by a language model"),
    "written": (LICENSE, "questions of `training/reader/questions`, written by a language model"),
    "exchanged": ("as the questions that they are made of", "questions that nothing answers, made of those above by `training/reader/exchanged.py`"),
    "sets": (LICENSE, "questions of `tests/cases/sets`"),
}
# The collections that judgements are over: without these there are none.
OVER = {"qa": ["nrc-reactor", "safenet"], "needs": ["nrc-reactor"]}


def card(name: str, purpose: str, made_by: str, used: list[str], features_version: int, seeds: dict) -> dict:
    """`seeds`: what each random choice of the training begins with, beside the trees."""
    without = f"WITHOUT='{' '.join(WITHOUT)}' " if WITHOUT else ""
    used = [one for one in used if any(over in CORPORA for over in OVER.get(one, CORPORA))]
    trained_on = [dict(zip(("name", "license", "what"), (one, *COLLECTIONS[one]))) for one in used]
    seeds = ", ".join(f"{of} {seed}" for of, seed in {"trees": SEED, **seeds}.items())
    return {
        "name": name,
        "purpose": purpose,
        "source": "trained for Gannet",
        "license": LICENSE,
        "trained_on": trained_on,
        "languages": ["en"],
        "made_by": f"{without}{made_by} STORES; seeds: {seeds}",
        "trained": date.today().isoformat(),
        "machine": f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}",
        "features_version": features_version,
    }
