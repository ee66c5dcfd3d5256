"""Starts and ends of jobs, on the clock where the scenario says times of day."""

import pytest

import simbackup as sb
from simbackup.cli import show
from simbackup.reporting import sections
from simbackup.results.shown import on_the_clock

COPY = """
title: A copy
hosts: {server: {model: host/linux-modern-server, owns: [one, two]}}
devices:
  one: {model: disk/sata-7200-1tb-2008}
  two: {model: disk/sata-7200-1tb-2008}
data: {files: {on: one, size: 400 GB}}
jobs: {copy: {method: image, data: files, to: two, begin: BEGIN}}
"""
SPREAD = """
title: Spread starts
hosts: {server: {model: host/linux-modern-server, owns: [one, two]}}
devices:
  one: {model: disk/sata-7200-1tb-2008}
  two: {model: disk/sata-7200-1tb-2008}
data: {files: {on: one, size: 1 GB}}
fleets:
  copies:
    count: 4
    jobs: {"copy-{number}": {method: image, data: files, to: two, begin: {first: FIRST, over: 12 h}}}
"""


def begins(first: str) -> list[str | None]:
    spec = sb.load(SPREAD.replace("FIRST", first)).spec
    return [job.begin for job in spec.jobs.values()]


def test_a_time_of_day_shows_start_and_end_on_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    result = sb.simulate(COPY.replace("BEGIN", '"23:00"'))
    end = float(result.jobs.loc["copy", "end"])
    assert 24 * 3600.0 < end < 25 * 3600.0
    shown = f"00:{round((end - 86_400.0) / 60.0):02} day 2"
    show.result(result, {})
    head, row = (line for line in capsys.readouterr().out.splitlines() if line.startswith((" copy", " job")))
    assert head.split()[2:5] == ["start", "end", "elapsed"]
    assert row.split()[2:6] == ["23:00", *shown.split()]
    assert ">23:00</td>" in result._repr_html_()
    start, ended = sections.jobs(result).rows[0][2:4]
    assert (start.text, start.number, ended.text, ended.number) == ("23:00", 82_800.0, shown, end)


def test_a_time_after_the_start_shows_the_time_since_then(capsys: pytest.CaptureFixture[str]) -> None:
    result = sb.simulate(COPY.replace("BEGIN", "22 h"))
    show.result(result, {})
    printed = capsys.readouterr().out
    assert " 22 h " in printed
    assert " end " not in printed
    assert [column.name for column in sections.jobs(result).columns[2:4]] == ["start", "elapsed"]


@pytest.mark.parametrize("begin", ['"22:00"', "22 h"])
def test_a_saved_result_shows_the_same(begin: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    result = sb.simulate(COPY.replace("BEGIN", begin))
    folder = tmp_path_factory.mktemp("saved") / "result"
    result.save(folder)
    assert on_the_clock(sb.Result.load(folder)) == on_the_clock(result) == (":" in begin)


def test_spread_starts_stay_on_the_clock_until_midnight() -> None:
    assert begins('"15:00"') == ["15:00", "18:00", "21:00", "1 d"]
    assert begins("15 h") == ["15 h", "18 h", "21 h", "1 d"]
