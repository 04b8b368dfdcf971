"""Loads one engine, or asks it, in a process of its own, so that its memory
is not that of the others: one.py load|ask|drop ENGINE PLAN RESULT."""

import json
import os
import pathlib
import sys
import threading
import time

import numpy

import corpus
from engines import engine
from engines.base import SHOWN, Question, Setup

# What an index that is searched in part has to find of what an exact search
# finds.
ENOUGH = 0.95


def load(found, plan, folder):
    entries = corpus.read(folder / "entries.jsonl")
    # Gannet is loaded first, and computes them.
    vectors = numpy.load(folder / "vectors.npy") if (folder / "vectors.npy").exists() else None
    found.prepare()
    try:
        began = time.monotonic()
        found.load(entries, vectors)
        return {"seconds": time.monotonic() - began, "notes": found.notes()}
    finally:
        found.close()


def ask(found, plan, folder):
    questions = Questions(folder, plan)
    found.open()
    try:
        version = found.version()
        width = chosen_width(found, questions, plan) if "semantic" in found.modes else None
        modes = {mode: measured(found, mode, questions, plan) for mode in found.modes}
        processes = found.processes()
        memory = memory_of(processes)
        disk = found.disk()
    finally:
        found.close()
    return {"version": version, "in_process": os.getpid() in processes, "width": width, "modes": modes, "disk": disk, **memory}


def drop(found, plan, folder):
    found.drop()
    return {}


class Questions:
    """The questions by what they are for."""

    def __init__(self, folder, plan):
        self.texts = json.loads((folder / "questions.json").read_text())
        self.vectors = numpy.load(folder / "question_vectors.npy")
        self.parts = plan["parts"]

    def of(self, part):
        start, end = self.parts[part]
        return [Question(self.texts[at], self.vectors[at]) for at in range(start, end)]


def chosen_width(found, questions, plan):
    """Sets the first width with which enough is found, or the last."""
    for width in found.widths:
        found.set_width(width)
        connection = found.connect()
        some = questions.of("first")
        shown = [[row[0] for row in found.semantic(connection, question)] for question in some]
        parts = [len(set(ids) & set(best)) / SHOWN for ids, best in zip(shown, plan["nearest_of_first"])]
        if sum(parts) / len(parts) >= ENOUGH:
            break
    return width


def measured(found, mode, questions, plan):
    """Times and results of a mode, one question at a time and several."""
    search = getattr(found, mode)
    connection = found.connect()
    end = time.monotonic() + plan["seconds"] / 4
    for question in questions.of("first"):
        search(connection, question)
        if time.monotonic() > end:
            break
    times, shown = [], []
    end = time.monotonic() + plan["seconds"]
    for question in questions.of(mode):
        began = time.perf_counter()
        rows = search(connection, question)
        times.append(time.perf_counter() - began)
        shown.append([row[0] for row in rows])
        if time.monotonic() > end:
            break
    return {
        "how": found.modes[mode],
        "times": times,
        "shown": shown,
        "rate": rate(found.connect, search, questions.of(f"{mode} at once"), plan),
    }


def rate(connect, search, questions, plan):
    """Questions a second of several clients, each of which asks its next
    question when the one before is answered."""
    left = iter(questions)
    lock = threading.Lock()
    asked, errors = [], []
    end = time.monotonic() + plan["seconds"]
    ready = threading.Barrier(plan["clients"] + 1)

    def client():
        try:
            connection = connect()
            ready.wait()
            while time.monotonic() < end:
                with lock:
                    question = next(left, None)
                if question is None:
                    return
                search(connection, question)
                asked.append(time.monotonic())
        except Exception as error:
            errors.append(error)
            ready.abort()

    clients = [threading.Thread(target=client) for _ in range(plan["clients"])]
    for one in clients:
        one.start()
    try:
        ready.wait()
    except threading.BrokenBarrierError:
        pass
    began = time.monotonic()
    for one in clients:
        one.join()
    if errors:
        raise errors[0]
    return len(asked) / (max(asked) - began)


def memory_of(processes):
    """Bytes in memory of several processes. What they share counts once."""
    sums = {"Pss": 0, "Pss_File": 0}
    for process in processes:
        try:
            lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for line in lines:
            name, _, value = line.partition(":")
            if name in sums:
                sums[name] += int(value.split()[0]) * 1024
    return {"memory": sums["Pss"], "own_memory": sums["Pss"] - sums["Pss_File"]}


def main():
    what, name, plan_file, result = sys.argv[1:]
    plan = json.loads(pathlib.Path(plan_file).read_text())
    folder = pathlib.Path(plan_file).parent
    of_engine = folder / name
    of_engine.mkdir(exist_ok=True)
    python = memory_of([os.getpid()])
    setup = Setup(of_engine, plan["program"], pathlib.Path(plan["repository"]))
    done = {"load": load, "ask": ask, "drop": drop}[what](engine(name, setup), plan, folder)
    pathlib.Path(result).write_text(json.dumps({**done, "python": python["memory"]}))


if __name__ == "__main__":
    main()
