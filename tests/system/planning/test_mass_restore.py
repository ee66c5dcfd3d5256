"""A mass restore by priority while a drive breaks, beside the hand calculation in the scenario."""

import pytest

from simbackup.results.result import Result
from simbackup.run import simulate

pytestmark = pytest.mark.slow

NAME = "planning/mass-restore-200"
SERVER = 46.3 + 1.6
"""Minutes of a file server of 1 TB: at 360 MB/s, with the way of two cartridges."""


def ends(found: Result, begins: str) -> list[float]:
    """When the restores whose names begin so end, in minutes."""
    return sorted(float(row["end"]) / 60.0 for row in found.job_rows if str(row["job"]).startswith(begins))


@pytest.fixture(scope="module")
def broken() -> Result:
    """The restore in which a drive breaks."""
    return simulate(NAME)


@pytest.fixture(scope="module")
def whole() -> Result:
    """The restore in which nothing breaks."""
    return simulate(NAME, overrides={"failures.drive": None})


def test_file_servers_come_back_in_rounds(broken: Result, whole: Result) -> None:
    assert ends(whole, "filer-")[-1] == pytest.approx(5 * SERVER, rel=0.02)
    assert len(ends(broken, "filer-")) == 20
    assert ends(broken, "filer-")[6] == pytest.approx(2 * SERVER, rel=0.02)
    assert ends(broken, "filer-")[-1] == pytest.approx((2 + 5) * SERVER, rel=0.02)


def test_machines_come_back_by_priority(broken: Result) -> None:
    core, services, desks = (ends(broken, name) for name in ("core-", "service-", "desk-"))
    assert (len(core), len(services), len(desks)) == (16, 64, 100)
    assert core[-1] < services[0] < services[-1] < desks[0]
    assert services[-1] - core[-1] == pytest.approx(4 * 48.0, rel=0.03)
    assert core[-1] == pytest.approx(26.0, rel=0.05)


def test_half_and_nearly_all_and_all_are_back(broken: Result, whole: Result) -> None:
    for found, hours in ((broken, (4.0, 5.6, 6.3)), (whole, (4.0, 5.6, 6.3))):
        each = sorted(end for name in ("core-", "service-", "desk-", "filer-") for end in ends(found, name))
        assert [each[i] / 60.0 for i in (99, 179, 199)] == pytest.approx(hours, rel=0.02)
