"""The form in which a visitor describes a site: what it offers, and the text of the site that comes of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from simbackup.errors import InputError, Place, Problem
from simbackup.planning.described import MADE, Group, described
from simbackup.planning.inventory import template_text, templates
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import parse
from simbackup.web.asked import Json, RefusedError, text_of, texts_of

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
POLICY = "nightly"
"""The policy that all templates have."""
KEPT = ("daily", "weekly", "monthly")
FIELDS = tuple(Group.__dataclass_fields__)
MOST_GROUPS = 50


class Template(NamedTuple):
    """A template that the form offers."""

    name: str
    title: str
    about: str
    network: str
    start: str
    """The time of day at which its backups begin."""
    line: str
    """The datasheet of its line to another place; empty if it has none."""


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
    title, network, start = (
        str(tree.find(path)[0].value) for path in (("title",), ("network",), ("policies", POLICY, "at"))
    )
    if POLICY in tree.mapping["policies"].mapping:
        yield Template(name, title, about[:1].upper() + about[1:], network, start, line)


def line_of(tree: Node) -> str | None:
    """The address of the line of a site to a target at another place; None if it has none."""
    for name, target in tree.mapping["targets"].mapping.items():
        for key in ("network", "link"):
            found = target.mapping.get(key)
            if found is not None and str(found.value) in LINES:
                return f"targets.{name}.{key}"
    return None


def form_of(asked: Json) -> Json:
    """The form of a request: its `template`, its `groups` of machines, and its other `fields`, all of them texts.

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
    return {"template": text_of(named, "template"), "groups": groups, "fields": texts_of(named, "fields")}


def site_of_form(form: Json) -> str:
    """The text of the site that a form describes.

    Parameters
    ----------
    form
        What `form_of` gives. Fields that are not empty replace values of the template: `network`, `line`, `from` and
        `to` of the window, and `daily`, `weekly` and `monthly` restore points; `title` is that of the site.

    Raises
    ------
    InputError
        Values cannot be read.
    """
    groups = [Group(**{key: text.strip() for key, text in group.items()}) for group in form["groups"]]
    values = {key: text.strip() for key, text in form["fields"].items()}
    return described(
        groups, form["template"], dict(_changes(values, form["template"])), values.get("title") or "My site"
    )


def _changes(values: Mapping[str, str], template: str) -> Iterator[tuple[str, str | Mapping[str, str]]]:
    """What replaces values of a template.

    Raises
    ------
    InputError
        Half of a window is missing, or nothing is kept.
    """
    if values.get("network"):
        yield "network", values["network"]
    line = line_of(parse(template_text(template), template))
    if values.get("line") and line is not None:
        yield line, values["line"]
    begin, end = values.get("from", ""), values.get("to", "")
    if bool(begin) != bool(end):
        raise InputError([Problem(Place(MADE), "window", "has one end only", "write both ends, or neither")])
    if begin:
        yield f"policies.{POLICY}.at", begin
        yield f"policies.{POLICY}.window", f"{begin} to {end}"
    kept = {key: values[key] for key in KEPT if values.get(key, "0") not in {"", "0"}}
    if kept:
        yield f"policies.{POLICY}.retention", kept
