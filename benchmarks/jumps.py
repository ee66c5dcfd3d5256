"""Figures of results that jump where a number of a scenario moves by half a percent: a value that is special in code.

Each number of a scenario is made a little smaller and a little larger. What the elapsed times and rates of its jobs do
then is compared with the step: a time that changes by more than so many times the step is a jump. Whole numbers that
are counted, such as disks, are left out, as their neighbours are far away; so are values that a check refuses.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from simbackup.errors import SimbackupError
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import Scenario, load, names

STEP = 0.005
"""Share by which a number is moved."""
JUMP = 0.05
"""Relative change of a figure from which on it has jumped."""
COUNT = "count"


class Jump(NamedTuple):
    """A figure of a scenario that jumps where the number at an address is multiplied."""

    scenario: str
    address: str
    factor: float
    figure: str
    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.scenario}: {self.address} x {self.factor:g}: {self.figure} {self.before:.6g} -> {self.after:.6g}"


def figures(result: Result) -> dict[str, float]:
    """Times of all jobs, and what users had meanwhile, by their names."""
    found = {f"jobs.{row['job']}.elapsed": float(row["elapsed"]) for row in result.job_rows}
    for row in result.user_rows:
        found |= {f"{row['users']}.{key} during {row['job']}": float(row[key]) for key in ("rate",) if key in row}
    return found


def moved(scenario: Scenario, address: str, factor: float) -> dict[str, float]:
    """The figures of a scenario with one number multiplied; none if it cannot be run so."""
    try:
        return figures(simulate(scenario.scaled({address: factor})))
    except (SimbackupError, ArithmeticError, ValueError):  # scaled values are not checked
        return {}


def jumps(scenario: Scenario, *, most: int | None = None, seed: int = 0) -> Iterator[Jump]:
    """The jumps of a scenario at its numbers, or at so many of them that are drawn at random."""
    every = [value.address for value in scenario.values if value.given.unit != COUNT and value.given.si]
    if most is not None and len(every) > most:
        every = sorted(random.Random(f"{seed}/{scenario.name}").sample(every, most))  # noqa: S311 (no secret)
    stated = figures(simulate(scenario))
    for address in every:
        for factor in (1.0 - STEP, 1.0 + STEP):
            for figure, after in moved(scenario, address, factor).items():
                before = stated.get(figure, after)
                if abs(after - before) > JUMP * max(abs(before), abs(after)):
                    yield Jump(scenario.name, address, factor, figure, before, after)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the jumps of some scenarios, or of all."""
    parser = argparse.ArgumentParser(description="numbers of scenarios at which figures jump")
    parser.add_argument("names", nargs="*", help="scenarios (all)")
    parser.add_argument("--most", type=int, metavar="N", help="numbers of a scenario, drawn at random (all)")
    parser.add_argument("--seed", type=int, default=0, help="draws other numbers (0)")
    asked = parser.parse_args(arguments)
    for name in asked.names or names():
        try:
            for jump in jumps(load(name), most=asked.most, seed=asked.seed):
                print(jump, flush=True)
        except SimbackupError as error:
            print(f"{name}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
