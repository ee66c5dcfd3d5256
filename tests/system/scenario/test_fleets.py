"""Fleets and large sites."""

import gc
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simbackup as sb
from benchmarks.racked import racked
from simbackup import load
from simbackup.build import build
from simbackup.errors import InputError, Place
from simbackup.schema.inventory import read_inventory

SCENARIO = """\
title: Servers and a target
hosts: {target: {model: host/linux-modern-server, owns: [array]}}
devices: {array: {model: raid/software-raid6, disk: disk/sata-7200-1tb-2008, disks: 8}}
links: {lan: {model: network/ten-gigabit-ethernet, joins: [fleets.servers.hosts, target]}}
fleets:
  servers:
    SOURCE
    hosts: {"s-{number}": {model: host/linux-modern-server, owns: ["d-{number}"]}}
    devices: {"d-{number}": {model: disk/sata-7200-1tb-2008}}
    data: {"x-{number}": {on: "d-{number}", size: 10 GB}}
    jobs: {"save-{number}": {method: image, data: "x-{number}", to: array, begin: BEGIN, window: 1 h}}
jobs:
  index: {method: program, program: program/networker-7.5.1, operation: index, data: x-1, after: fleets.servers.jobs}
"""


def written(folder: Path, source: str = "count: 4", begin: str = '"00:00"') -> Path:
    file = folder / "fleet.yaml"
    file.write_text(SCENARIO.replace("SOURCE", source).replace("BEGIN", begin), encoding="utf-8")
    return file


def test_the_count_and_a_template_and_one_part_can_be_set(tmp_path: Path) -> None:
    changes = {
        "fleets.servers.count": 2, "fleets.servers.data.x-{number}.size": "20 GB", "data.x-2.size": "30 GB",
    }  # fmt: skip
    scenario = sb.load(written(tmp_path)).with_(changes)
    assert {name: data.size.si for name, data in scenario.spec.data.items()} == {"x-1": 20e9, "x-2": 30e9}
    assert scenario.hash != sb.load(tmp_path / "fleet.yaml").hash
    with pytest.raises(InputError, match="there is no 'x-3' under data"):
        scenario.with_({"data.x-3.size": "1 GB"})


def test_a_fleet_is_what_one_would_have_written_out(tmp_path: Path) -> None:
    spread = sb.load(written(tmp_path, begin='{first: "00:00", over: 8 h}'))
    assert [job.begin for name, job in spread.spec.jobs.items() if name != "index"] == [
        "00:00",
        "02:00",
        "04:00",
        "06:00",
    ]
    one_by_one = {f"jobs.save-{i + 1}.begin": f"{i * 7200} s" for i in range(4)}
    other = sb.load(written(tmp_path), one_by_one)
    ends = [[row["end"] for row in sb.simulate(each).job_rows] for each in (spread, other)]
    assert ends[0] == ends[1]


def test_figures_of_a_fleet_are_those_of_its_jobs(tmp_path: Path) -> None:
    result = sb.simulate(written(tmp_path))
    rows = [row for row in result.job_rows if row["job"].startswith("save")]
    for prefix in ("fleets.servers", "fleets.servers.jobs.save-{number}"):
        assert result.get(f"{prefix}.jobs") == 4
        assert result.get(f"{prefix}.bytes") == 40e9
        assert result.get(f"{prefix}.elapsed") == max(row["end"] for row in rows)
        assert result.get(f"{prefix}.slowest") == max(row["elapsed"] for row in rows)
        assert result.get(f"{prefix}.late") == result.get(f"{prefix}.failed") == 0
    late = sb.simulate(tmp_path / "fleet.yaml", {"fleets.servers.jobs.save-{number}.window": "1 s"})
    assert late.get("fleets.servers.late") == 4
    assert 0 < result.get("devices.array.saturated") <= result.get("devices.array.active") <= result.end
    folder = result.save(tmp_path / "kept")
    assert sb.Result.load(folder).get("fleets.servers.bytes") == 40e9


