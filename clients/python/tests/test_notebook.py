"""The notebook of the examples runs, and prints what is kept in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, List

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples/notebook.ipynb"


def test_the_notebook_prints_what_is_kept(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GANNET_URL", url)
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    kept = outputs(notebook)
    assert any(kept)
    NotebookClient(notebook, timeout=60).execute()
    assert outputs(notebook) == kept


def outputs(notebook: Any) -> List[str]:
    """What each cell of code printed."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]
