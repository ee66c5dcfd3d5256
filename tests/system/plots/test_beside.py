"""Pictures of measured rows, studies, searches and plans."""

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from sites.plan import site

import simbackup as sb
from simbackup.errors import ResultError
from simbackup.experiments.reproduce import Reproduction, reproduce
from simbackup.experiments.study import study
from simbackup.planning.night import Night, begin
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Outcome
from simbackup.planning.site import load_site
from simbackup.plots import style
from simbackup.plots.of_plan import FULL, LONG, MISSED, NONE, SHORT, nights
from simbackup.plots.reproduction import ALL_FROM, ALL_TO
from simbackup.plots.studies import StudyPlots, figures, ruler
from tests.shared import simulated
from tests.system.experiments.test_optimise import RATE, RATES, SAVE, SIZE, SIZES, asked

ROWS = [
    {"case": case, "data.db.size": size, "jobs.full.elapsed": seconds, "jobs.full.rate": 5e6, "users.lost": 0.25}
    for case, size, seconds in (
        ("one", "10 GB", 7200.0), ("one", "1 TB", 720_000.0), ("two", "10 GB", 3600.0), ("two", "1 TB", None),
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshots() -> Reproduction:
    return reproduce(["003"], intervals=False)


def test_each_row_stands_at_its_ratio_in_the_band_of_ten_percent(snapshots: Reproduction) -> None:
    rows = [replace(snapshots.rows[0], interval=(10.0, 20.0)), *snapshots.rows[1:]]
    figure = Reproduction(rows, [], []).plot.compare()
    (axis,) = figure.axes
    marks = {line.get_gid(): line for line in axis.lines if line.get_gid()}
    for y, row in enumerate(rows):
        mark = marks[row.measurement.id]
        assert mark.get_xdata()[0] == row.simulated / row.measurement.value
        assert mark.get_ydata()[0] == y
        assert (mark.get_marker() == "X") == bool(row.measurement.row.off)
        assert (mark.get_markerfacecolor() == "white") == (row.role in {"fitted", "seen"})
        assert axis.get_xlim()[0] < mark.get_xdata()[0] < axis.get_xlim()[1]
    assert list(marks["interval"].get_xdata()) == [10.0 / rows[0].measurement.value, 20.0 / rows[0].measurement.value]
    (band,) = [patch for patch in axis.patches if patch.get_gid() == "band"]
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((0.9, 1.1))


def test_names_of_rows_can_be_given(snapshots: Reproduction) -> None:
    figure = snapshots.plot.compare(lambda row: row.measurement.id.upper())
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [row.measurement.id.upper() for row in snapshots.rows]


def test_the_overview_holds_every_row(snapshots: Reproduction) -> None:
    figure = snapshots.plot.overview()
    points = sum(len(collection.get_offsets()) for collection in figure.axes[0].collections)
    assert points == len(snapshots.rows)
    assert figure.axes[0].get_xlim() == (ALL_FROM, ALL_TO)
    within = sum(row.within for row in snapshots.rows)
    (label,) = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert label == f"003-lvm-snapshots\n{within} of {len(snapshots.rows)} results within 10 %"


def test_rows_beyond_an_end_of_the_overview_say_where_they_are(snapshots: Reproduction) -> None:
    first, second, *others = snapshots.rows
    far = [
        replace(first, simulated=first.measurement.value / 64),  # 1 / 64 = 0.0156, in two digits 0.016
        replace(second, simulated=second.measurement.value * 3),
        *others,
    ]
    axis = Reproduction(far, [], []).plot.overview().axes[0]
    beside = [text.get_text() for text in axis.texts]
    assert sorted(beside) == ["3 →", "← 0.016"]


def test_a_result_is_compared_with_what_it_reproduces_alone() -> None:
    figure = simulated("published/003-lvm-snapshots/same-disk").plot.compare()
    assert len(figure.axes[0].get_yticklabels()) >= 1
    with pytest.raises(ResultError, match="alone reproduces no measured row"):
        simulated("teaching/shoe-shining").plot.compare()


@pytest.mark.slow
def test_curves_of_a_study_are_its_rows() -> None:
    table = study("planning/copy-area-place", intervals="none")
    figure = table.plot.lines("scenario", "jobs.dd.elapsed")
    (line,) = figure.axes[0].lines
    assert list(line.get_ydata() * 60) == pytest.approx([row["jobs.dd.elapsed"] for row in table.rows])
    assert figure.axes[0].get_ylabel() == "elapsed time of dd, min"
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == [row["scenario"] for row in table.rows]


def test_curves_differ_in_colour_and_mark() -> None:
    figure = StudyPlots("t", ROWS).lines("data.db.size", "jobs.full.elapsed", "case")
    one, two = figure.axes[0].lines
    assert (one.get_color(), two.get_color()) == style.LINES[:2]
    assert one.get_marker() != two.get_marker()
    assert list(one.get_xdata()) == [1e10, 1e12]
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"
    assert "1 h" in [tick.get_text() for tick in figure.axes[0].get_yticklabels()]


def test_a_heat_map_has_a_field_for_each_run_and_a_gap_for_one_that_failed() -> None:
    figure = StudyPlots("t", ROWS).heatmap("data.db.size", "case", "jobs.full.elapsed")
    assert [text.get_text() for text in figure.axes[0].texts] == ["2 h", "8 d 8 h", "1 h"]
    with pytest.raises(ResultError, match="two runs have"):
        StudyPlots("t", ROWS).heatmap("users.lost", "case", "jobs.full.elapsed")
    with pytest.raises(ResultError, match="did you mean 'case'"):
        StudyPlots("t", ROWS).heatmap("cas", "case", "jobs.full.elapsed")


def test_figures_have_units_for_people() -> None:
    assert figures(ROWS, "jobs.full.rate").name == "rate of full, MB/s"
    assert figures(ROWS, "jobs.full.rate").values == [5.0] * 4
    assert figures(ROWS, "users.lost") == ("lost requests, %", [25.0] * 4, None, False, True, 0.01)
    assert ruler(ROWS, "case").labels == ["one", "one", "two", "two"]


# Studies that vary inputs and that search
def labels(drawn: sb.style.Chart) -> list[str]:
    return [text.get_text() for text in drawn.axes[0].get_yticklabels()]


def test_a_tornado_has_a_pair_of_bars_for_each_input_that_was_moved(tmp_path: Path) -> None:
    study = {**asked(tmp_path, {}), "optimise": None}
    drawn = sb.study(study, workers=1).plot.tornado(SAVE)
    assert (RATE, labels(drawn)[0]) == ("devices.target.write_rate", "write rate of target")
    assert len(drawn.axes[0].patches) == 2 * len(labels(drawn))
    with pytest.raises(sb.ResultError, match="no input is known to move"):
        sb.study(study, workers=1, intervals="none").plot.tornado(SAVE)


def test_a_search_is_drawn_with_its_front(tmp_path: Path) -> None:
    search = {"values": {RATE: RATES[:4], SIZE: SIZES[:3]}, "least": SAVE, "greatest": SIZE}
    found = sb.study(asked(tmp_path, search), workers=1, intervals="none")
    tried, front = found.plot.pareto(SAVE, SIZE).axes[0].lines
    assert len(tried.get_xdata()) == 12
    assert len(front.get_xdata()) == len(found.rows) == 3  # each size as fast as can be
    with pytest.raises(sb.ResultError, match="no combination was tried with 'price'"):
        found.plot.pareto("price", SAVE)


# Plans
HOURS = {"2027-01-02": 1, "2027-01-23": 12}


def stub(night: Night) -> dict[str, Outcome]:
    """Full backups that take hours by their date, and incrementals that take one."""
    due, hours = begin("20:00"), HOURS.get(str(night.day), 1)
    names = ("first", "second", "first-tape", "second-tape")
    return {name: Outcome(due, due + hours * 3600, 1.0) for name in names}


@cache
def planned() -> Plan:
    policy = site()["policies"]["nightly"] | {"without": ["sunday"]}
    targets = site()["targets"]
    small = targets["pool"] | {"device": targets["pool"]["device"] | {"disks": 4}}
    systems = {name: part | {"size": "8 TB"} for name, part in site()["systems"].items()}
    loaded = load_site(site(policies={"nightly": policy}, targets=targets | {"pool": small}, systems=systems))
    return plan(loaded, "4 weeks", play=stub)


def test_a_night_has_the_colour_of_its_worst_backup() -> None:
    found = nights(planned())
    assert found[date(2027, 1, 2)] == SHORT
    assert date(2027, 1, 3) not in found
    assert found[date(2027, 1, 23)] == MISSED
    assert NONE < SHORT < LONG < FULL < MISSED


def test_a_calendar_has_a_row_for_each_year() -> None:
    drawn = planned().plot.calendar()
    assert len(drawn.axes) == 1
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]


def test_capacity_shows_what_a_pool_can_hold_and_when_it_is_full() -> None:
    found = planned()
    drawn = found.plot.capacity()
    assert [axis.get_title(loc="left") or axis.get_title() for axis in drawn.axes] == ["pool", "vault"]
    texts = [text.get_text() for text in drawn.axes[0].texts]
    assert texts == ["40 TB", f"full on {found.limits[0].date}"]
    drawn.draw_without_rendering()
    assert all(float(tick).is_integer() for tick in drawn.axes[1].get_yticks())  # there is no half of a cartridge
    assert found.limits[0].date == date(2027, 1, 16)  # three times 16 TB and what changed between


@pytest.mark.slow
def test_dates_have_room_on_a_narrow_page() -> None:
    """Whatever the time planned: at most five labels of ten characters on four inches."""
    for until in ("4 weeks", "1 year", "3 years"):
        found = plan(load_site(site()), until, play=stub).plot.capacity()
        found.draw_without_rendering()
        assert 2 <= len([label for label in found.axes[-1].get_xticklabels() if label.get_text()]) <= 5
