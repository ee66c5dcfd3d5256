"""What a restore of a site comes to: each system, when it is back and how sure that is, and what is lost.

Times that the site states (staff, recovery of the catalogue, new hosts, couriers) are added to simulated ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.errors import Problem
from simbackup.planning.cost import ReadBack
from simbackup.planning.site import PlannedSite
from simbackup.policies.clock import NOON
from simbackup.results.declared_waits import DeclaredWaits
from simbackup.results.result import Result
from simbackup.results.tabled import Answer, interval_table
from simbackup.schema.quantity import Quantity
from simbackup.uncertainty.deciding import MATTERS
from simbackup.uncertainty.effort import for_scenario
from simbackup.uncertainty.estimate import estimates
from simbackup.units import show_short

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.experiments.what_if import Reasons
    from simbackup.plots.of_plan import RecoveryPlots
    from simbackup.plots.style import Chart

DEVICES, MODEL = "a value of the systems and devices", "model error"
WHOLE = "whole"


class RestoreInterval(NamedTuple):
    """The 90 % interval of the time until all is back, in seconds from the loss."""

    best: float
    """The best estimate."""
    low: float
    """The lower end."""
    high: float
    """The upper end."""
    decides: tuple[str, ...]
    """What widens it most."""
    sampled: bool
    """Whether it includes the ranges of systems and devices, and not only those of declared times and the model error.
    """

    def after(self, other: RestoreInterval) -> RestoreInterval:
        """The same if it ends no earlier than another, as more systems are back no earlier than fewer."""
        return self._replace(low=max(self.low, other.low), high=max(self.high, other.high))

    def sentence(self) -> str:
        """It in words."""
        low, high = (show_short(end, "s", 3) for end in (self.low, self.high))
        sentence = f"all are back after {low} to {high} in {100 * LEVEL:.0f} % of cases"
        if self.decides:
            sentence += f"; {self.decides[0]} {'matter' if self.decides[0] == DEVICES else 'matters'} most"
        return sentence if self.sampled else f"{sentence} (without the ranges of systems and devices)"


class Sampled(NamedTuple):
    """An interval over the ranges of inputs, in seconds."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""
    least: float
    """The lower bound that links allow over these ranges."""


def restore_interval(  # noqa: PLR0913
    best: float, simulated: float, declared: Iterable[tuple[str, float, float]], deviation: float,
    sample: Sampled | None, *, least: float = 0.0, waits: float = 0.0,
) -> RestoreInterval:  # fmt: skip
    """The interval of a time that is the sum of declared and simulated ones, whose errors are independent.

    Errors add as squares, on each side: `low = best - sqrt(sum of d^2)`, with `d` what each leaves at its lower end.
    What is simulated takes no less than the `least`.

    Parameters
    ----------
    best, simulated
        Seconds until all is back, and those of them that were simulated.
    declared
        Of each declared time its address, and the seconds until all is back at the lower and upper end of its range.
    deviation
        Standard deviation of the logarithm of what the model leaves out.
    sample
        Seconds until all is back at the ends of the interval over the ranges of systems and devices, and the `least`
        at its lower end; None if unknown.
    least
        Seconds that what is simulated takes at the least, where no line carries more.
    waits
        Seconds of what is simulated that are declared, such as until an archive is readable.

    >>> found = restore_interval(10.0, 6.0, [("recovery", 7.0, 14.0)], 0.0, None)
    >>> found.low, found.high, found.decides
    (7.0, 14.0, ('recovery',))
    >>> restore_interval(10.0, 6.0, [], 0.3, None, least=5.5).low
    9.5
    >>> restore_interval(10.0, 6.0, [], 9.9, None, waits=5.5).low
    9.5...
    """
    computed = simulated - waits
    own = [(MODEL, best - computed * (1.0 - math.exp(-SCORE * deviation)),
            best + computed * (math.exp(SCORE * deviation) - 1.0))]  # fmt: skip
    if sample is not None:
        own.append((DEVICES, sample.low, sample.high))
    declared = list(declared)
    floor = least if sample is None else min(least, sample.least)
    faster = min(_below(best, own), max(simulated - floor, 0.0))
    above = math.sqrt(sum(max(high - best, 0.0) ** 2 for *_, high in (*declared, *own)))
    width = {name: (high - low) ** 2 for name, low, high in (*declared, *own)}
    total = sum(width.values())
    decides = sorted(
        (name for name in width if total and width[name] / total >= MATTERS), key=lambda name: -width[name]
    )
    low = max(best - math.hypot(_below(best, declared), faster), 0.0)
    return RestoreInterval(best, low, best + above, tuple(decides), sample is not None)


