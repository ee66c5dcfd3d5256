"""A page is printed by a browser that is installed; here, by a program that stands for one."""

from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.reporting import page

PRINTS = """#!/bin/sh
for word; do case $word in --print-to-pdf=*) to=${word#*=};; file:*) from=${word#file://};; esac; done
{ printf '%%PDF-1.4 /CreationDate (D:20270405060708+00)'; cat "$from"; } > "$to"
"""


def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    program = tmp_path / "browser"
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(page, "BROWSERS", (str(tmp_path / "none"), str(program)))


def test_the_page_is_printed_without_its_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser(tmp_path, monkeypatch, PRINTS)
    assert page.printed("<p>all</p>") == b"%PDF-1.4 /CreationDate (D:19800101000000+00)<p>all</p>"


def test_what_a_browser_says_that_prints_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser(tmp_path, monkeypatch, "#!/bin/sh\necho no room left >&2\nexit 3\n")
    with pytest.raises(ResultError, match=r"browser does not print the page \(no room left\)"):
        page.printed("<p>all</p>")


def test_without_a_browser_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "BROWSERS", ("no-such-browser",))
    with pytest.raises(ResultError, match=r"a PDF needs a browser that prints it; install Chromium"):
        page.browser()
