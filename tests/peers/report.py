"""The tables."""

import os
import pathlib

import numpy

TIMES = ["median, ms", "p95, ms", "questions/s"]


def write(given, results, run):
    print(f"\n{given.entries:,} entries, {given.questions:,} questions in each mode, {given.clients} clients at once, {processor()}")
    print(f"Load average of the machine before: {run.busy:.1f}; figures of a busy machine say nothing.")
    alone = " and ".join(times(run.embedding))
    print(f"\nEmbedding a question: {alone} ms (median, p95), {run.embedding_rate:,.0f} a second; an empty request: {run.idle * 1000:.2f} ms")
    loads(results)
    keyword(of(results, "keyword"))
    of_vectors("semantic", of(results, "semantic"), run)
    of_vectors("hybrid", of(results, "hybrid"), run)


def of(results, mode):
    return [(result, result["modes"][mode]) for result in results if mode in result["modes"]]


def loads(results):
    table("", ["engine", "load, s", "disk, MB", "memory, MB", "own memory, MB"])
    for result in results:
        sizes = [f"{result[name] / 1e6:,.0f}" for name in ("disk", "memory", "own_memory")]
        row([result["version"], f"{result['seconds']:.1f}", *sizes])
    python = min(result["python"] for result in results)
    inside = ", ".join(result["version"] for result in results if result["in_process"])
    if inside:
        print(f"\nIn the process that asks, of which Python takes {python / 1e6:.0f} MB: {inside}.")
    for result in results:
        for note in result["notes"]:
            print(f"\n{result['version']}: {note}.")


def keyword(results):
    overlaps = ["overlap with exact BM25 of words", "of stems"]
    table("keyword", ["engine", *TIMES, *overlaps, "how"])
    for result, mode in results:
        found = [f"{mode['overlap'][name]:.2f}" for name in ("words", "stems")]
        row([result["version"], *times(mode["times"]), f"{mode['rate']:,.0f}", *found, mode["how"]])


def of_vectors(name, results, run):
    """A mode that needs the vector of the question. Gannet embeds by itself;
    for its peers that is added to what was measured."""
    exact = ["overlap with exact cosine"] if name == "semantic" else []
    table(name, ["engine", *TIMES, f"with the embedding: {TIMES[0]}", *TIMES[1:], *exact, "how"])
    for result, mode in results:
        measured = [*times(mode["times"]), f"{mode['rate']:,.0f}"]
        both = numpy.add(mode["times"], mode["embedding"])
        rate = 1 / (1 / mode["rate"] + 1 / run.embedding_rate)
        figures = [*measured, *times(both), f"{rate:,.0f}"]
        if result["name"] == "gannet":
            figures = ["–"] * len(TIMES) + measured
        found = [f"{part:.3f}" for part in mode["overlap"].values()]
        width = f", width {result['width']}" if result["width"] else ""
        row([result["version"], *figures, *found, mode["how"] + width])


def times(seconds):
    return [f"{numpy.percentile(seconds, part) * 1000:.1f}" for part in (50, 95)]


def table(title, names):
    if title:
        print(f"\n`{title}`:")
    print()
    row(names)
    row(["---"] * len(names))


def row(cells):
    print("| " + " | ".join(cells) + " |")


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} × {names[0] if names else 'unknown'}"
