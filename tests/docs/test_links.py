"""The check of a built handbook finds links that lead nowhere, and what is loaded from elsewhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))  # the script lies beside the pages

from links import problems

from tests.cases import for_each


@for_each(
    "body, found",
    [
        ('<a href="b.html#there">b</a><a href="https://example.org/">c</a><img src="data:,">', []),
        ('<a href="c.html">c</a>', ["c.html leads nowhere"]),
        ('<a href="b.html#here">b</a><a href="#own">a</a>', ["#own names an anchor", "b.html#here names an anchor"]),
        ('<img src="picture.png">', ["picture.png leads nowhere"]),
        ('<script src="https://example.org/a.js"></script>', ["https://example.org/a.js is loaded from elsewhere"]),
        ('<link rel="stylesheet" href="//example.org/a.css">', ["//example.org/a.css is loaded from elsewhere"]),
        ('<link rel="canonical" href="https://example.org/">', []),
    ],
)
def test_links(tmp_path: Path, body: str, found: list[str]) -> None:
    (tmp_path / "a.html").write_text(body, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>', encoding="utf-8")
    said = problems(tmp_path)
    assert len(said) == len(found)
    assert all(one.startswith(f"a.html: {begin}") for one, begin in zip(said, found, strict=True))


def test_styles_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@font-face { src: url('https://example.org/a.woff') }", encoding="utf-8")
    assert problems(tmp_path) == ["a.css: loads something from elsewhere"]
