"""A site file from an inventory: a table with one row for each system, and the text of a template."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.foreign.reader import ForeignFile
from simbackup.foreign.registry import INVENTORIES, read_with
from simbackup.planning.hardware import site_parts
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.night import Night
from simbackup.planning.origins import scenario_of
from simbackup.schema.capability import BlockDevice
from simbackup.schema.inventory import Inventory
from simbackup.schema.quantity import Unit, si_or
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import parse, plain_scalar
from simbackup.units import UnitError, show, show_short
from simbackup.units import parse as parse_quantity
from simbackup.units.amounts import Convention, amount, convention, doubtful

HEAD = re.compile(r"\s*(.*?)\s*(?:[(\[]\s*(.*?)\s*[)\]]|(?<=[^\W\d])[ _]([kKMGTP]i?B|[kmgtp]i?b|%))?\s*")
"""A column: what it is called, and a unit in brackets or as the last word."""
COLUMNS = {
    "name": ("name", "system", "host", "hostname", "server", "vm", "machine name"),
    "size": ("size", "capacity", "used", "data", "used space", "in use", "provisioned", "total disk capacity"),
    "files": ("files", "file count", "number of files"),
    "change": ("change", "daily change", "change rate", "daily"),
    "growth": ("growth", "yearly growth", "growth rate"),
    "policy": ("policy",),
    "kind": ("kind", "type", "role"),
    "compression": ("compression",),
    "priority": ("priority", "tier"),
    "machine": ("machine",),
    "host": ("esx host", "hypervisor", "host"),
    "datastore": ("datastore", "path"),
    "filesystem": ("filesystem", "file system"),
}
"""What a column may be called, in any case; a unit may follow. A `host` is a system where no other column is."""
LIKE = 0.7
"""Likeness from which on a column is taken for a misspelt one."""


def columns_of(table: Inventory) -> tuple[dict[str, str], dict[str, str]]:
    """The column of each key, and the units in their heads."""
    columns: dict[str, str] = {}
    heads: dict[str, str] = {}
    means = {column: [key for key, names in COLUMNS.items() if _word_of(column) in names] for column in table.columns}
    for column in sorted(table.columns, key=lambda column: len(means[column])):
        key = next((key for key in means[column] if key not in columns), None)
        if key is not None:
            found = HEAD.fullmatch(column)
            columns[key], heads[key] = column, _unit(found) if found else ""
    return columns, heads


def _unit(found: re.Match[str]) -> str:
    """The unit in a head; as a last word, in any case: `size_gb`, `Used GiB`."""
    word = found[3] or ""
    if word.islower() and word != "%":
        word = f"{word[0] if word[0] == 'k' and 'i' not in word else word[0].upper()}{word[1:-1]}B"
    return found[2] or word


def unused(table: Inventory, columns: Mapping[str, str]) -> Iterator[Problem]:
    """A warning for each column that is not used, with what it may mean."""
    known = {word: key for key, words in COLUMNS.items() for word in words}
    for column, head in zip(table.columns, table.heads, strict=True):
        if column in columns.values():
            continue
        key = known.get(_word_of(column))
        near = difflib.get_close_matches(_word_of(column), known, n=1, cutoff=LIKE)
        remedy = f"did you mean '{near[0]}'?" if near else f"those that are: {', '.join(COLUMNS)}"
        remedy = f"'{columns[key]}' has the same meaning, and comes first" if key is not None else remedy
        yield Problem(head, "", f"the column '{column}' is not used", remedy, "warning")


def _word_of(column: str) -> str:
    """What a column is called, without its unit."""
    found = HEAD.fullmatch(column)
    return (found[1] if found else column).lower().replace("_", " ")


ENTRY = re.compile(r"  (?! |#)\S.*\n(?:(?:   .*)?\n|    .*\n)*")
"""A part of a section with all its lines, in a template."""


def _section(text: str, section: str) -> tuple[str, str, str, re.Match[str] | None]:
    """The text before the parts of a section, these, the text after them, and the first part."""
    before, head, rest = text.partition(f"\n{section}:\n")
    body = re.match(r"(?:(?: .*)?\n)*", rest) if head else None
    inside = body[0] if body is not None else ""
    return before + head, inside, rest[len(inside) :], ENTRY.search(inside)


def with_parts(text: str, section: str, names: Iterable[str]) -> str:
    r"""The text of a site in which the parts of a section are copies of its first one, with other names.

    >>> print(with_parts("\nhosts:\n  one: {slots: 2}\n  two: {slots: 3}\nsystems:\n", "hosts", ["a", "b"]), end="")
    <BLANKLINE>
    hosts:
      a: {slots: 2}
      b: {slots: 2}
    systems:
    """
    before, _, after, first = _section(text, section)
    if first is None:
        return text
    _, _, lines = first[0].partition(":")
    return f"{before}{''.join(f'  {name}:{lines.rstrip()}' + chr(10) for name in names)}{after}"


def without(text: str, section: str) -> str:
    r"""The text of a site without a section.

    >>> without("title: a\nhosts:\n  one: {slots: 2}\nsystems:\n", "hosts")
    'title: a\nsystems:\n'
    """
    before, _, after, first = _section(text, section)
    return text if first is None else before.removesuffix(f"{section}:\n") + after


def with_added(text: str, section: str, names: Iterable[str]) -> str:
    r"""The text of a site with parts added to a section, each a copy of its first one, marked as assumed.

    >>> print(with_added("\npolicies:\n  nightly:\n    to: pool\nsystems:\n", "policies", ["gold"]), end="")
    <BLANKLINE>
    policies:
      nightly:
        to: pool
      # assumed: the inventory names 'gold', which the template does not have; this is a copy of 'nightly'
      gold:
        to: pool
    systems:
    """
    before, inside, after, first = _section(text, section)
    if first is None:
        return text
    own, _, lines = first[0].partition(":")
    made = (
        f"  # assumed: the inventory names '{name}', which the template does not have; this is a copy of "
        f"'{own.strip()}'\n  {name}:{lines.rstrip()}\n"
        for name in names
    )
    return f"{before}{inside.rstrip()}\n{''.join(made)}{after}"


LIMITS = {
    "size": Unit("B", positive=True), "files": Unit("count", least=1.0), "change": Unit("1", most=1.0),
    "growth": Unit("1"), "compression": Unit("1", least=0.01, positive=True), "priority": Unit("count"),
}  # fmt: skip
UNITS = {key: unit.unit for key, unit in LIMITS.items()}
UNIT = re.compile(r"(?![eE][+-]?\d)[A-Za-z%:]")
"""What a number with a unit contains."""
KINDS = {
    "change/file-server": ("file", "files", "file server", "fileserver", "share", "nas"),
    "change/database": ("database", "db", "sql", "mysql", "oracle", "postgresql", "sql server", "mariadb", "exchange"),
    "change/archive": ("archive",),
    "change/virtual-machine": ("vm", "virtual machine", "guest", "application", "web", "mail"),
}
"""How data of a kind change: a datasheet, and what people call the kind."""
DEFAULT_SHARE = "%"
"""The unit of changes and growths whose cells and heads name none; they are marked as assumed."""
GREAT = 1e15
"""Bytes of one system from which on its unit is doubtful."""
FILES, MACHINES = "change/file-server", "change/virtual-machine"
FILESYSTEM = "filesystem/ntfs"
"""That of files whose row names none."""
TEMPLATE = "virtualised"
NO_NAMES = frozenset({"y", "n", "yes", "no", "on", "off"})
"""Words that YAML 1.1 reads as truth values."""
HOST, DATASTORE = "host", "datastore"
OF_HOSTS = {HOST: "hosts", DATASTORE: "datastores"}
"""Sections of a site that say where systems on shared hosts are, by the columns that name them."""
YEARS = 3.0
"""Years for whose growth a datastore of a template is made large enough: those of a plan."""
LIES_IN = re.compile(r"\s*\[(.+?)\]")
"""The datastore in a path, such as `[DS01] web01/web01.vmx`."""
DISKS = re.compile(r"(?<=disks: \{value: )\d+")
"""The number of disks of an array in a template, which is assumed."""
SECTIONS = {"policy": "policies", "machine": "machines"}
"""Sections of a site with the parts that the rows of an inventory may name, by their columns."""
GROWTH = re.compile(r"^growth:.*\n(?: .*\n)*", re.MULTILINE)
"""The growth of a template, for systems that state none."""


def templates() -> list[str]:
    """The names of the templates of sites."""
    found = {
        path.name.removesuffix(".site.yaml")
        for root in shelf.roots()
        for path in (root / "scenarios" / "planning" / "templates").glob("*.site.yaml")
    }
    return sorted(found)


@dataclass
class Reading:
    """The systems that were read from an inventory, and what is wrong with it."""

    columns: Mapping[str, str]
    """The column of the table for each key."""
    heads: Mapping[str, str]
    """The unit that the head of each column names; empty without one."""
    written: Convention
    """How numbers are written: marks of decimals and thousands."""
    policies: tuple[str, ...]
    """The policies of the template."""
    machines: tuple[str, ...]
    """The kinds of machines of the template."""
    hosts: tuple[str, ...] = ()
    """The hosts of the template; empty if its systems do not share hosts."""
    systems: dict[str, str] = field(default_factory=dict[str, str])
    """The keys of each system as text of YAML, by name."""
    cells: dict[str, Node] = field(default_factory=dict[str, Node])
    """The cell that names each system."""
    added: dict[tuple[str, str], Node] = field(default_factory=dict[tuple[str, str], Node])
    """The first cell that names each policy or machine that the template lacks, by its section and name."""
    shared: dict[str, dict[str, Node]] = field(default_factory=lambda: {section: {} for section in OF_HOSTS.values()})
    """The first cell that names each host and datastore, by its section and name."""
    sizes: dict[str, float] = field(default_factory=dict[str, float])
    """Bytes of each system, by the place of its cell."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """What is wrong."""
    warnings: list[Problem] = field(default_factory=list[Problem])
    """What is doubtful or not used."""


def site_text(
    inventory: Path,
    template: str = TEMPLATE,
    warnings: list[Problem] | None = None,
    *,
    unit: str = "",
    powered_off: bool = False,
) -> str:
    """The text of a site file for the systems of an inventory, based on a template.

    Parameters
    ----------
    inventory
        A table of systems as .csv or .xlsx, vInfo of RVTools, or the output of `zfs list`.
    template
        The name of a template.
    warnings
        A list that gets warnings: columns that were not used or are ambiguous, systems that were left out, doubtful
        sizes.
    unit
        The unit of sizes whose cells and head name none, such as GiB.
    powered_off
        Whether systems count that are switched off.

    Raises
    ------
    InputError
        Cells cannot be read (all are listed, with their places), or there is no such template.
    """
    shown = shelf.shown(inventory)
    listing = read_with("plan init", INVENTORIES, ForeignFile(inventory, shown, idle=powered_off))
    found = warnings if warnings is not None else []
    text = text_of_systems(
        listing.table, template_text(template), inventory.stem, shown, unit=_unit_of_size(unit), warnings=found
    )
    found += listing.warnings
    return text


def text_of_systems(
    table: Inventory, template: str, title: str, shown: str, *, unit: str = "", warnings: list[Problem] | None = None
) -> str:
    """The text of a site file for the systems of a table.

    Parameters
    ----------
    table
        A row for each system.
    template
        The text of a template, as `template_text` gives it.
    title
        The title of the site, to which the number of systems is added.
    shown
        What messages name as the file of the table.
    unit
        The unit of sizes that name none.
    warnings
        A list that gets warnings, as that of `site_text`.

    Raises
    ------
    InputError
        Cells cannot be read; all are listed, with their places.
    """
    tree = parse(template, "template")
    reading = read_systems(table, shown, Template.of(tree), unit)
    if reading.problems:
        raise InputError(reading.problems)
    rows = "\n".join(f"  {_key(name)}: {{{keys}}}" for name, keys in reading.systems.items())
    _, _, rest = template.partition("\n")
    own = rest[: rest.index("\nsystems:\n") + 1]
    for section in SECTIONS.values():
        own = with_added(own, section, [_key(name) for there, name in reading.added if there == section])
    if reading.hosts:
        own = _with_hosts(reading, own, site_of(tree, "template"))
    own = own.removesuffix("\n")
    if all("growth: " in keys for keys in reading.systems.values()):
        own = GROWTH.sub("", own)
    named = json.dumps(f"{title}, {len(reading.systems)} systems", ensure_ascii=False)
    text = f"title: {named}\n{own}\nsystems:\n{rows}\n"
    _check_made(reading, text, shown)
    if warnings is not None:
        warnings += reading.warnings
    return text


def _unit_of_size(unit: str) -> str:
    """A unit of sizes that the user named."""
    try:
        if unit:
            parse_quantity(f"1 {unit}", "B")
    except UnitError as error:
        message, _, remedy = str(error).partition("; ")
        raise InputError([Problem(Place(f"--unit {unit}"), "", message, remedy or "write B, GB or MiB")]) from None
    return unit


def _with_hosts(reading: Reading, text: str, template: SiteFile) -> str:
    """The text of a template with the hosts and datastores of an inventory, and an array that is large enough."""
    named, array = reading.shared["hosts"], next(iter(template.spec.datastores))
    text = with_parts(text, "hosts", map(_key, named)) if named else text
    if not any("machine: " in keys for keys in reading.systems.values()):
        text = without(text, "machines")
    growth = si_or(template.spec.growth, 0.0)
    times = sum(reading.sizes.values()) * (1.0 + growth) ** YEARS / _room(template, array)

    def more(disks: re.Match[str]) -> str:
        return f"{math.ceil(int(disks[0]) * max(times, 1.0))}"

    before, head, after = text.partition("\ndatastores:\n")
    text = f"{before}{head}{DISKS.sub(more, after, count=1)}"
    others = [_key(name) for name in reading.shared["datastores"] if name not in template.spec.datastores]
    why = "# assumed: the inventory names '{}'; it lies on the same array as the others"
    lines = "".join(f"  {why.format(name)}\n  {name}: {{device: {array}}}\n" for name in others)
    return text.replace("\ntargets:\n", f"\n{lines}targets:\n", 1)


def _room(template: SiteFile, datastore: str) -> float:
    """Bytes that a datastore of a template holds."""
    parts = site_parts(template, Night(template.spec.start, ()))
    device = scenario_of(template, parts).spec.devices[datastore]
    return (device.capacity_bytes() if isinstance(device, BlockDevice) else None) or math.inf


def _key(name: str) -> str:
    """A name as a key of YAML, in quotes where some reader would take it for a number or a truth value."""
    return f'"{name}"' if name.lower() in NO_NAMES or not isinstance(plain_scalar(name), str) else name


def _check_made(reading: Reading, text: str, shown: str) -> None:
    """Check the site that was made; what is wrong with a system is reported where the inventory names it."""
    try:
        site_of(parse(text, shown), shown)
    except InputError as error:
        problems: list[Problem] = []
        for one in error.problems:
            section, _, rest = one.address.partition(".")
            name, _, key = rest.partition(".")
            named = reading.shared.get(section, {}).get(name) or reading.added.get((section, name))
            cell = reading.cells.get(name) if section == "systems" else named
            place = cell.place if cell is not None else Place(shown, 1, 1)
            problems.append(Problem(place, key if cell is not None else one.address, one.message, one.remedy))
        raise InputError(problems) from None


def template_text(name: str) -> str:
    """The text of a template.

    Raises
    ------
    InputError
        There is none of this name.
    """
    for root in shelf.roots():
        path = root / "scenarios" / "planning" / "templates" / f"{name}.site.yaml"
        if shelf.is_file(path):
            return path.read_text(encoding="utf-8")
    remedy = choices(name, templates())
    raise InputError([Problem(Place("--template"), "", f"there is no template '{name}'", remedy)])


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a template."""

    policies: tuple[str, ...]
    """Its policies."""
    machines: tuple[str, ...]
    """Its kinds of machines."""
    hosts: tuple[str, ...] = ()
    """Hosts that its systems share."""

    @classmethod
    def of(cls, tree: Node) -> Template:
        """The parts of the text of a template."""
        names = (
            tuple(tree.mapping[key].mapping) if key in tree.mapping else () for key in ("policies", "machines", "hosts")
        )
        return cls(*names)