def _below(best: float, ends: Iterable[tuple[str, float, float]]) -> float:
    """By how much independent errors make a time shorter, together."""
    return math.sqrt(sum(max(best - low, 0.0) ** 2 for _, low, _ in ends))


def deviation_of(restored: Iterable[Restored], own: Callable[[str], float]) -> float:
    """The deviation of the logarithm of the times of a recovery: that of each restore, by the time it takes.

    All times of a recovery are off by the same factor, so that no part of it can take longer than the whole.
    """
    times = {one.system: one.free - one.starts for one in restored if not one.reason}
    longer = sum(seconds * math.exp(SCORE * own(system)) for system, seconds in times.items())
    whole = sum(times.values())
    return math.log(longer / whole) / SCORE if whole else 0.0


def least_until(restored: Iterable[Restored], own: Callable[[str], float]) -> dict[str, float]:
    """The least seconds until each system is back: its own, and those of the restore that ended last before it."""
    found, ended = dict[str, float](), list[tuple[float, float]]()
    for one in sorted((one for one in restored if not one.reason), key=lambda one: one.starts):
        least = max((each for each in ended if each[0] <= one.starts), default=(0.0, 0.0))[1] + own(one.system)
        ended.append((one.free, least))
        found[one.system] = min(least, one.back)
    return found


def least_of(result: Result, jobs: Collection[str]) -> float:
    """The seconds that jobs take at the least, for what the lines on the way carry and for declared waits."""
    lines = max((one.seconds for job, one in result.least.items() if job in jobs), default=0.0)
    return max(lines, waits_of(result, jobs))


def waits_of(result: Result, jobs: Collection[str]) -> float:
    """The declared seconds of jobs, from when the first of them begins until the last has ended."""
    rows = [row for row in result.job_rows if row["job"] in jobs]
    since = min((float(row["start"]) for row in rows), default=0.0)
    last = max(rows, key=lambda row: float(row["end"]), default=None)
    return 0.0 if last is None else DeclaredWaits(result).until(last, since)


def sampled(
    result: Result, backs: Callable[[Result], Mapping[str, float]], jobs: Collection[str], wanted: str
) -> dict[str, Sampled]:
    """The ends of the intervals of times by name over the ranges of all inputs; none where that takes too long."""
    effort = for_scenario(wanted, result.trace.length)
    if effort is None:
        return {}

    def figures(results: Mapping[str, Result]) -> dict[str, float]:
        return {name: time for name, time in backs(results[WHOLE]).items() if math.isfinite(time)}

    def bounds(results: Mapping[str, Result]) -> dict[str, float]:
        return dict.fromkeys(figures(results), least_of(results[WHOLE], jobs))

    found = estimates(
        {WHOLE: result.scenario}, figures, effort=effort, bounds=bounds, results={WHOLE: result}, asked=()
    )
    return {
        name: Sampled(one.spread.low, one.spread.high, one.bound.low if one.bound is not None else 0.0)
        for name, one in found.items()
    }


SHARES = (0.5, 0.9, 1.0)
"""Shares of the systems for which the time until they are back is reported."""
ALL = "100%"
"""All systems, among the shares by name."""


