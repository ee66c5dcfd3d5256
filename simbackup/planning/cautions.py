"""Warnings about a site file: keys and parts without effect, and what it asks for and never gets.

For the latter, calendars and retention of each policy are followed date by date, without bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from simbackup.errors import Problem
from simbackup.methods.program.sheet import steps_of
from simbackup.methods.program.spec import TARGET
from simbackup.planning.hardware import datastore_of, grows_by_change, machine_of, real_host
from simbackup.planning.ledger import rules_of
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import Night
from simbackup.planning.origins import SECTIONS, Origins, Path, scenario_of
from simbackup.planning.points import Points
from simbackup.planning.policy import BY_FILE, LOADED, PROGRAM, PolicySpec, RetentionSpec
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite
from simbackup.policies.calendar import Due
from simbackup.policies.days import Days
from simbackup.policies.levels import Level, RestorePoint
from simbackup.run import reads_of
from simbackup.scenario.idle_keys import meaning, stated

Idle = tuple[Path, str]
"""A path in the site file, and where what stands there would act."""
CALENDAR = frozenset({"daily", "weekly", "monthly", "yearly"})
"""Rules of retention that count by the calendar."""


def idle_keys(site: PlannedSite) -> list[Problem]:
    """A warning for each key without effect, at its place; one for all systems, and for all days of a policy."""
    origins, tree = Origins(site.file, {}), site.file.source
    alike: dict[tuple[str, Path, str], dict[str, Problem]] = {}
    for path, where in (
        *_made(), *_systems(site), *_machines(site), *_targets(site), *_policies(site), *_growth(site),
        *_in_nights(site),
    ):  # fmt: skip
        for here in _written(origins, path):
            node, seen = tree.find(here)
            if len(seen) == len(here) and node.value is not None:
                address = ".".join(here)
                problem = Problem(node.key, address, "has no effect here", where, "warning")
                alike.setdefault((here[0], here[2:], where), {}).setdefault(address, problem)
    return [_first(list(each.values())) for each in alike.values()]


def _first(alike: list[Problem]) -> Problem:
    first, *others = alike
    more = f" ('{first.address.split('.')[1]}', and {len(others)} more like it)" if others else ""
    return replace(first, message=first.message + more)


def _written(origins: Origins, path: Path) -> list[Path]:
    """The paths as they are written; `*` stands for every name."""
    if "*" not in path:
        return [origins.written(path)]
    before = path[: path.index("*")]
    node, seen = origins.file.source.find(before)
    names = node.mapping if len(seen) == len(before) else {}
    return [each for name in names for each in _written(origins, (*before, name, *path[len(before) + 1 :]))]


def _in_nights(site: PlannedSite) -> Iterator[Idle]:
    """Keys of parts of a scenario that no night reads: neither the first, nor later ones, nor a restore of either.

    Of systems that are alike but for their sizes, one stands for all, and so does one of policies that say the same and
    have such systems.
    """
    texts, read, alike, policies = dict[Path, str](), set[Path](), *_alike(site)
    chosen = {*map(site.file.written_system, alike)}
    for night in (Night.first(site.file), Night.later(site.file)):
        parts = night_scenario(site.file, night)
        if not parts["jobs"]:
            continue
        origins = Origins(site.file, parts)
        scenario = scenario_of(site.file, _of_some(parts, origins, site, alike))
        found = reads_of(scenario)
        if found is None:
            return  # a night that is too long, or does not end well, says nothing of keys
        read |= {origins.known_path(address) for address in found}
        for steps, _, part in stated(scenario, site.file.source.place.file):
            path = origins.known_path(".".join(steps))
            own = path[0] != "systems" or path[1] in chosen
            if own and path[-1:] == steps[-1:] and len(path) > len(("systems", "name", "key")):
                texts[path] = meaning(part, steps[-1])
    for path, text in texts.items():
        if path not in read:
            same = {"systems": alike, "policies": policies}.get(path[0], {})
            for name in same.get(path[1], (path[1],)):
                yield (path[0], name, *path[2:]), text


def _of_some(
    parts: Mapping[str, Any], origins: Origins, site: PlannedSite, systems: Collection[str]
) -> Mapping[str, Any]:
    """A night in which only some systems are saved, each of which is restored after that."""
    found = dict(parts)
    for section in SECTIONS:
        of = {name: origins.origin(section, name).system for name in found[section]}
        found[section] = {name: part for name, part in found[section].items() if of[name] in {"", *systems}}
    for name, link in found["links"].items():
        ends = [end for end in link["joins"] if end in systems or end not in site.file.spec.systems]
        found["links"][name] = {**link, "joins": ends}
    for name, host in found["hosts"].items():
        found["hosts"][name] = {**host, "owns": [device for device in host["owns"] if device in found["devices"]]}
    saved = [job for job in found["jobs"] if job in systems]
    found["jobs"] |= {f"back-{job}": {"restore": job, "after": job} for job in saved}
    return found


def _alike(site: PlannedSite) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The first of each kind of systems, with all of this kind; and the first of policies that are alike, with these.

    Systems of a kind state the same keys, machine and method, and follow policies that are alike. Such policies say the
    same, and have systems of the same kinds.
    """
    of: dict[str, tuple[object, ...]] = {}
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for name, system in site.file.spec.systems.items():
        said = site.file.part("systems", name)
        keys = [path for path, _ in said.leaves()] if said is not None else []
        places = system.machine, system.host, system.datastore, site.file.proxies.get(name)
        of[name] = places, getattr(system, "method", ""), tuple(keys)
        kinds.setdefault(system.policy, set()).add(of[name])
    policies: dict[tuple[object, ...], list[str]] = {}
    for name, theirs in kinds.items():
        said = site.file.part("policies", name)
        alike = str(said.plain()) if said is not None else "", frozenset(theirs)
        policies.setdefault(alike, []).append(name)
    first = {name: names[0] for names in policies.values() for name in names}
    systems: dict[tuple[object, ...], list[str]] = {}

    def own(name: str) -> bool:
        policy = site.file.spec.systems[name].policy
        return first[policy] == policy

    for name in sorted(of, key=own, reverse=True):  # one that follows the first policy comes first
        systems.setdefault((first[site.file.spec.systems[name].policy], of[name]), []).append(name)
    return {names[0]: names for names in systems.values()}, {names[0]: names for names in policies.values()}