def read_systems(table: Inventory, shown: str, template: Template, unit: str = "") -> Reading:
    """The systems of a table; whatever cannot be read is in `problems`. `unit` is that of sizes that name none."""
    columns, heads = columns_of(table)
    if unit and not heads.get("size"):
        heads["size"] = unit
    problems = [
        Problem(Place(shown, 1, 1), "", f"has no column '{need}'", f"name it {' or '.join(COLUMNS[need][:3])}")
        for need in ("name", "size")
        if need not in columns
    ]
    numbers = [str(row[columns[key]].value) for key in UNITS if key in columns for row in table.rows]
    reading = Reading(
        columns, heads, convention(numbers), template.policies, template.machines, template.hosts, problems=problems
    )
    if not problems:
        problems += _without_unit(reading, table)
        for key, section in OF_HOSTS.items() if reading.hosts else ():
            for cell in (cell for row in table.rows if (cell := _cell(reading, row, key)) is not None):
                reading.shared[section].setdefault(_place_named(cell, key), cell)
        for row in table.rows:
            _row(reading, row)
    reading.warnings += [*unused(table, columns), *_doubts(reading, table), *_renamed(reading), *_added(reading)]
    return reading


def _without_unit(reading: Reading, table: Inventory) -> Iterator[Problem]:
    """A problem with the first size without a unit: none is guessed."""
    column = reading.columns["size"]
    cells = [] if reading.heads["size"] else [row[column] for row in table.rows]
    bare = [cell for cell in cells if str(cell.value).strip() and UNIT.search(str(cell.value)) is None]
    if bare:
        more = f", like {len(bare) - 1} more" if len(bare) > 1 else ""
        message = f"the size '{bare[0].value}' in column '{column}' has no unit{more}"
        remedy = f"name it with --unit, such as --unit GB or --unit MiB, or in the head: '{column} (GB)'"
        yield Problem(bare[0].place, "", message, remedy)


