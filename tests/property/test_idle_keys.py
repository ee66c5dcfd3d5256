"""A key that a run has not read moves nothing: results with another value there are the same to the bit.

The reverse need not hold, as a value may be read and then count for nothing: a limit that does not bind, a time that
nobody waits for. How often that is so is counted, and kept below a bound.
"""

import random
from typing import Any, NamedTuple

import pytest

from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.run import ran
from simbackup.scenario import Scenario, load
from simbackup.trace.trace import Trace

FACTORS = (2.0, 0.5, 1.1)
SAMPLE = 40
"""Keys of each scenario that were read, and as many that were not."""
READ_IN_VAIN = 0.3
"""Share of the keys that are read of which no such factor moves anything, over all scenarios together: mostly those of
datasheets of devices, of which a job that only reads needs a part, and limits that do not bind."""
SCENARIOS = (
    "planning/backup-levels", "planning/deduplicated", "planning/disk-then-tape", "planning/image-or-files",
    "planning/mirror-of-a-tree", "planning/mysql-under-load", "planning/object-store", "planning/spooled",
    "published/000-netbackup-frozen-images/checkpoint", "published/002-sql-server-tuning/buffers",
    "teaching/million-small-files", "teaching/one-file-from-an-archive",
)  # fmt: skip


class Sampled(NamedTuple):
    """Addresses of a scenario, and of those the ones at which no other value moves its result."""

    read: list[str]
    unread: list[str]
    in_vain: list[str]
    lies: list[str]


def everything(result: Result) -> list[Any]:
    """All that a run recorded."""
    trace: Trace = result.trace
    return [result.as_dict(), [(e.time, e.address, e.what, dict(e.data)) for e in trace.events], result.end]


def outcome(scenario: Scenario) -> list[Any]:
    try:
        return everything(ran(scenario))
    except (InputError, ValueError, OverflowError) as error:  # a job that never ends, seeks that fall, shares above one
        return [str(error)]


def sampled(name: str) -> Sampled:
    scenario = load(name)
    result = ran(scenario, noting_reads=True)
    reads, before = result.reads, everything(result)
    assert reads is not None
    paths = [".".join(path) for path, given in scenario.spec.quantities() if given.si > 0.0 and path[0] != "chance"]
    chosen = random.Random(name)  # noqa: S311 (a sample, not a secret)
    read, unread = ([path for path in paths if (path in reads) is there] for there in (True, False))
    read, unread = (chosen.sample(each, min(SAMPLE, len(each))) for each in (read, unread))

    def moves(path: str) -> bool:
        return any(outcome(scenario.scaled({path: factor})) != before for factor in FACTORS)

    return Sampled(read, unread, [path for path in read if not moves(path)], [path for path in unread if moves(path)])


@pytest.fixture(scope="module")
def samples() -> dict[str, Sampled]:
    return {name: sampled(name) for name in SCENARIOS}


@pytest.mark.slow
@pytest.mark.xdist_group("idle keys")
def test_what_was_not_read_moves_nothing(samples: dict[str, Sampled]) -> None:
    assert sum(len(one.unread) for one in samples.values()) > 100
    assert {name: one.lies for name, one in samples.items() if one.lies} == {}


@pytest.mark.slow
@pytest.mark.xdist_group("idle keys")
def test_most_of_what_was_read_moves_something(samples: dict[str, Sampled]) -> None:
    in_vain = sum(len(one.in_vain) for one in samples.values())
    read = sum(len(one.read) for one in samples.values())
    assert in_vain <= READ_IN_VAIN * read, {name: one.in_vain for name, one in samples.items()}