def _made() -> Iterator[Idle]:
    """Keys of parts that the plan writes itself."""
    for section in ("machines", "hosts", "targets"):
        yield (section, "*", "host", "owns"), "the plan decides what a host owns"
    yield ("hosts", "*", "host", "within"), "'within' of the host itself says on which other one it runs"
    links = ("targets", "link"), ("targets", "network"), ("hosts", "network"), ("datastores", "link")
    for path in (("network",), ("uplinks", "*"), *((section, "*", key) for section, key in links)):
        yield (*path, "joins"), "the plan decides what a link joins"
    yield ("machines", "*", "storage", "capacity"), "the plan makes storage as large as the data on it"


def _systems(site: PlannedSite) -> Iterator[Idle]:
    for name, system in site.file.spec.systems.items():
        policy = site.file.spec.policies[system.policy]
        if policy.logs is None:
            yield ("systems", name, "log"), "it is only used with 'logs' of a policy"
        taped = {site.targets[to].tape for to in _targets_of(policy)}
        if policy.compressor is None and not policy.compress and True not in taped:
            yield ("systems", name, "compression"), "it is only used on tape; a disk or a store has 'reduction'"
        if False not in taped:
            where = "it is only used on disks and in object stores; a tape has 'compression'"
            yield ("systems", name, "reduction"), where
        if system.growth is not None or system.growth_from:
            yield ("systems", name, "change", "growth"), "the 'growth' of the system is used instead"
        if site.file.method_of(name) not in {BY_FILE, PROGRAM}:
            yield ("systems", name, "filesystem"), "it is only used in file_level backups"


def _machines(site: PlannedSite) -> Iterator[Idle]:
    spec, systems = site.file.spec, site.file.spec.systems
    machines = {machine_of(site.file, name) for name in systems}
    targets = {host for name in spec.targets for host in spec.hosts_of(name)}
    hosts = targets | {host for name in systems for host in (systems[name].host, site.file.proxies.get(name)) if host}
    hosts |= {real_host(spec, host) for host in hosts if host in spec.hosts}
    datastores = {datastore_of(spec, name) for name in systems if systems[name].host}
    datastores |= {system.datastore for system in systems.values() if system.datastore}
    uplinks = {spec.hosts[host].uplink for host in spec.hosts}
    for section, used, by in (
        ("machines", machines, "no system uses it"), ("datastores", datastores, "no system uses it"),
        ("hosts", hosts, "no system, no policy and no target uses it"), ("uplinks", uplinks, "no host uses it"),
    ):  # fmt: skip
        for name in getattr(spec, section).keys() - used:
            yield (section, name), by