class Restored(NamedTuple):
    """A system in a restore; times are in seconds from the loss."""

    system: str
    """Its name."""
    priority: float
    """Its priority."""
    source: str
    """The targets that it is read from, in words."""
    point: datetime | None
    """The restore point; None without one."""
    chain: int
    """Number of save sets that are read."""
    bytes: float
    """Bytes that are read."""
    mounts: int
    """Cartridges that are mounted."""
    starts: float
    """When its restore begins."""
    back: float
    """When it is back."""
    lost: float
    """Seconds of data that are lost."""
    reason: str = ""
    """Why it does not come back; empty if it does."""
    logs: float = 0.0
    """Bytes of transaction logs that are applied afterwards."""
    targets: tuple[str, ...] = ()
    """The targets from which its save sets are read."""
    free: float = 0.0
    """When the drives that read it are free again; without tape, at most when it is back."""
    applies: float = 0.0
    """Seconds for which a database still applies logs after they have been read."""


class Session(NamedTuple):
    """What a restore reads of the cartridges that were written in one session."""

    target: str
    """The target that has them."""
    begun: datetime
    """When the session began."""
    cartridges: int
    """How many of its cartridges are read."""
    systems: tuple[str, ...]
    """The systems whose save sets are on them."""


class RestorePhase(NamedTuple):
    """An activity of restores on one part."""

    activity: str
    """Such as `locate`."""
    at: str
    """The part."""
    seconds: float
    """Seconds of all systems together."""
    share: float
    """Share (0 to 1) of these of all seconds."""


@dataclass(frozen=True, slots=True)
class RestoreReasons:
    """Why a restore takes as long as it does.

    Waiting for another restore is no phase, as it is the time of that other one.
    """

    phases: tuple[RestorePhase, ...]
    """What all systems spend their time on, the greatest first."""
    last: Reasons
    """Why the last system is back so late."""


class Branch(NamedTuple):
    """Steps in series, with their seconds."""

    steps: tuple[tuple[str, float], ...]

    @property
    def seconds(self) -> float:
        """Seconds of all steps."""
        return sum(seconds for _, seconds in self.steps)

    def begins(self, other: Branch) -> bool:
        """Whether another branch has all these steps and more."""
        return len(other.steps) > len(self.steps) and other.steps[: len(self.steps)] == self.steps


