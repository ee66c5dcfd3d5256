"""What chance decides in a simulation: a stream of random numbers for each value, so that none disturbs another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import simpy

from simbackup import units
from simbackup.build import job_of
from simbackup.data.change import change_of
from simbackup.late import changed
from simbackup.methods.job import DAY, Job
from simbackup.randomness import generator
from simbackup.scenario import Scenario
from simbackup.scenario.chance import COUNT, Bounded, addresses, bounded
from simbackup.scenario.idle_keys import noted
from simbackup.schema.quantity import Quantity
from simbackup.schema.study import ChanceSpec
from simbackup.system import System
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace

MOST = 1_000
"""Draws of one time for one stream; the mean of more is narrowed as theirs would be."""


@dataclass(frozen=True, slots=True)
class Draw:
    """A value that chance decides: what the scenario has there, its distribution, and the name of its stream."""

    given: Quantity
    said: ChanceSpec
    spread: Bounded
    path: str
    scaled: float
    """By what the scenario has multiplied what its file states."""

    def factor(self, seed: int, which: int) -> float:
        """How many times as large the value is at its draw of a number."""
        drawn = self.spread.at(float(generator(seed, f"{self.path} {which}").random()))
        times = drawn if self.said.by == "factor" else drawn * self.scaled / self.given.si
        return round(times * self.given.si) / self.given.si if self.given.unit == COUNT else times

    def mean_factor(self, seed: int, which: str, times: float) -> float:
        """How many times as long a time is on average of so many draws, with a stream of random numbers of its own.

        Of `n` times more than `MOST`, `MOST` are drawn; the mean of `n` lies nearer to that of the distribution, by the
        square root of `MOST / n`.
        """
        count = max(1, round(times))
        shares = generator(seed, f"{self.path} {which}").random(min(count, MOST))
        mean = float(self.spread.each(shares).mean())
        if count > MOST:
            middle = self.spread.mean
            mean = middle + (mean - middle) * math.sqrt(MOST / count)
        return mean if self.said.by == "factor" else mean * self.scaled / self.given.si


@dataclass(slots=True)
class EachTime:
    """What chance draws anew each time that a time passes: each job has a stream of its own for each address."""

    draws: Mapping[str, Draw]
    seed: int
    passed: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def __call__(self, address: str, job: str, times: float) -> float:
        """The factor by which the time at an address is multiplied: the mean of so many draws, for a job."""
        one = self.draws.get(address)
        if one is None:
            return 1.0
        number = self.passed.get((one.path, job), 0)
        self.passed[one.path, job] = number + 1
        return one.mean_factor(self.seed, f"{job} {number}", times)


@dataclass(frozen=True, slots=True)
class Chance:
    """All that chance decides in a scenario, by address."""

    scenario: Scenario
    seed: int
    draws: Mapping[str, Draw] = field(default_factory=dict[str, Draw])
    each_time: Mapping[str, Draw] = field(default_factory=dict[str, Draw])
    """What is drawn anew each time that it passes; `draws` are the others."""
    reads: set[str] | None = None
    """The addresses of what runs of jobs have read of the scenario."""

    @classmethod
    def of(cls, scenario: Scenario, seed: int, reads: set[str] | None) -> Chance:
        """What chance decides in a scenario with a seed."""
        values = {value.address: value.given for value in scenario.values} if scenario.spec.chance else {}
        draws = {
            address: Draw(
                values[address], said, bounded(said, values[address].unit),
                f"chance {name}" if said.together else f"chance {address}",
                math.prod(factors.get(address, 1.0) for factors in scenario.factors),
            )
            for name, said in scenario.spec.chance.items()
            for address in addresses(said, scenario.fleets)
        }  # fmt: skip
        anew = {address: one for address, one in draws.items() if one.said.each_time}
        return cls(scenario, seed, {address: draws[address] for address in draws if address not in anew}, anew, reads)

    def clock(self, env: simpy.Environment, trace: Trace) -> Clock:
        """A clock of which each time passes as chance decides."""
        return Clock(env, trace, EachTime(self.each_time, self.seed)) if self.each_time else Clock(env, trace)

    def first(self) -> Scenario:
        """The scenario with the first draw of each value."""
        return self.scenario.scaled({address: one.factor(self.seed, 0) for address, one in self.draws.items()})

    def record(self, system: System, drawn: Scenario) -> None:
        """Record in the trace what each value is at first."""
        for value in drawn.values:
            if value.address in self.draws:
                system.trace.note(
                    0.0, value.address, f"is {units.show_short(value.given.si, value.given.unit)} by chance"
                )
            elif value.address in self.each_time:
                system.trace.note(0.0, value.address, "is drawn anew each time")

    def repeated(self, system: System, job: Job) -> Job:
        """A job whose runs each have draws of their own, if chance decides something of it and it is repeated."""
        own = f"jobs.{job.name}."
        changing = [address for address in self.draws if _changes(address)]
        if job.schedule.every is None or not (changing or any(address.startswith(own) for address in self.draws)):
            return job

        def nth(which: int) -> Job:
            day = int(system.env.now // DAY)
            factors = {
                address: one.factor(self.seed, which if address.startswith(own) else day if _changes(address) else 0)
                for address, one in self.draws.items()
            }
            spec = noted(self.scenario.scaled(factors).spec, self.reads)
            for name in {address.split(".")[1] for address in changing}:
                said, data = spec.data[name].change, system.data[name]
                by_file = change_of(said, data.size / max(data.files, 1))
                system.data[name] = changed(data, change=change_of(said), file_change=by_file)
            return job_of(job.name, spec)

        return replace(job, nth=nth)


def _changes(address: str) -> bool:
    """Whether a value says how data change."""
    return address.startswith("data.") and ".change." in address
