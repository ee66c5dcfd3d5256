"""What many tests use: where files are, and every scenario, loaded and run once in a process."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from simbackup import load
from simbackup.engine.flow import Flow, Limits
from simbackup.engine.link import Link, StreamKind
from simbackup.engine.network import FlowNetwork
from simbackup.experiments.intervals import intervals_of
from simbackup.experiments.reproduce import Reproduction, reproduce
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import names
from simbackup.scenario.scenario import Scenario
from simbackup.uncertainty.verdict import JobInterval
from tests.cases import Extent, for_each

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""
MACHINES = {"machine", "machines", "b-machine", "old", "new", "hpux", "windows", "hpux-files", "windows-files"}
"""Names of scenarios that only others extend."""
LIBRARY_BY_HAND = """\
  library:
    {model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     drive: {model: tape_drive/lto-3, cartridge_capacity: 40 GB, tape_length: 100 m, passes: 10, read_speed: 1 m/s,
      search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s, locate_overhead: 2 s, turn_time: 1 s, host_rate: 1 GB/s,
      native_rate: 80 MB/s, slowest_rate: 80 MB/s, reposition_time: 3 s, buffer: 64 MB}}
"""
"""A tape library in round figures, a line of `devices`, for tests that compute its times by hand."""
STATES_JOBS = re.compile(r"^(jobs|fleets|extends):", re.MULTILINE)
RUNNABLE = [
    name
    for name in names()
    if not name.startswith("base/")
    and name.rpartition("/")[2] not in MACHINES
    and STATES_JOBS.search((ROOT / "scenarios" / f"{name}.yaml").read_text(encoding="utf-8"))
]


class EqualLosses:
    """What a link loses that turns between streams at the same cost, whatever they are: so many units for one unit."""

    def __init__(self, lost: float) -> None:
        self.lost = lost

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Every flow with a sequential part is a stream."""
        del link
        return StreamKind(None, flow.sequential) if flow.sequential else None

    def detach(self, flow: Flow) -> None:
        """Those that are left lose the same."""
        del flow

    def each(self, kind: object) -> float:
        """Units for each of the amount."""
        del kind
        return self.lost


class Said(NamedTuple):
    """How a command ended: its exit code, and what it printed."""

    code: object
    out: str
    err: str


Say = Callable[..., Said]
"""Runs the program with some words, as a shell would."""


@cache
def covering() -> frozenset[str]:
    """A few scenarios that together state each key of each part that any of them states."""
    sections = ("hosts", "devices", "links", "data", "workloads", "jobs")
    stated = {
        name: {
            (type(part), key)
            for section in sections
            for part in getattr(loaded(name).spec, section).values()
            for key in part.model_fields_set
        }
        for name in RUNNABLE
    }
    left, found = set[object]().union(*stated.values()), set[str]()
    while left:
        best = max(RUNNABLE, key=lambda name: len(stated[name] & left))
        found.add(best)
        left -= stated[best]
    return frozenset(found)


def each_scenario(scenarios: Iterable[str]) -> Callable[..., Any]:
    """Make a slow test for each folder of scenarios: it tries those of `covering` and what cannot be run; nightly, all.

    Those of a folder are run in one process, and thus simulated once.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        folders = {
            folder: [*found] for folder, found in groupby(sorted(scenarios), lambda name: name.partition("/")[0])
        }

        @wraps(test)
        def all_of_them(folder: str, **fixtures: Any) -> None:
            __tracebackhide__ = True
            left_out = set[str]() if Extent.everything else {*RUNNABLE} - covering()
            tried = [name for name in folders[folder] if name not in left_out]
            for_each("name", tried)(test)(**fixtures)

        known = inspect.signature(test)
        parameters = [
            part.replace(name={"name": "folder"}.get(part.name, part.name)) for part in known.parameters.values()
        ]
        all_of_them.__signature__ = known.replace(parameters=parameters)  # pyright: ignore[reportFunctionMemberAccess]
        return pytest.mark.slow(pytest.mark.parametrize("folder", together(folders))(all_of_them))

    return decorate


def together(scenarios: Iterable[str]) -> list[Any]:
    """Parameters of a test; all tests of a scenario are run in one process, which thus simulates it once."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in scenarios]


IN_ONE_PROCESS = pytest.mark.xdist_group("reproduced")
"""The mark of tests that ask for measured rows, which are thus simulated once."""


@cache
def reproduced(collection: str | None = None) -> Reproduction:
    """The measured rows of the documents, or of another collection, without intervals. Change nothing in it."""
    return reproduce([collection] if collection else (), intervals=False)


@cache
def quick_intervals(name: str) -> dict[str, JobInterval]:
    """The intervals of the jobs of a scenario of the repository; `together` lets several tests share them."""
    return intervals_of(simulated(name))


@cache
def loaded(name: str) -> Scenario:
    """A scenario of the repository."""
    return load(name)


def simulated(name: str, overrides: Mapping[str, object] | None = None, *, seed: int = 0) -> Result:
    """The result of a scenario of the repository. Other tests see it, too: change nothing in it."""
    return _simulated(name, json.dumps(overrides or {}), seed)[0]


def parts_of_flows(name: str) -> list[float]:
    """Seconds of the parts of a unit, times the rate, of all flows that start with parts or under a law with parts."""
    return _simulated(name, "{}", 0)[1]


@cache
def _simulated(name: str, overrides: str, seed: int) -> tuple[Result, list[float]]:
    changes = json.loads(overrides)
    with _watched_flows() as parts:
        result = simulate(loaded(name).with_(changes) if changes else loaded(name), seed=seed)
    return result, parts


@contextmanager
def _watched_flows() -> Iterator[list[float]]:
    found: list[float] = []
    start: Callable[..., Flow] = FlowNetwork.start
    take = Flow.take_limits

    def checked(self: FlowNetwork, name: str, *words: Any, **keys: Any) -> Flow:
        if keys.get("cap_parts"):
            found.append(sum(keys["cap_parts"].values()) * keys["cap"])
            assert keys["cap_cause"] in {address for address, _ in keys["cap_parts"]}
        return start(self, name, *words, **keys)

    def taken(self: Flow, limits: Limits) -> None:
        if limits.law is not None and limits.law.parts:
            found.append(sum(limits.law.parts.values()) * limits.law.rate)
        take(self, limits)

    with patch.object(FlowNetwork, "start", checked), patch.object(Flow, "take_limits", taken):
        yield found
