"""A document needs its folder only, states its numbers, and has a twin by hand."""

import csv
import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from how_to import DOCS, written

import simbackup
import simbackup as sb
from simbackup import shelf
from simbackup.cli.show_published import markdown
from simbackup.experiments.calibrate import calibrate
from simbackup.experiments.identifiability import cross_validate
from simbackup.experiments.overview import fitted_list, scenario_list
from simbackup.experiments.reproduce import reproduce
from simbackup.results.compare import documents
from simbackup.results.result import Result
from simbackup.scenario import load, names
from tests.cases import for_each

TOP = Path(__file__).parents[2]
NAME = "005-usb-disk"
ROWS = ["usb-size", "usb-write-10", "usb-write-40", "usb-backup", "usb-backup-rate", "usb-restore"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A root with the document of the page that says how to add one."""
    written((DOCS / "how-to" / "add-a-document.md").read_text(encoding="utf-8"), tmp_path)
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path / "site"))
    yield tmp_path / "site"
    shelf.forget()


@pytest.mark.usefixtures("root")
def test_the_document_is_one_of_all() -> None:
    before = {path.parent.name for path in (TOP / "scenarios" / "published").glob("*/measured.yaml")}
    assert {document.folder.name for document in documents()} == before | {NAME}
    assert f"published/{NAME}/backup" in {row["name"] for row in scenario_list()}


@pytest.mark.slow
def test_its_rows_are_reproduced_by_name_and_by_folder(root: Path) -> None:
    named = reproduce(["005"], workers=1, intervals=False)
    assert [row.measurement.id for row in named.rows] == ROWS
    assert (named.total.rows, named.total.results, named.total.errors.groups, named.total.constants) == (6, 4, 4, 0)
    folder = reproduce([str(root / "scenarios" / "published" / NAME)], workers=1, intervals=False)
    assert [row.as_dict() for row in folder.rows] == [row.as_dict() for row in named.rows]


@pytest.mark.usefixtures("root")
def test_its_rows_stand_beside_a_run_of_its_scenario() -> None:
    rows = sb.simulate(f"published/{NAME}/backup").compare()
    assert list(rows["id"]) == ["usb-size", "usb-backup", "usb-backup-rate", "usb-restore"]


@pytest.mark.slow
def test_its_constant_is_fitted_and_listed(root: Path) -> None:
    [fitted] = calibrate("005")
    assert (root / "models" / "ssd" / "usb-stick.yaml").read_text(encoding="utf-8").count("fitted_to") == 1
    assert fitted.constant in {row["constant"] for row in fitted_list()}
    found = reproduce(["005"], workers=1, intervals=False)
    assert [summary.constants for summary in found.summaries] == [1]
    assert all(row.good for row in found.rows)
    assert [row.role for row in found.rows] == ["input", "fitted", "fitted", "held-out", "duplicate", "held-out"]


@pytest.mark.slow
@pytest.mark.usefixtures("root")
def test_the_generated_tables_have_it() -> None:
    found = reproduce(["005"], workers=1, intervals=False)
    assert markdown(found).count("\n| usb-") == len(ROWS)
    assert {one.row for one in cross_validate([NAME]).left_out} == {"usb-write-10", "usb-write-40"}


@pytest.mark.slow
def test_a_folder_named_published_that_lies_in_no_root(root: Path) -> None:
    elsewhere = root.parent / "elsewhere" / "published" / "mine"
    elsewhere.parent.mkdir(parents=True)
    (root / "scenarios" / "published" / NAME).rename(elsewhere)
    assert [row.measurement.id for row in reproduce([str(elsewhere)], workers=1, intervals=False).rows] == ROWS


def test_no_code_names_a_document_or_counts_them() -> None:
    names = [path.parent.name for path in (TOP / "scenarios" / "published").glob("*/measured.yaml")]
    wanted = re.compile("|".join([*map(re.escape, names), *(rf"published/{name[:3]}\b" for name in names)]))
    code = {path: path.read_text(encoding="utf-8") for path in (TOP / "simbackup").rglob("*.py")}
    doctest = re.compile(r"^ *(>>>|\.\.\.) .*$", re.MULTILINE)
    assert [path.name for path, text in code.items() if wanted.search(doctest.sub("", text))] == []


# A plain number is one that the document states; every other states its basis
PUBLISHED = Path(__file__).parents[2] / "scenarios" / "published"
STATED = "stated.csv"
"""In the folder of a document, the numbers that it states: the key of a scenario, and the number as a file has it."""


def stated(document: str) -> set[tuple[str, str]]:
    with (PUBLISHED / document / STATED).open(encoding="utf-8", newline="") as file:
        return {(row["key"], row["value"]) for row in csv.DictReader(file)}


SCENARIOS = [name for name in names("published") if not name.endswith(("/machine", "/calibration"))]


@for_each("name", SCENARIOS)
def test_plain_numbers_are_the_documents_own(name: str) -> None:
    plain = {(v.address.rpartition(".")[2], v.given.text) for v in load(name).values if v.given.basis == "document"}
    unstated = name.startswith("published/002") and name.rsplit("/", maxsplit=1)[-1] not in {
        "buffers",
        "all-together",
        "out-of-memory",
    }
    assert bool(plain) != unstated, (
        "a scenario is given something by its document, unless that describes no system at all"
    )
    assert plain - stated(name.split("/")[1]) == set()


@for_each("name", SCENARIOS)
def test_nothing_in_a_published_scenario_is_a_users_guess(name: str) -> None:
    assert not [v.address for v in load(name).values if v.given.basis == "user"]


# A scenario against its twin by hand
TWIN = runpy.run_path(str(Path(__file__).with_name("twin_same_disk.py")))
LITERALS = {
    "data.file.size": "FILE",
    "hosts.server.copy_rate": "COPY_RATE",
    "hosts.server.memory": "MEMORY",
    "hosts.server.dirty_limit": "DIRTY_LIMIT",
    "hosts.server.dirty_background": "DIRTY_BACKGROUND",
    "devices.sdb.capacity": "CAPACITY",
    "devices.sdb.outer_rate": "OUTER_RATE",
    "devices.sdb.inner_rate": "INNER_RATE",
    "devices.sdb.track_to_track_seek": "SHORT_SEEK",
    "devices.sdb.average_seek": "MEAN_SEEK",
    "devices.sdb.full_stroke_seek": "LONG_SEEK",
    "devices.sdb.command_overhead": "OVERHEAD",
    "devices.vmware.size": "VOLUME",
    "devices.cow.chunk": "CHUNK",
    "devices.cow.record": "RECORD",
    "devices.cow.commit_backlog": "BACKLOG",
    "devices.cow.unplug_delay": "QUEUE",
}


@cache
def composed(name: str) -> Result:
    return simbackup.simulate(f"published/003-lvm-snapshots/{name}")


def stated_twin(address: str) -> float:
    return next(value.value for value in composed("same-disk").values if value.address == address)


@for_each("address, literal", LITERALS.items())
def test_the_numbers_of_the_twin_are_those_of_the_datasheets(address: str, literal: str) -> None:
    assert TWIN[literal] == pytest.approx(stated_twin(address), rel=1e-12)


def test_the_disk_of_the_twin_turns_as_the_datasheet_says() -> None:
    assert pytest.approx(stated_twin("devices.sdb.rotation_speed"), rel=1e-12) == 1 / TWIN["REVOLUTION"]


def test_the_twin_needs_nothing_of_simbackup() -> None:
    source = Path(__file__).with_name("twin_same_disk.py").read_text(encoding="utf-8")
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in imports if "simbackup" in line]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "options"), [("same-disk", {}), ("second-disk", {"second_disk": True})])
def test_composed_system_and_twin_agree(scenario: str, options: dict[str, Any]) -> None:
    assert composed(scenario).get("jobs.dd.elapsed") == pytest.approx(TWIN["elapsed"](**options), rel=0.01)
