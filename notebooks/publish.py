"""Execute the notebooks and write each beside its source; python notebooks/publish.py [NOTEBOOK.py ...]

A notebook is written as NN-title.py (jupytext, percent format). This makes NN-title.ipynb with all outputs and without
anything that changes from run to run. Cells with the tag `claims` check what the text says; they run, and are not published.
"""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from ipykernel.kernelspec import write_kernel_spec
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).parent
KERNEL = "this-python"
CLAIMS = "claims"
"""The tag of cells that check what the text says."""
TIMEOUT_S = 1800
"""A cell that takes longer hangs."""
COLOURS = 96
"""Colours of a picture as it is stored; enough for plain charts, and a third of the bytes."""


def sources() -> list[Path]:
    """The sources of all notebooks, in order."""
    return sorted(HERE.glob("[0-9]*.py"))


def executed(source: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook of a source, run from top to bottom in a folder by the Python that runs this.

    The kernel is described in that folder, so that none need be installed and none that is installed is used.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        A cell failed.
    """
    notebook = jupytext.read(source)
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # `simbackup` of this Python
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    write_kernel_spec(folder / "kernels" / KERNEL, overrides={"env": environment})
    specs = KernelSpecManager(kernel_dirs=[str(folder / "kernels")], ensure_native_kernel=False)
    kernel = AsyncKernelManager(kernel_name=KERNEL, kernel_spec_manager=specs)
    client = NotebookClient(
        notebook, km=kernel, timeout=TIMEOUT_S, startup_timeout=TIMEOUT_S, resources={"metadata": {"path": str(folder)}}
    )
    client.owns_km = True  # so that it ends the kernel that it was given
    client.execute()
    return stable(notebook)


def stable(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without times, paths, versions and checks of the text, its cells numbered."""
    notebook.cells = shown(notebook)
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
        for output in cell.get("outputs", []):
            if "execution_count" in output:
                output.execution_count = count
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "jupytext": {"formats": "ipynb,py:percent"},
        }
    )
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = base64.b64encode(
                    smaller(base64.b64decode(output.data["image/png"]))
                ).decode()
    return notebook


def shown(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells of a notebook that readers see."""
    return [cell for cell in notebook.cells if CLAIMS not in cell.metadata.get("tags", [])]


def smaller(png: bytes) -> bytes:
    """The same picture with few colours."""
    written = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


def pictures(notebook: nbformat.NotebookNode) -> list[bytes]:
    """Each picture of an executed notebook as PNG."""
    return [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def publish(source: Path) -> None:
    """Write the executed notebook of a source."""
    with tempfile.TemporaryDirectory() as folder:
        notebook = executed(source, Path(folder))
    nbformat.write(notebook, source.with_suffix(".ipynb"))


if __name__ == "__main__":
    for each in map(Path, sys.argv[1:]) if sys.argv[1:] else sources():
        publish(each)
