"""The parts of a scenario that name a datasheet, merged over it, and the serial share of jobs that state none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from simbackup import shelf
from simbackup.errors import InputError, Problem, choices
from simbackup.scenario.files import Reader
from simbackup.schema import tree as trees
from simbackup.schema.job import SharedOut
from simbackup.schema.reflection import nested_sheets
from simbackup.schema.registry import device_kinds, method_kinds, sheets
from simbackup.schema.retired import retired_sheet
from simbackup.schema.tree import Node

KEY, CONNECTIONS = "serial_share", ("connections",)
SHEETS = {False: "workers/of-one-job", True: "workers/connections"}
"""Datasheets of the usual share, by whether nothing but connections shares the work."""
PROGRAMS = ("tool", "engine")
"""Keys of a job with its program."""
COUNTS = (
    ("workers",), ("connections",), ("to",), ("tool", "workers"), ("compressor", "threads"),
    ("compressor", "expand_threads"), ("deduplication", "threads"),
)  # fmt: skip
"""Where a job says how many of one thing work for it: workers, connections, files of a database, threads."""
CODING = ("compressor", "deduplication", "engine")
"""Keys of a backup whose restore may have several threads or read several files."""


def with_serial_share(job: Node, jobs: Mapping[str, Node], reader: Reader) -> Node:
    """The job; with the usual `serial_share` added if several workers share its work and no file states a share."""
    if not isinstance(job.value, dict) or KEY in job.mapping:
        return job
    several = _sharing(job, jobs)
    if not several:
        return job
    if any(KEY in job.mapping[program].mapping for program in PROGRAMS if program in job.mapping):
        return job
    if KEY in _operation(job).mapping:
        return job
    stated = reader.sheet(SHEETS[several == {CONNECTIONS}]).mapping["parameters"].mapping[KEY]
    return Node({**job.mapping, KEY: stated}, job.place, job.key)


def _sharing(job: Node, jobs: Mapping[str, Node]) -> set[tuple[str, ...]]:
    """Where the job says that several of one thing may share its work; nothing if none do."""
    word = "restore" if "restore" in job.mapping else job.mapping["method"].word if "method" in job.mapping else ""
    kind = method_kinds().get(word)
    if kind is None or not issubclass(kind.spec, SharedOut):
        return set()
    several = {path for path in COUNTS if counts_several(job.find(path))}
    saved = jobs.get(job.mapping["restore"].word) if "restore" in job.mapping else None
    if saved is not None and isinstance(saved.value, dict):
        several |= {(key,) for key in CODING if key in saved.mapping}
    if any("workers" in group.mapping for phase in _phases(job) for group in phase.mapping.values()):
        several.add(("program",))
    return several


def _operation(job: Node) -> Node:
    """The operation of its program that a job runs; the job itself where there is none."""
    word = job.mapping["operation"].word if "operation" in job.mapping else ""
    path = ("program", "operations", word)
    found, seen = job.find(path)
    return found if seen == path else job


def _phases(job: Node) -> list[Node]:
    """The phases of the operation that a job runs, each with the groups of its workers."""
    operation = _operation(job).mapping
    return list(operation["phases"].mapping.values()) if "phases" in operation else []


def counts_several(found: tuple[Node, tuple[str | int, ...]]) -> bool:
    """Whether the value at a path of `COUNTS` is a list of several names or a number above one."""
    node, path = found
    if path not in COUNTS:
        return False
    value = node.mapping["value"].value if node.is_quantity else node.value
    if isinstance(value, list):
        return len(value) > 1
    try:
        return float(str(value)) > 1.0
    except ValueError:  # a name, or what is wrong and is reported
        return False


@dataclass(frozen=True, slots=True)
class Completed:
    """A part merged over its datasheet: the overrides that were logged, and the datasheets that it names."""

    node: Node
    log: tuple[str, ...]
    sheets: Mapping[str, Node]
    unresolved: bool = False
    """Whether it has no datasheet although it names one."""

    def settled(self, node: Node) -> Completed:
        """The same with each value the stated one of its alternatives."""
        return replace(self, node=node)


def complete(
    tree: Node,
    reader: Reader,
    log: list[str],
    problems: list[Problem],
    known: Mapping[tuple[str, ...], Completed] | None = None,
) -> tuple[Node, dict[tuple[str, ...], Completed]]:
    """The tree in which each part with a `model` is merged over its datasheet, and the parts by their paths.

    Parts whose paths are `known` are as they were.
    """
    found: dict[tuple[str, ...], Completed] = {}
    sections: dict[str, Node] = dict(tree.mapping)
    for section, kinds in _kinds().items():
        parts = sections.get(section)
        if parts is None or not isinstance(parts.value, dict):
            continue
        done: dict[str, Node] = {}
        for name, part in parts.value.items():
            path = (section, name)
            one = known.get(path) if known else None
            found[path] = one = one or _completed(part, ".".join(path), kinds, reader, problems)
            if section == "jobs":
                own = Reader(reader.library)
                whole = with_serial_share(one.node, parts.value, own)
                if whole is not one.node:
                    one = found[path] = replace(one, node=whole, sheets={**one.sheets, **own.used.sheets})
            done[name] = one.node
            log += one.log
            reader.used.sheets.update(one.sheets)
        sections[section] = Node(done, parts.place, parts.key)
    return Node(sections, tree.place, tree.key), found


def _completed(part: Node, address: str, kinds: Sequence[str], reader: Reader, problems: list[Problem]) -> Completed:
    """A part of a section, merged over its datasheet."""
    before, log, own = len(problems), list[str](), Reader(reader.library)
    whole = _on_datasheet(part, address, kinds, own, log, problems)
    return Completed(whole, tuple(log), own.used.sheets, len(problems) > before)


def _kinds() -> dict[str, tuple[str, ...]]:
    """Kinds of datasheets that the parts of each section may name."""
    devices = tuple(device_kinds())
    return {
        "hosts": ("host",), "devices": devices, "links": ("network",), "data": ("population",),
        "workloads": ("workload",), "jobs": (),
    }  # fmt: skip


def _on_datasheet(
    part: Node, address: str, kinds: Sequence[str], reader: Reader, log: list[str], problems: list[Problem]
) -> Node:
    """A part merged over its datasheet, and its nested parts likewise."""
    if not isinstance(part.value, dict):
        return part
    inner = dict(part.value)
    for key, kind in nested_sheets().items():
        if key in inner:
            inner[key] = _on_datasheet(inner[key], f"{address}.{key}", (kind,), reader, log, problems)
    part = Node(inner, part.place, part.key)
    named = inner.get("model")
    if named is None or not kinds:
        return part
    sheet = _sheet(named, f"{address}.model", kinds, reader, problems)
    below = _parameters(sheet, named.word.partition("/")[0], inner) if sheet else {}
    if len(kinds) > 1:
        stated = Node(named.word.split("/", maxsplit=1)[0], named.place, named.key)
        own = inner.get("kind", stated)
        if sheet and own.value != stated.value:
            message = f"'{named.value}' is not of the kind '{own.word}'"
            problems.append(Problem(own.place, f"{address}.kind", message, "leave 'kind' out: the model sets it"))
            return part
        if stated.value in kinds:
            below["kind"] = stated
    return trees.overlay(Node(below, part.place, part.key), part, address, log)


def _parameters(sheet: Node, kind: str, over: Mapping[str, Node]) -> dict[str, Node]:
    """The parameters of a datasheet, without those that keys of the part over it stand for."""
    gone = {value for key, value in sheets()[kind].instead.items() if key in over}
    return {name: node for name, node in sheet.mapping["parameters"].mapping.items() if name not in gone}


def _around(name: str, kinds: Sequence[str]) -> tuple[str, str] | tuple[()]:
    """The key under which devices have what a datasheet describes, and such devices; nothing if there are none."""
    kind = name.split("/", maxsplit=1)[0]
    keys = [key for key, inside in nested_sheets().items() if inside == kind] if kind not in kinds else []
    if not keys:
        return ()
    key = keys[-1]
    owners = {owner for owner, one in device_kinds().items() if owner in kinds and key in one.spec.model_fields}
    named = [sheet for sheet in shelf.names() if sheet.split("/", maxsplit=1)[0] in owners]
    return (key, f"one of: {', '.join(named)}") if named else ()


def _beside(name: str, address: str, kinds: Sequence[str]) -> str:
    """The key beside this one under which a datasheet of this kind belongs; empty if there is none.

    >>> _beside("ssd/nvme-gen3-2018", "devices.array.disk.model", ["disk"])
    'ssd'
    """
    kind, here = name.split("/", maxsplit=1)[0], address.removesuffix(".model").rpartition(".")[2]
    keys = [key for key, inside in nested_sheets().items() if inside == kind and kind not in kinds]
    fields = [one.spec.model_fields for one in device_kinds().values() if here in one.spec.model_fields] if keys else []
    return next((key for key in keys if any(key in of for of in fields)), "")


def _sheet(named: Node, address: str, kinds: Sequence[str], reader: Reader, problems: list[Problem]) -> Node | None:
    """The tree of the datasheet that a part names, or None after what is wrong was added to `problems`."""
    name = named.word
    if not isinstance(named.value, str):
        message = "is not the name of a datasheet"
    elif around := _around(name, kinds) if reader.library.has_sheet(name) else ():
        key, owners = around
        message = f"'{name}' is not a device of its own"
        problems.append(
            Problem(named.place, address, message, f"write '{key}: {name}' below it, and for 'model' {owners}")
        )
        return None
    elif reader.library.has_sheet(name) and (beside := _beside(name, address, kinds)):
        message = f"'{name}' is not a {kinds[0]}"
        problems.append(Problem(named.place, address, message, f"write '{beside}: {name}' instead"))
        return None
    elif name.split("/", maxsplit=1)[0] not in kinds and reader.library.has_sheet(name):
        message = f"'{name}' is not a {kinds[0]}" if len(kinds) == 1 else f"'{name}' is not a device"
    elif not reader.library.has_sheet(name):
        message = f"there is no datasheet '{name}'"
    else:
        try:
            return reader.sheet(name)
        except InputError as error:
            problems.extend(error.problems)
            return None
    meant = {*kinds, name.split("/", maxsplit=1)[0]} if _around(name, kinds) or _beside(name, address, kinds) else kinds
    near = [legal for legal in shelf.names() if legal.split("/", maxsplit=1)[0] in meant]
    retired = retired_sheet(name)
    remedy = retired.instead if retired is not None else choices(name, near)
    problems.append(Problem(named.place, address, message, remedy, retired=retired))
    return None
