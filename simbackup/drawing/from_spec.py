"""The layout of a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from simbackup import shelf
from simbackup.drawing.layout import Edge, Layout, LayoutNode
from simbackup.errors import SimbackupError
from simbackup.scenario import Scenario
from simbackup.scenario.spec import Spec
from simbackup.schema import registry
from simbackup.schema.capability import InVolume
from simbackup.schema.facts import Fact
from simbackup.schema.job import JobSpec, Restoring
from simbackup.schema.part import Part
from simbackup.schema.quantity import Frozen

FIELDS = {
    "data": ("reads", ("data",)),
    "source": ("reads", ("devices", "data")),
    "to": ("writes", ("devices", "data")),
    "snapshot": ("changes", ("devices",)),
    "mirror": ("changes", ("devices",)),
    "machine": ("acts on", ("hosts",)),
    "workload": ("observes", ("workloads",)),
    "over": ("crosses", ("links",)),
    "via": ("crosses", ("links",)),
    "restore": ("restores", ("jobs",)),
    "of": ("indexes", ("jobs",)),
    "replay": ("replays", ("jobs",)),
    "after": ("follows", ("jobs",)),
}
"""What a job does to what its fields name, and in which sections these names are looked for."""


def layout_of(scenario: Scenario) -> Layout:
    """The parts of a scenario's system, its data, its users and its jobs, and how they belong together.

    >>> from simbackup.scenario import load
    >>> layout = layout_of(load("teaching/snapshot-slows-writes"))
    >>> [str(fact) for fact in layout.node["devices.cow"].facts]
    ['3 GiB copy area', '8 KiB chunks']
    """
    spec = scenario.spec
    edges = [*_belonging(spec), *_placed(spec), *_done(spec)]
    return Layout(scenario.title, spec.question, tuple(_nodes(spec)), tuple(dict.fromkeys(edges)))


def _nodes(spec: Spec) -> Iterator[LayoutNode]:
    for name, host in spec.hosts.items():
        yield _node(f"hosts.{name}", "host", name, host)
    for name, device in spec.devices.items():
        kind = device.drawn_as or registry.kind_of(device).name
        yield _node(f"devices.{name}", kind, name, device)
        for piece, (title, part, count) in device.inner().items():
            yield replace(_node(f"devices.{name}.{piece}", piece, title, part), count=count)
    sections: tuple[tuple[str, str, Mapping[str, Part]], ...] = (
        ("links", "link", spec.links), ("data", "data", spec.data), ("workloads", "workload", spec.workloads)
    )  # fmt: skip
    for section, kind, parts in sections:
        for name, part in parts.items():
            yield _node(f"{section}.{name}", kind, name, part)
    for name, job in spec.jobs.items():
        method = str(getattr(job, "method", registry.kind_of(job).names[0]))
        yield LayoutNode(f"jobs.{name}", "job", name, method.replace("_", " "), tuple(_facts(job)))


def _node(address: str, kind: str, name: str, part: Part) -> LayoutNode:
    return LayoutNode(address, kind, name, title_of(part), tuple(_facts(part)))


def _facts(part: Part) -> Iterator[Fact]:
    """The facts of a part, with the titles of datasheets in them."""
    for fact in part.facts():
        if isinstance(fact, Fact):
            yield fact
        elif title := title_of(fact.part):
            yield Fact(f"{fact.before}{title}")


def title_of(part: Frozen) -> str:
    """The make and model of a part, empty if it has no datasheet."""
    named = getattr(part, "model", None)
    if named is None:
        return ""
    try:
        return shelf.load_datasheet(named).title
    except SimbackupError:  # a saved scenario may outlive its datasheets
        return str(named)


def _belonging(spec: Spec) -> Iterator[Edge]:
    """Who owns what, and what links join."""
    for name, host in spec.hosts.items():
        if host.within is not None:
            yield Edge(f"hosts.{name}", f"hosts.{host.within}", "within")
        for device in host.owns:
            yield Edge(f"hosts.{name}", f"devices.{device}", "owns")
    for name, link in spec.links.items():
        for end in link.joins:
            yield from _edge(spec, f"links.{name}", end, "joins", ("hosts", "devices", "links"))


def _placed(spec: Spec) -> Iterator[Edge]:
    """What is where, what freezes what, and who works on which data."""
    for name, device in spec.devices.items():
        below, frozen = getattr(device, "on", None), getattr(device, "of", None)
        if isinstance(below, str):
            yield Edge(f"devices.{name}", f"devices.{below}", "on")
        if isinstance(frozen, str):
            yield Edge(f"devices.{name}", f"devices.{frozen}", "freezes")
        if isinstance(frozen, str) and isinstance(device, InVolume) and device.drawn_within:
            yield Edge(f"devices.{name}", f"devices.{frozen}", "within")
        for piece in device.inner():
            yield Edge(f"devices.{name}.{piece}", f"devices.{name}", "within")
    for name, data in spec.data.items():
        yield Edge(f"data.{name}", f"devices.{data.on}", "on")
    for name, workload in spec.workloads.items():
        for data in _names(getattr(workload, "data", None)):
            yield Edge(f"workloads.{name}", f"data.{data}", "works on")
        for link in workload.via:
            yield Edge(f"workloads.{name}", f"links.{link}", "works on")


def _done(spec: Spec) -> Iterator[Edge]:
    """What each job does, to what."""
    for name, job in spec.jobs.items():
        given = dict(job)
        for field, (does, sections) in {**FIELDS, **job.relations}.items():
            kind = "writes" if job.writes_data and field == "data" else does
            looked = ("data", "devices") if field == "to" and job.to_data else sections
            for text in _names(given.get(field)):
                yield from _edge(spec, f"jobs.{name}", text, kind, looked)
        if isinstance(job, Restoring):
            yield from _restored(spec, name, job)


def _restored(spec: Spec, name: str, job: Restoring) -> Iterator[Edge]:
    """Source and target of a restore, which its backup determines."""
    backup: JobSpec | None = spec.jobs.get(job.restore)
    for text in _names(getattr(spec.jobs.get(job.copied_by or job.restore), "to", None)):
        yield from _edge(spec, f"jobs.{name}", text, "reads", ("devices",))
    if job.to is None:
        for text in _names(getattr(backup, "data", None)):
            yield from _edge(spec, f"jobs.{name}", text, "writes", ("data",))


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    named = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return tuple(text for text in named if isinstance(text, str))


def _edge(spec: Spec, start: str, end: str, kind: str, sections: tuple[str, ...]) -> Iterator[Edge]:
    """The edge to the part of a name in one of the sections."""
    section = next((section for section in sections if end in getattr(spec, section)), None)
    if section is not None:
        yield Edge(start, f"{section}.{end}", kind)
