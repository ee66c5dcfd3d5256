"""What the page offers to choose from, and the text of the site that comes of its form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import groupby, takewhile
from pathlib import Path
from typing import NamedTuple

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem
from simbackup.planning.described import MADE, Group, described
from simbackup.planning.inventory import template_text, templates
from simbackup.planning.policy import PROGRAM
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import parse, read
from simbackup.web.guests import Document, Json, RefusedError, text_of, texts_of

KINDS: Mapping[str, str] = {
    "vm": "Virtual machines", "file server": "File servers", "database": "Databases", "archive": "Archives",
}  # fmt: skip
"""Kinds of machines, and what the form calls them."""
NETWORKS: Mapping[str, str] = {
    "network/gigabit-ethernet": "1 Gb/s", "network/two-and-a-half-gigabit-ethernet": "2.5 Gb/s",
    "network/ten-gigabit-ethernet": "10 Gb/s", "network/twenty-five-gigabit-ethernet": "25 Gb/s",
    "network/forty-gigabit-ethernet": "40 Gb/s", "network/hundred-gigabit-ethernet": "100 Gb/s",
}  # fmt: skip
"""Networks of a site, by their datasheets."""
LINES: Mapping[str, str] = {
    "network/wan-10m": "10 Mb/s", "network/wan-100m": "100 Mb/s", "network/wan-1g": "1 Gb/s, far away",
    "network/gigabit-ethernet": "1 Gb/s, near", "network/ten-gigabit-ethernet": "10 Gb/s, near",
}  # fmt: skip
"""Lines to a second place, by their datasheets."""
USUAL = "Usual speeds"
"""What the page calls these networks and lines among all others."""
POLICY = "nightly"
"""The policy that all templates have."""
SAVING = f"policies.{POLICY}.{PROGRAM}"
"""The address of the program that saves; by default, what any program costs."""
SAVES = "backup"
"""The operation of programs that save."""
ARTICLES = frozenset({"A", "An", "The"})
"""First words of titles that name no maker."""
KEPT = ("daily", "weekly", "monthly")
FIELDS = tuple(Group.__dataclass_fields__)
MOST_GROUPS = 50


Sheets = list[tuple[str, str]]


def datasheets() -> dict[str, dict[str, Sheets]]:
    """The datasheets of each kind with their titles, by makers; networks first by their usual speeds.

    Programs are those that have a backup.
    """
    found = {kind: by_maker(names) for kind, names in groupby(shelf.names(), lambda name: name.partition("/")[0])}
    saving = [name for name in shelf.names() if name.startswith(f"{PROGRAM}/") and _saves(name)]
    usual = sorted({**LINES, **NETWORKS}.items(), key=lambda one: units.parse(one[1].partition(",")[0], "B/s"))
    return {**found, PROGRAM: by_maker(saving), "network": {USUAL: usual, **found["network"]}}


def by_maker(names: Iterable[str]) -> dict[str, Sheets]:
    """Datasheets with their titles, by the first word of the title, which is often the maker.

    Titles whose first word no other has are in the last group, which has no name.

    >>> [*by_maker(["tape_library/ibm-3494", "tape_library/ibm-ts3500", "tape_library/single-drive"])]
    ['IBM', '']
    """
    titles = sorted(((shelf.title_of(name), name) for name in names), key=lambda one: one[0].casefold())
    first = Counter(title.split()[0].rstrip(",") for title, _ in titles)
    found: dict[str, Sheets] = {}
    for title, name in titles:
        word = title.split()[0].rstrip(",")
        found.setdefault(word if first[word] > 1 and word not in ARTICLES else "", []).append((name, title))
    return dict(sorted(found.items(), key=lambda one: (not one[0], one[0].casefold())))


def _saves(name: str) -> bool:
    """Whether a program has a backup; one of the user's own that is wrong has none."""
    with suppress(InputError):
        return SAVES in read(shelf.path_of(name), name).find(("parameters", "operations"))[0].mapping
    return False


class Part(NamedTuple):
    """A device of a template, or a part of it, that may be replaced by another of its kind."""

    address: str
    called: str
    sheet: str
    title: str


class Template(NamedTuple):
    """A template that the form offers."""

    name: str
    title: str
    about: str
    network: str
    window: str
    """When its backups run, such as `20:00 to 06:00`."""
    line: str
    """The datasheet of its line to another place; empty if it has none."""
    kept: dict[str, str]
    """The rules by which it keeps restore points, such as `daily: 14`."""
    parts: list[Part]
    """What it is made of."""


@cache
def offers() -> list[Template]:
    """The templates that can be described, the small office first.

    >>> [one.name for one in offers()][0], "two-sites" in [one.name for one in offers()]
    ('small-office', True)
    """
    found: list[Template] = []
    for name in templates():
        with suppress(InputError):  # one of the user's own that is wrong keeps nobody from the page
            found += _template(name)
    return sorted(found, key=lambda one: (one.name != "small-office", one.title))


