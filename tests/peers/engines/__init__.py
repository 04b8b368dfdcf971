"""What is compared: a module for each, with a class `Engine`."""

import importlib

NAMES = ["gannet", "postgres", "sqlite", "duckdb", "lancedb", "chroma", "milvus", "typesense"]


def engine(name, setup):
    """The engine of that name.

    Raises ImportError where its packages are not installed.
    """
    return importlib.import_module(f"engines.{name}").Engine(setup)
