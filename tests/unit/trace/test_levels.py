"""What tables say of links whose flows share levels is what they say of the rates that follow from these."""

from __future__ import annotations

from random import Random
from typing import Any

from simbackup.results.rows import device_rows
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.cases import for_each, some

LINKS = [f"links.{name}" for name in "abcde"]


def made(seed: int) -> tuple[Trace, list[dict[str, Any]]]:
    """A trace of rates and levels, before, during and after its one job."""
    rng, trace = Random(seed), Trace()  # noqa: S311
    for time in range(12):
        for link in rng.sample(LINKS, rng.randrange(3)):
            trace.rate(time, link, rng.choice([0.0, 0.25]), rng.choice([0.0, 1e6]))
        if rng.random() < 0.6:
            loads = {link: (rng.choice([0.0, 0.1]), rng.choice([0.0, 2.0])) for link in rng.sample(LINKS, 2)}
            trace.shared_level(time, rng.choice(LINKS[:2]), rng.choice([0.0, 1.0, 2.0]), loads)
    for link in LINKS:
        trace.device(link, "network", 100.0, units=1, bytes_moved=1.0, peak_bytes_per_s=1.0)
    begin, end = sorted(rng.sample(range(-1, 13), 2))
    job: dict[str, Any] = {"job": "a", "start": begin + 0.5, "end": end + 0.5, "status": "done", "due": begin}
    job["window"] = rng.choice([None, None, 3.0])
    trace.job(job)
    return trace, [job]


@for_each("seed", some(range(500), 60))
def test_shares_of_devices_are_those_of_the_rates_that_follow_from_levels(seed: int) -> None:
    levels, jobs = made(seed)
    plain, _ = made(seed)
    plain.rates, plain.shared_levels = type(plain.rates)(link_rates(levels)), []
    assert device_rows(levels, jobs) == device_rows(plain, jobs)