def _template(name: str) -> Iterator[Template]:
    """The template of a name; none if it has no policy whose values the form could replace."""
    text = template_text(name)
    tree = parse(text, name)
    lines = takewhile(lambda line: line.startswith("# "), text.splitlines()[1:])
    about = " ".join(line.removeprefix("# ") for line in lines).partition(": ")[2].partition(". ")[0].rstrip(".") + "."
    address = line_of(tree)
    line = "" if address is None else str(tree.find(tuple(address.split(".")))[0].value)
    title, network, window = (
        str(tree.find(path)[0].value) for path in (("title",), ("network",), ("policies", POLICY, "window"))
    )
    if POLICY in tree.mapping["policies"].mapping:
        about = about[:1].upper() + about[1:]
        yield Template(name, title, about, network, window, line, retention_of(tree), list(_parts(tree)))


def _parts(tree: Node) -> Iterator[Part]:
    """The datasheets of the targets of a site from which the form lets choose."""
    for path, value in tree.leaves():
        said = str(value.value)
        if path[0] == "targets" and path[2:3] == ("device",) and shelf.exists(said):
            kind = said.partition("/")[0].replace("_", " ")
            yield Part(".".join(path), f"{path[1]}: {kind}", said, shelf.title_of(said))


def retention_of(tree: Node) -> dict[str, str]:
    """The rules by which the policy of a template keeps restore points."""
    rules = tree.find(("policies", POLICY, "retention"))[0].mapping
    return {rule: str(value.value) for rule, value in rules.items()}


def line_of(tree: Node) -> str | None:
    """The address of the line of a site to a target at another place; None if it has none."""
    for name, target in tree.mapping["targets"].mapping.items():
        for key in ("network", "link"):
            found = target.mapping.get(key)
            if found is not None and str(found.value) in LINES:
                return f"targets.{name}.{key}"
    return None


def form_of(asked: Json) -> Json:
    """The form of a request, in texts: its `template`, `groups` of machines or an `inventory`, and other `fields`.

    Raises
    ------
    RefusedError
        It is not what the form sends.
    """
    form: object = asked.get("described")
    rows: object = form.get("groups") if isinstance(form, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(rows, list) or len(rows) > MOST_GROUPS:  # pyright: ignore[reportUnknownArgumentType]
        raise RefusedError("'groups' is not a list of machines")
    named: Json = form  # type: ignore[assignment]
    groups = [texts_of({"group": row}, "group") for row in rows]  # pyright: ignore[reportUnknownVariableType]
    if any(set(group) != set(FIELDS) for group in groups):
        raise RefusedError("a group of machines has other fields")
    inventory = text_of(named, "inventory") if "inventory" in named else ""
    if inventory and inventory not in texts_of(asked, "files"):
        raise RefusedError("the inventory is missing")
    values = {"template": text_of(named, "template"), "groups": groups, "fields": texts_of(named, "fields")}
    return {**values, "inventory": inventory}


def site_of_form(form: Json, folder: Path) -> Document:
    """The site that a form describes, whose inventory lies in a folder.

    Parameters
    ----------
    form
        What `form_of` gives. Fields that are not empty replace values of the template: `network`, `line`, `from` and
        `to` of the window, `daily`, `weekly` and `monthly` restore points, the program, and the devices of the
        targets by their addresses; `title` is that of the site.
    folder
        The folder of the inventory.

    Raises
    ------
    InputError
        Values cannot be read.
    """
    groups = [Group(**{key: text.strip() for key, text in group.items()}) for group in form["groups"]]
    values = {key: text.strip() for key, text in form["fields"].items()}
    machines, notes = Path(form["inventory"]) if form["inventory"] else groups, list[Problem]()
    changes, title = dict(_changes(values, form["template"])), values.get("title") or "My site"
    text = described(machines, form["template"], changes, title, notes)
    return Document("my-site", text, folder, notes=tuple(map(str, notes)))


def _changes(values: Mapping[str, str], template: str) -> Iterator[tuple[str, str | Mapping[str, str]]]:
    """What replaces values of a template.

    Raises
    ------
    InputError
        Half of a window is missing, or nothing is kept.
    """
    if values.get("network"):
        yield "network", values["network"]
    tree = parse(template_text(template), template)
    line = line_of(tree)
    if values.get("line") and line is not None:
        yield line, values["line"]
    begin, end = values.get("from", ""), values.get("to", "")
    if bool(begin) != bool(end):
        raise InputError([Problem(Place(MADE), "window", "has one end only", "write both ends, or neither")])
    if begin:
        yield f"policies.{POLICY}.at", begin
        yield f"policies.{POLICY}.window", f"{begin} to {end}"
    if values.get(SAVING):
        yield from ((f"policies.{POLICY}.method", PROGRAM), (SAVING, values[SAVING]))
    yield from ((part.address, values[part.address]) for part in _parts(tree) if values.get(part.address))
    kept = {key: values[key] for key in KEPT if values.get(key)}
    if kept:
        daily = kept.get("daily", "0") != "0"
        rules = {rule: text for rule, text in retention_of(tree).items() if rule != "age" or not daily} | kept
        left = {rule: text for rule, text in rules.items() if text != "0"}
        if not left:
            raise InputError([Problem(Place(MADE), "retention", "nothing is kept", "write how many points are kept")])
        yield f"policies.{POLICY}.retention", left
