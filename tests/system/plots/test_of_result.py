"""Pictures of results, also of so many jobs that they cannot be drawn one by one."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from simbackup.errors import ResultError
from simbackup.palette import PAPER
from simbackup.plots import rates, style
from simbackup.plots.drives import states_of, waiting
from simbackup.plots.fills import look
from simbackup.plots.rates import MOST, steps_of
from simbackup.plots.timeline import FOLDED
from simbackup.results.causes import split
from simbackup.results.figures import greatest_of_each
from simbackup.results.groups import thinned
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.trace.activity import WORDS, Activity
from tests.shared import RUNNABLE, each_scenario, simulated

TAPE = "published/000-netbackup-frozen-images/tape"
SITE = """\
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk]}
devices:
  disk: {model: disk/sata-7200-250gb-2005}
data:
  file: {on: disk, size: 1 GB}
jobs:
"""


@pytest.fixture(scope="module")
def tape() -> Result:
    return simulated(TAPE)


@pytest.fixture(scope="module")
def queue() -> Result:
    return simulated("teaching/mount-queue")


def written(folder: Path, jobs: str) -> Result:
    """The result of some jobs on a small site."""
    path = folder / "site.yaml"
    path.write_text("title: Site\n" + SITE + jobs, encoding="utf-8")
    return simulate(path)


def bars(figure: Figure, gid: str = "bars") -> Iterator[tuple[str, float, float, float]]:
    """Colour, start, end and middle of each bar of the first axes, in the unit of its axis."""
    for collection in figure.axes[0].collections:
        if collection.get_gid() == gid:
            colour = to_hex(collection.get_facecolor()[0])
            for path in collection.get_paths():
                box = path.get_extents()
                yield colour, box.x0, box.x1, (box.y0 + box.y1) / 2


def texts(figure: Figure) -> set[str]:
    """What the legend of a figure says."""
    return {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def rows(figure: Figure) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_the_timeline_has_a_bar_for_each_span_where_its_job_stands(tape: Result) -> None:
    figure = tape.plot.timeline()
    drawn = list(bars(figure))
    assert len(drawn) == len(tape.trace.spans)
    assert rows(figure) == [row["job"] for row in tape.job_rows]
    assert figure.axes[0].get_xlabel() == "time, h"
    for y, row in enumerate(tape.job_rows):
        own = [bar for bar in drawn if round(bar[3]) == y]
        assert min(bar[1] for bar in own) * 3600 == pytest.approx(row["start"])
        assert max(bar[2] for bar in own) * 3600 == pytest.approx(row["end"])
        assert sum(bar[2] - bar[1] for bar in own) * 3600 == pytest.approx(row["elapsed"])
        locating = sum(bar[2] - bar[1] for bar in own if bar[0] == Activity.LOCATE.colour) * 3600
        reported = sum(s for (_, what), s in tape.activities(row["job"]).items() if what == "locate")
        assert locating == pytest.approx(reported)
    assert {"locate", "transfer", "tape marks"} <= texts(figure)


def test_windows_and_ends_are_marked(tmp_path: Path) -> None:
    result = written(
        tmp_path,
        "  late: {method: write, data: file, begin: 60 s, window: 1 s}\n"
        "  good: {method: write, data: file, begin: 10 min, window: 1 h}\n",
    )
    assert [row["status"] for row in result.job_rows] == ["late", "done"]
    assert [(row["due"], row["window"]) for row in result.job_rows] == [(60.0, 1.0), (600.0, 3600.0)]
    figure = result.plot.timeline()
    windows = [(start * 60, end * 60) for _, start, end, _ in bars(figure, "windows")]
    assert windows == [pytest.approx((60, 61)), pytest.approx((600, 4200))]
    (late,) = [line for line in figure.axes[0].lines if line.get_label() == "late"]
    assert late.get_xdata()[0] * 60 == pytest.approx(result.job_rows[0]["end"])
    assert {"late", "window"} <= texts(figure)
    assert figure.axes[0].get_xlim()[1] * 60 >= 4200


def test_a_failed_and_a_skipped_job_are_marked() -> None:
    figure = simulated("published/002-sql-server-tuning/out-of-memory").plot.timeline()
    assert "failed" in texts(figure)


def test_the_runs_of_one_job_share_a_row_and_many_jobs_stay_on_the_page(tmp_path: Path) -> None:
    again = written(tmp_path, "  often: {method: write, data: file, every: 1 h, until: 99 h}\n")
    assert rows(again.plot.timeline()) == ["often (100 runs)"]
    many = written(tmp_path, "".join(f"  j{n}: {{method: write, data: file, begin: {n} min}}\n" for n in range(200)))
    figure = many.plot.timeline()
    assert len(rows(figure)) == 50
    assert figure.get_figheight() <= 13.0
    assert len(list(bars(figure))) == len(many.trace.spans)


def test_causes_add_up_and_one_job_can_be_asked_for(tape: Result) -> None:
    figure = tape.plot.causes()
    for y, row in enumerate(tape.job_rows):
        own = [patch for patch in figure.axes[0].patches if patch.get_y() < y < patch.get_y() + patch.get_height()]
        assert len(own) == len(split(tape, row["job"]))
        assert sum(patch.get_width() for patch in own) * 60 == pytest.approx(row["elapsed"], rel=1e-9)
    one = tape.plot.causes("item")
    assert rows(one) == ["item"]
    assert "tape marks" not in texts(one)
    with pytest.raises(ResultError, match="did you mean 'item'"):
        tape.plot.causes("itme")


def test_utilisation_and_throughput_follow_the_trace(tape: Result) -> None:
    busy, moved = tape.plot.utilisation(), tape.plot.throughput()
    shares = {line.get_label(): line for axis in busy.axes for line in axis.lines}
    rates = {line.get_label(): line for axis in moved.axes for line in axis.lines}
    assert set(shares) == {rate.link for rate in tape.trace.rates if rate.busy > 0}
    assert set(rates) == {rate.link for rate in tape.trace.rates if rate.bytes_per_s > 0}
    for device in tape.trace.devices:
        if device.address in rates:
            assert max(rates[device.address].get_ydata()) * 1e6 == pytest.approx(device.peak_bytes_per_s)
            steps = steps_of(tape, lambda rate: rate.bytes_per_s)[device.address]
            assert steps.integral() == pytest.approx(device.bytes_moved, rel=1e-6)
    assert all(max(line.get_ydata()) <= 100.0 + 1e-9 for line in shares.values())
    assert moved.axes[-1].get_xlim()[1] * 3600 == pytest.approx(tape.end)
    assert "up to 6.18 MB/s" in {text.get_text() for axis in moved.axes for text in axis.texts}


def test_of_many_links_those_that_did_most_are_shown(queue: Result) -> None:
    result = Result(queue.record, queue.values, type(queue.trace)())
    for n in range(MOST + 6):
        result.trace.rate(0.0, f"links.l{n}", 0.01 * (n + 1), 1.0)
        result.trace.rate(10.0, f"links.l{n}", 0.0, 0.0)
    figure = result.plot.utilisation()
    assert len(figure.axes) == MOST
    shown = {line.get_label() for axis in figure.axes for line in axis.lines}
    assert {"links.l5", "links.l6", f"links.l{MOST + 5}"} & shown == {"links.l6", f"links.l{MOST + 5}"}


def test_drives_are_never_in_two_states_and_busy_as_long_as_reported(tape: Result, queue: Result) -> None:
    for result in (tape, queue):
        for device in result.trace.devices:
            if device.kind == "tape drive":
                spans = states_of(result, device.address)
                assert all(after.start >= before.end - 1e-6 for before, after in itertools.pairwise(spans))
                assert sum(span.end - span.start for span in spans) == pytest.approx(device.busy_s, rel=1e-6)
    figure = tape.plot.drives()
    assert rows(figure) == ["library.drive.1", "library.drive.2", "library.drive.3", "library.drive.4", "library.robot"]
    assert "12 more drives" in figure.axes[0].get_title(loc="left").replace("\n", " ")


def test_those_who_wait_are_counted(queue: Result) -> None:
    counted = waiting(queue)
    assert max(number for _, number in counted) == 7  # eight ask at once, one robot serves
    seconds = sum((after[0] - before[0]) * before[1] for before, after in itertools.pairwise(counted))
    assert seconds == pytest.approx(sum(row["waits"] for row in queue.job_rows))
    assert len(queue.plot.drives().axes) == 2


def test_a_drive_that_stops_and_starts_is_shown_to() -> None:
    figure = simulated("teaching/shoe-shining").plot.drives()
    assert "transfer (repositioning)" in texts(figure)


def test_there_are_no_drives_without_tape() -> None:
    with pytest.raises(ResultError, match="has no tape drives"):
        simulated("published/003-lvm-snapshots/same-disk").plot.drives()


def test_an_activity_has_one_colour_everywhere() -> None:
    assert look("devices.sdb", "copy").colour == look("hosts.h.cores", "copy").colour == look("links.l", "copy").colour
    assert look("devices.sdb", "copy") != look("links.l", "copy")
    assert look("devices.sdb", "never seen").colour == look("links.l", "never seen").colour
    assert look("devices.library", "wait for a drive").colour == PAPER


def test_every_palette_is_readable_without_red_and_green() -> None:
    def seen(colour: str) -> tuple[float, float]:
        """Brightness and yellow-blue of a colour, all that is left without red-green sight."""
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.3 * red + 0.59 * green + 0.11 * blue, (red + green) / 2 - blue

    for one, other in itertools.combinations(style.LINES, 2):
        (light, hue), (light2, hue2) = seen(one), seen(other)
        assert abs(light - light2) + abs(hue - hue2) > 0.06, (one, other)


@pytest.mark.slow
def test_the_same_result_gives_the_same_bytes(queue: Result, tmp_path: Path) -> None:
    for kind in ("svg", "pdf"):
        first, second = (tmp_path / f"{name}.{kind}" for name in "ab")
        style.write(queue.plot.timeline(), first)
        queue.plot.causes()  # what is drawn between leaves no trace
        style.write(queue.plot.timeline(), second)
        assert first.read_bytes() == second.read_bytes()
        assert b"Date" not in first.read_bytes()


def test_pictures_touch_nothing_that_is_shared(queue: Result) -> None:
    before = dict(mpl.rcParams)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    open_figures = plt.get_fignums()
    assert queue.plot.timeline()._repr_png_().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == open_figures


def test_a_format_that_is_none_is_refused(queue: Result, tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="use "):
        style.write(queue.plot.timeline(), tmp_path / "a.pgn")


FLEET = (
    SITE.replace("jobs:\n", "")
    + """\
