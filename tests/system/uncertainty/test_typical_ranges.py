"""Where a scenario states a number without a range, a typical one widens intervals and moves nothing else."""

from typing import Any

import simbackup as sb
from simbackup.scenario import Scenario
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import job_intervals
from tests.cases import for_each


def site(compression: Any) -> dict[str, Any]:
    return {
        "title": "A line",
        "hosts": {
            "client": {"model": "host/linux-modern-server", "owns": ["source"]},
            "server": {"model": "host/linux-modern-server", "owns": ["target"]},
        },
        "devices": {"source": {"model": "ssd/nvme-gen3-2018"}, "target": {"model": "ssd/nvme-gen3-2018"}},
        "links": {"line": {"rate": "10 MB/s", "latency": "1 ms", "joins": ["client", "server"]}},
        "data": {"files": {"on": "source", "size": "100 GB", "compression": compression}},
        "jobs": {
            "save": {
                "method": "image", "data": "files", "to": "target",
                "compressor": {"model": "compressor/lz4", "at": "client"},
            }
        },
    }  # fmt: skip


def typical(scenario: Scenario) -> dict[str, tuple[float | None, float | None]]:
    return {value.address: (value.given.low, value.given.high) for value in scenario.values if value.given.typical}


EXACT = [{"value": 2, "basis": "user"}, {"value": 2, "basis": "assumed", "range": [2, 2], "why": "a test"}]


def test_a_plain_number_has_the_range_of_its_kind_and_sizes_and_rates_have_none() -> None:
    found = typical(sb.load(site(2)))
    assert found == {"data.files.compression": (1.34, 3.0), "links.line.latency": (0.0007, 0.0015)}
    assert typical(sb.load(site(1.2)))["data.files.compression"] == (1.0, 1.7999999999999998)


@for_each("compression", EXACT)
def test_what_states_its_basis_is_as_it_states(compression: Any) -> None:
    assert "data.files.compression" not in typical(sb.load(site(compression)))


def test_a_value_that_is_set_is_exact() -> None:
    assert "data.files.compression" not in typical(sb.load(site(2), {"data.files.compression": 3}))


def test_what_a_document_states_is_exact() -> None:
    assert not any(value.given.typical for value in sb.load("published/003-lvm-snapshots/same-disk").values)


def test_it_widens_the_interval_and_moves_no_answer() -> None:
    plain, exact = (sb.simulate(site(each)) for each in (2, EXACT[0]))
    assert plain.get("jobs.save.elapsed") == exact.get("jobs.save.elapsed")
    wide, narrow = (job_intervals(each, effort=LEAN)["save"].elapsed for each in (plain, exact))
    assert wide.high > 1.05 * narrow.high
    assert wide.low < 0.95 * narrow.low