def _doubts(reading: Reading, table: Inventory) -> Iterator[Problem]:
    """A warning about the first number of which no cell says whether its mark is that of decimals or of thousands."""
    cells = [row[reading.columns[key]] for key in UNITS if key in reading.columns for row in table.rows]
    found = [cell for cell in cells if doubtful(str(cell.value))] if not reading.written.seen else []
    if found:
        first, message = found[0], f"'{found[0].value}' has a mark that may mean decimals or thousands"
        more = f", like {len(found) - 1} more" if len(found) > 1 else ""
        remedy = "a point was read as a decimal point, a comma as a thousands separator"
        yield Problem(first.place, "", message + more, remedy, "warning")


def _renamed(reading: Reading) -> Iterator[Problem]:
    """A warning about names that are written otherwise in the site."""
    changed = [(name, cell) for name, cell in reading.cells.items() if str(cell.value) != name]
    if changed:
        name, cell = changed[0]
        more = f", and {len(changed) - 1} more alike" if len(changed) > 1 else ""
        message = f"'{cell.value}' is called '{name}'{more}"
        yield Problem(cell.place, "", message, "names consist of letters, digits, '-' and '_'", "warning")


def _added(reading: Reading) -> Iterator[Problem]:
    """A warning about policies, and one about machines, that the template does not have."""
    for key, section in SECTIONS.items():
        named = [(name, cell) for (there, name), cell in reading.added.items() if there == section]
        if named:
            names = ", ".join(f"'{name}'" for name, _ in named)
            first = (reading.policies if key == "policy" else reading.machines)[0]
            message = f"the template has no {key} {names}; each is written as a copy of '{first}'"
            yield Problem(
                named[0][1].place, "", message, "look for 'assumed' in the site, and write what is right", "warning"
            )