def test_many_rows_are_shown_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from simbackup.cli import show  # noqa: PLC0415

    show.result(sb.simulate(written(tmp_path, "count: 30")), {})
    out = capsys.readouterr().out
    assert "save-* (30)" in out
    assert "30 done" in out
    assert "devices.d-* (30)" in out
    assert "save-17" not in out
    show.result(sb.simulate(tmp_path / "fleet.yaml", {"fleets.servers.count": 3}), {})
    assert "save-3" in capsys.readouterr().out


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@given(
    table=st.lists(st.lists(st.text("ab ,;\t\"'\n{}é1", max_size=6), min_size=2, max_size=2), min_size=1, max_size=4)
)
def test_a_table_is_read_as_it_was_written(
    mark: str, table: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    quoted = [mark.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in table]
    file = tmp_path_factory.mktemp("table") / "a.csv"
    file.write_bytes("\r\n".join([mark.join(("x", "y")), *quoted]).encode())
    wanted = [[cell.strip() for cell in row] for row in table if any(cell.strip() for cell in row)]
    if not wanted:
        with pytest.raises(InputError, match="has no rows"):
            read_inventory(file, "a.csv")
        return
    assert [[cell.value for cell in row.values()] for row in read_inventory(file, "a.csv").rows] == wanted


def test_cells_know_their_places(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('\ufeffname;size\n"a\nb";1 GB\n\nc;2 GB\n', encoding="utf-8")
    places = [[cell.place for cell in row.values()] for row in read_inventory(file, "a.csv").rows]
    assert places == [
        [Place("a.csv", 2, 1), Place("a.csv", 3, 4)], [Place("a.csv", 5, 1), Place("a.csv", 5, 3)],
    ]  # fmt: skip


def test_an_excel_sheet_is_read_as_a_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("name", "count", "on"), ("a", 3.0, True), ("b", 4.5, None)):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    found = read_inventory(tmp_path / "a.xlsx", "a.xlsx")
    assert found.columns == ("name", "count", "on")
    assert [[cell.value for cell in row.values()] for row in found.rows] == [["a", "3", "true"], ["b", "4.5", ""]]
    assert found.rows[1]["count"].place == Place("a.xlsx", 3, 2)


def test_a_damaged_excel_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"no sheet")
    with pytest.raises(InputError, match=r"openpyxl|is not an Excel file"):
        read_inventory(tmp_path / "a.xlsx", "a.xlsx")


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="makes too many parts"):
        sb.load(written(tmp_path, "count: 99999"))


# Loading and building cost as much for each client of a large site as of a small one
SMALL = 100
ROUNDING = 1.02
"""What the calls of a site twice as large may be above twice as many."""


def calls(folder: Path, clients: int) -> Counter[str]:
    """How often each function is called, the built-in ones too, while a site is loaded and built."""
    file = racked(folder, clients)
    found: Counter[str] = Counter()

    def count(frame: Any, event: str, called: Any) -> None:
        if event == "call":
            found[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            found[called.__qualname__] += 1

    gc.collect()
    gc.disable()  # what it calls for dead objects of other tests would be counted, when it comes
    sys.setprofile(count)
    try:
        build(load(file).spec, 0)
    finally:
        sys.setprofile(None)
        gc.enable()
    return found


@pytest.mark.slow
def test_calls_grow_with_the_number_of_clients(tmp_path: Path) -> None:
    calls(tmp_path, 1)  # datasheets are read once
    one, two = calls(tmp_path, SMALL), calls(tmp_path, 2 * SMALL)
    more = {name: (one[name], two[name]) for name in two if two[name] > 2 * ROUNDING * one[name] + SMALL}
    assert more == {}


def test_what_is_wrong_in_a_template_is_reported_once(tmp_path: Path) -> None:
    file = racked(tmp_path, SMALL)
    file.write_text(file.read_text("utf-8").replace("size: 10 GB", "size: 10 GBB"), encoding="utf-8")
    with pytest.raises(InputError) as wrong:
        load(file)
    assert len(wrong.value.problems) == 1


def test_equal_parts_of_a_fleet_are_checked_once(tmp_path: Path) -> None:
    spec = load(racked(tmp_path, 3)).spec
    assert spec.devices["disk-c0"] is spec.devices["disk-c2"]
    assert spec.data["data-c0"] is not spec.data["data-c2"]
