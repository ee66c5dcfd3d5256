"""Random sites, and how far a plan is off the one in which every night is simulated. From the root of the repository:

    python tests/oracles/every_night.py 20

prints a line for each of so many sites: nights simulated, the error that the plan states, the greatest that it has, and
each system whose windows differ.
"""

import random
import sys
from datetime import date
from typing import Any, NamedTuple

from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import SHORT
from simbackup.planning.site import load_site

UNTIL = "18 months"


class OffBy(NamedTuple):
    """How far a plan is off: the greatest error of a time, and systems whose windows differ.

    Of each the first nights that miss a window, by the plan and in truth, and how many.
    """

    found: Plan
    error: float
    differing: dict[str, tuple[date | None, date | None, int, int]]


def random_site(seed: int) -> dict[str, Any]:
    """A site of ten to fifteen systems that grow differently, with two policies and one copy."""
    draw = random.Random(seed)  # noqa: S311 (it is no secret)
    disk = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022", "disks": draw.choice([8, 10, 12, 16])}
    host = "host/linux-modern-server"
    targets: dict[str, Any] = {name: {"host": host, "device": disk} for name in ("pool", "far")}
    if draw.random() < 0.5:
        targets["pool"]["limit"] = {
            "at_once": draw.randint(2, 6),
            "order": draw.choice(["longest_first", "first_come"]),
        }
    hours = draw.choice([1, 2, 3])
    window, schedule = f"20:00 to {(20 + hours) % 24:02d}:00", {"full": "saturday", "incremental": "daily"}
    policies: dict[str, Any] = {
        "a": {"to": "pool", "at": "20:00", "window": window, "schedule": schedule, "retention": {"age": "4 weeks"},
              "copies": {"second": {"to": "far", "which": "full", "retention": {"age": "4 weeks"}}}},
        "b": {"to": "pool", "at": draw.choice(["20:00", "21:00"]), "window": window,
              "schedule": {"full": draw.choice(["sunday", "saturday"]), "incremental": "daily"},
              "retention": {"age": "2 weeks"}},
    }  # fmt: skip
    policies["b"]["window"] = f"{policies['b']['at']} to {(int(policies['b']['at'][:2]) + hours) % 24:02d}:00"
    systems = {
        f"s{i:02d}": {
            "size": f"{round(10 ** draw.uniform(10.3, 12.3))} B", "policy": draw.choice("ab"),
            "change": {"daily": f"{draw.uniform(0.5, 5.0):.2f} %", "run": "1 MiB",
                       "growth": f"{draw.choice([0, 10, 20, 40, 80, 150]) + draw.uniform(0, 10):.1f} %"},
        }
        for i in range(draw.randint(10, 15))
    }  # fmt: skip
    return {
        "title": f"Random site {seed}", "start": "2027-01-04", "zone": draw.choice(["UTC", "Europe/Berlin"]),
        "network": "network/ten-gigabit-ethernet",
        "machines": {"guest": {"host": host, "storage": "ssd/nvme-gen3-2018"}},
        "targets": targets, "policies": policies, "systems": systems,
    }  # fmt: skip


def off_by(seed: int, until: str = UNTIL) -> OffBy:
    """How far the plan of a random site is off the one in which every night is simulated."""
    loaded = load_site(random_site(seed))
    found, exact = plan(loaded, until), plan(loaded, until, every_night=True)
    longest: dict[date, float] = {}
    truth = list(exact.verdicts)
    for one in truth:
        longest[one.night] = max(longest.get(one.night, 0.0), one.elapsed)
    error = max(
        abs(one.elapsed - other.elapsed) / max(longest[one.night] if one.window is None else one.elapsed, SHORT)
        for one, other in zip(truth, found.verdicts, strict=True)
    )
    rows = zip(found.clients, exact.clients, strict=True)
    differing = {
        row["system"]: (row["first_missed"], other["first_missed"], row["missed"], other["missed"])
        for row, other in rows
        if (row["first_missed"], row["missed"]) != (other["first_missed"], other["missed"])
    }
    return OffBy(found, error, differing)


def main() -> None:
    """Compare so many sites, from a first seed on."""
    number, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + number):
        one = off_by(seed)
        late = sum(row["missed"] > 0 for row in one.found.clients)
        print(  # noqa: T201
            f"{seed}: {one.found.nights.simulated} nights, {late} of {len(one.found.clients)} systems late, stated "
            f"{one.found.nights.error:.2%}, found {one.error:.2%}, {one.differing or 'windows alike'}", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
