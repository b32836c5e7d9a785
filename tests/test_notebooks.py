"""The notebooks of examples/: each runs from its folder, without an error, and its cells show what they say."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")


def test_ask():
    notebook = nbformat.read(FOLDER / "ask.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.resources = {"metadata": {"path": str(FOLDER)}}
    client.execute()
    shown = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", "")})
            shown[cell.source.splitlines()[-1]] = data.get("text/html", data.get("text/plain"))
    assert "<svg" in shown["doc._.ucca"] and ">house<" in shown["doc._.ucca"]
    assert "Parallel Scene" in shown["print(doc._.ucca)"]
    assert "<td>his father</td>" in shown["predications(doc, clauses=True)"]
    assert "('John', 'graduation')" in shown[notebook.cells[10].source.splitlines()[-1]]
    assert "<svg" in shown[notebook.cells[11].source.splitlines()[-1]]
    assert ">\n        Scene" in shown[notebook.cells[13].source.splitlines()[-1]]
