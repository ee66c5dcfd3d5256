"""The what-if page in a real browser: from opening to a compared variant, its first answer, its console, and axe.

A planner opens the page, chooses a scenario, keeps its answer, moves the first slider, keeps that answer too, and sees
both side by side. Wall times depend on how busy the machine is; the CPU time of the server and its workers beside them
says what an idle machine would need at most. `--pictures DIR` writes pictures of it at two widths, light and dark.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.served import Served, load, served

SMALL, LARGE = "teaching/short-backups", "planning/forty-systems"
WIDTHS = (375, 1440)
HEIGHT = 900
SCHEMES: tuple[Any, ...] = ("light", "dark")
HANGS = 1_800_000
"""Milliseconds after which something hangs."""
GRAVE = frozenset({"serious", "critical"})
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(slots=True)
class Walk:
    """What a walk through the page took, and what it met."""

    server: Served
    began: float = field(default_factory=time.monotonic)
    problems: list[str] = field(default_factory=list[str])
    _cpu: float = field(init=False)

    def __post_init__(self) -> None:
        self._cpu = self.server.cpu

    def step(self, name: str) -> None:
        """Note how long it took until here."""
        print(f"  {name:<32} {time.monotonic() - self.began:6.1f} s, {self.server.cpu - self._cpu:6.1f} CPU s")

    def watch(self, page: Page) -> None:
        """Note what the console says, and what is asked of others."""
        page.on("console", lambda message: self.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        if not url.startswith(("data:", self.server.home)):
            self.problems.append(f"request to {url}")

    def take(self, page: Page, scenario: str) -> None:
        """Open a scenario in the page, change it, and compare."""
        page.goto(self.server.address)
        page.locator("#library button").first.wait_for()
        self.step("opened, with all scenarios")
        page.locator("#filter").fill(scenario.partition("/")[2])
        page.locator(f"[data-name='{scenario}']").click()
        asked = time.monotonic()
        page.locator("#cards article").first.wait_for()
        self.step(f"first answer, after {time.monotonic() - asked:.1f} s")
        self._complete(page)
        self.step("simulated")
        page.locator("#keeping button").click()
        page.locator("#panel-variants table").first.wait_for()
        page.locator(".slide").first.press("ArrowRight")
        page.locator("#cards .was").first.wait_for()
        self.step("first answer to the variant")
        self._complete(page)
        page.locator("#keeping button").click()
        expect(page.locator("#panel-variants")).to_contain_text("Values in which they differ")
        self.step("variant kept and compared")
        expect(page.locator("#status")).to_have_text("Done.")
        self.step("all files of the variant")

    def _complete(self, page: Page) -> None:
        """Wait until all cards of an answer are there; those of a site's nights come after those of its capacity."""
        if page.locator("#tab-nights").is_visible():
            page.locator("#cards h3", has_text="windows").wait_for()


def accessible(page: Page) -> Iterator[str]:
    """What axe finds on a page that is serious."""
    axe: Any = import_module("axe_playwright_python.sync_playwright").Axe()  # it has no types
    for found in axe.run(page).response["violations"]:
        if found["impact"] in GRAVE:
            yield f"axe: {found['id']} at {', '.join(str(node['target'][0]) for node in found['nodes'][:3])}"


def looked_at(page: Page, name: str, folder: Path | None) -> list[str]:
    """What axe finds on each tab of a page at each width, light and dark; with pictures of the page in a folder."""
    found: set[str] = set()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            for tab in page.locator("[role=tab]:visible").all():
                tab.click()
                if folder:
                    page.screenshot(
                        path=folder / f"{name}-{width}-{scheme}-{tab.get_attribute('id')}.png", full_page=True
                    )
                found |= set(accessible(page))
    return sorted(found)


def walked(chromium: Browser, scenario: str, folder: Path | None) -> list[str]:
    """Walk through the page with a scenario, served anew; what was wrong."""
    print(f"{scenario}; {load()}")
    with served() as server:
        page = chromium.new_context(viewport={"width": WIDTHS[-1], "height": HEIGHT}).new_page()
        page.set_default_timeout(HANGS)
        walk = Walk(server)
        walk.watch(page)
        walk.take(page, scenario)
        return [*walk.problems, *looked_at(page, scenario.partition("/")[2], folder)]


def main() -> None:
    """Walk through the page with a small and with a large scenario; a problem ends with status 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of the page")
    parser.add_argument("--quick", action="store_true", help="the small scenario alone")
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=HANGS)
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=HANGS)
        problems = [
            each
            for name in ((SMALL,) if options.quick else (SMALL, LARGE))
            for each in walked(chromium, name, options.pictures)
        ]
        chromium.close()
    print(f"problems: {len(problems)}", *problems, sep="\n")
    raise SystemExit(1 if problems else 0)


if __name__ == "__main__":
    main()
