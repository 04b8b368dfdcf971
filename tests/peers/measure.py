"""Loads the same entries into each engine, asks the same questions, and prints
what it took; docs/how-to/compare-with-peers.md."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

import corpus
import engines
import report
from engines.base import Setup
from exact import Bm25, Cosine, Stems, best, overlap
from one import rate

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
MODES = ["keyword", "semantic", "hybrid"]
FIRST = 100


def arguments():
    parser = argparse.ArgumentParser(prog="tests/peers/run", description=__doc__)
    default = os.environ.get("GANNET", REPOSITORY / "target/release/gannet")
    parser.add_argument("--entries", type=int, default=10_000, help="entries to load (10000)")
    parser.add_argument("--questions", type=int, default=1_000, help="questions in each mode (1000)")
    parser.add_argument("--seconds", type=int, default=30, help="time limit of each pass over the questions (30)")
    parser.add_argument("--clients", type=int, default=os.cpu_count(), help="clients that ask at once; one per processor")
    parser.add_argument("--engines", default=",".join(engines.NAMES), help="which, with commas; all")
    parser.add_argument("--gannet", default=default, help="the program; target/release/gannet, or that in $GANNET")
    parser.add_argument("--folder", help="keeps the data here; a store of Gannet's over the same entries is used again")
    return parser.parse_args()


def main():
    given = arguments()
    wanted = [name for name in given.engines.split(",") if name != "gannet"]
    if unknown := set(wanted) - set(engines.NAMES):
        sys.exit(f"unknown engine {', '.join(sorted(unknown))}; there are {', '.join(engines.NAMES)}")
    folder = pathlib.Path(given.folder or tempfile.mkdtemp(prefix="gannet-peers.")).resolve()
    folder.mkdir(exist_ok=True)
    # PostgreSQL runs as another user where this one is root.
    folder.chmod(0o755)
    try:
        run = Run(given, folder)
        results = [run.gannet(), *(run.peer(name) for name in wanted)]
        report.write(given, [result for result in results if result], run)
    finally:
        if not given.folder:
            shutil.rmtree(folder)


class Run:
    """One comparison."""

    def __init__(self, given, folder):
        self.folder = folder
        self.busy = os.getloadavg()[0]
        words = corpus.vocabulary(REPOSITORY / "plugins/providers/minilm/model/minilm-l6-v2.i8")
        self.entries = self.entries_of(words, given.entries)
        self.rows = {entry["id"]: row for row, entry in enumerate(self.entries)}
        texts = [entry["text"] for entry in self.entries]
        self.texts = corpus.questions(words, texts, FIRST + 2 * len(MODES) * given.questions)
        (folder / "questions.json").write_text(json.dumps(self.texts))
        self.plan = {
            "program": str(pathlib.Path(given.gannet).resolve()),
            "repository": str(REPOSITORY),
            "seconds": given.seconds,
            "clients": given.clients,
            "parts": parts(given.questions),
        }
        self.write_plan()
        self.bm25 = {"words": Bm25(texts), "stems": Bm25(texts, Stems())}

    def entries_of(self, words, count):
        """The entries. What was made of others is removed."""
        lines = "".join(json.dumps(entry) + "\n" for entry in corpus.entries(words, count))
        path = self.folder / "entries.jsonl"
        if not path.exists() or path.read_text() != lines:
            shutil.rmtree(self.folder / "gannet", ignore_errors=True)
            path.write_text(lines)
        return corpus.read(path)

    def write_plan(self):
        (self.folder / "plan.json").write_text(json.dumps(self.plan))

    def gannet(self):
        """Loads and asks Gannet, and takes the vectors from it."""
        loaded = self.folder / "gannet.loaded.json"
        vectors = self.folder / "vectors.npy"
        if not (self.folder / "gannet/store").exists() or not loaded.exists():
            vectors.unlink(missing_ok=True)
            shutil.rmtree(self.folder / "gannet", ignore_errors=True)
            loaded.write_text(json.dumps(self.call("load", "gannet")))
        gannet = engines.engine("gannet", Setup(self.folder / "gannet", self.plan["program"], REPOSITORY))
        names, found = gannet.vectors()
        if names != list(self.rows):
            raise RuntimeError("the store has not one vector for each entry")
        numpy.save(vectors, found)
        self.cosine = Cosine(found)
        self.embed(gannet)
        result = {**json.loads(loaded.read_text()), **self.call("ask", "gannet")}
        return self.judged("gannet", result)

    def embed(self, gannet):
        """The vectors of the questions, and how long each took."""
        gannet.open()
        try:
            part = self.plan["parts"]["semantic at once"]
            self.embedding_rate = rate(gannet.connect, gannet.embed, self.texts[slice(*part)], self.plan)
        finally:
            gannet.close()
        # Again, so that no vector is kept from the first time.
        gannet.open()
        try:
            connection = gannet.connect()
            self.idle = numpy.median([timed(lambda: connection.send("GET", "/healthz"))[0] for _ in range(500)])
            for text in self.texts[:FIRST]:
                gannet.embed(connection, text)
            times, vectors = zip(*(timed(lambda text=text: gannet.embed(connection, text)) for text in self.texts))
        finally:
            gannet.close()
        # A program that embeds by itself sends no request.
        self.embedding = numpy.maximum(numpy.array(times) - self.idle, 0)
        self.vectors = numpy.array(vectors)
        numpy.save(self.folder / "question_vectors.npy", self.vectors)
        names = list(self.rows)
        self.plan["nearest_of_first"] = [
            [names[row] for row in best(self.cosine.scores(vector))] for vector in self.vectors[:FIRST]
        ]
        self.write_plan()

    def peer(self, name):
        """Loads and asks another engine; None where that does not work."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        print(f"{name} …", file=sys.stderr)
        try:
            return self.judged(name, {**self.call("load", name), **self.call("ask", name)})
        except RuntimeError as error:
            print(f"skipped: {name}: {error}")
            return None
        finally:
            try:
                self.call("drop", name)
            except RuntimeError:
                pass

    def call(self, what, name):
        """Runs a step of an engine in a process of its own."""
        result = self.folder / f"{name}.{what}.json"
        log = self.folder / f"{name}.{what}.log"
        command = [sys.executable, HERE / "one.py", what, name, self.folder / "plan.json", result]
        with open(log, "w") as output:
            done = subprocess.run(command, stdout=output, stderr=output)
        if done.returncode:
            lines = log.read_text().strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"{what} ended with {done.returncode}")
        return json.loads(result.read_text())

    def judged(self, name, result):
        """The result with the overlap of each mode and the time to embed."""
        for mode, of_mode in result["modes"].items():
            start = self.plan["parts"][mode][0]
            asked = range(start, start + len(of_mode["times"]))
            of_mode["embedding"] = [self.embedding[at] for at in asked]
            shown = [[self.rows[name] for name in names] for names in of_mode.pop("shown")]
            of_mode["overlap"] = self.overlaps(mode, asked, shown)
        return {"name": name, **result}

    def overlaps(self, mode, asked, shown):
        """By what an exact search compares, the part of its results that was
        shown."""
        if mode == "keyword":
            exact = {name: lambda at, by=by: by.scores(self.texts[at]) for name, by in self.bm25.items()}
        elif mode == "semantic":
            exact = {"vectors": lambda at: self.cosine.scores(self.vectors[at])}
        else:
            return {}
        return {
            name: sum(overlap(scores(at), rows) for at, rows in zip(asked, shown)) / len(shown)
            for name, scores in exact.items()
        }


def parts(count):
    """Which questions are for what. Each is asked once, so that no answer is
    kept from an earlier time."""
    names = [name for mode in MODES for name in (mode, f"{mode} at once")]
    starts = {name: FIRST + count * number for number, name in enumerate(names)}
    return {"first": (0, FIRST), **{name: (start, start + count) for name, start in starts.items()}}


def timed(work):
    began = time.perf_counter()
    value = work()
    return time.perf_counter() - began, value


main()