fleets:
  servers:
    count: COUNT
    data:
      "file-{number}": {on: disk, size: 100 MB}
    jobs:
      "save-{number}": {method: write, data: "file-{number}", begin: {first: "20:00", over: 1 h}, window: 1 h}
jobs:
  alone: {method: write, data: file, begin: "22:00"}
"""
)


def test_many_jobs_of_a_fleet_share_a_band_in_which_each_has_a_row() -> None:
    result = simulate("title: Fleet\n" + FLEET.replace("COUNT", "40"))
    figure = result.plot.timeline()
    assert rows(figure) == ["save-* (40 jobs)", "alone"]
    some = thinned(result)[0].plot.timeline()  # as in reports, which keep few of equal jobs
    assert rows(some) == ["save-* (2 of 40 jobs)", "alone"]
    middles = {round(bar[3], 6) for bar in bars(figure)}
    assert len(middles) == 41
    assert sorted(middles)[-2] - min(middles) < FOLDED
    assert figure.axes[0].get_xlabel() == "time of day"


@pytest.mark.parametrize("kind", ["timeline", "causes"])
def test_a_long_title_ends_in_the_picture(kind: str, tmp_path: Path) -> None:
    """It begins where the names of the jobs end, and the longest name leaves it little room."""
    path = tmp_path / "site.yaml"
    job = "a-backup-with-a-very-long-name"
    path.write_text(
        f"title: {'What a title says of a system ' * 9}\n{SITE}  {job}: {{method: write, data: file}}\n",
        encoding="utf-8",
    )
    drawn: Any = getattr(simulate(path).plot, kind)()
    drawn.draw_without_rendering()
    ends = [text.get_window_extent().x1 for text in (drawn.axes[0].title, drawn.axes[0]._left_title)]
    assert drawn.bbox.width * 0.7 < max(ends) <= drawn.bbox.width


# Very many jobs
NIGHTS = """\
title: Nights
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk, vault]}
devices:
  disk: {model: disk/sata-7200-250gb-2005}
  vault: {model: disk/sata-7200-250gb-2005}
