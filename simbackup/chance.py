"""What chance decides in a simulation: a stream of random numbers for each value, so that none disturbs another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from simbackup import units
from simbackup.build import job_of
from simbackup.data.make import change_of
from simbackup.engine.randomness import stream
from simbackup.methods.job import DAY, Job
from simbackup.scenario import Scenario
from simbackup.scenario.chance import COUNT, Bounded, addresses, bounded
from simbackup.schema.chance import ChanceSpec
from simbackup.schema.quantity import Quantity
from simbackup.system import System


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
        drawn = self.spread.at(float(stream(seed, f"{self.path} {which}").random()))
        times = drawn if self.said.by == "factor" else drawn * self.scaled / self.given.si
        return round(times * self.given.si) / self.given.si if self.given.unit == COUNT else times


@dataclass(frozen=True, slots=True)
class Chance:
    """All that chance decides in a scenario, by address."""

    scenario: Scenario
    seed: int
    draws: Mapping[str, Draw] = field(default_factory=dict[str, Draw])

    @classmethod
    def of(cls, scenario: Scenario, seed: int) -> Chance:
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
        return cls(scenario, seed, draws)

    def first(self) -> Scenario:
        """The scenario with the first draw of each value."""
        return self.scenario.scaled({address: one.factor(self.seed, 0) for address, one in self.draws.items()})

    def record(self, system: System, drawn: Scenario) -> None:
        """Record in the trace what each value is at first."""
        for value in drawn.values:
            if value.address in self.draws:
                system.trace.event(
                    0.0, value.address, f"is {units.show_short(value.given.si, value.given.unit)} by chance"
                )

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
            spec = self.scenario.scaled(factors).spec
            for name in {address.split(".")[1] for address in changing}:
                change = spec.data[name].change
                system.data[name] = replace(
                    system.data[name], change=change_of(change), file_change=change_of(change, by_file=True)
                )
            return job_of(job.name, spec)

        return replace(job, nth=nth)


def _changes(address: str) -> bool:
    """Whether a value says how data change."""
    return address.startswith("data.") and ".change." in address
