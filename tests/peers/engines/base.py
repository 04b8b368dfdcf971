"""What every engine does."""

import collections
import os
import pathlib

# How many entries of each list are fused, and the constant of reciprocal rank
# fusion.
CANDIDATES = 50
RRF = 60
SHOWN = 10

Setup = collections.namedtuple("Setup", "folder program repository")
Question = collections.namedtuple("Question", "text vector")


class Base:
    """An engine over the entries in a folder of its own.

    A search gives rows with all fields of the entries, the id first.
    """

    # What a mode is made of, by its name; a mode that is missing is not asked.
    modes = {}
    # How wide the index is searched: the first is taken with which the
    # overlap with an exact search is .95.
    widths = [None]

    def __init__(self, setup):
        self.folder = pathlib.Path(setup.folder)
        self.setup = setup

    def version(self):
        """Name and version as they are shown."""
        raise NotImplementedError

    def prepare(self):
        """What has to run before entries are loaded; its time is not counted."""

    def load(self, entries, vectors):
        """Loads the entries with their vectors, and builds the indexes."""
        raise NotImplementedError

    def open(self):
        """Opens what was loaded."""

    def connect(self):
        """What a thread asks with."""
        return

    def set_width(self, width):
        """Sets how wide the index is searched."""

    def keyword(self, connection, question, limit=SHOWN):
        """The entries that have words of the question, best first."""
        raise NotImplementedError

    def semantic(self, connection, question, limit=SHOWN):
        """The entries with the most similar vectors, best first."""
        raise NotImplementedError

    def hybrid(self, connection, question):
        """Both searches, fused by reciprocal rank fusion in the client."""
        return fused(
            self.keyword(connection, question, CANDIDATES),
            self.semantic(connection, question, CANDIDATES),
        )

    def notes(self):
        """What else is to be said of the answers."""
        return []

    def processes(self):
        """The processes that hold its memory."""
        return descendants(os.getpid())

    def disk(self):
        """Bytes that it takes on disk."""
        files = (os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in names)
        return sum(os.stat(file).st_blocks * 512 for file in files if not os.path.islink(file))

    def close(self):
        """Ends what `prepare` and `open` started."""

    def drop(self):
        """Ends what is left when all is done."""


def fused(*lists):
    """The rows of several lists by reciprocal rank fusion."""
    scores, rows = collections.Counter(), {}
    for found in lists:
        for rank, row in enumerate(found, 1):
            scores[row[0]] += 1 / (RRF + rank)
            rows[row[0]] = row
    return [rows[name] for name, _ in scores.most_common(SHOWN)]


def batches(entries, size):
    """Slices of at most so many entries."""
    return (slice(start, start + size) for start in range(0, len(entries), size))


def descendants(process):
    """A process and all that it started."""
    found = [process]
    for parent in found:
        for children in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found
