"""A site in few words: how many machines of which kind, how much data, and what shall be kept where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from simbackup.errors import InputError, Place, Problem
from simbackup.planning.hardware import site_parts
from simbackup.planning.inventory import site_text, template_text, text_of_systems
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.night import Night
from simbackup.planning.origins import scenario_of
from simbackup.planning.plan import stocked
from simbackup.planning.site import numbers
from simbackup.policies.calendar import HORIZON
from simbackup.schema.capability import BlockDevice
from simbackup.schema.inventory import Inventory
from simbackup.schema.tree import Node
from simbackup.schema.upgrading import edited
from simbackup.schema.yaml_file import parse
from simbackup.units import UnitError, show
from simbackup.units.amounts import Convention, amount, convention

MOST_MACHINES = 5_000
"""Machines of a description; larger sites have an inventory."""
ROOM = 1.1
"""Room in a pool that is sized: its bytes over the most that it is to hold."""
MADE = "machines"
"""What messages name as the file of the machines; the number of a group stands for a line."""
SITE = "site"
"""What messages name as the file of all else."""
COLUMNS = ("name", "kind", "size", "files", "change", "growth")


@dataclass(frozen=True, slots=True)
class Group:
    """Machines that are alike; every value is a text as people write it."""

    kind: str
    """What they are: `vm`, `file server`, `database` or `archive`."""
    machines: str
    """How many there are."""
    data: str
    """Data of all of them together, such as `20 TB`."""
    files: str = ""
    """Files of all of them together; needed by file servers."""
    change: str = ""
    """Share of the data that changes in a day, such as `2 %`; that of the kind by default."""
    growth: str = ""
    """Growth in a year, such as `15 %`; that of the template by default."""


def described(
    machines: Sequence[Group] | Path,
    template: str,
    changes: Mapping[str, str | Mapping[str, str]],
    title: str = "A site",
    warnings: list[Problem] | None = None,
) -> str:
    """The text of a site file for groups of machines that are alike, or for an inventory of them.

    Pools of disks that are too small for what the site keeps over three years get more disks.

    Parameters
    ----------
    machines
        Groups; those of the second one are called `vm-2-001` and so on if they are virtual machines. Or an inventory,
        as `site_text` reads it.
    template
        The name of a template, as `plan init` has them.
    changes
        Values by address that replace those of the template, such as `{"policies.nightly.window": "22:00 to 06:00"}`.
    title
        The title of the site; that of an inventory is its name.
    warnings
        A list that gets warnings of an inventory.

    Raises
    ------
    InputError
        Values cannot be read; each is reported with the number of its group.
    """
    if isinstance(machines, Path):
        text = site_text(machines, template, warnings)
    else:
        table = Inventory(COLUMNS, tuple(_rows(machines)), (Place(MADE),) * len(COLUMNS))
        text = text_of_systems(table, template_text(template), title, MADE)
    text = edited(text, changes, SITE)
    return with_room(text, SITE)[0]


def _rows(groups: Sequence[Group]) -> list[dict[str, Node]]:
    """A row for each machine.

    Raises
    ------
    InputError
        Numbers or amounts of data cannot be read, or there are no machines or too many.
    """
    problems: list[Problem] = []
    if not groups:
        problems.append(Problem(Place(MADE), "", "there are no machines", "say how many, and how much data they hold"))
    rows: list[dict[str, Node]] = []
    written = convention([text for group in groups for text in (group.machines, group.data, group.files)])
    for i, group in enumerate(groups, 1):
        try:
            rows += _machines(group, Place(MADE, i), written)
        except InputError as error:
            problems += error.problems
    if len(rows) > MOST_MACHINES:
        remedy = f"describe up to {MOST_MACHINES}; plan init reads inventories of any length"
        problems.append(Problem(Place(MADE), "", f"{len(rows)} machines are too many", remedy))
    if problems:
        raise InputError(problems)
    return rows


def _machines(group: Group, place: Place, written: Convention) -> list[dict[str, Node]]:
    """The rows of a group.

    Raises
    ------
    InputError
        One of its values cannot be read.
    """
    values: dict[str, float] = {}
    problems: list[Problem] = []
    for key, text, unit in (
        ("machines", group.machines, "count"),
        ("data", group.data, "B"),
        ("files", group.files, "count"),
    ):
        try:
            values[key] = amount(text, unit, written) if text or key != "files" else 0.0
        except UnitError as error:
            message, _, remedy = str(error).partition("; ")
            problems.append(Problem(place, key, message, remedy))
    number = values.get("machines", 1.0)
    if not 1.0 <= number <= MOST_MACHINES:
        message = f"'{group.machines}' is not a number of machines"
        problems.append(Problem(place, "machines", message, f"write a number from 1 to {MOST_MACHINES}"))
    if group.kind == "file server" and not group.files:
        problems.append(Problem(place, "files", "the number of files is missing", "write for example 2,000,000"))
    if problems:
        raise InputError(problems)
    files = f"{ceil(values['files'] / number)}" if group.files else ""
    each, word = (show(values["data"] / number, "B"), files, group.change, group.growth), group.kind.replace(" ", "-")
    return [
        {
            key: Node(text, place)
            for key, text in zip(COLUMNS, (f"{word}-{place.line}-{n:03}", group.kind, *each), strict=True)
        }
        for n in range(1, int(number) + 1)
    ]


def with_room(text: str, name: str, problems: list[Problem] | None = None) -> tuple[str, dict[str, str]]:
    """The text of a site whose pools hold everything until the end of a plan, and the numbers of disks that this takes.

    Parameters
    ----------
    text
        The text.
    name
        What messages show as its file.
    problems
        A list that gets what else keeps the site from being planned, which is raised without one. The pools of such a
        site hold at least the largest system.

    Raises
    ------
    InputError
        The text is no site, or no plan of it can be made.
    """
    file = site_of(parse(text, name), name)
    more: dict[str, str] = {}
    try:
        more = dict(_for_the_largest(file))
        text = edited(text, more, name)
        more |= _for_all(site_of(parse(text, name), name))
    except InputError as error:
        if problems is None:
            raise
        problems += error.problems
        return text, more
    return edited(text, more, name), more


def _for_the_largest(file: SiteFile) -> Iterator[tuple[str, str]]:
    """The number of disks of each pool that cannot hold a backup of each system, for which no night can be made."""
    spec = file.spec
    devices = scenario_of(file, site_parts(file, Night(spec.start, ()))).spec.devices
    largest: dict[str, float] = {}
    for system in spec.systems.values():
        policy = spec.policies[system.policy]
        for target in (policy.target, *(copy.to for copy in policy.copies.values())):
            largest[target] = max(largest.get(target, 0.0), system.size.si)
    for name, most in largest.items():
        device = devices[spec.device_of(name)]
        yield from _enough(file, name, most, device.capacity_bytes() if isinstance(device, BlockDevice) else None)


def _for_all(file: SiteFile) -> Iterator[tuple[str, str]]:
    """The number of disks of each pool that is too small until the end of a plan."""
    plan = stocked(numbers(file), HORIZON)
    for name, target in plan.site.targets.items():
        if target.on_disk:
            yield from _enough(file, name, max(day.stocks[name].peak for day in plan.days), target.capacity)


def _enough(file: SiteFile, name: str, most: float, capacity: float | None) -> Iterator[tuple[str, str]]:
    """The number of disks of a pool that is too small for so many bytes."""
    disks = file.source.find(("targets", name, "device", "disks"))[0].value
    if capacity is not None and isinstance(disks, int) and ROOM * most > capacity:
        yield f"targets.{name}.device.disks", str(2 * ceil(disks * ROOM * most / capacity / 2))
