"""What a restore of a site came to: each system, when it is back, and what is lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.equations.uncertainty import LEVEL
from simbackup.errors import Problem
from simbackup.planning.cost import ReadBack
from simbackup.planning.restore_interval import RestoreInterval
from simbackup.policies.clock import NOON
from simbackup.results.tabled import Answer, interval_table
from simbackup.units import show_short

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.experiments.what_if import Reasons
    from simbackup.plots.of_plan import RecoveryPlots
    from simbackup.plots.style import Chart

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
