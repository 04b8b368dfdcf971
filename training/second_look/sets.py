"""The collections: folder, questions, judgements."""
SETS = {
    "adhoc": ("nrc-reactor", "queries-adhoc-dev.jsonl", "qrels-adhoc-dev.tsv"),
    "related": ("nrc-reactor", "queries.jsonl", "qrels.tsv"),
    "scifact": ("scifact", "queries-train.jsonl", "qrels-train.tsv"),
    "seamonkey": ("gitbugs-seamonkey", "queries.jsonl", "qrels.tsv"),
    "cranfield": ("cranfield", "queries.jsonl", "qrels.tsv"),
    "cacm": ("cacm", "queries.jsonl", "qrels.tsv"),
    "medline": ("medline", "queries.jsonl", "qrels.tsv"),
}

# Those that weights may be fitted on.
FITTED = ["adhoc", "related", "scifact", "seamonkey"]