def _row(reading: Reading, row: Mapping[str, Node]) -> None:
    """Add the system of a row, or what is wrong with it."""
    before = len(reading.problems)
    name = _name(reading, row)
    keys = dict(_keys(reading, row))
    if name and len(reading.problems) == before:
        if reading.hosts and "machine" not in keys:
            keys |= _place(reading, row)
        reading.systems[name] = ", ".join(f"{key}: {value}" for key, value in keys.items())


def _cell(reading: Reading, row: Mapping[str, Node], key: str) -> Node | None:
    """The cell of a key, None where there is none or it is empty."""
    cell = row[reading.columns[key]] if key in reading.columns else None
    return cell if cell is not None and str(cell.value).strip() else None


def _name(reading: Reading, row: Mapping[str, Node]) -> str:
    cell = _cell(reading, row, "name")
    if cell is None:
        place = row[reading.columns["name"]].place
        reading.problems.append(Problem(place, "", "the system has no name", "write one"))
        return ""
    name = _named(str(cell.value), "s")
    if name in reading.systems:
        reading.problems.append(Problem(cell.place, "", f"there are two systems '{name}'", "give each a name"))
    reading.cells.setdefault(name, cell)
    return name


def _keys(reading: Reading, row: Mapping[str, Node]) -> Iterator[tuple[str, str]]:
    """The keys of a system and their values as texts of YAML."""
    size = _cell(reading, row, "size")
    if size is None:
        place = row[reading.columns["size"]].place
        reading.problems.append(Problem(place, "", "the system has no size", "write for example '500 GB'"))
    else:
        yield "size", _amount(reading, size, "size")
    files = _cell(reading, row, "files")
    if files is not None:
        yield "files", _amount(reading, files, "files")
    yield from _changing(reading, row, files)
    for key in ("compression", "priority"):
        cell = _cell(reading, row, key)
        if cell is not None:
            yield key, _amount(reading, cell, key)
    yield "policy", _word(reading, row, "policy", reading.policies)
    if _cell(reading, row, "machine") is not None:
        yield "machine", _word(reading, row, "machine", reading.machines)


