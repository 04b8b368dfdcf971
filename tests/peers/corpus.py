"""Entries and questions, the same for the same numbers."""

import bisect
import itertools
import json
import random
import re
import time

SEED = 40
TOPICS = 300
WORDS_OF_A_TOPIC = 40
# A passage of Gannet has 500 characters: so each entry has one vector.
MOST_CHARS = 480
# The most frequent words are in no question, as a person leaves them out.
FREQUENT = 150
# Words that Gannet reads as a time or as what is asked for; its search would
# be another one than those of its peers.
READ = set(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun "
    "day days week weeks month months year years hour hours minute minutes decade decades century today yesterday "
    "tonight tomorrow morning afternoon evening night noon midnight spring summer autumn fall winter quarter weekend "
    "recent recently latest newest oldest earliest last since until before after ago past many often count number "
    "list show records submissions total why what who where when how which does did vs versus".split()
)
AUTHORS = [f"{first}. {name}" for first in "ABCDEFGH" for name in ("Vossler", "Okonjo", "Brandtner", "Szymula", "Tarrow", "Quillan")]
KINDS = ["logbook", "shift_log", "work_order"]


def vocabulary(model):
    """English words, the most frequent first: the whole words among the word
    pieces of the builtin model, which stand in about that order."""
    with open(model, "rb") as file:
        head = file.read(1 << 20)
    pieces = head[head.index(b"[PAD]\n") :].split(b"\n")[:30522]
    return [piece.decode() for piece in pieces if re.fullmatch(rb"[a-z]{2,}", piece)]


class Zipf:
    """Draws a word, the word of rank r as often as 1 / (r + 2.7)."""

    def __init__(self, words):
        self.words = words
        self.sums = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))

    def draw(self, chance):
        return self.words[bisect.bisect(self.sums, chance.random() * self.sums[-1])]


def entries(words, count):
    """Entries of 15 to 80 words, a third of them from one of 300 topics."""
    chance = random.Random(SEED)
    every = Zipf(words)
    topics = [Zipf(chance.sample(words[300:], WORDS_OF_A_TOPIC)) for _ in range(TOPICS)]
    start = 1_500_000_000
    for number in range(count):
        topic = chance.choice(topics)
        drawn = [(topic if chance.random() < 0.33 else every).draw(chance) for _ in range(chance.randint(15, 80))]
        while sum(map(len, drawn)) + len(drawn) > MOST_CHARS:
            drawn.pop()
        start += chance.randint(60, 3600)
        yield {
            "id": f"e{number}",
            "text": sentences(drawn, chance),
            "author": chance.choice(AUTHORS),
            "kind": chance.choice(KINDS),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start)),
        }


def sentences(words, chance):
    """The words as sentences of 6 to 14 words."""
    made = []
    while words:
        length = chance.randint(6, 14)
        made.append(" ".join(words[:length]).capitalize() + ".")
        words = words[length:]
    return " ".join(made)


def questions(words, texts, count):
    """Questions of three to five words of an entry each, all different."""
    chance = random.Random(SEED + 1)
    left_out = set(words[:FREQUENT]) | READ
    made = {}
    while len(made) < count:
        content = sorted(set(tokens(chance.choice(texts))) - left_out)
        if len(content) >= 5:
            made[" ".join(chance.sample(content, chance.randint(3, 5)))] = None
    return list(made)


def tokens(text):
    """The words of a text, in lower case."""
    return re.findall("[a-z]+", text.lower())


def read(path):
    """The entries of a file."""
    with open(path) as file:
        return [json.loads(line) for line in file]
