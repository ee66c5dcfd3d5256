"""Texts of files: datasheets, measured rows, values replaced, and files of another kind."""

import difflib
from dataclasses import replace
from pathlib import Path

import pytest

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.planning.spec import SiteSpec
from simbackup.scenario import spec
from simbackup.schema.measured import Measurement, read_measured
from simbackup.schema.upgrading import edited, steps
from simbackup.schema.yaml_file import SECTIONS, FileKind, parse, refuse_others
from tests.cases import for_each
from tests.shared import ROOT


# Each end of a range alone is a value that the datasheet's own rules accept
@for_each("name", shelf.names())
def test_each_end_of_a_range_is_a_value_that_the_rules_accept(name: str) -> None:
    sheet = shelf.load_datasheet(name)
    wrong = [
        f"{key} at {end}: {message}"
        for key, given in sheet.values()
        for end in (given.low, given.high)
        if end is not None
        for _, message, _ in sheet.parameters.model_copy(update={key: replace(given, si=end)}).rules()
    ]
    assert not wrong


# Measured rows
def row(folder: Path, value: str) -> Measurement:
    """A measured row of that value."""
    (folder / "a.yaml").write_text("title: A\n")
    text = f"{{value: {value}, at: '1', operation: it, result: a.yaml#jobs.a.b}}"
    (folder / "measured.yaml").write_text(f"document: a document\nmeasurements:\n  one: {text}\n")
    (found,) = read_measured(folder / "measured.yaml", "measured.yaml").rows
    return found


@for_each(
    "text, value, unit, factor",
    [
        ("6.36", 6.36, "", 1.0),
        ("0", 0.0, "", 1.0),
        ("12", 12.0, "", 1.0),
        ("159 /s", 159.0, "/s", 1.0),
        ("7200 rpm", 7200.0, "rpm", 1 / 60),
        ("16.088 s", 16.088, "s", 1.0),
        ("{value: 0, basis: user}", 0.0, "", 1.0),
        ("{value: 159 /s, basis: measured, source: a, at: b}", 159.0, "/s", 1.0),
        ("6.36, low: 6.3, high: 6.4", 6.36, "", 1.0),
    ],
)
def test_a_figure_is_a_number_a_text_with_unit_or_tells_its_origin(
    tmp_path: Path, text: str, value: float, unit: str, factor: float
) -> None:
    found = row(tmp_path, text)
    assert (found.value, found.unit, found.factor) == (value, unit, factor)


def test_the_last_digit_of_a_bare_number_counts(tmp_path: Path) -> None:
    assert row(tmp_path, "6.36").resolution == pytest.approx(0.005)
    assert row(tmp_path, "12").resolution == 0.5


# Values replaced in a text: the rest stays as it was, and what cannot be replaced is reported
MIDNIGHT = (ROOT / "scenarios/planning/midnight.yaml").read_text(encoding="utf-8")


def changed(text: str, changes: dict[str, str]) -> list[str]:
    """The lines that are new in a text after changes."""
    lines = difflib.unified_diff(text.splitlines(), edited(text, changes, "a.yaml").splitlines(), n=0, lineterm="")
    return [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]


@for_each(
    "address, value, line",
    [
        ("devices.array.disks", "12", "disks: 12}"),
        ("links.front.rate", "2 GB/s", "joins: [target, array], rate: 2 GB/s}"),
        ("fleets.servers.count", "40", "count: 40"),
        ("fleets.servers.jobs.save-{number}.window", "8 h", "window: 8 h}"),
        ("devices.array.disk.spindle", "1", "disk: {model: disk/nearline-20tb-2022, spindle: 1}, disks: 10}"),
    ],
)
def test_one_line_changes(address: str, value: str, line: str) -> None:
    assert [found.endswith(line) for found in changed(MIDNIGHT, {address: value})] == [True]


def test_sections_that_are_not_there_are_added_and_comments_stay() -> None:
    text = edited(
        "extends: teaching/one-file-from-tape # why\n", {"devices.jukebox.drive.model": "tape_drive/lto-9"}, "a"
    )
    assert text == (
        "extends: teaching/one-file-from-tape # why\ndevices:\n  jukebox: {drive: {model: tape_drive/lto-9}}\n"
    )


def test_a_value_may_be_any_text() -> None:
    hostile = "}\nhosts: {x: {model: y}}"
    text = edited("title: A\n", {"title": hostile}, "a")
    assert steps("a.{b.c}") == ["a", "{b.c}"]
    assert "\nhosts" not in text


def test_a_mapping_replaces_all_that_is_there() -> None:
    text = edited("a: {b: {age: 5 weeks}} # why\n", {"a.b": {"daily": "14", "weekly": "8"}}, "a")
    assert text == "a: {b: {daily: 14, weekly: 8}} # why\n"


@for_each(
    "text, address, message",
    [
        ("title: [", "title", "a.yaml:1"),
        ("title: A\ntitle: B\n", "title", "appears twice"),
        ("title: A\n", "title.b", "leads through something that is not a mapping"),
        ("- 1\n", "title", "is not a mapping"),
    ],
)
def test_what_cannot_be_changed_is_reported(text: str, address: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        edited(text, {address: "1"}, "a.yaml")


# Files of another kind
SITE, SCENARIO, STUDY = "systems: {}\npolicies: {}\n", "hosts: {}\njobs: {}\n", "scenarios: {}\nshow: []\n"


@for_each(
    "text, wanted, message",
    [
        (SITE, "scenario", "a.yaml:1:1: is a site, not a scenario; use 'simbackup plan run'"),
        (SCENARIO, "site", "a.yaml:1:1: is a scenario, not a site; use 'simbackup run'"),
        (SCENARIO, "study", "a.yaml:1:1: is a scenario, not a study; use 'simbackup run'"),
        (SITE, "study", "a.yaml:1:1: is a site, not a study; use 'simbackup plan run'"),
        (STUDY, "site", "a.yaml:1:1: is a study, not a site; use 'simbackup study'"),
    ],
)
def test_a_file_of_another_kind_is_named(text: str, wanted: FileKind, message: str) -> None:
    with pytest.raises(InputError) as raised:
        refuse_others(parse(text, "a.yaml"), wanted)
    assert [str(problem) for problem in raised.value.problems] == [message]


@pytest.mark.parametrize(("kind", "keys"), [("site", tuple(SiteSpec.model_fields)), ("scenario", spec.SECTIONS)])
def test_sections_come_in_the_order_in_which_files_are_checked(kind: FileKind, keys: tuple[str, ...]) -> None:
    assert SECTIONS[kind] == tuple(key for key in keys if key in SECTIONS[kind])