@dataclass(frozen=True)
class Recovery(Answer):
    """A restore of a site; times are in seconds from the loss."""

    what: str
    """What is restored, in words."""
    at: datetime
    """The moment of the loss."""
    lost: str
    """What was lost: a target, a host or a place; empty for no target."""
    systems: tuple[Restored, ...]
    """The systems, in the order of the list."""
    warnings: tuple[Problem, ...] = ()  # pyright: ignore[reportIncompatibleMethodOverride] (a field)
    """What was left out, as the site does not state it."""
    between: Mapping[str, RestoreInterval] = field(default_factory=dict[str, RestoreInterval])
    """The 90 % intervals of the times in `returns`, by the same names; none for what never is back."""
    read_back: ReadBack | None = None
    """What is read from object storage and what that costs; None if nothing is, or without a price."""

    branches: tuple[Branch, ...] = ()
    """What goes on in parallel before the first restore begins, the longest first."""
    left_out: tuple[str, ...] = ()
    """The addresses of times that the site does not state, and that are not included."""
    reasons: RestoreReasons | None = None
    """Why it takes as long as it does, if that was asked for."""
    sessions: tuple[Session, ...] = ()
    """The cartridges that are read, in the order in which systems need them first."""

    @property
    def when(self) -> str:
        """The moment of the loss in words."""
        return f"{'noon' if self.at.time() == NOON else f'{self.at:%H:%M}'} of {self.at.date()}"

    @property
    def complete(self) -> bool:
        """Whether every system comes back."""
        return not any(system.reason for system in self.systems)

    def until(self, share: float) -> float:
        """Seconds from the loss until a share (0 to 1) of the systems is back; infinite if one of them never is."""
        last = self._last_of(share)
        return math.inf if last.reason else last.back

    def _last_of(self, share: float) -> Restored:
        """The system with whose return a share (0 to 1) of the systems is back; those that never are come last."""
        return sorted(self.systems, key=lambda one: (bool(one.reason), one.back))[self.count(share) - 1]

    def count(self, share: float) -> int:
        """How many systems a share (0 to 1) of them is."""
        return max(math.ceil(share * len(self.systems)), 1)

    @property
    def returns(self) -> dict[str, Restored]:
        """The systems by name, and by a share of all, such as '90%', the system with whose return that is back."""
        return {one.system: one for one in self.systems} | {f"{share:.0%}": self._last_of(share) for share in SHARES}

    def ends(self, name: str) -> tuple[float, float] | None:
        """The ends of the 90 % interval of a time in `returns`; None without one."""
        one = self.between.get(name)
        return None if one is None else (one.low, one.high)

    @property
    def interval(self) -> RestoreInterval | None:
        """The 90 % interval of the time until all is back; None if something never is."""
        return self.between.get(ALL)

    def back(self) -> list[tuple[float, float]]:
        """Seconds from the loss at which one more system is back, and the share that is back then."""
        ends = sorted(system.back for system in self.systems if not system.reason)
        return [(end, (i + 1) / len(self.systems)) for i, end in enumerate(ends)]

    @property
    def free(self) -> float:
        """Seconds from the loss until the last cartridge is put away and all drives are free again."""
        return max((max(system.free, system.back) for system in self.systems if not system.reason), default=0.0)

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: for each system, from where and when it is back, and what is lost; seconds and bytes."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return pd.DataFrame([system._asdict() for system in self.systems], columns=Restored._fields).set_index("system")

    @property
    def intervals(self) -> pd.DataFrame:
        """Table of the 90 % intervals of the times in `returns`, by the same names, in seconds."""
        return interval_table((name, one.best, one.low, one.high, "s") for name, one in self.between.items())

    @property
    def headline(self) -> str:
        """When all is back, in a sentence."""
        never = sum(bool(system.reason) for system in self.systems)
        lost = f"{self.what} after a loss at {self.when}"
        if never:
            return f"{lost}: {never} of {len(self.systems)} systems do not come back"
        back, data = (show_short(seconds, "s", 3) for seconds in (self.until(1.0), self.data_lost))
        return f"{lost}: back after {back}, with {data} of data lost"

    def figure(self) -> Chart:
        """The main picture: the share of the systems that is back over time."""
        return self.plot.restore()

    @cached_property
    def plot(self) -> RecoveryPlots:
        """Pictures of it, such as `plot.restore()`; they need matplotlib."""
        from simbackup.plots.of_plan import RecoveryPlots  # noqa: PLC0415 (matplotlib is an extra, slow to import)

        return RecoveryPlots(self)

    @property
    def data_lost(self) -> float:
        """Seconds between the oldest restore point that is used and the loss."""
        return max((system.lost for system in self.systems), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "what": self.what, "at": f"{self.at:%Y-%m-%d %H:%M}", "after_loss_of": self.lost, "complete": self.complete,
            "interval": self.interval and {"probability": LEVEL, **self.interval._asdict()},
            "reasons": self.reasons and {
                "phases": [one._asdict() for one in self.reasons.phases], "last": self.reasons.last.as_dict(),
            },
            "read_back": self.read_back and self.read_back._asdict(),
            "branches": [{"steps": dict(one.steps), "after": one.seconds} for one in self.branches],
            "left_out": list(self.left_out), "data_lost": self.data_lost,
            "back": {f"{share:.0%}": self.until(share) for share in SHARES}, "free": self.free,
            "between": {(name := f"{share:.0%}"): self.ends(name) for share in SHARES},
            "warnings": [str(warning) for warning in self.warnings],
            "sessions": [one._asdict() | {"begun": str(one.begun)} for one in self.sessions],
            "systems": [
                {
                    **system._asdict(), "point": system.point and str(system.point),
                    "between": self.ends(system.system),
                } for system in self.systems
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """Times of a restore that the site declares, in seconds."""

    recovery: float = 0.0
    """From a loss of hardware until there is new hardware."""
    catalogue: float = 0.0
    """To recover the catalogue."""
    operator: float = 0.0
    """Work of a person for each system."""
    fetch: Mapping[str, float] | None = None
    """To fetch the media of each target."""
    people: int = 1
    """How many people prepare systems."""

    @classmethod
    def of(cls, site: PlannedSite, hardware: bool, catalogue: bool) -> Declared:
        """What a site declares for a restore after a loss of hardware or of the catalogue."""
        spec = site.file.spec
        after_loss = spec.recovery.si * hardware, spec.catalogue.si * catalogue
        fetch = {name: target.fetch for name, target in site.targets.items()}
        return cls(*after_loss, spec.operator.si, fetch, int(spec.people.si))

    def timed(self, simulated: Sequence[Restored]) -> tuple[Restored, ...]:
        """Restores with the declared times, from those that were simulated without, in the order of their list.

        A system needs its hardware (`recovery`), the catalogue, which needs the hardware of the backup server, one of
        the people who prepare systems (`operator`), and its media (`fetch`). What different people do overlaps. A
        system whose turn comes later than it could begin holds up those after it by as much, so no gap is made good:
        exact for one drive or lane, and no less than it takes for several. Media hold up only systems that come back
        from the same targets.
        """
        found: list[Restored] = []
        held, begun = 0.0, 0
        media: dict[tuple[str, ...], float] = {}
        for one in simulated:
            if one.reason:
                found.append(one)
                continue
            prepared = (begun // self.people + 1) * self.operator
            begun += 1
            held = max(held, self.recovery + max(self.catalogue, prepared) - one.starts)
            fetched = max((self.fetched(name) for name in one.targets), default=0.0)
            media[one.targets] = max(media.get(one.targets, 0.0), fetched - one.starts)
            later = max(held, media[one.targets])
            found.append(one._replace(starts=one.starts + later, back=one.back + later, free=one.free + later))
        return tuple(found)

    def fetched(self, target: str) -> float:
        """Seconds until what is kept on a target can be read."""
        return (self.fetch or {}).get(target, 0.0)

    def branches(self, targets: Iterable[str]) -> tuple[Branch, ...]:
        """What goes on side by side before the first restore begins, as far as it takes time, the longest first."""
        found = [
            Branch((("recovery", self.recovery), ("catalogue", self.catalogue))),
            Branch((("recovery", self.recovery), ("operator, for the first system", self.operator))),
            *(Branch(((f"targets.{name}.fetch", self.fetched(name)),)) for name in targets),
        ]
        stated = [Branch(tuple(step for step in one.steps if step[1] > 0.0)) for one in found]
        longer = {one: None for one in stated if one.steps and not any(one.begins(other) for other in stated)}
        return tuple(sorted(longer, key=lambda one: -one.seconds))

    def ends(self, site: PlannedSite) -> Iterator[tuple[str, Self, Self]]:
        """For each time with a range its address, and all times with it at the lower and at the upper end."""
        spec = site.file.spec
        for name, given in (("recovery", spec.recovery), ("catalogue", spec.catalogue), ("operator", spec.operator)):
            if getattr(self, name) > 0.0 and (ends := _range(given)) is not None:
                yield name, replace(self, **{name: ends[0]}), replace(self, **{name: ends[1]})
        for name, target in spec.targets.items():
            if (ends := _range(target.fetch)) is not None:
                low, high = ({**(self.fetch or {}), name: end} for end in ends)
                yield f"targets.{name}.fetch", replace(self, fetch=low), replace(self, fetch=high)


def _range(given: Quantity | None) -> tuple[float, float] | None:
    if given is None or given.low is None or given.high is None:
        return None
    return given.low, given.high
