"""Reports in a real browser: nothing is asked for, nothing goes wrong, nothing runs off the page, and it prints."""

import json
from pathlib import Path
from typing import Any

import pytest

from simbackup import report
from simbackup.text import for_terminal

TAPE, LVM = "teaching/one-file-from-tape", "published/003-lvm-snapshots/same-disk"
PAGES = {
    "tape": (TAPE, ["Where do the minutes go?", "locate", "Tape drives", "published measurements of its kind"]),
    "lvm": (LVM, ["metadata commit", "003-lvm-snapshots", "Assumptions", "Sources"]),
    "fleet": ("planning/spread-starts-night", ["All 200 jobs finished within their windows", "Each took"]),
    "failed": ("failed.yaml", ["Failed at its start", "Did not run", "missed its window"]),
}
"""What is reported on, and texts that must be seen."""
FAILED = """
title: A snapshot that fills
question: What becomes of a job whose snapshot is invalid?
extends: SCENARIOS/published/003-lvm-snapshots/same-disk.yaml
devices:
  cow: {size: 100 MB}
jobs:
  dd: {window: 10 s}
  image: {method: image, data: file, source: cow, to: sdc, after: dd}
  back: {restore: image, after: image}
"""
WIDTHS = (375, 1440)
HOSTILE = (
    "<script>document.title='owned'</script> \"><img src=x onerror=\"document.title='owned'\"> <b>bold</b> &amp; "
    "{{ 7*7 }} [red]x[/red] $a$ =1+1 javascript:alert(1) \x1b[31mred \u202eright </style></title></svg>"
)
"""What a page must show letter by letter, and never run."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_report_is_read_in_a_browser(name: str, browser: Any, written: Path) -> None:
    what, texts = PAGES[name]
    own = written / "failed.yaml"
    own.write_text(FAILED.replace("SCENARIOS", str(Path(__file__).parents[2] / "scenarios")), encoding="utf-8")
    file = report(
        str(own) if what == own.name else what,
        written / f"{name}.html",
        intervals="none" if name == "fleet" else "quick",
    )
    page = browser.new_page()
    problems: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        assert page.evaluate("[...document.images].every(image => image.alt.length > 10)")
        shown = page.evaluate("document.body.innerText")
        assert [text for text in texts if text not in shown] == []
        assert page.evaluate("document.querySelectorAll('h1').length") == 1
    assert problems == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()] * len(WIDTHS)
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()


@pytest.mark.slow
def test_text_of_users_is_shown_and_never_run(browser: Any, written: Path) -> None:
    why = {"value": "1 GB", "basis": "assumed", "range": ["1 GB", "2 GB"], "why": HOSTILE, "at": HOSTILE}
    own = written / "hostile.yaml"
    scenario = {
        "title": HOSTILE, "question": HOSTILE,
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk"]}},
        "devices": {"disk": {"model": "disk/sata-7200-1tb-2008"}}, "data": {"file": {"on": "disk", "size": why}},
        "jobs": {"save": {"method": "write", "data": "file", "flush": True}},
    }  # fmt: skip
    own.write_text(json.dumps(scenario), encoding="utf-8")
    file = report(str(own), written / "hostile.html")
    page = browser.new_page()
    problems: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    literal = for_terminal(HOSTILE)
    assert " ".join(page.title().split()) == literal
    shown = page.evaluate("document.body.innerText")
    assert shown.count(literal) >= 3  # title, question, reason
    assert page.evaluate("document.querySelectorAll('script, b, body style, img[src=x]').length") == 0
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(one => [...one.attributes].every(a => !/^on/i.test(a.name)))"
    )
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert problems == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]
    page.close()
