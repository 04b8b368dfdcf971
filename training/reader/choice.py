"""The choice of sentences and the features of an answer, as `choose.rs` and `answered.rs` have them."""

import re

import numpy as np

SAME_WORDS = 0.8
QUOTES_AT_MOST = 3


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def choose(case, p, budget, max_chars=600):
    """The chosen sentences, best first, as rows of the case."""
    order = sorted(range(len(p)), key=lambda i: (-p[i], case.entry_of[i], case.place_of[i]))
    chosen, none, chars, places = [], 1.0, 0, set()
    for i in order:
        if chosen and 1 - none >= budget["enough"]:
            break
        length = len(case.texts[i])
        if chosen and none * p[i] < budget["gain"] * length / 100:
            continue
        if chars + length > max_chars or any(same(case, i, j) for j in chosen):
            continue
        place = (case.entry_of[i], case.place_of[i])
        if quotes(places | {place}) > QUOTES_AT_MOST:
            continue
        chosen.append(i)
        places.add(place)
        none *= 1 - p[i]
        chars += length
    return chosen


def same(case, i, j):
    a, b = words(case.texts[i]), words(case.texts[j])
    return len(a & b) > SAME_WORDS * max(1, min(len(a), len(b)))


def quotes(places):
    return sum((e, s - 1) not in places for e, s in places)


def answer_text(case, chosen):
    parts = []
    for i in sorted(chosen, key=lambda i: (case.entry_of[i], case.place_of[i])):
        lead = case.lead_ins[case.entry_of[i]] if not parts or case.entry_of[i] != last else ""
        last = case.entry_of[i]
        parts.append(f"{lead}{case.texts[i]} [#{case.entries[last]}]")
    return "\n".join(parts)


def answer_features(case, chosen, p, names):
    """The row of an answer: what depends on the entry stands in the trace, the rest is computed."""
    best, entry = chosen[0], case.entry_of[chosen[0]]
    row = dict(zip(names.answer, case.answers[entry]))
    of = dict(zip(names.sentence, case.features[best]))
    for name in of.keys() & row.keys():
        row[name] = of[name]
    probabilities = [float(p[i]) for i in chosen]
    ranked = np.sort(p)[::-1]
    shares = ranked / ranked.sum()
    elsewhere = [p[i] for i in range(len(p)) if case.entry_of[i] != entry]
    row.update(
        best=probabilities[0], sum=sum(probabilities),
        any=1 - np.prod([1 - q for q in probabilities]),
        chars=sum(len(case.texts[i]) for i in chosen),
        best_elsewhere=max(elsewhere, default=0.0),
        sum_all=ranked.sum(), sum_best_five=ranked[:5].sum(),
        spread=-(shares * np.log(np.maximum(shares, 1e-9))).sum() / np.log(len(shares)) if len(shares) > 1 else 1.0,
        coverage_best=of["coverage"],
    )
    return [row[name] for name in names.answer]