def _place(reading: Reading, row: Mapping[str, Node]) -> dict[str, str]:
    """The host and the datastore of a system: those that its row names, or else the hosts of the site in turn."""
    hosts = tuple(reading.shared["hosts"]) or reading.hosts
    cells = {key: cell for key in OF_HOSTS if (cell := _cell(reading, row, key)) is not None}
    named = {key: _key(_place_named(cell, key)) for key, cell in cells.items()}
    return {HOST: _key(hosts[len(reading.systems) % len(hosts)])} | named


def _place_named(cell: Node, key: str) -> str:
    """The host or the datastore that a cell names."""
    inside = LIES_IN.match(str(cell.value))
    return _named(inside[1] if inside is not None else str(cell.value).strip(), key)


def _changing(reading: Reading, row: Mapping[str, Node], files: Node | None) -> Iterator[tuple[str, str]]:
    """The file system, and how the data change."""
    change = _change(reading, row)
    if change == FILES and files is None:
        place = (_cell(reading, row, "kind") or row[reading.columns["name"]]).place
        message = "files are saved, and no column says how many"
        reading.problems.append(Problem(place, "", message, "add a column 'files'"))
    if change == FILES:
        given = _cell(reading, row, "filesystem")
        yield "filesystem", _sheet(reading, given, "filesystem") if given is not None else FILESYSTEM
    inner = [f"model: {change}"]
    for key, inside in (("change", "daily"), ("growth", "growth")):
        cell = _cell(reading, row, key)
        if cell is not None:
            inner.append(f"{inside}: {_amount(reading, cell, key, DEFAULT_SHARE)}")
    yield "change", f"{{{', '.join(inner)}}}"


