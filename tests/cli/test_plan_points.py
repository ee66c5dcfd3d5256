"""Commands about the restore points of a site, and the report on it."""

import json
from pathlib import Path

import pytest
from sites.plan import TEXT

from tests.shared import Say


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.yaml").write_text(TEXT, encoding="utf-8")
    return "site.yaml"


def test_points_as_a_table_and_as_json(site: str, say: Say) -> None:
    code, out, _ = say("plan", "points", site, "--at", "2027-01-11")
    assert code == 0
    assert "nightly: 9 restore points of first and second, in 11 save sets" in out
    assert "full of 2027-01-02 and 4 more" in out
    code, out, _ = say("plan", "points", site, "--at", "2027-01-11", "--json", "--system", "first")
    (found,) = json.loads(out)["policies"]
    assert found["systems"] == ["first"]
    assert [point["target"] for point in found["points"]].count("vault") == 2
    assert found["points"][0]["expires"].startswith("2027-02-06T20:00")


def test_the_log_of_points_from_a_date_on(site: str, say: Say) -> None:
    words = ("points", site, "--at", "2027-02-13", "--log", "--from", "2027-02-12")
    code, out, _ = say("plan", *words)
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if line.startswith(" 2027")] == [
        ["2027-02-12", "pool", "incremental"]
    ]
    _, out, _ = say("plan", *words, "--json")
    (line,) = json.loads(out)
    assert line["expired"] == ["2027-01-08T20:00:00+01:00"]
    assert len(line["freed"]) == 7  # with the last incremental of its week, the chain of 2 January goes


def test_names_and_dates_that_are_wrong(site: str, say: Say) -> None:
    _, _, err = say("plan", "points", site, "--policy", "nihgtly")
    assert "--policy: there is no policy 'nihgtly'; did you mean 'nightly'?" in err
    _, _, err = say("plan", "points", site, "--at", "2026-01-01")
    assert "--at: 2026-01-01 is before the start" in err


@pytest.mark.slow
def test_a_report_as_a_page(site: str, say: Say) -> None:
    words = ("report", site, "-o", "small.html", "--until", "3 weeks", "--intervals", "none")
    _, _, err = say("plan", *words, "--at", "2028-01-01")
    assert "--at: 2028-01-01 is after the end of the plan; the plan ends on 2027-01-22" in err
    code, _, err = say("plan", *words)
    assert (code, err.strip().splitlines()[-1]) == (0, "written to small.html")
    text = Path("small.html").read_text(encoding="utf-8")
    assert "<h1>A small site</h1>" in text
    assert "What all restores together spend their time on" in text
