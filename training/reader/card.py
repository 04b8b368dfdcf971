"""Where a model comes from, as the header of its file states it: the fields of `ModelCard` of the plugin contract."""

import os
import platform
from datetime import date

from questions import WITHOUT

# Who may use the weights, as the program.
LICENSE = "MIT OR Apache-2.0"
# The licence and the content of each collection.
COLLECTIONS = {
    "nrc-reactor": ("public domain (17 U.S.C. 105)", "event notifications of power reactors, U.S. Nuclear Regulatory Commission"),
    "safenet": ("public domain (U.S. Government)", "wildland fire safety reports"),
    "gitbugs-seamonkey": ("CC BY 4.0", "bug reports of SeaMonkey, GitBugs"),
    "scifact": ("ODC-By 1.0, claims CC BY 4.0", "abstracts and claims, SciFact"),
    "xquad-en": ("CC BY-SA 4.0", "paragraphs of Wikipedia with questions, XQuAD"),
    "demo": (LICENSE, "the demo logbook of this repository"),
    "written": (LICENSE, "questions of `training/reader/questions`, written by a language model"),
    "sets": (LICENSE, "questions of `tests/cases/sets`"),
}


def card(name: str, purpose: str, made_by: str, used: list[str], features_version: int, seed: int) -> dict:
    without = f"WITHOUT='{' '.join(WITHOUT)}' " if WITHOUT else ""
    trained_on = [dict(zip(("name", "license", "what"), (one, *COLLECTIONS[one]))) for one in used]
    return {
        "name": name,
        "purpose": purpose,
        "source": "trained for Gannet",
        "license": LICENSE,
        "trained_on": trained_on,
        "languages": ["en"],
        "made_by": f"{without}{made_by} STORES, seed {seed}",
        "trained": date.today().isoformat(),
        "machine": f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}",
        "features_version": features_version,
    }