data:
  file: {on: disk, size: 1 GB}
jobs:
  nightly: {method: image, data: file, to: vault, begin: "22:00", every: 1 d, until: 10 d, window: WINDOW}
"""


def nights(folder: Path, window: str = "1 h") -> Result:
    path = folder / "site.yaml"
    path.write_text(NIGHTS.replace("WINDOW", window), encoding="utf-8")
    return simulate(path)


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MANY", 1)


def test_more_runs_than_a_timeline_can_show_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MANY", 1)
    with pytest.raises(ResultError, match="has 9 runs of jobs, more than a timeline can show; choose another"):
        simulated("teaching/mount-queue").plot.timeline()


def test_the_slowest_of_many_runs_stands_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MOST", 9)
    result = nights(tmp_path)
    drawn = result.plot.causes()
    slowest = max(result.job_rows, key=lambda row: row["elapsed"])
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == [f"{slowest['job']}, slowest of 10"]
    widths = sum(patch.get_width() for patch in drawn.axes[0].patches)
    unit = {"s": 1.0, "min": 60.0}[drawn.axes[0].get_xlabel().removeprefix("elapsed, ")]
    assert widths * unit == pytest.approx(slowest["elapsed"])


def test_of_many_jobs_the_longest_have_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.plots.timeline.MOST", 2)
    result = simulated("teaching/mount-queue")
    drawn = result.plot.causes()
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["full", "r8"]
    assert drawn.get_supxlabel() == "the 2 longest of 9"


@pytest.mark.usefixtures("_few")
def test_busy_shares_share_the_least_axis_that_holds_them(tmp_path: Path) -> None:
    """The means of ten minutes hold some 20 s of work: up to 100 %, they would hardly show."""
    drawn = nights(tmp_path).plot.utilisation()
    assert {axis.get_yticklabels()[-1].get_text() for axis in drawn.axes} == {"10 %"}


@pytest.mark.parametrize("name", ["teaching/mount-queue", "published/003-lvm-snapshots/same-disk"])
def test_means_of_rates_have_the_integral_of_the_rates(name: str) -> None:
    result = simulated(name)
    edges, found = rates.means(result, "bytes_per_s", 7)
    steps = steps_of(result, lambda rate: rate.bytes_per_s)
    assert found.keys() == steps.keys()
    for link, own in found.items():
        assert sum(np.array(own) * np.diff(edges)) == pytest.approx(steps[link].integral()), link


@pytest.mark.usefixtures("_few")
def test_a_picture_of_means_says_so() -> None:
    drawn = simulated("published/003-lvm-snapshots/same-disk").plot.utilisation()
    assert drawn.axes[0].get_title(loc="left").endswith("means of 1 min")


# Every scenario
SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0}


def test_there_are_scenarios_of_all_three_kinds() -> None:
    assert {name.partition("/")[0] for name in RUNNABLE} >= {"published", "planning", "teaching"}
    assert len(RUNNABLE) > 60


@each_scenario(RUNNABLE)
def test_a_scenario_can_be_drawn(name: str) -> None:
    result = simulated(name)
    plot = result.plot
    timeline = plot.timeline()
    drawn = sum(len(c.get_paths()) for c in timeline.axes[0].collections if c.get_gid() == "bars")
    assert drawn == sum(span.job.startswith("jobs.") for span in result.trace.spans)
    causes = plot.causes()
    unit = SECONDS[causes.axes[0].get_xlabel().removeprefix("elapsed, ")]
    widths = sum(patch.get_width() for patch in causes.axes[0].patches) * unit
    took = {f"jobs.{row['job']}": row["elapsed"] for row in result.job_rows}
    shown = [address.removeprefix("jobs.") for address in greatest_of_each(result.record.fleets, took)]
    if len(shown) <= MOST:
        assert widths == pytest.approx(sum(sum(split(result, job).values()) for job in shown), rel=1e-9)
    assert plot.utilisation().axes
    moving = {rate.link: 1.0 for rate in result.trace.rates if rate.bytes_per_s > 0}
    assert len(plot.throughput().axes) == max(min(len(greatest_of_each(result.record.fleets, moving)), MOST), 1)
    if any(device.kind == "tape drive" for device in result.trace.devices):
        assert plot.drives().axes
    whole = {(span.cause, span.activity) for span in result.trace.spans}
    parts = {(cause, activity) for span in result.trace.spans for cause, activity, _ in span.split}
    for seen in (whole, parts):
        colours: dict[str, set[str]] = {}
        for cause, activity in seen:
            one = look(cause, activity)
            ours = activity in WORDS  # the groups of a program have colours by their names, which may be equal
            if ours and one.colour != PAPER and one.limit != "repositioning":  # which has a hatch
                colours.setdefault(one.colour, set()).add(activity)
        assert not {colour: some for colour, some in colours.items() if len(some) > 1}
    timeline.set_dpi(10)
    timeline.draw_without_rendering()
