"""The what-if page in a real browser: from opening to a compared variant, by keyboard, with nothing else asked for."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.opening import opened, served

HANGS = 1_800_000
SHORT = "teaching/short-backups"


@pytest.fixture
def address() -> Iterator[str]:
    """The page as the command serves it."""
    with served(SHORT) as found:
        yield found


def serious(page: Any) -> list[str]:
    """What axe finds on a page that keeps somebody from using it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response
    assert len(found["passes"]) > 10
    return [each["help"] for each in found["violations"] if each["impact"] in {"serious", "critical"}]


def edit(page: Any, text: Callable[[str, str], None]) -> None:
    """Write a text that is wrong, with a word that is offered."""
    page.locator("#tab-variants").press("ArrowLeft")
    area = page.locator("#text")
    area.fill(f"extends: {SHORT}\njobs:\n  more: {{method: im")
    area.press("Control+End")
    area.press("Control+ ")
    text("#words", "image")
    area.press("Enter")
    area.type("}")
    area.press("Control+Enter")
    text("#problems", "line 3")
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(page.locator("#gutter .bad")).to_have_text(re.compile(r"3\s*$"), timeout=HANGS)
    text("#answer", "It cannot be run as it is.")


def upload(page: Any, text: Callable[[str, str], None], file: Path) -> None:
    """Upload a file."""
    file.write_text(f"title: Mine\nextends: {SHORT}\n", encoding="utf-8")
    page.locator("#choose").press("Enter")
    page.locator("#files").set_input_files(file)
    text("#title", "Mine")
    text("#status", "Done.")


@pytest.mark.slow
def test_what_comes_along_opens_and_ends(browser: Any) -> None:
    sample = ["teaching/one-file-from-tape", "planning/offsite", "published/003-lvm-snapshots/same-disk"]
    page = browser.new_page()
    with served() as address:
        assert [*opened(page, address, sample, to_the_end=True)] == [(name, []) for name in sample]
        assert [*opened(page, address, ["planning/templates/two-sites"])] == [("planning/templates/two-sites", [])]
    page.close()


