"""Make the slides of one lecture from the published notebooks; python notebooks/slides.py [FILE.html]

Of each notebook they show the question, the prediction to ask for, the picture that answers it, and the comparison. The page
needs no network: arrow keys turn the slides, and printing it gives one slide on each sheet.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt

HERE = Path(__file__).parent
LECTURE = ("00", "01", "04", "03", "02", "08")
"""Notebooks in the order of the lecture."""
MARKDOWN = MarkdownIt()
PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Backup and restore: where does the time go?</title>
<style>
  :root {{ color-scheme: light dark; --ink: #222; --paper: #fff; --accent: #33638d; }}
  @media (prefers-color-scheme: dark) {{ :root {{ --ink: #eee; --paper: #181a1b; --accent: #8fbfe0; }} }}
  body {{ margin: 0; font: 2.2vw/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper); }}
  section {{ box-sizing: border-box; min-height: 100vh; padding: 5vh 7vw; display: none; flex-direction: column; justify-content: center; }}
  section:target, section.first {{ display: flex; }}
  body:has(section:target) section.first:not(:target) {{ display: none; }}
  h1, h2 {{ color: var(--accent); line-height: 1.15; margin: 0 0 0.6em; }}
  img, svg {{ max-width: 100%; max-height: 74vh; object-fit: contain; background: #fff; border-radius: 6px; }}
  section > :first-child {{ margin-top: auto; }}
  pre {{ font-size: 1.1em; white-space: pre-wrap; }}
  footer {{ font-size: 0.5em; opacity: 0.7; margin-top: auto; }}
  @media print {{ section {{ display: flex !important; break-after: page; }} }}
</style>
{slides}
<script>
  const slides = [...document.querySelectorAll("section")];
  addEventListener("keydown", event => {{
    const step = {{ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1}}[event.key];
    if (!step) return;
    event.preventDefault();
    const now = Math.max(slides.findIndex(slide => "#" + slide.id === location.hash), 0);
    location.hash = slides[Math.min(Math.max(now + step, 0), slides.length - 1)].id;
  }});
</script>
</html>
"""


def slides(path: Path) -> Iterator[str]:
    """The slides of a notebook: its question, the prediction, pictures up to the answer, the comparison."""
    cells: Sequence[nbformat.NotebookNode] = nbformat.read(path, as_version=4).cells
    yield MARKDOWN.render(_head(cells[0].source))
    asked = next(i for i, cell in enumerate(cells) if cell.source.startswith("## Predict first"))
    compared = next(i for i, cell in enumerate(cells) if "guess.compare(" in cell.source)
    yield MARKDOWN.render(cells[asked].source.replace("## Predict first", "## What do you expect?"))
    pictures = [each for cell in cells[asked:compared] for each in _pictures(cell)]
    pictures = pictures or [each for cell in cells[compared:] for each in _pictures(cell)][:1]
    yield from pictures[:3]
    told = [output.text for output in cells[compared].outputs if output.get("name") == "stdout"]
    after = next((cell.source for cell in cells[compared:] if cell.cell_type == "markdown"), "")
    yield f"<pre>{html.escape(told[-1].splitlines()[-1])}</pre>" + MARKDOWN.render(after.split("\n## ")[0])


def _head(text: str) -> str:
    """The title of a notebook, and its question in bold."""
    title, question = text.split("\n", 1)[0], re.search(r"\*\*([^*]*\?)\*\*", text, re.DOTALL)
    return f"{title}\n\n{question[1] if question else ''}"


def _pictures(cell: nbformat.NotebookNode) -> Iterator[str]:
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            yield f'<img alt="{html.escape(_words(cell.source))}" src="data:image/png;base64,{data["image/png"].strip()}">'
        elif "image/svg+xml" in data:
            yield data["image/svg+xml"]


def _words(source: str) -> str:
    """What a cell draws, for those who do not see it."""
    return f"picture made by {source.strip().splitlines()[-1]}"


def page() -> str:
    """The whole page."""
    made: list[str] = []
    for number in LECTURE:
        (path,) = HERE.glob(f"{number}-*.ipynb")
        made += [f"{slide}<footer>{path.stem}</footer>" for slide in slides(path)]
    first = ' class="first"'
    shown = [f'<section id="s{i}"{first if i == 1 else ""}>{slide}</section>' for i, slide in enumerate(made, 1)]
    return PAGE.format(slides="\n".join(shown))


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else HERE.parent / "build" / "slides.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(), encoding="utf-8")
    print(f"written to {target}")