def _targets(site: PlannedSite) -> Iterator[Idle]:
    spec = site.file.spec
    followed = [spec.policies[name] for name in {system.policy for system in spec.systems.values()}]
    used = {to for policy in followed for to in _targets_of(policy)}
    hosts = {beside for target in spec.targets.values() for beside in target.beside}
    synthetic = {policy.target for policy in followed if "synthetic_full" in policy.schedule}
    for name, target in site.targets.items():
        here = ("targets", name)
        if name not in used | hosts:
            yield here, "no policy that has systems names it, so nothing is saved there"
            continue
        if not target.tape:
            for key in ("offsite", "cartridges", "pool"):
                yield (*here, key), "it is only used in tape libraries"
        if not target.stores_objects:
            yield (*here, "object_size"), "it is only used in object stores"
        if target.tape and name in used:
            yield (*here, "reduction"), "on tape, the 'compression' of a system is used instead"
        if name not in synthetic or not target.on_disk or target.chunking is not None:
            where = "it is only used where a disk takes synthetic full backups, without 'deduplication'"
            yield (*here, "clones"), where


def _targets_of(policy: PolicySpec) -> Iterator[str]:
    """The targets that a policy names."""
    yield policy.target
    yield from (copy.to for copy in policy.copies.values())
    if policy.logs is not None:
        yield from policy.logs.to
    if policy.staging is not None:
        yield policy.staging.on


def _policies(site: PlannedSite) -> Iterator[Idle]:
    for name, policy in site.file.spec.policies.items():
        here, systems = ("policies", name), site.of_policy(name)
        if not systems:
            yield here, "no system follows it"
            continue
        if not any(system.by_file for system in systems) and policy.method not in LOADED:
            yield (*here, "workers"), "they are only used in file_level backups, logical dumps and hot copies"
        if not site.targets[policy.target].tape:
            yield (*here, "staging"), "it is only used for backups to a tape library"
        copies = ((("copies", key), copy.retention) for key, copy in policy.copies.items())
        for path, kept in (((), policy.retention), *copies):
            if kept is not None and all(getattr(kept, key) is None for key in CALENDAR):
                yield (*here, *path, "retention", "of"), "it is only used with daily, weekly, monthly or yearly"


def _growth(site: PlannedSite) -> Iterator[Idle]:
    if each_grows_by_itself(site):
        yield from (((key,), "each system states its own") for key in ("growth", "growth_from"))


def each_grows_by_itself(site: PlannedSite) -> bool:
    """Whether each system states its own growth, so that the growth of the site does nothing."""
    systems = site.file.spec.systems
    return all(
        one.growth is not None or bool(one.growth_from) or grows_by_change(site.file, name)
        for name, one in systems.items()
    )


LEAST = relativedelta(years=3)
"""How far calendars are followed at the least: what happens once a year happens at different distances from others."""
BY_CALENDAR = ("daily", "weekly", "monthly", "yearly")
"""Rules of retention that `of: full` restricts to full backups."""
REMEDY = "write 'merges: true', or a level besides 'incremental' in the schedule"
LOCKED = f"{REMEDY}; a merge rewrites save sets, which a lock forbids"


def cautions(site: PlannedSite, until: date | None = None) -> list[Problem]:
    """Keys without effect, what never happens or is undone at once until the end of a plan, and endless chains."""
    return [*idle_keys(site), *futile(site, until), *endless(site.file), *unsent(site)]


def unsent(site: PlannedSite) -> Iterator[Problem]:
    """A warning for each program that writes to a target on another host without a step that sends something there."""
    programs = [name for name, policy in site.file.spec.policies.items() if policy.program is not None]
    if not programs:
        return
    spec = site.first_night.spec
    for name in programs:
        jobs: list[Any] = [spec.jobs[system.name] for system in site.of_policy(name)[:1]]
        for job in jobs:
            steps = steps_of(job.program.operations[job.operation]).values()
            away = spec.owner_of(job.target or "") not in {None, job.runs_on(spec)}
            if away and job.share is None and not any(step.at == f"{TARGET}.network" for step in steps):
                message = f"'{job.operation}' sends nothing over the network, on which '{job.target}' is"
                place = site.file.source.find(("policies", site.file.written(name), PROGRAM))[0].place
                remedy = "that time is left out; add a step {at: target.network, do: send} to the program"
                yield Problem(place, f"policies.{name}.program", message, remedy, "warning")


