"""The spec of a whole scenario, read part by part."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

from simbackup.data.spec import DataSpec
from simbackup.devices.host.spec import HostSpec
from simbackup.devices.network.spec import LinkSpec
from simbackup.errors import Problem, choices
from simbackup.policies.clock import WEEKDAYS
from simbackup.scenario.places import Places
from simbackup.schema import registry
from simbackup.schema.capability import Device
from simbackup.schema.failure import FailureSpec
from simbackup.schema.fleet import PARTS
from simbackup.schema.job import Copying, JobSpec
from simbackup.schema.origin import EMPTY, MISSING
from simbackup.schema.part import NAME, quantities_of, scaled
from simbackup.schema.quantity import Frozen, Quantity
from simbackup.schema.retired import METHODS
from simbackup.schema.study import ChanceSpec, HistorySpec
from simbackup.schema.tree import Node
from simbackup.schema.validate import Part, validate, validate_in_part
from simbackup.schema.workload import WorkloadSpec

SECTIONS = ("title", "question", "extends", "first_day", *PARTS, "fleets", "chance", "history")
KINDS = frozenset({"kind", "method", "restore"})  # keys that say what a device or a job is
IDENTIFYING = {
    "hosts": ("model",), "devices": ("model", "kind"), "links": ("model",), "workloads": ("model",),
    "jobs": ("method", "restore"),
}  # fmt: skip
"""Keys of which a part of a section has one as a rule."""
LEAST_LIKENESS = 0.7


@dataclass(frozen=True)  # without slots: lookups are cached in it
class Spec(Places):
    """A whole scenario, with its parts by name; values of a wrong form are `Unknown`."""

    title: str
    """What it is about."""
    question: str
    """The question that it answers; empty without one."""
    hosts: dict[str, HostSpec]
    devices: dict[str, Device]
    links: dict[str, LinkSpec]
    data: dict[str, DataSpec]
    workloads: dict[str, WorkloadSpec]
    jobs: dict[str, JobSpec]
    failures: dict[str, FailureSpec] = field(default_factory=dict[str, FailureSpec])
    history: HistorySpec | None = None
    """How a history of jobs belongs to it; None without one."""
    chance: dict[str, ChanceSpec] = field(default_factory=dict[str, ChanceSpec])
    """Times that are drawn at random, by name."""
    first_day: str = ""
    """The weekday on which a run begins; empty if it is not stated."""

    @property
    def weekday(self) -> int:
        """The weekday on which a run begins (0 is Monday)."""
        return WEEKDAYS.index(self.first_day) if self.first_day else 0

    def inline_copies_of(self, backup: JobSpec) -> Mapping[str, Copying]:
        """The copies that a backup writes inline, by the names of their jobs."""
        return self._inline.get(id(backup), {})

    @cached_property
    def _inline(self) -> Mapping[int, dict[str, Copying]]:
        """All inline copies, by the identity of their backups."""
        found: dict[int, dict[str, Copying]] = {}
        for name, job in ((n, j) for n, j in self.jobs.items() if isinstance(j, Copying) and j.inline):
            found.setdefault(id(self.jobs.get(job.save_set)), {})[name] = job
        return found

    def quantities(self) -> Iterator[tuple[tuple[str, ...], Quantity]]:
        """Every quantity of the scenario with its path, such as `("devices", "sdb", "capacity")`."""
        for section in PARTS:
            for name, part in getattr(self, section).items():
                yield from quantities_of(part, (section, name))

    def scaled(self, factors: Mapping[str, float]) -> Spec:
        """The scenario with the quantities at some addresses multiplied by factors, unchecked."""
        touched = {tuple(address.split(".")[:2]) for address in factors}
        sections = {
            section: {
                name: scaled(part, factors, f"{section}.{name}") if (section, name) in touched else part
                for name, part in getattr(self, section).items()
            }
            for section in PARTS
        }
        return replace(self, **sections)


def read_spec(
    tree: Node,
    problems: list[Problem],
    unresolved: Container[str] | None = (),
    known: Mapping[tuple[str, ...], Frozen] | None = None,
) -> Spec:
    """The scenario that a tree describes; what is wrong with its form is added to `problems`, and unknown in it.

    Parts whose address is in `unresolved` have no datasheet although they name one: nothing is missing in them. It is
    None where the file that the scenario extends is not there: then nothing is missing anywhere. Those that are `known`
    by their paths are not read again.
    """
    for name, node in tree.mapping.items():
        if name not in SECTIONS:
            problems.append(Problem(node.key, name, "is not known here", choices(name, SECTIONS)))
    title = tree.mapping.get("title")
    if title is None and unresolved is None:
        pass
    elif title is None or not isinstance(title.value, str) or not title.value:
        place, message = (title.place, "is not text") if title else (tree.place, "is missing")
        problems.append(Problem(place, "title", message, "begin the file with 'title: ...'"))
    question = tree.mapping.get("question")
    if question is not None and not isinstance(question.value, str):
        problems.append(Problem(question.place, "question", "is not text", "write one sentence"))

    def parts(section: str, choose: Callable[[Node, str], type[Part] | None]) -> dict[str, Part]:
        return _parts(tree, section, choose, problems, unresolved, known or {})

    return Spec(
        str(title.value) if title else "",
        str(question.value) if question else "",
        parts("hosts", lambda node, address: HostSpec),  # noqa: ARG005
        parts("devices", lambda node, address: _device_class(node, address, problems)),
        parts("links", lambda node, address: LinkSpec),  # noqa: ARG005
        parts("data", lambda node, address: DataSpec),  # noqa: ARG005
        parts("workloads", lambda node, address: _workload_class(node, address, problems)),
        parts("jobs", lambda node, address: _job_class(node, address, problems)),
        parts("failures", lambda node, address: FailureSpec),  # noqa: ARG005
        _history(tree, problems),
        parts("chance", lambda node, address: ChanceSpec),  # noqa: ARG005
        _first_day(tree, problems),
    )


def _first_day(tree: Node, problems: list[Problem]) -> str:
    """The weekday on which a run begins, empty if the scenario does not say it, or says none."""
    node = tree.mapping.get("first_day")
    if node is None or node.value is None:
        return ""
    if str(node.value).lower() in WEEKDAYS:
        return str(node.value).lower()
    message = f"'{node.plain()}' is not a weekday"
    problems.append(Problem(node.place, "first_day", message, choices(str(node.value), WEEKDAYS)))
    return ""


def _history(tree: Node, problems: list[Problem]) -> HistorySpec | None:
    """How a history of jobs belongs to the scenario; None if it says nothing of one."""
    node = tree.mapping.get("history")
    return None if node is None or node.value is None else validate(HistorySpec, node, "history", problems)


def _parts(
    tree: Node,
    section: str,
    choose: Callable[[Node, str], type[Part] | None],
    problems: list[Problem],
    unresolved: Container[str] | None,
    known: Mapping[tuple[str, ...], Frozen],
) -> dict[str, Part]:
    """The named parts of one section."""
    node = tree.mapping.get(section)
    if node is None or node.value is None:
        return {}
    if not isinstance(node.value, dict):
        problems.append(Problem(node.place, section, "is not a mapping", "write 'name: {...}' below it"))
        return {}
    parts: dict[str, Part] = {}
    for name, child in node.value.items():
        if (section, name) in known:
            parts[name] = cast("Part", known[section, name])
            continue
        if not NAME.match(name):
            remedy = "begin with a letter, then letters, digits, '-' and '_'"
            problems.append(Problem(child.key, f"{section}.{name}", f"'{name}' is not a valid name", remedy))
        part = _part((section, name), child, choose, problems, unresolved)
        if part is not None:
            parts[name] = part
    return parts


def _part(
    path: tuple[str, str],
    node: Node,
    choose: Callable[[Node, str], type[Part] | None],
    problems: list[Problem],
    unresolved: Container[str] | None,
) -> Part | None:
    """A named part; None if its class is unknown."""
    section, address = path[0], ".".join(path)
    if node.value is None and unresolved is None:
        return None
    if not isinstance(node.value, dict):
        message = EMPTY if node.value is None else "is not a mapping"
        problems.append(Problem(node.place, address, message, "write its keys below it, indented"))
        return None
    spelt = _spelt(node, address, IDENTIFYING.get(section, ()), problems)
    if unresolved is None and section in {"devices", "jobs"} and not KINDS & spelt.mapping.keys():
        return None
    part_class = choose(spelt, address)
    found: list[Problem] = []
    incomplete = unresolved is None or address in unresolved or (spelt is not node and "model" in spelt.mapping)
    part = validate_in_part(part_class, spelt, address, found, incomplete) if part_class else None
    problems.extend(p for p in found if p.message != MISSING or not incomplete)
    return part


def _spelt(node: Node, address: str, legal: Sequence[str], problems: list[Problem]) -> Node:
    """The part with a misspelt `kind`, `model`, `method` or `restore` put right; reports the misspelling."""
    if legal and not any(key in node.mapping for key in legal):
        for key, child in node.mapping.items():
            meant = difflib.get_close_matches(key, legal, n=1, cutoff=LEAST_LIKENESS)
            if meant:
                remedy = f"did you mean '{meant[0]}'?"
                problems.append(Problem(child.key, f"{address}.{key}", "is not known here", remedy))
                renamed = {meant[0] if k == key else k: inner for k, inner in node.mapping.items()}
                return Node(renamed, node.place, node.key)
    return node


def _device_class(node: Node, address: str, problems: list[Problem]) -> type[Device] | None:
    """The class of a device by its kind."""
    kinds, kind = registry.device_kinds(), node.mapping.get("kind")
    if kind is None:
        if "model" in node.mapping:
            return None  # the wrong model has been reported
        message = "has neither a model nor a kind"
        remedy = f"write 'model: kind/name', or 'kind:' with one of {', '.join(kinds)}"
        problems.append(Problem(node.place, address, message, remedy))
        return None
    if kind.word not in kinds:
        message = f"there is no device kind '{kind.word}'"
        problems.append(Problem(kind.place, f"{address}.kind", message, choices(kind.word, kinds)))
        return None
    return kinds[kind.word].spec


def _workload_class(node: Node, address: str, problems: list[Problem]) -> type[WorkloadSpec] | None:
    """The class of a workload: that of its kind, or the last that has one of its keys, or the usual one."""
    kinds, kind = registry.workload_kinds(), node.mapping.get("kind")
    if kind is not None and kind.word not in kinds:
        message = f"there is no workload kind '{kind.word}'"
        problems.append(Problem(kind.place, f"{address}.kind", message, choices(kind.word, kinds)))
        return None
    if kind is not None:
        return kinds[kind.word].spec
    named = [each.spec for each in kinds.values() if set(each.spec.recognised_by) & set(node.mapping)]
    return named[-1] if named else next(each.spec for each in kinds.values() if each.spec.by_default)


def _job_class(node: Node, address: str, problems: list[Problem]) -> type[JobSpec] | None:
    """The class of a job by its method."""
    kinds = registry.method_kinds()
    methods = [name for name in kinds if name != "restore"]
    method = node.mapping.get("method")
    if "restore" in node.mapping and method is None:
        return kinds["restore"].spec
    if method is not None and ("restore" in node.mapping or method.word == "restore"):
        message = "a restore has no method; its 'restore' names the backup that it brings back"
        remedy = "leave 'method' out" if "restore" in node.mapping else "write 'restore: BACKUP' instead"
        problems.append(Problem(method.place, f"{address}.method", message, remedy))
        return None
    if method is None:
        remedy = f"write 'method:' with one of {', '.join(methods)}, or 'restore: job'"
        problems.append(Problem(node.place, address, "has neither a method nor a restore", remedy))
        return None
    if method.word not in methods:
        retired, message = METHODS.get(method.word), f"there is no method '{method.word}'"
        remedy = retired.instead if retired is not None else choices(method.word, methods)
        problems.append(Problem(method.place, f"{address}.method", message, remedy, retired=retired))
        return None
    return kinds[method.word].spec
