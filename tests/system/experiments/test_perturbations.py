"""Parts of disks, arrays and hosts, halved and doubled: each answer moves the right way, and by about enough."""

from typing import NamedTuple

import pytest

import simbackup as sb
from tests.cases import for_each

COPY = ("published/004-zrm-mysql/cp", "cp")
IMAGE = ("published/001-networker-small-files/image-old", "save")
WRITE = ("published/003-lvm-snapshots/same-disk", "dd")
SAME = 0.002


class Case(NamedTuple):
    """A job, the values that are scaled together, and between what its elapsed time lies, halved and doubled.

    `given` are values that the scenario needs besides.
    """

    job: tuple[str, str]
    scaled: tuple[str, ...]
    halved: tuple[float, float]
    doubled: tuple[float, float]
    given: dict[str, object] = {}  # noqa: RUF012 (nobody writes to it)


RATES = ("outer_rate", "inner_rate")
CASES = (
    # what is longer makes it slower, by no more than in proportion
    Case(COPY, ("devices.array.controller_overhead",), (0.90, 0.99), (1.02, 1.20)),
    Case(COPY, ("devices.array.disk.average_seek", "devices.array.disk.full_stroke_seek"), (0.75, 0.95), (1.1, 1.5)),
    Case(COPY, ("devices.array.disk.command_overhead",), (0.90, 0.99), (1.02, 1.20)),
    Case(WRITE, ("devices.sdb.average_seek", "devices.sdb.full_stroke_seek"), (0.75, 0.95), (1.1, 1.5)),
    # what is faster or more makes it faster, by no more than in proportion
    Case(COPY, ("devices.array.disk.rotation_speed",), (1.05, 1.5), (0.75, 0.98)),
    Case(WRITE, ("devices.sdb.rotation_speed",), (1.2, 2.0), (0.5, 0.85)),
    Case(COPY, tuple(f"devices.array.disk.{rate}" for rate in RATES), (1.1, 2.0), (0.5, 0.95)),
    Case(IMAGE, tuple(f"devices.disk.{rate}" for rate in RATES), (1.1, 2.0), (0.5, 0.95)),
    Case(IMAGE, ("devices.disk.stream_turn",), (1.3, 2.0), (0.5, 0.85)),
    Case(COPY, ("devices.array.disk.stream_turn",), (1.02, 2.0), (0.5, 0.95)),
    Case(COPY, ("hosts.server.read_ahead",), (1.5, 2.0), (0.5, 0.7)),
    Case(COPY, ("hosts.server.write_behind",), (1 - SAME, 1.2), (0.6, 0.98)),
    Case(
        COPY, ("devices.array.controller_write_rate",), (1.5, 2.0), (0.5, 0.7),
        {"devices.array.controller_write_rate": "30 MB/s"},
    ),
    Case(COPY, ("devices.array.write_cache",), (1.01, 1.2), (0.85, 0.99), {"devices.array.write_cache": "128 MB"}),
    Case(
        COPY, ("devices.array.read_ahead",), (1.1, 2.0), (0.5, 0.95),
        {"devices.array.prefetches": True, "devices.array.read_ahead": "8 MB"},
    ),
    # a window that lies on one disk instead of two waits for it alone
    Case(COPY, ("devices.array.stripe_unit",), (0.5, 0.8), (1.2, 2.0)),
)  # fmt: skip


def elapsed(case: Case, factor: float) -> float:
    name, job = case.job
    stated = {value.address: value for value in sb.simulate(name, case.given).values}
    scaled = {address: f"{stated[address].value * factor:.12g} {stated[address].unit}" for address in case.scaled}
    return sb.simulate(name, case.given | scaled).get(f"jobs.{job}.elapsed")


@pytest.mark.slow
@for_each("case", CASES, ids=lambda case: f"{case.job[1]}-{case.scaled[0]}")
def test_an_answer_moves_as_it_should(case: Case) -> None:
    usual = elapsed(case, 1.0)
    assert case.halved[0] < elapsed(case, 0.5) / usual < case.halved[1]
    assert case.doubled[0] < elapsed(case, 2.0) / usual < case.doubled[1]