def _change(reading: Reading, row: Mapping[str, Node]) -> str:
    """The datasheet of a change: by the kind of a row, or by whether it has files."""
    cell = _cell(reading, row, "kind")
    if cell is None:
        return FILES if _cell(reading, row, "files") is not None else MACHINES
    word = str(cell.value).lower().strip()
    for sheet, names in KINDS.items():
        if word in names:
            return sheet
    remedy = "write 'vm', 'file server', 'database' or 'archive', or a datasheet 'change/...'"
    reading.problems.append(Problem(cell.place, "", f"'{cell.value}' is not a kind of system", remedy))
    return MACHINES


def _word(reading: Reading, row: Mapping[str, Node], key: str, legal: tuple[str, ...]) -> str:
    """A cell that names a part of the template, or one to be added; the first of the template where it is empty."""
    cell = _cell(reading, row, key)
    if cell is None:
        return legal[0]
    word = str(cell.value).strip()
    if word not in legal:
        word = _named(word, key)
        reading.added.setdefault((SECTIONS[key], word), cell)
    return _key(word)


def _named(word: str, kind: str) -> str:
    """A word as a name: letters, digits, hyphens and underscores, beginning with a letter."""
    word = re.sub(r"[^A-Za-z0-9_-]", "-", word)
    return word if word[:1].isalpha() else f"{kind}-{word}"


