"""The layout of a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from simbackup.devices.snapshot.spec import CheckpointSpec
from simbackup.devices.tape.spec import TapeLibrarySpec
from simbackup.layout.facts import facts, kind_of, title_of
from simbackup.layout.layout import Edge, Layout, Node
from simbackup.methods.copy.spec import CopySpec
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.write.spec import WriteSpec
from simbackup.scenario import Scenario
from simbackup.scenario.spec import Spec
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import Frozen
from simbackup.workloads.users.spec import UsersSpec

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


def _nodes(spec: Spec) -> Iterator[Node]:
    for name, host in spec.hosts.items():
        yield _node(f"hosts.{name}", "host", name, host)
    for name, device in spec.devices.items():
        yield _node(f"devices.{name}", kind_of(device), name, device)
        if isinstance(device, TapeLibrarySpec):
            drives = int(device.drives.si)
            drive = _node(f"devices.{name}.drive", "drive", "drive" if drives == 1 else "drives", device.drive)
            yield Node(drive.address, drive.kind, drive.name, drive.title, drive.facts, drives)
    sections = (("links", "link"), ("data", "data"), ("workloads", "workload"))
    for section, kind in sections:
        for name, part in cast("dict[str, Frozen]", getattr(spec, section)).items():
            yield _node(f"{section}.{name}", kind, name, part)
    for name, job in spec.jobs.items():
        method = "restore" if isinstance(job, RestoreSpec) else str(getattr(job, "method", "job"))
        yield Node(f"jobs.{name}", "job", name, method.replace("_", " "), tuple(facts(job)))


def _node(address: str, kind: str, name: str, part: Frozen) -> Node:
    return Node(address, kind, name, title_of(part), tuple(facts(part)))


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
    """What lies where, what freezes what, and who works on which data."""
    for name, device in spec.devices.items():
        below, frozen = getattr(device, "on", None), getattr(device, "of", None)
        if isinstance(below, str):
            yield Edge(f"devices.{name}", f"devices.{below}", "on")
        if isinstance(frozen, str):
            yield Edge(f"devices.{name}", f"devices.{frozen}", "freezes")
        if isinstance(frozen, str) and isinstance(device, CheckpointSpec):
            yield Edge(f"devices.{name}", f"devices.{frozen}", "within")
        if isinstance(device, TapeLibrarySpec):
            yield Edge(f"devices.{name}.drive", f"devices.{name}", "within")
    for name, data in spec.data.items():
        yield Edge(f"data.{name}", f"devices.{data.on}", "on")
    for name, workload in spec.workloads.items():
        if isinstance(workload, UsersSpec):
            yield Edge(f"workloads.{name}", f"data.{workload.data}", "works on")
        for link in workload.via:
            yield Edge(f"workloads.{name}", f"links.{link}", "works on")


def _done(spec: Spec) -> Iterator[Edge]:
    """What each job does, to what."""
    for name, job in spec.jobs.items():
        given = dict(job)
        for field, (does, sections) in FIELDS.items():
            kind = "writes" if isinstance(job, WriteSpec) and field == "data" else does
            looked = ("data", "devices") if field == "to" and isinstance(job, CopySpec | RestoreSpec) else sections
            for text in _names(given.get(field)):
                yield from _edge(spec, f"jobs.{name}", text, kind, looked)
        if isinstance(job, RestoreSpec):
            yield from _restored(spec, name, job)


def _restored(spec: Spec, name: str, job: RestoreSpec) -> Iterator[Edge]:
    """From where and to where a restore goes, which its backup tells."""
    backup: JobSpec | None = spec.jobs.get(job.restore)
    for text in _names(getattr(backup, "to", None)):
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
    """The edge to what bears a name in one of the sections."""
    section = next((section for section in sections if end in getattr(spec, section)), None)
    if section is not None:
        yield Edge(start, f"{section}.{end}", kind)