@pytest.mark.slow
def test_from_opening_to_a_compared_variant(browser: Any, address: str, tmp_path: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    page = browser.new_page()
    problems: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def text(place: str, wanted: str) -> None:
        expect(page.locator(place)).to_contain_text(wanted, timeout=HANGS)

    page.goto(address)
    page.locator("#keeping button").wait_for()
    page.locator("#keeping button").press("Enter")
    text("#panel-variants", "as opened")

    slide = page.locator(".lever", has_text="size").locator(".slide").first
    slide.press("ArrowRight")
    text("#cards", "before:")
    text("#cards", "in 90 % of cases")
    text("#cards", "Bottleneck")
    text("#status", "Done.")
    page.locator("#variant-name").fill("more data")
    page.locator("#variant-name").press("Enter")
    text("#panel-variants", "more data")
    text("#panel-variants", "Values in which they differ")
    expect(page.locator("#panel-variants [data-open]")).to_have_count(2, timeout=HANGS)  # both can be opened again
    expect(page.locator("#panel-variants td", has_text=" to ")).to_have_count(2, timeout=HANGS)  # with intervals
    expect(page.locator("#panel-variants .over title")).to_have_text(
        [re.compile("as opened: .* to "), re.compile("more data: .* to ")], timeout=HANGS
    )
    with page.expect_download() as saved:
        page.locator("#downloads a", has_text="Excel").press("Enter")
    assert Path(saved.value.path()).read_bytes().startswith(b"PK")

    edit(page, text)
    upload(page, text, tmp_path / "mine.yaml")
    for width in (375, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for tab in ("timeline", "why", "system", "devices", "text", "variants"):
            page.locator(f"#tab-{tab}").click()
            assert page.evaluate("document.documentElement.scrollWidth") == width, tab
        assert page.evaluate("[...document.images].every(image => image.alt.length > 10)")
        page.emulate_media(color_scheme="dark" if width == 375 else "light")
        assert serious(page) == []
    assert problems == []
    home = address.partition("?")[0]
    assert page.url == home
    assert [url for url in requests if not url.startswith(("data:", home))] == []
    page.close()


@pytest.mark.slow
def test_a_link_asks_the_same_question(browser: Any, address: str) -> None:
    """On a phone, where a short answer stays in sight beside the levers."""
    expect = pytest.importorskip("playwright.sync_api").expect
    page, other = browser.new_page(), browser.new_page()
    page.goto(address)
    value = ".lever .value >> nth=0"
    expect(page.locator("#status")).to_have_text("Done.", timeout=HANGS)
    first, opened_as = page.locator(value).input_value(), page.url
    page.locator(".lever .slide").first.press("ArrowRight")
    expect(page.locator("#cards")).to_contain_text("before:", timeout=HANGS)
    moved, link = page.locator(value).input_value(), page.url
    assert first != moved
    assert opened_as != link

    other.set_viewport_size({"width": 375, "height": 700})
    other.goto(link)
    expect(other.locator("#brief")).to_contain_text("save took", timeout=HANGS)
    expect(other.locator("#brief")).to_be_in_viewport()
    expect(other.locator(value)).to_have_value(moved)
    other.locator("#undo").press("Enter")
    expect(other.locator(value)).to_have_value(first, timeout=HANGS)
    expect(other).to_have_url(opened_as, timeout=HANGS)
    for each in (page, other):
        each.close()


@pytest.mark.slow
def test_a_site_is_described_and_a_link_holds_it(browser: Any) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with served() as address:
        page.goto(address)
        page.locator("#to-form").press("Enter")
        page.locator("#add-group").press("Enter")
        row = page.locator(".group").nth(1)
        row.locator("[name=kind]").select_option("file server")
        row.locator("[name=machines]").fill("1")
        row.locator("[name=data]").fill("2 TB")
        page.locator("#description [type=submit]").press("Enter")
        expect(page.locator("#description-problems")).to_contain_text("row 2: files", timeout=HANGS)
        for width in (375, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if width == 375 else "light")
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate("describer.scrollWidth <= describer.clientWidth")
            assert serious(page) == []
        row.locator("[name=files]").fill("1,000,000")
        page.locator("[name=template][value=two-sites]").check()
        expect(page.locator("#line")).to_be_visible()
        page.locator("[name=template][value=small-office]").check()
        expect(page.locator("#line")).to_be_hidden()
        page.locator("#parts optgroup option[value='tape_drive/lto-8']").wait_for(state="attached", timeout=HANGS)
        page.get_by_label("Tapes: drives").select_option("tape_drive/lto-8")
        page.locator("#description [type=submit]").press("Enter")
        expect(page.locator("#title")).to_have_text("My site, 21 systems", timeout=HANGS)
        assert "drive: tape_drive/lto-8" in page.locator("#text").input_value()
        expect(page.locator("#percent")).to_have_text(re.compile(r"^\d\d? %$"), timeout=HANGS)
        for card in ("restore of everything", "data lost", "cost"):
            expect(page.locator("#cards h3", has_text=re.compile(f"^{card}$"))).to_have_count(1, timeout=HANGS)
        expect(
            page.locator("#levers optgroup[label=StorageTek] option[value='tape_library/storagetek-l20']")
        ).to_have_text("StorageTek L20")
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator("#title")).to_have_text("My site, 21 systems", timeout=HANGS)
        page.locator("#describe").press("Enter")
        expect(page.locator(".group")).to_have_count(2)
        expect(page.locator(".group").nth(1).locator("[name=files]")).to_have_value("1,000,000")
        expect(page.get_by_label("Tapes: drives")).to_have_value("tape_drive/lto-8")
        assert wrong == []
        page.close()