def endless(file: SiteFile) -> list[Problem]:
    """A warning for each retention by which nothing expires, and each merge that a lock forbids, at its place."""
    found: dict[Path, Problem] = {}
    for name, policy in file.spec.policies.items():
        for path, message, remedy in (*_chains(policy), *_locked(file, policy)):
            here = ("policies", file.written(name), *path)
            node, _ = file.source.find(here)
            found.setdefault(here, Problem(node.place, ".".join(here), message, remedy, "warning"))
    return list(found.values())


def _chains(policy: PolicySpec) -> Iterator[Futile]:
    """Where save sets of a policy form a chain that is never cut, with what would cut it."""
    if set(policy.schedule) != {"incremental"}:
        return
    message = "frees nothing: each incremental backup needs all before it"
    if policy.retention is not None and not policy.merges:
        yield Futile(("retention",), message, REMEDY)
    for name, copy in policy.copies.items():
        if copy.retention is not None and copy.which == "all" and not copy.merges:
            yield Futile(("copies", name, "retention"), message, LOCKED)


def _locked(file: SiteFile, policy: PolicySpec) -> Iterator[Futile]:
    """Where save sets would be merged on a target that nobody can change."""
    parts: dict[Path, tuple[str, bool]] = {(): (policy.target, policy.merges)}
    parts |= {("copies", name): (copy.to, copy.merges) for name, copy in policy.copies.items()}
    for path, (to, merges) in parts.items():
        if merges and file.spec.targets[to].immutable.si:
            message = f"rewrites save sets on '{to}', which is 'immutable'"
            remedy = "write 'merges: false', and schedule full or synthetic full backups"
            yield Futile((*path, "merges"), message, remedy)


class Futile(NamedTuple):
    """A path below a policy, what is wrong there, and what would be right."""

    path: Path
    message: str
    remedy: str


@dataclass
class Course:
    """What became of the save sets of a policy, in its backups and in each copy."""

    runs: list[tuple[Due, RestorePoint]] = field(default_factory=list[tuple[Due, RestorePoint]])
    made: dict[str, list[RestorePoint]] = field(default_factory=dict[str, list[RestorePoint]])
    at_once: dict[str, list[RestorePoint]] = field(default_factory=dict[str, list[RestorePoint]])
    """Those that retention let go as soon as they were made."""


def futile(site: PlannedSite, until: date | None = None) -> list[Problem]:
    """A warning for each level, copy and retention that never does anything, or undoes what was just done.

    Parameters
    ----------
    site
        The site.
    until
        The last day of a plan; calendars are followed for three years at the least.
    """
    last = max(until or site.start, site.start + LEAST)
    tree, parts = site.file.source, dict[str, list[str]]()
    found: dict[tuple[str, Futile], list[str]] = {}
    alike: dict[Hashable, list[Futile]] = {}
    for name, policy in site.file.spec.policies.items():
        if site.of_policy(name):
            given = tuple(part.retention for part in (policy, *policy.copies.values()))
            written, rules = site.file.written(name), (rules_of(site, name), given, tuple(policy.windows))
            parts.setdefault(written, []).append(name)
            if rules not in alike:
                alike[rules] = list(_of_policy(site, name, last))
            for one in alike[rules]:
                found.setdefault((written, one), []).append(name)
    problems: list[Problem] = []
    for (policy, one), names in found.items():
        here = ("policies", policy, *one.path)
        node, _ = tree.find(here)
        of_parts = "" if len(names) == len(parts[policy]) else f" (of {', '.join(names)})"
        problems.append(Problem(node.key, ".".join(here), f"{one.message}{of_parts}", one.remedy, "warning"))
    return problems


def _of_policy(site: PlannedSite, name: str, last: date) -> Iterator[Futile]:
    points, course = Points.of(site, name), Course()
    for due in site.saved(name, last):
        point, copies = points.run(due)
        course.runs.append((due, point))
        for copy in ("", *copies):
            course.made.setdefault(copy, []).append(point)
        for copy in points.expire(due.time):
            if copy in {"", *copies} and point.number not in points.series[copy].kept:
                course.at_once.setdefault(copy, []).append(point)
    yield from _levels(site, name, course, last)
    if course.runs:
        yield from _copies(points, course, last)
        yield from _retention(points, course)
        yield from _broken(points, last)


