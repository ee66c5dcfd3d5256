"""One plan in a process of its own: reads what to plan from standard input, and prints what it cost as JSON."""

from __future__ import annotations

import cProfile
import json
import resource
import sys
import time
from contextlib import nullcontext
from typing import Any

from simbackup.planning.loading import read_site
from simbackup.planning.plan import stocked
from simbackup.planning.site import load_site, numbers


def capacity(site: dict[str, Any], until: str) -> None:
    """Capacity, restore points and cost, as `plan capacity` has them."""
    found = stocked(numbers(read_site(site)), until)
    _ = found.full, found.capacity, found.points, found.months


def run(site: dict[str, Any], until: str) -> None:
    """A whole plan without intervals, as `plan run` has it."""
    found = stocked(load_site(site), until)
    found.nights.sample()
    _ = found.as_dict(), found.warnings


def main() -> None:
    """Make the plan; count calls of functions if that is asked for."""
    asked = json.load(sys.stdin)
    profile = cProfile.Profile() if asked["calls"] else None
    began = time.process_time()
    with profile or nullcontext():
        {"capacity": capacity, "run": run}[asked["what"]](asked["site"], asked["until"])
    cpu, memory = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    calls = sum(entry.callcount for entry in profile.getstats()) if profile is not None else None
    print(json.dumps({"cpu": cpu, "calls": calls, "mib": memory}))


if __name__ == "__main__":
    main()
