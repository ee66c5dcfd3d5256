"""Interpolates the nights between two simulated ones, job by job, by the growth of its system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from simbackup.equations.change import Change
from simbackup.planning.contents import NightKind
from simbackup.planning.playing import Outcome, job_of
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import PlannedSite

Times = tuple[float, float, float]
"""Seconds from the start until a night, one after it, and one after that."""


@dataclass
class Growing:
    """How the jobs of nights grow: the bytes of each follow those of its system, and so does its time in between."""

    site: PlannedSite
    kinds: dict[NightKind, dict[str, Change]] = field(default_factory=dict[NightKind, dict[str, Change]])
    """The growth of the system of each job of a kind of night."""

    def between(
        self, kind: NightKind, times: Times, low: Mapping[str, Outcome], high: Mapping[str, Outcome]
    ) -> dict[str, Outcome]:
        """The outcomes of a night between two others."""
        if kind not in self.kinds:
            self.kinds[kind] = dict(self._jobs(kind))
        growths = self.kinds[kind]
        shares = {growth: share_of(growth, times) for growth in dict.fromkeys(growths.values())}
        return {name: mixed(low[name], high[name], shares[by]) for name, by in growths.items() if name in low}

    def _jobs(self, kind: NightKind) -> Iterator[tuple[str, Change]]:
        for run in kind.runs:
            policy = self.site.file.spec.policies[run.policy]
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in self.site.of_policy(run.policy):
                names = [job_of(system.name, run.later, part) for part in parts]
                for name in (*names, *logs_jobs(policy, system.name, run.later).values()):
                    yield name, system.change


def share_of(growth: Change, times: Times) -> float:
    """How far a system is on the way from its bytes in one night to those in another; in time where it does not grow.

    >>> year = 365 * 86_400.0
    >>> [round(share_of(Change(growth=each), (0.0, year, 2 * year)), 3) for each in (0.0, 1.0)]
    [0.5, 0.333]
    """
    low, here, high = (growth.factor(at) for at in times)
    if high == low:
        low, here, high = times
    return (here - low) / (high - low)


def mixed(one: Outcome, other: Outcome, share: float) -> Outcome:
    """An outcome on the line between two others, with the cause of the nearer."""
    due, _, _, reason, cause, failed, unsaved = one if share < 0.5 else other  # noqa: PLR2004 (the middle)
    end, size = one.end + share * (other.end - one.end), one.bytes + share * (other.bytes - one.bytes)
    # `_replace` takes four times as long, and plans have a million
    return Outcome(due, end, size, reason, cause, failed, unsaved)