def _levels(site: PlannedSite, name: str, course: Course, last: date) -> Iterator[Futile]:
    """Levels that never run, for want of dates or because of other entries."""
    policy, ran = site.file.spec.policies[name], {due.level for due, _ in course.runs}
    named = {level: [*Days(texts).between(site.start, last)] for level, texts in policy.levels()}
    left = {level: [*Days(texts, policy.without).between(site.start, last)] for level, texts in policy.levels()}
    if policy.without and any(named.values()) and not any(left.values()):
        yield Futile(("without",), f"leaves out every run until {last}", "leave some of these dates in")
        return
    for days in policy.windows:
        if not any(Days((days,)).between(site.start, last)):
            yield Futile(("windows", days), f"names no date until {last}", "write dates that come, such as 'saturday'")
    for level in (level for level in named if level not in ran):
        here = ("schedule", level.value)
        if not named[level]:
            yield Futile(here, f"names no date until {last}", "write dates that come, such as 'saturday'")
        elif not left[level]:
            yield Futile(here, f"never runs until {last}: 'without' leaves out all its dates", "name other dates")
        else:
            message = f"never runs until {last}: levels that are listed before it run on all its dates"
            yield Futile(here, message, "list it before them, or name other dates")


def _copies(points: Points, course: Course, last: date) -> Iterator[Futile]:
    """Copies that are never made, and those of full backups of which there is only the first."""
    policy = points.policy
    whole = any(point.level.whole for _, point in course.runs[1:])
    for copy, part in policy.copies.items():
        here, made = ("copies", copy), course.made.get(copy, ())
        if part.which == "full" and not whole:
            message = "the schedule has no full backups, so that at most the first backup is copied"
            yield Futile((*here, "which"), message, "write 'which: all', or 'full' under 'schedule'")
        elif not any(point.number for point in made):
            what = "full backup" if part.which == "full" else "backup"
            copied = "only the first backup" if made else "nothing"
            message = (
                f"{copied} is copied until {last}: no {'other ' * bool(made)}{what} begins on a date that 'on' names"
            )
            yield Futile(here, message, f"name dates on which a {what} begins, or leave 'on' out")


def _retention(points: Points, course: Course) -> Iterator[Futile]:
    """Retention that deletes what was just made, and rules that count full backups where there are none."""
    for path, copy, given in _rules(points):
        made, gone = course.made.get(copy, []), course.at_once.get(copy, [])
        if gone:
            levels = _levels_of(gone)
            message = f"deletes {len(gone)} of {len(made)} save sets in the night in which they are made ({levels})"
            remedy = (
                "write 'of: any', or a rule that keeps them, too, such as 'age: 2 weeks'"
                if given.of == "full" else "write a rule that keeps them, such as 'age: 2 weeks'"
            )  # fmt: skip
            yield Futile(path, message, remedy)
        elif given.of == "full" and made and not any(point.level.whole for point in made):
            for rule in (rule for rule in BY_CALENDAR if getattr(given, rule) is not None):
                message = "keeps nothing: it counts full backups, and none is made here"
                yield Futile((*path, rule), message, "write 'of: any', or schedule full backups")


def _rules(points: Points) -> Iterator[tuple[Path, str, RetentionSpec]]:
    parts = {"": points.policy, **points.policy.copies}
    for copy, part in parts.items():
        if part.retention is not None:
            yield (("copies", copy, "retention") if copy else ("retention",)), copy, part.retention


def _levels_of(points: Sequence[RestorePoint]) -> str:
    found: dict[Level, None] = dict.fromkeys(point.level for point in points)
    return ", ".join(level.value for level in found)


def _broken(points: Points, last: date) -> Iterator[Futile]:
    """Copies of save sets whose base is not copied."""
    for copy, broken in points.broken().items():
        kept, place = len(points.series[copy].kept), points.places[copy]
        message = f"{len(broken)} of {kept} copies cannot be restored on {last}: their base is not in '{place}'"
        yield Futile(("copies", copy), message, "let 'on' name the dates of what they are based on, too")
