"""What a scenario may say about parts that fail while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from simbackup.errors import choices
from simbackup.schema.capability import Device, MediaLibrary, RedundantDevice
from simbackup.schema.job import Storing
from simbackup.schema.part import Chosen, Part, Path, Refers, Rules
from simbackup.schema.quantity import Duration, Frozen, Multiple, PositiveDuration, Quantity, Text, si_or, usual

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

WHAT = ("device", "host", "link", "disk", "sector", "drive", "robot", "cartridge")
"""Keys of which a failure has one: what fails."""
NOUNS = {
    "device": "a disk, array, library, object store or service",
    "disk": "an array of disks",
    "sector": "an array of disks",
    "drive": "a tape library",
    "robot": "a tape library",
}
"""The devices that fail under each key."""


class Ageing(Frozen):
    """How often something fails by its age, as a bathtub curve: more often when it is new, and when it wears out."""

    early: Multiple | None = None
    """How often it fails in a year while it is younger than `early_until`; by default, as often as afterwards."""
    early_until: PositiveDuration | None = None
    """The age from which on it is no longer new."""
    late: Multiple | None = None
    """How often it fails in a year when it wears out, from the age `late_from` on; as before by default."""
    late_from: PositiveDuration | None = None
    """The age from which on it wears out."""
    age: Duration = usual("0 s", "s")
    """How old it is at the start."""
    replaced: PositiveDuration | None = None
    """The age at which a new one takes its place; it stays by default."""

    def of_ages(self) -> Rules:
        """Report an age without its rate or a rate without its age, and ages in the wrong order."""
        for rate, age in (("early", "early_until"), ("late", "late_from")):
            if (getattr(self, rate) is None) != (getattr(self, age) is None):
                lacks, has = (rate, age) if getattr(self, rate) is None else (age, rate)
                yield (has,), f"has no effect without '{lacks}'", f"write '{lacks}', too, or leave it out"
        if self.late_from is not None and self.late_from.si < si_or(self.early_until, 0.0):
            yield ("late_from",), "is before 'early_until'", "let it wear out later"
        if self.replaced is not None and self.replaced.si <= self.age.si:
            yield ("replaced",), "is no later than its age at the start", "write a greater age"

    def pieces(self, yearly: Quantity) -> Iterator[tuple[float, Quantity]]:
        """For how many seconds it fails how often in a year, from the start on without end; `yearly` in its prime."""
        early, late = si_or(self.early_until, 0.0), si_or(self.late_from, math.inf)
        age, new = self.age.si, si_or(self.replaced, math.inf)
        while True:
            until = min(each for each in (early, late, new, math.inf) if each > age)
            yield until - age, (self.early if age < early else self.late if age >= late else None) or yearly
            age = 0.0 if until >= new else until


class FailureSpec(Part):
    """A part that fails, once, at a time of the simulation.

    Whatever moves bytes over it then fails with it, and so does what comes while it is away. A job that fails in this
    way loses what it has done, and is tried again, as its `retries` allow, when the part is back.
    """

    device: Annotated[Text, Refers("breaks", "devices")] | None = None
    """The disk, array, tape library, object store or service that fails. If it does so for good, what is on it is lost;
    if it is back after a while, its contents are, too.
    """
    host: Annotated[Text, Refers("breaks", "hosts")] | None = None
    """The host that fails, with its virtual machines and the devices that it owns. What runs on it fails."""
    link: Annotated[Text, Refers("breaks", "links")] | None = None
    """The link that fails, in all directions."""
    disk: Annotated[Text, Refers("breaks", "devices")] | None = None
    """The array of which one disk fails. It goes on without this disk, as with `failed: 1`, or loses its data if it has
    no redundancy left. Of several failures, each hits the same group of disks.
    """
    sector: Annotated[Text, Refers("breaks", "devices")] | None = None
    """The array on one of whose disks a sector becomes unreadable. Nobody knows until a disk is rebuilt: if the array
    has no redundancy left by then, it loses its data at the end of the rebuild, and otherwise repairs the sector.
    """
    drive: Annotated[Text, Refers("breaks", "devices")] | None = None
    """The tape library of which one drive fails: the first that works at the time, or else the first."""
    robot: Annotated[Text, Refers("breaks", "devices")] | None = None
    """The tape library whose robots stop for as long as it `lasts`. Moves under way end, and loaded drives go on."""
    cartridge: Annotated[Text, Refers("breaks", "jobs")] | None = None
    """The job of whose newest save set, or newest copy, the first cartridge becomes unreadable. Nobody knows until it
    is loaded the next time. Whoever wants to read it then turns to another copy, or to an older save set of the backup.
    """
    at: Text | None = None
    """When: a time of day, such as `02:00`, or a time after the start, such as `90 min`."""
    after: Annotated[Text, Refers("after the beginning of", "jobs")] | None = None
    """Instead of `at`, the job with whose first beginning the time counts."""
    delay: Duration = usual("0 s", "s")
    """Time from then until it fails. State it under `chance` to let it fail at random."""
    lasts: PositiveDuration | None = None
    """How long it is away; for good by default."""
    timeout: Duration = usual("0 s", "s")
    """How long transfers wait for it before they fail, and go on if it is back by then."""
    spare: Duration | None = None
    """Time from the failure of a `disk` until its rebuild onto a spare disk begins, as by a job with the method
    `rebuild`; there is none by default.
    """

    @property
    def what(self) -> str:
        """The key that names what fails; empty if none does."""
        return next((key for key in WHAT if getattr(self, key) is not None), "")

    def rules(self) -> Rules:
        """Report what does not say what fails and when, and keys that do not belong to what fails."""
        named = [key for key in WHAT if getattr(self, key) is not None]
        if len(named) != 1:
            message = "names several parts that fail" if named else "does not say what fails"
            yield (named[-1] if named else WHAT[0],), message, f"write one of {', '.join(map(repr, WHAT))}"
        if self.at is not None and self.after is not None:
            yield ("after", "at"), "a failure happens at a time, or after the beginning of a job", "write one of them"
        elif self.at is None and self.after is None:
            yield ("at",), "does not say when it fails", "write 'at: 02:00', or 'after: JOB'"
        if len(named) != 1:
            return
        what = named[0]
        for key, of, remedy in (
            ("spare", ("disk",), "only a disk of an array has a spare"),
            ("lasts", ("device", "host", "link", "drive", "robot"), "write 'spare:' for a disk, or leave it out"),
            ("timeout", ("device", "link", "drive"), "what runs on a host, or reads a cartridge, cannot wait for it"),
        ):  # fmt: skip
            if self.states(key) and what not in of:
                yield (key,), f"has no effect on a {what}", remedy
        if what == "robot" and self.lasts is None:
            yield ("lasts",), "does not say how long the robots stop", "write it, or 'device:' to lose the library"
        if self.states("timeout") and self.lasts is not None and not self.timeout.si:
            yield ("timeout",), "is no time to wait", "leave it out"

    def check(self, checks: Checks, path: Path) -> None:
        """Report parts that do not exist, or cannot fail, and a time that is none."""
        if self.at is not None:
            checks.moment((*path, "at"), self.at)
        if self.after is not None:
            checks.name((*path, "after"), self.after, checks.spec.jobs, "job")
        what = self.what
        name: str = getattr(self, what, "")
        here = (*path, what)
        if what == "host":
            checks.name(here, name, checks.spec.hosts, "host")
        elif what == "link":
            checks.name(here, name, checks.spec.links, "link")
        elif what == "cartridge":
            self._unreadable(checks, here, name)
        elif what:
            self._device(checks, here, name)

    def _device(self, checks: Checks, path: Path, name: str) -> None:
        key = str(path[-1])
        legal = Chosen(checks.spec.devices, lambda device: key in device.fails_as)
        if not checks.name(path, name, legal, "device"):
            if name in checks.spec.devices:
                checks.report(path, f"'{name}' is not {NOUNS[key]}", choices(name, legal))
            return
        device: Device = checks.spec.devices[name]
        if key in {"disk", "sector"} and isinstance(device, RedundantDevice) and device.tolerance() is None:
            message = "the loss of a disk is not simulated at its level"
            checks.report(path, message, "take an array of another level, or write 'device:' to lose it as a whole")

    def _unreadable(self, checks: Checks, path: Path, name: str) -> None:
        legal = Chosen(
            checks.spec.jobs,
            lambda job: isinstance(job, Storing) and isinstance(checks.spec.devices.get(str(job.to)), MediaLibrary),
        )
        if not checks.name(path, name, legal, "job") and name in checks.spec.jobs:
            checks.report(path, f"'{name}' writes to no tape", choices(name, legal))
