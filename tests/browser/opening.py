"""Opens scenarios and sites in a browser, one after the other: run as a program, all that come along, with counts."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HANGS = 1_800_000
"""Milliseconds after which the browser hangs; a busy machine is never that slow."""
DONE = re.compile(r"Done\.|It cannot be run as it is\.|The server does not answer\.")


@contextmanager
def served(*words: str) -> Iterator[str]:
    """The address of the page, as the command serves it."""
    command = [sys.executable, "-m", "simbackup.cli", "serve", *words, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        yield said.split(" at ")[1].split(";")[0]
        server.send_signal(signal.SIGINT)
        assert server.wait() == 130  # ended by Ctrl-C
        rest = server.stderr.read()
    assert "Traceback" not in rest, rest


def opened(
    page: Any, address: str, names: Sequence[str], *, to_the_end: bool = False
) -> Iterator[tuple[str, list[str]]]:
    """Each name with what went wrong when it was opened: until its levers are there, or until its run is done."""
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    for name in names:
        wrong.clear()
        page.goto(f"{address.partition('?')[0]}?open={name}")
        page.locator("#levers .lever").first.wait_for(state="attached", timeout=HANGS)
        if to_the_end:
            page.get_by_text(DONE).wait_for(timeout=HANGS)
            wrong += [] if "Done." in page.locator("#status").inner_text() else [page.locator("#status").inner_text()]
        wrong += [f"{name} is not its own title"] if page.locator("#title").inner_text() in {"", name} else []
        wrong += page.locator("#problems .error").all_inner_texts()
        for slide in page.locator(".slide").all()[:5]:
            slide.evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('input', { bubbles: true })); }")
            wrong += [] if slide.get_attribute("aria-valuetext") else ["a slider without a text"]
        width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        wrong += [f"{width} pixels too wide"] if width > 0 else []
        yield name, list(wrong)


def main() -> None:
    """Open all that comes along, or what is named, and print what went wrong and how many were opened."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from playwright.sync_api import sync_playwright  # noqa: PLC0415
    from shared import RUNNABLE  # noqa: PLC0415

    scenarios = ROOT / "scenarios"
    sites = [f"{path.relative_to(scenarios)}".removesuffix(".site.yaml") for path in scenarios.rglob("*.site.yaml")]
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    bad = 0
    names = sys.argv[1:] or [*RUNNABLE, *sorted(sites)]
    with served() as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=HANGS)
        for n, (name, wrong) in enumerate(opened(browser.new_page(), address, names), 1):
            bad += bool(wrong)
            print(n, name, *wrong, flush=True)  # noqa: T201
        browser.close()
    print(f"{len(names)} opened, {bad} of them with something wrong")  # noqa: T201


if __name__ == "__main__":
    main()
