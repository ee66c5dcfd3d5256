"""Warnings about a site file that need no simulation: keys without effect, and what it asks for and never gets.

For these, the calendars and the retention of each policy are followed date by date, without bytes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from simbackup.errors import Problem
from simbackup.methods.program.sheet import steps_of
from simbackup.methods.program.spec import TARGET
from simbackup.planning.idle import idle_keys
from simbackup.planning.ledger import rules_of
from simbackup.planning.loading import SiteFile
from simbackup.planning.points import Points
from simbackup.planning.policy import PROGRAM, PolicySpec, RetentionSpec
from simbackup.planning.site import PlannedSite
from simbackup.policies.calendar import Due
from simbackup.policies.days import Days
from simbackup.policies.levels import Level, RestorePoint

Path = tuple[str, ...]
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
    """A warning for each retention by which nothing expires, at its place."""
    found: dict[Path, Problem] = {}
    for name, policy in file.spec.policies.items():
        for path, remedy in _chains(policy):
            here = ("policies", file.written(name), *path, "retention")
            node, _ = file.source.find(here)
            message = "frees nothing: each incremental backup needs all before it"
            found.setdefault(here, Problem(node.place, ".".join(here), message, remedy, "warning"))
    return list(found.values())


def _chains(policy: PolicySpec) -> Iterator[tuple[Path, str]]:
    """Where save sets of a policy form a chain that is never cut, with what would cut it."""
    if set(policy.schedule) != {"incremental"}:
        return
    if policy.retention is not None and not policy.merges:
        yield (), REMEDY
    for name, copy in policy.copies.items():
        if copy.retention is not None and copy.which == "all" and not copy.merges:
            yield ("copies", name), LOCKED


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
