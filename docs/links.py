"""Check a built handbook: each link, anchor and picture leads somewhere, and no page loads anything from elsewhere.

`python docs/links.py build/handbook` prints what is wrong, and then ends with status 1.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("source", "srcset"), ("iframe", "src"), ("object", "data")}
"""What a browser asks for by itself; so it does for links whose `rel` is one of these."""
FETCHED = frozenset({"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "manifest"})
ELSEWHERE = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//")


@dataclass
class Page(HTMLParser):
    """The anchors of a page, and what it links to and loads."""

    anchors: set[str] = field(default_factory=set[str])
    links: set[str] = field(default_factory=set[str])
    loaded: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and links of an element."""
        own = {name: value or "" for name, value in attrs}
        self.anchors |= {own[name] for name in ("id", "name") if name in own}
        self.links |= {own["href"]} if tag == "a" and "href" in own else set()
        self.loaded |= {own[name] for name in own if (tag, name) in LOADED}
        if tag == "link" and FETCHED & {*own.get("rel", "").split()}:
            self.loaded.add(own.get("href", ""))


def problems(folder: Path) -> list[str]:
    """What is wrong with the pages of a folder."""
    pages: dict[Path, Page] = {}
    for path in sorted(folder.rglob("*.html")):
        pages[path] = Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    found = [
        f"{path.relative_to(folder)}: {problem}"
        for path, page in pages.items()
        for link in sorted(page.links | page.loaded)
        if (problem := wrong(link, path, pages, is_loaded=link in page.loaded))
    ]
    sheets = (path for path in folder.rglob("*.css") if ELSEWHERE.search(path.read_text(encoding="utf-8")))
    return [*found, *(f"{path.relative_to(folder)}: loads something from elsewhere" for path in sheets)]


def wrong(link: str, path: Path, pages: dict[Path, Page], *, is_loaded: bool) -> str:
    """What is wrong with a link of a page; empty if nothing is."""
    parts = urlsplit(link)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc:
        return f"{link} is loaded from elsewhere" if is_loaded else ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return f"{link} leads nowhere"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return f"{link} names an anchor that is not there"
    return ""


if __name__ == "__main__":
    every = problems(Path(sys.argv[1]).resolve())
    sys.exit("\n".join(every) or 0)
