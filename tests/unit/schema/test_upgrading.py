"""Values replaced in a text: the rest stays as it was, and what cannot be replaced is reported."""

import difflib

import pytest

from simbackup.errors import InputError
from simbackup.schema.upgrading import edited, steps
from tests.cases import for_each
from tests.shared import ROOT

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
