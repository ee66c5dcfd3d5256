"""Nights that are simulated in worker processes are those of a single process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest
from sites.plan import site

from simbackup.experiments.processes import pool_of
from simbackup.planning.night import Night
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Simulator
from simbackup.planning.site import load_site

if TYPE_CHECKING:
    from concurrent.futures import Executor


@pytest.fixture(autouse=True)
def _worthwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nights of few backups go to worker processes, too."""
    monkeypatch.setattr("simbackup.planning.playing.WORTHWHILE", 1)


def shown(found: Plan) -> list[Any]:
    return [found.as_dict(), *found.verdicts]


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    return shown(plan(site(), "8 weeks"))


def test_worker_processes_give_the_same_plan(alone: list[Any]) -> None:
    loaded, begun = load_site(site()), list[tuple[Night, int]]()
    with pool_of(2) as executor:

        def note(night: Night, expected: int) -> None:
            begun.append((night, expected))

        found = plan(loaded, "8 weeks", play=Simulator(loaded, note, executor, 2))
    assert shown(found) == alone
    assert len(begun) >= found.nights.simulated > 2
    assert all(expected > done for done, (_, expected) in enumerate(begun))


@pytest.mark.parametrize("least", [0, 10_000])
def test_few_backups_need_no_processes(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take longer to start them."""
    monkeypatch.setattr("simbackup.planning.playing.WORTHWHILE", least)
    loaded, used = load_site(site()), list[object]()

    class Noting:
        @staticmethod
        def map(function: Callable[[Night], object], nights: Iterable[Night]) -> Iterator[object]:
            used.append(function)
            return map(function, nights)

    nights = [Night.first(loaded.file), Night.later(loaded.file)]
    assert len([*Simulator(loaded, None, cast("Executor", Noting()), 2).each(nights)]) == len(nights)
    assert bool(used) == (least == 0)


def test_this_process_does_what_worker_processes_do_not(alone: list[Any]) -> None:
    loaded = load_site(site())
    with pool_of(2) as executor:
        for process in [executor.submit(os.getpid).result()]:
            os.kill(process, signal.SIGKILL)
        simulator = Simulator(loaded, None, executor, 2)
        assert shown(plan(loaded, "8 weeks", play=simulator)) == alone
    assert simulator.executor is None


def test_nights_are_counted_as_they_are_done() -> None:
    """And not all of them when they are handed over, which may be a thousand."""
    loaded, seen = load_site(site()), list[str]()

    def wanted(night: Night, expected: int) -> None:
        del night, expected
        seen.append("wanted")

    class InOrder:
        @staticmethod
        def map(function: Callable[[Night], object], nights: Iterable[Night]) -> Iterator[object]:
            for night in nights:
                outcome = function(night)
                seen.append("done")
                yield outcome

    simulator = Simulator(loaded, wanted, cast("Executor", InOrder()), 2)
    nights = [Night.first(loaded.file), Night.later(loaded.file)]
    assert len([*simulator.each(nights)]) == len(nights)
    assert seen == ["wanted", "done"] * 2
