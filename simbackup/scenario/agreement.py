"""Checks between the parts of a scenario."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from simbackup import units
from simbackup.devices.host.spec import HostSpec
from simbackup.devices.network.spec import LinkSpec
from simbackup.errors import LONGEST_LIST, Problem, choices
from simbackup.policies.clock import deadline
from simbackup.scenario.checks import Checks
from simbackup.scenario.spec import Spec
from simbackup.scenario.topology import circles
from simbackup.schema.capability import JobLimit
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Part, Path, disagreements
from simbackup.schema.tree import Node

GREATEST_RUNS = 10_000_000
"""Runs of one job that a scenario may ask for: one a minute for nineteen years."""


def check(
    spec: Spec,
    tree: Node,
    before: Sequence[Problem] = (),
    templates: Mapping[str, str] | None = None,
    agreeing: Container[tuple[str, ...]] = (),
) -> list[Problem]:
    """All conflicts between the parts of a scenario, as far as the errors `before` allow to check them.

    The last of the problems names what was not checked further, and what to fix first; parts of a fleet are
    named by their template, whose address is in `templates`. The values of a part whose path is in `agreeing` are known
    not to conflict with each other.
    """
    checks = Checks(spec, tree, tuple(before))
    checks.baseless()
    _names(checks)
    _agreement(checks, agreeing)
    _owners(checks)
    parts: dict[str, Mapping[str, Part]] = {"hosts": spec.hosts, "links": spec.links, "devices": spec.devices}
    _each(checks, parts)
    checks.allocation()
    _each(checks, {"data": spec.data, "workloads": spec.workloads})
    _cut_off(checks)
    _loads(checks)
    for name, job in spec.jobs.items():
        for step in (_waits, _times, _repeats):
            with checks.about("jobs", name):
                step(checks, ("jobs", name), job)
        with checks.about("jobs", name):
            job.check(checks, ("jobs", name))
    _order(checks)
    _each(checks, {"failures": spec.failures})
    return checks.problems + _not_checked(checks.waiting, tree, templates or {})


def _not_checked(waiting: Mapping[str, Mapping[str, None]], tree: Node, templates: Mapping[str, str]) -> list[Problem]:
    """A closing note for each set of addresses that parts wait for."""
    together: dict[tuple[str, ...], dict[str, str]] = {}
    for part, addresses in waiting.items():
        first = dict.fromkeys(_of_template(address, templates) for address in addresses)
        above = (a for a in sorted(first) if not any(a.startswith(f"{other}.") for other in first))
        together.setdefault(tuple(above), {}).setdefault(_of_template(part, templates), part)
    notes: list[Problem] = []
    for addresses, parts in together.items():
        were = "were" if len(parts) > 1 else "was"
        place = tree.find(tuple(next(iter(parts.values())).split(".")))[0].place
        remedy = f"fix {_listed(addresses)} first"
        notes.append(Problem(place, _listed(tuple(parts)), f"{were} not checked further", remedy, closing=True))
    return notes


def _of_template(address: str, templates: Mapping[str, str]) -> str:
    """The address in a template, for an address in a part made from it."""
    part = ".".join(address.split(".")[:2])
    return templates.get(part, part) + address[len(part) :]


def _listed(words: Sequence[str]) -> str:
    """Words in one line, of a long list only the first."""
    shown = words[:LONGEST_LIST]
    rest = f" and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return ", ".join(shown) + rest


def _each(checks: Checks, sections: Mapping[str, Mapping[str, Part]]) -> None:
    """Let every part of some sections check itself."""
    for section, parts in sections.items():
        for name, part in parts.items():
            with checks.about(section, name):
                part.check(checks, (section, name))


def _agreement(checks: Checks, agreeing: Container[tuple[str, ...]]) -> None:
    """Report conflicts within each part but those that are known to agree."""
    spec = checks.spec
    parts: dict[str, Mapping[str, Part]] = {
        "hosts": spec.hosts, "devices": spec.devices, "links": spec.links, "data": spec.data,
        "failures": spec.failures, "workloads": spec.workloads, "jobs": spec.jobs,
    }  # fmt: skip
    for section, named in parts.items():
        for name, part in named.items():
            if (section, name) in agreeing:
                continue
            with checks.about(section, name):
                for paths, message, remedy in disagreements(part):
                    checks.report(checks.written([(section, name, *path) for path in paths]), message, remedy)


def _names(checks: Checks) -> None:
    """Report names that hosts, devices and links share: a link names what it joins, whichever of them it is."""
    first: dict[str, tuple[str, Node]] = {}
    for section, kind in (("hosts", "host"), ("devices", "device"), ("links", "link")):
        parts = checks.tree.mapping[section].mapping if section in checks.tree.mapping else {}
        for name, node in parts.items():
            if name in first:
                other, place = first[name][0], first[name][1].key
                message = f"a {other} has the same name ({place})"
                remedy = "give one of them another: hosts, devices and links are named without their kinds"
                checks.problems.append(Problem(node.key, f"{section}.{name}", message, remedy))
            first.setdefault(name, (kind, node))


def _owners(checks: Checks) -> None:
    """Report devices of several hosts."""
    owner: dict[str, str] = {}
    for host, part in checks.spec.hosts.items():
        with checks.about("hosts", host):
            _owned(checks, host, part, owner)


def _owned(checks: Checks, host: str, part: HostSpec, owner: dict[str, str]) -> None:
    """Report what a host owns that is unknown, or belongs to another host."""
    for i, device in enumerate(part.owns):
        path = ("hosts", host, "owns", i)
        if checks.name(path, device, checks.spec.devices, "device") and device in owner:
            remedy = (
                "if hosts share an array, let each own a 'logical_volume' on it, and a link join them and the array"
            )
            checks.report(path, f"'{device}' already belongs to '{owner[device]}'", remedy)
        owner.setdefault(device, host)


def _cut_off(checks: Checks) -> None:
    """Report volumes and frozen images whose host cannot reach the disks below them."""
    spec = checks.spec
    for host, part in spec.hosts.items():
        with checks.about("hosts", host):
            for i, device in enumerate(part.owns):
                path = ("hosts", host, "owns", i)
                below = spec.below(device)
                lost = below in spec.devices and not spec.reaches(host, below or "")
                if lost and checks.sound(path, "hosts", "devices", "links"):
                    message = f"'{device}' is on '{below}', to which there is no connection from '{host}'"
                    checks.report(path, message, f"let a link join '{host}' and '{below}'")


def _loads(checks: Checks) -> None:
    """Report links that cannot carry their requests at a given rate: the queue would grow without end."""
    crossing: dict[str, dict[str, Any]] = {}
    for name, link in checks.spec.links.items():
        with checks.about("links", name):
            crossing = crossing or _crossing(checks)
            for street in link.streets(name, checks.spec.ends_of(name)):
                _load(checks, street, link, crossing.get(street, {}))


def _crossing(checks: Checks) -> dict[str, dict[str, Any]]:
    """The workloads whose requests cross each link or port, by its name."""
    found: dict[str, dict[str, Any]] = {}
    for name, part in checks.spec.workloads.items():
        for link in getattr(part, "via", ()):
            found.setdefault(link, {})[name] = part
    return found


def _load(checks: Checks, name: str, link: LinkSpec, crossing: Mapping[str, Any]) -> None:
    """Report one link that cannot carry its requests."""
    asked = {w: part.request.si * part.transactions.si for w, part in crossing.items() if part.transactions is not None}
    port = link.ports.get(name.split(".")[1]) if "." in name else None
    room = (port or link.rate).si * link.count.si
    if asked and sum(asked.values()) >= room:
        last = list(asked)[-1]
        message = f"'{name}' would have to carry {units.show_short(sum(asked.values()), 'B/s')} of requests"
        remedy = f"it can carry {units.show_short(room, 'B/s')}: write fewer or smaller requests, or 'clients:'"
        checks.report(("workloads", last, "transactions"), message, remedy)


def _waits(checks: Checks, path: Path, job: JobSpec) -> None:
    """After which jobs a job begins."""
    listed = isinstance(checks.tree.find((*path, "after"))[0].value, list)
    for i, other in enumerate(job.after):
        checks.name((*path, "after", i) if listed else (*path, "after"), other, checks.spec.jobs, "job")
    _queues(checks, path, job)
    if job.most_rate is not None and not job.moves:
        checks.report((*path, "most_rate"), "has no effect on a job that moves no bytes", "leave it out")


def _queues(checks: Checks, path: Path, job: JobSpec) -> None:
    """In which queues a job waits, and how often it is tried."""
    legal = checks.spec.devices_with(JobLimit)
    listed = isinstance(checks.tree.find((*path, "queues"))[0].value, list)
    for i, name in enumerate(job.queues):
        here = (*path, "queues", i) if listed else (*path, "queues")
        if not checks.name(here, name, legal, "device") and name in checks.spec.devices:
            checks.report(here, f"'{name}' is not a queue of jobs", choices(name, legal))
    if job.states("retry_after") and not job.retries.si:
        checks.report((*path, "retry_after"), "has no effect without 'retries'", "write for example 'retries: 2'")


def _times(checks: Checks, path: Path, job: JobSpec) -> None:
    """When a job begins and has to end."""
    with checks.about(*path):
        if job.begin is not None:
            checks.moment((*path, "begin"), job.begin)
    if job.deadline is not None:
        _deadline(checks, (*path, "deadline"), job.deadline)


def _repeats(checks: Checks, path: Path, job: JobSpec) -> None:
    """How often a job begins."""
    if (job.every is None) != (job.until is None):
        missing = "until" if job.until is None else "every"
        checks.report(path, f"repeats without '{missing}'", "give both 'every' and 'until'")
    if job.every is not None and job.until is not None:
        if job.every.si <= 0:
            checks.report((*path, "every"), "is not a period", "write for example '1 day'")
        elif job.until.si / job.every.si > GREATEST_RUNS:
            message = f"the job would run more than {GREATEST_RUNS:,} times"
            checks.report((*path, "every"), message, "write a longer period, or an earlier 'until'")
        begin = _seconds(job.begin or "0 s")
        if begin is not None and job.until.si < begin:
            message = f"{job.until.text} is before the job begins, {job.begin}, so it would never run"
            least = units.show(begin, "s")
            checks.report((*path, "until"), message, f"write {least} or more: it counts from the start of the run")


def _deadline(checks: Checks, path: Path, text: str) -> None:
    """A time of day, or of a weekday where the first day is known."""
    try:
        weekday = deadline(text).weekday
    except units.UnitError as error:
        what = str(error).split(";", maxsplit=1)[0]
        checks.report(path, what, "write one, such as '06:00', or '06:00' of a weekday, such as 'monday 06:00'")
        return
    if weekday is not None and "first_day" not in checks.tree.mapping:
        message = f"'{text}' names a weekday, and the scenario does not say on which one it begins"
        checks.report(path, message, "write for example 'first_day: friday' at the top of the file")


def _order(checks: Checks) -> None:
    """Report jobs that wait for themselves, of a long circle only the first."""
    before: dict[str, Sequence[str]] = {}
    for name, job in checks.spec.jobs.items():
        with checks.about("jobs", name):
            before[name] = tuple(job.after)
    for circle in circles(before):
        for name in circle[:LONGEST_LIST]:
            message = "the job would wait for itself"
            if len(circle) > LONGEST_LIST:
                message += f", in a circle of {len(circle):,} jobs"
            checks.report(("jobs", name, "after"), message, "break the circle")


def _seconds(begin: str) -> float | None:
    """Seconds after the start of a `begin`; None if it is not a time."""
    try:
        return units.parse_moment(begin)
    except units.UnitError:
        return None
