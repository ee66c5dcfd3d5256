"""Where measured documents are: in collections, such as `scenarios/published`, and in the records of labs, `lab/`."""

from __future__ import annotations

from simbackup import shelf
from simbackup.files import whole
from simbackup.schema.measured import Measured, Measurement, read_measured
from simbackup.shelf import MEASURED

PUBLISHED = "published"
"""The collection that is meant where none is named."""
LAB = "lab"
"""The records of labs, a folder beside scenarios/ and no collection in it: they are no publications."""


def documents(collection: str = PUBLISHED, begins: str = "") -> list[Measured]:
    """All documents of a collection, of the records of labs, or of every collection for `*`, by their folders' names.

    Only those are read whose names begin with a text.

    >>> [document.folder.name[:3] for document in documents()][:2]
    ['000', '001']
    """
    found: dict[str, Measured] = {}
    for root in shelf.roots():
        within = root if collection == LAB else root / "scenarios"
        for path in sorted(within.glob(f"{collection}/*/{MEASURED}")):
            if path.parent.name.startswith(begins) and path.parent.name not in found:
                found[path.parent.name] = read_measured(path, shelf.shown(path))
    return [found[folder] for folder in sorted(found)]


def collections() -> list[str]:
    """The names of all collections.

    >>> collections()
    ['published', 'validation']
    """
    found = (path for root in shelf.roots() for path in (root / "scenarios").glob(f"*/*/{MEASURED}"))
    return sorted({path.parent.parent.name for path in found})


def scenario_name(measurement: Measurement, file: str) -> str:
    """Name of the scenario that a measured row refers to, or its path where it is in no root."""
    path = measurement.home / file
    shown = shelf.shown(whole(path))
    known = shown.startswith("scenarios/")
    return shown.removeprefix("scenarios/").removesuffix(".yaml") if known else str(path)
