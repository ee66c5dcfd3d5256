from pathlib import Path

import pytest
from openpyxl import Workbook

from simbackup.errors import InputError, Problem
from simbackup.planning.inventory import site_text
from simbackup.planning.loading import read_site
from tests.cases import for_each

SAMPLES = Path(__file__).parents[1] / "samples"
MiB = 2.0**20
RVTOOLS = (SAMPLES / "rvtools.csv").read_text(encoding="utf-8")


def sizes(path: Path, unit: str = "", *, powered_off: bool = False) -> dict[str, float]:
    text = site_text(path, unit=unit, powered_off=powered_off)
    return {name: system.size.si for name, system in read_site(text).spec.systems.items()}


def warned(path: Path, unit: str = "") -> list[str]:
    found: list[Problem] = []
    site_text(path, warnings=found, unit=unit)
    return [str(problem).removeprefix(str(path)) for problem in found]


def test_rvtools_counts_in_mib_and_lists_what_is_no_machine() -> None:
    path = SAMPLES / "rvtools.csv"
    assert sizes(path) == {"mail": 90420 * MiB, "orders": 3004690 * MiB}
    assert warned(path) == [
        ":1:146: warning: was read as vInfo of RVTools: sizes are those of column 'In Use MiB', in MiB",
        ":1:1: warning: left out: 1 powered off (old); --with-powered-off includes them",
        ":1:1: warning: left out: 1 template (gold)",
        ":1:1: warning: left out: 1 placeholder (orders-dr)",
    ]  # fmt: skip
    assert sizes(path, powered_off=True)["old"] == 50000 * MiB


@for_each("mark", [",", ";", "\t"])
@for_each("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_rvtools_is_read_with_any_mark_and_encoding(mark: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "RVTools_tabvInfo.csv"
    plain = RVTOOLS.replace('"two, lines"', "two lines")
    path.write_text(plain.replace(",", mark), encoding=encoding)
    assert sizes(path) == {"mail": 90420 * MiB, "orders": 3004690 * MiB}


def test_older_exports_say_mb_and_mean_mib(tmp_path: Path) -> None:
    path = tmp_path / "vInfo.csv"
    path.write_text(RVTOOLS.replace("MiB", "MB").replace(",90420,", ',"90.420,5",'), encoding="utf-8")
    assert sizes(path)["mail"] == pytest.approx(90420.5 * MiB)


def test_a_workbook_is_read_from_its_sheet(tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(["vCenter", "Version"])
    sheet = book.create_sheet("vInfo")
    for line in RVTOOLS.replace('"two, lines"', "two lines").splitlines():
        sheet.append([int(cell) if cell.isdecimal() else cell for cell in line.split(",")])
    book.save(tmp_path / "RVTools_export_all.xlsx")
    assert sizes(tmp_path / "RVTools_export_all.xlsx") == {"mail": 90420 * MiB, "orders": 3004690 * MiB}


def test_only_machines_that_are_off_give_no_site(tmp_path: Path) -> None:
    path = tmp_path / "off.csv"
    path.write_text(RVTOOLS.replace("poweredOn", "poweredOff"), encoding="utf-8")
    with pytest.raises(InputError, match=r"left out: 3 powered off \(mail, orders, old\); --with-powered-off"):
        site_text(path)


def test_a_size_without_a_unit_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "inventory.csv"
    path.write_text("VM,used\nmail,45210\norders,1502345\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        site_text(path)
    assert str(raised.value).removeprefix(str(path)) == (
        ":2:6: the size '45210' in column 'used' has no unit, like 1 more; name it with --unit, such as --unit GB or "
        "--unit MiB, or in the head: 'used (GB)'"
    )
    assert sizes(path, "MiB") == {"mail": 45210 * MiB, "orders": 1502345 * MiB}
    with pytest.raises(InputError, match=r"--unit furlong: "):
        site_text(path, unit="furlong")


def test_no_petabyte_passes_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "inventory.csv"
    path.write_text("VM,used\nmail,45210\norders,1502345\n", encoding="utf-8")
    said = ":3:8: warning: '1502345' in column 'used' is 1.502 PB for one system; is its unit right?"
    assert warned(path, "GB") == [said]
    assert warned(path, "MB") == []


@for_each(
    "head, size",
    [("used_mib", 12 * MiB), ("Used MB", 12e6), ("Size (GB)", 12e9), ("size_gb", 12e9), ("In use [GiB]", 12 * 2.0**30)],
)
def test_a_unit_may_be_the_last_word_of_a_head(head: str, size: float, tmp_path: Path) -> None:
    path = tmp_path / "inventory.csv"
    path.write_text(f"name,{head}\na,12\n", encoding="utf-8")
    assert sizes(path) == {"a": size}


def test_zfs_lists_the_data_of_each_dataset() -> None:
    path = SAMPLES / "zfs-list.txt"
    assert sizes(path) == {
        "tank": 192 * 2.0**10, "tank-mail": pytest.approx(1.2 * 2.0**40), "tank-shares": 6.0 * 2.0**40,
    }  # fmt: skip
    said = warned(path)
    assert ":1:1: warning: was read as 'zfs list': sizes are those of column 'REFER'" in said
    assert ":1:1: warning: left out: 1 snapshots" in said


def test_zfs_lists_with_decimal_commas_and_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "zfs.txt"
    path.write_text("NAME USED AVAIL REFER MOUNTPOINT\np/a 1,5T 2T 1,25T /a\np/b 4096 1 2048 /b\n", encoding="utf-8")
    assert sizes(path) == {"p-a": 1.25 * 2.0**40, "p-b": 2048.0}


def test_what_lists_no_systems_is_named() -> None:
    with pytest.raises(InputError, match=r"is the output of 'borg create --stats' .*'simbackup history' reads it"):
        site_text(SAMPLES / "borg-stats.txt")


def test_excel_may_state_the_mark_of_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "inventory.csv"
    path.write_text("sep=;\nname;size (GB)\na;12,5\nb;x\n", encoding="utf-8-sig")
    with pytest.raises(InputError) as raised:
        site_text(path)
    assert str(raised.value).startswith(f"{path}:4:3: 'x' is not a number")
    path.write_text("sep=;\nname;size (GB)\na;12,5\n", encoding="utf-8-sig")
    assert sizes(path) == {"a": 12.5e9}
