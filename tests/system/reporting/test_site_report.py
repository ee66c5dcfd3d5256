"""The page on a site for a manager: one file that loads nothing, with the figures of the plan and of the restore."""

import re
from html import unescape
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.goals import goals_of, judged
from simbackup.planning.intervals import Sureness
from simbackup.planning.plan import plan
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.reporting.site_report import site_page, usual_losses
from simbackup.schema.yaml_file import parse
from simbackup.units import show_short

pytestmark = pytest.mark.slow

GOALS = "windows_missed: 0\nrestores:\n  fire: {after_loss_of: main, data_lost: 1 h}\n"


def written(**parts: Any) -> dict[str, Any]:
    return site(prices="prices/list-2026", growth={"value": "20 %", "range": ["5 %", "40 %"], "basis": "assumed",
                                                   "why": "<b>a guess</b>"}, **parts)  # fmt: skip


@pytest.fixture(scope="module")
def page() -> tuple[str, Any, Any]:
    loaded = load_site(written())
    found = plan(loaded, "8 weeks")
    back = restore(loaded, "site", found.until, "main", nights=found.nights, explain=True)
    goals = judged(found, goals_of(parse(GOALS, "goals.yaml")))
    return site_page(found, Sureness(None, ()), [back], goals), found, back


def text_of(html: str) -> str:
    bare = re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))
    return re.sub(r"\s+", " ", unescape(bare))


def test_the_page_has_the_figures_of_the_plan(page: tuple[str, Any, Any]) -> None:
    html, found, back = page
    text = text_of(html)
    assert "Everything fits until the end, 2027-02-26." in text
    assert "Not all goals are met." in text
    assert f"all after {show_short(back.until(1.0), 's', 3)}" in text
    assert f"{sum(month.total for month in found.months):,.0f} USD" in text
    worst = next(row["worst"] for row in found.losses if row["after_loss_of"] == "main" and not row["policy"])
    assert f"After the loss of main, at most {show_short(worst, 's', 3)} of new data are lost" in text
    assert f"nightly first and second {found.days[-1].points['nightly']} 2027-01-02" in text
    phase = back.reasons.phases[0]
    assert f"{phase.activity} {phase.at} {show_short(phase.seconds, 's')} {phase.share:.1%}".replace("%", " %") in text
    assert f"'{back.reasons.last.name}' is back last." in text


def test_every_assumption_is_there_with_its_range_and_reason(page: tuple[str, Any, Any]) -> None:
    html, found, _ = page
    text = text_of(html)
    assert "growth 20 % 5 % to 40 %" in text
    assert "targets.pool.device.disk.average_seek" in text
    assert "targets.vault.device.drive.locate_overhead" in text
    assert "&lt;b&gt;a guess&lt;/b&gt;" in html  # what a file says is text, and no markup
    for key, node in found.site.first_night.library.works.items():
        if key == "hpe-lto9-datasheet":
            assert str(node.plain()["title"]) in text


def test_the_page_loads_nothing(page: tuple[str, Any, Any]) -> None:
    html, *_ = page
    assert not re.search(r"(src|srcset|href)=\"(?!data:|#)", html)
    assert "<script" not in html
    assert html.count('<img src="data:image/svg+xml;base64,') == 3  # nights, capacity, and systems that are back


def test_a_site_in_one_place_loses_data_alone() -> None:
    parts = site()
    assert usual_losses(load_site(parts)) == ["main"]
    del parts["targets"]["vault"], parts["policies"]["nightly"]["copies"]
    assert usual_losses(load_site(parts)) == [""]