def _sheet(reading: Reading, cell: Node, kind: str) -> str:
    name = str(cell.value) if "/" in str(cell.value) else f"{kind}/{str(cell.value).lower()}"
    if not shelf.exists(name):
        legal = [each for each in shelf.names() if each.startswith(f"{kind}/")]
        reading.problems.append(Problem(cell.place, "", f"there is no datasheet '{name}'", choices(name, legal)))
    return name


def _bounded(text: str, key: str, value: float, note: str = "") -> None:
    """Refuse sizes of nothing, changes of more than everything, and what no site may say."""
    if key == "change" and value > 1.0:
        raise UnitError(f"'{text}' is more than all of the data")
    if key == "size" and value <= 0.0:
        raise UnitError(f"'{text}' is not a size above zero")
    if not LIMITS[key].within(value):
        raise UnitError(f"'{text}' is out of bounds{note}; {LIMITS[key].remedy(value)}")


def _amount(reading: Reading, cell: Node, key: str, default: str = "") -> str:
    """The text of an amount; one without a unit is marked as assumed."""
    text, unit, head = str(cell.value), UNITS[key], reading.heads[key]
    bare = not head and UNIT.search(text) is None
    if bare and unit == "B":
        return ""  # reported for the whole column
    try:
        value = amount(text, unit, reading.written, head or (default if bare else ""))
        named = head or default if UNIT.search(text) is None else ""
        _bounded(text, key, value, f" in {named}" if named else "")
    except UnitError as error:
        message, _, remedy = str(error).partition("; ")
        reading.problems.append(Problem(cell.place, "", message, remedy))
        return ""
    shown = show(value, unit)
    if key == "size":
        reading.sizes[str(cell.place)] = value
    if unit == "B" and value >= GREAT:
        message = f"'{text}' in column '{reading.columns[key]}' is {show_short(value, unit)} for one system"
        reading.warnings.append(Problem(cell.place, "", message, "is its unit right?", "warning"))
    if not (bare and default):
        return shown
    return f'{{value: {shown}, basis: assumed, range: [{shown}, {shown}], why: "the cell names no unit"}}'
