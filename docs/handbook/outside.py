"""Pages that lie outside docs/: the notebooks, CONTRIBUTING and the like; and links to them."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

from handbook.alt import alt, heading_of

TOP = Path(__file__).parents[2]
NOTEBOOKS = "notebooks"
TAKEN = {"RESULTS.md": "results.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository that are pages of the handbook."""
SHOWN = {"models": "datasheets/index.md", "simbackup/equations": "mechanisms/index.md"}
"""Folders of the repository whose contents a page of the handbook shows."""
LINK = re.compile(r"\]\((?!\w+:|#|/)([^)\s#]+)((?:#[^)\s]+)?)\)")
IMAGES = frozenset({"image/png", "image/svg+xml"})
MADE = "made"
"""The folder below docs/ with the pages that a build makes; they are not kept in the repository."""


def pages() -> dict[str, str]:
    """The pages that are files outside docs/, with links to pages of the handbook."""
    made = {page: inward((TOP / file).read_text(encoding="utf-8"), "") for file, page in TAKEN.items()}
    notebooks = sorted((TOP / NOTEBOOKS).glob("*.ipynb"))
    return made | {f"{NOTEBOOKS}/{path.name}": notebook(path.read_text(encoding="utf-8")) for path in notebooks}


def notebook(text: str) -> str:
    """A notebook whose text links to pages of the handbook, and whose pictures have alternative texts."""
    read, heading = json.loads(text), ""
    for cell in read["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = heading_of(source, heading)
            cell["source"] = inward(source, NOTEBOOKS)
        elif any(IMAGES & output.get("data", {}).keys() for output in cell.get("outputs", ())):
            cell["metadata"]["mystnb"] = {"image": {"alt": alt(heading, source)}}
    return json.dumps(read, indent=1, ensure_ascii=False) + "\n"


def inward(text: str, folder: str) -> str:
    """A page of a folder of the repository whose links to files are links to pages of the handbook.

    >>> inward("[results](../RESULTS.md#documents), [terms](glossary.md)", "docs")
    '[results](/made/results.md#documents), [terms](/glossary.md)'
    """
    return LINK.sub(lambda found: f"]({target(found[1], folder)}{found[2]})", text)


def target(link: str, folder: str) -> str:
    """Where a link of a page of a folder of the repository leads in the handbook."""
    path = posixpath.normpath(posixpath.join(folder, link))
    if path in TAKEN:
        return f"/{MADE}/{TAKEN[path]}"
    if path in SHOWN:
        return f"/{MADE}/{SHOWN[path]}"
    if path.startswith("simbackup/equations/"):
        return f"/{MADE}/mechanisms/{posixpath.basename(path).removesuffix('.py')}.rst"
    if path.startswith(f"{NOTEBOOKS}/"):
        return f"/{MADE}/{path}"
    return "/" + path.removeprefix("docs/") if path.startswith("docs/") else link
