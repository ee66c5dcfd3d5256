"""Completion: what is offered at a place of a text that is being written."""

from functools import cache

from simbackup import shelf
from simbackup.planning.json_schema import site_schema
from simbackup.scenario.json_schema import json_schema
from simbackup.schema.json_forms import Json
from simbackup.web.completion import completions, cursor_at
from tests.cases import for_each

TEXT = """title: x
hosts:
  server: {model: host/linux-modern-server, owns: [array]}
devices:
  array: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 10}
  library:
    model: tape_library/atl-p3000
    |
jobs:
  save: {method: image, data: users, |
data:
  users: {on: |, size: 1 GB}
"""


@cache
def schema() -> Json:
    return json_schema("scenario", shelf.names())


def offered(text: str) -> list[str]:
    """What is offered at the mark `|` of a text."""
    before = text[: text.index("|")]
    found = cursor_at(text.replace("|", ""), before.count("\n") + 1, len(before) - before.rfind("\n"))
    return [word.text for word in completions(schema(), found)]


def at(number: int, typed: str = "") -> str:
    """The text with its mark of a number, at which something was typed; the other marks are gone."""
    parts = TEXT.split("|")
    return "".join(parts[:number]) + typed + "|" + "".join(parts[number:])


@for_each(
    "text, some, none",
    [
        ("|", {"title", "devices", "jobs"}, {"disks"}),
        (at(1), {"drives", "drive", "robots"}, {"model", "disks", "method"}),
        (at(1, "drive"), {"drives"}, {"robots"}),
        (at(2), {"to", "compressor", "window"}, {"method", "data", "drives"}),
        (at(2, "to: "), {"array", "library"}, {"image"}),
        (at(3), {"array", "library"}, {"on"}),
        ("devices:\n  a: {kind: |", {"disk", "tape_library"}, {"users"}),
        ("devices:\n  a: {model: disk/sata|", {"disk/sata-7200-1tb-2008"}, {"raid/software-raid6"}),
        ("jobs:\n  a:\n    method: |", {"image", "file_level"}, {"disk"}),
        ("fleets:\n  f:\n    count: 3\n    jobs:\n      'save-{number}': {method: image, |", {"to", "data"}, {"count"}),
    ],
)
def test_words_are_offered_where_they_may_stand(text: str, some: set[str], none: set[str]) -> None:
    found = offered(text)
    assert some <= {*found}
    assert not none & {*found}


def test_a_broken_text_still_offers_words() -> None:
    assert "drives" in offered(at(1).replace("title: x", "title x\n  and more"))


def test_words_of_a_site() -> None:
    found = cursor_at("policies:\n  nightly:\n    ", 3, 5)
    words = [word.text for word in completions(site_schema("site"), found)]
    assert {"window", "schedule", "retention"} <= {*words}
    assert all(word.about for word in completions(site_schema("site"), found))


@for_each(
    "line, path, key, word",
    [
        ("a: {b: {c: d, e", ("a", "b"), None, "e"),
        ("a: {b: [x, y", ("a",), "b", "y"),
        ('a: {b: "x, y", c: ', ("a",), "c", ""),
        ("a: {b: {c: 1}, d", ("a",), None, "d"),
        ("a: 22:0", (), "a", "22:0"),
        ("", (), None, ""),
    ],
)
def test_where_a_cursor_stands(line: str, path: tuple[str, ...], key: str | None, word: str) -> None:
    found = cursor_at(line, 1, len(line) + 1)
    assert (found.path, found.key, found.word) == (path, key, word)


@for_each("place", [(0, 0), (99, 99), (1, 99)])
def test_a_place_outside_of_the_text_is_no_error(place: tuple[int, int]) -> None:
    assert completions(schema(), cursor_at("title: a", *place)) is not None
