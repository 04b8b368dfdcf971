"""What cross-validation says of the reader."""

import numpy as np

from choice import answer_text
from cross_validation import calibration_error

GROUNDED, PARTIAL = 0.8, 0.4
# The judged collection that is no reports.
PROSE = "xquad-en"


def rows_of(cases, found, confidence):
    for case, (chosen, _, right), p in zip(cases, found, confidence):
        yield case, chosen, right, p


def print_table(cases, found, confidence):
    print(f"{'set':28} {'n':>4} {'right':>5} {'share':>6} {'chars':>5} {'grounded':>8} {'of them right':>13} {'partial':>7}")
    sets = [(s, w) for s in dict.fromkeys(c.set for c in cases) for w in (False, True)]
    total = []
    for name, is_written in sets:
        rows = [r for r in rows_of(cases, found, confidence)
                if r[0].set == name and r[0].question.is_written == is_written
                and not r[0].without_gold and r[0].question.is_answerable]
        if not rows:
            continue
        if not is_written:
            total += rows
        print_row(name + (" (written)" if is_written else ""), rows)
    print_row("judged", total)
    print()
    for label, pick in {
        "unanswerable, judged": lambda c: not c.question.is_answerable and not c.question.is_written and not c.question.is_exchanged,
        "unanswerable, written": lambda c: not c.question.is_answerable and c.question.is_written and not c.without_gold and not c.question.is_exchanged,
        "a word exchanged": lambda c: c.question.is_exchanged,
        "gold taken out": lambda c: c.without_gold and c.question.is_answerable,
    }.items():
        p = [r[3] for r in rows_of(cases, found, confidence) if pick(r[0]) and not (r[0].without_gold and not r[0].question.is_answerable)]
        p = np.array(p)
        print(f"{label:28} {len(p):4} grounded {sum(p >= GROUNDED):4} partial {sum((p >= PARTIAL) & (p < GROUNDED)):4}")
    judged = [r for r in rows_of(cases, found, confidence) if not r[0].question.is_written and not r[0].question.is_exchanged and not r[0].without_gold]
    p, y = np.array([r[3] for r in judged]), np.array([r[2] for r in judged])
    of_reports = np.array([r[0].set != PROSE for r in judged])
    error, of_reports = calibration_error(p, y), calibration_error(p[of_reports], y[of_reports])
    print(f"\nexpected calibration error, judged questions: {error:.3f}, over reports alone {of_reports:.3f}")
    for low in np.arange(0, 1, 0.1):
        inside = (p >= low) & (p < low + 0.1 + (low > 0.85))
        if inside.any():
            print(f"  {low:.1f} to {low + .1:.1f}  n {inside.sum():4}  predicted {p[inside].mean():.2f}  right {y[inside].mean():.2f}")


def print_row(name, rows):
    right = np.array([r[2] for r in rows])
    p = np.array([r[3] for r in rows])
    chars = np.mean([sum(len(r[0].texts[i]) for i in r[1]) for r in rows])
    grounded = p >= GROUNDED
    partial = (p >= PARTIAL) & ~grounded
    share = right[grounded].mean() if grounded.any() else float("nan")
    print(f"{name:28} {len(rows):4} {right.sum():5} {right.mean():6.3f} {chars:5.0f} {grounded.sum():8} {share:13.3f} {partial.sum():7}")
