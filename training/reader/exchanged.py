"""Questions that nothing answers, made of others: a word or a number is exchanged for one that the entry does not have.

"Where was the water found" becomes "where was the saxophone found": its other words are in the entry, and a reader
that looks for what most of the words ask for answers it.
"""

import random
import re
from collections import Counter
from dataclasses import replace

from questions import CORPORA, Question, corpus

# One question of so many is exchanged, and of these one of so many is cut to a few words around it.
ONE_OF, CUT_ONE_OF = 2, 4
WORDS_OF_A_CUT = 5
# A word of so many questions is no subject of one, and a word of fewer entries may be a misspelling.
COMMON_IN_QUESTIONS, LEAST_ENTRIES = 0.04, 3
# A name with a number, its parts apart; words before amounts name nothing.
NUMBERED = re.compile(r"\b([A-Za-z]{1,14})([- ]?)([0-9]{1,3})\b(?![.:/%])")
BEFORE_AMOUNTS = set(
    "a an the of in on at to by from with for than about around only first last next over under after before and or "
    "january february march april may june july august september october november december".split()
)
WORD = re.compile(r"\b[^\W\d_]{4,14}\b")
# A noun, in English: what stands between an article and the end of its phrase.
NOUN = re.compile(r"\b(?:the|an?) ([a-z]{4,14})(?=[.,;:)]| (?:of|in|was|is|were|had|has|and|to|at|on|from|by)\b)")


def exchanged(name: str, questions: list[Question]) -> list[Question]:
    """Half of the new words are of other collections and in no entry of this one; half are of this one."""
    random_ = random.Random(f"exchanged {name}")
    entries, own = corpus(name), document_frequencies(name)
    nouns = {other: nouns_of(other) for other in CORPORA}
    foreign = sorted(set().union(*nouns.values()) - own.keys())
    near, any_noun = sorted(nouns[name]), set().union(*nouns.values())
    asked = Counter(w for q in questions for w in words_in(q.text))
    common = {w for w, n in asked.items() if n > COMMON_IN_QUESTIONS * len(questions)}
    made = []
    for question in sorted(questions, key=lambda q: q.id):
        if not question.is_answerable or random_.randrange(ONE_OF):
            continue
        text = " ".join((entries[e].get("title") or "") + " " + entries[e]["text"] for e in question.gold if e in entries)
        held = words_in(text)
        subjects = [w for w in WORD.findall(question.text) if w.lower() in held & any_noun - common]
        if not subjects:
            continue
        # The rarest word is the subject more often than not.
        subject = min(subjects, key=lambda w: own[w.lower()]) if random_.random() < 0.7 else random_.choice(subjects)
        other = another(random_, foreign if random_.random() < 0.5 else near, subject, held)
        changed = re.sub(rf"\b{re.escape(subject)}\b", other, question.text)
        if not random_.randrange(CUT_ONE_OF):
            changed = cut(random_, changed, other)
        made.append(unanswerable(question, f"{question.id}-exchanged", changed))
    return made


def renumbered(name: str, questions: list[Question]) -> list[Question]:
    """Questions about another device of the same name ("chiller 3"), of which no entry tells what is asked."""
    random_ = random.Random(f"renumbered {name}")
    entries = corpus(name)
    texts = {e: ((entry.get("title") or "") + " " + entry["text"]).lower() for e, entry in entries.items()}
    own, nouns = document_frequencies(name), nouns_of(name)
    made = []
    for question in sorted(questions, key=lambda q: q.id):
        if not question.is_answerable:
            continue
        held = " ".join(texts[e] for e in question.gold if e in texts)
        named = numbered_names(question.text, held, nouns)
        subjects = [w for w in words_in(question.text) if own[w] >= LEAST_ENTRIES]
        if not named or not subjects:
            continue
        (start, end), letters, digits = random_.choice(named)
        subject = min(subjects, key=lambda w: own[w])
        for number in random_.sample(range(1, 10 ** min(2, len(digits))), 9):
            other = letters + digits[:-2] + str(number).zfill(min(2, len(digits)))
            is_told = any(other.lower() in text and subject in text for text in texts.values())
            if not is_told and other.lower() not in held:
                text = question.text[:start] + other + question.text[end:]
                made.append(unanswerable(question, f"{question.id}-renumbered", text))
                break
    return made


def numbered_names(text: str, held: str, nouns: set[str]) -> list[tuple[tuple[int, int], str, str]]:
    """Where a question has a name with a number, or a noun to which the entry gives one: the place, the name, the
    number."""
    named = [
        (m.span(), m[1] + m[2], m[3])
        for m in NUMBERED.finditer(text)
        if m[0].lower() in held and m[1].lower() not in BEFORE_AMOUNTS
    ]
    if named:
        return named
    numbers = {m[1]: m[3] for m in NUMBERED.finditer(held) if m[2] == " " and m[1] not in BEFORE_AMOUNTS}
    words = re.finditer(r"\b(?:the )?([a-z]{4,14})\b(?! [0-9])", text)
    return [(m.span(), m[1] + " ", numbers[m[1]]) for m in words if m[1] in nouns and m[1] in numbers]


def unanswerable(question: Question, id_: str, text: str) -> Question:
    return replace(
        question, id=id_, text=text, facts=[], places=[], gold=[], is_exchanged=True, made_of=question.group
    )


def words_in(text: str) -> set[str]:
    return {w.lower() for w in WORD.findall(text)}


def document_frequencies(name: str) -> Counter:
    return Counter(w for e in corpus(name).values() for w in words_in((e.get("title") or "") + " " + e["text"]))


def nouns_of(name: str) -> set[str]:
    counts = Counter(w for e in corpus(name).values() for w in set(NOUN.findall(e["text"])))
    return {w for w, n in counts.items() if n >= LEAST_ENTRIES}


def another(random_, words: list[str], subject: str, held: set[str]) -> str:
    """A plural for a plural, where one is drawn."""
    drawn = [w for w in random_.sample(words, min(50, len(words))) if w not in held]
    is_plural = subject.lower().endswith("s")
    return next((w for w in drawn if w.endswith("s") == is_plural), drawn[0])


def cut(random_, text: str, word: str) -> str:
    words = text.split()
    at = next(i for i, w in enumerate(words) if word in w)
    first = max(0, at - random_.randrange(WORDS_OF_A_CUT))
    return " ".join(words[first : first + WORDS_OF_A_CUT]).strip("?,. ")
