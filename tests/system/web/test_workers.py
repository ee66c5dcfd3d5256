"""Workers: they end when nobody waits, and when they use too much; some run, and the others wait in turn."""

import multiprocessing
from contextlib import aclosing

import anyio
import pytest
from system.web import work

from simbackup.web.workers import Message, Work, Workers, WorkLimits
from tests.cases import for_each


def workers(at_once: int = 1, **limits: float) -> Workers:
    """Workers that begin without the libraries of simulations."""
    return Workers(at_once, WorkLimits(**limits), context=multiprocessing.get_context("spawn"))


async def heard(crew: Workers, what: Work, most: int = 100) -> list[Message]:
    """The first messages of a piece of work, which then ends."""
    found: list[Message] = []
    async with aclosing(crew.messages(what, {})) as every:
        async for message in every:
            found += [message] if message["kind"] != "alive" else []
            if len(found) == most:
                break
    return found


@pytest.mark.slow
@for_each(
    "what, limits, why",
    [
        (work.spin, {"seconds": 1.0}, "it took more than "),
        (work.sleep, {"seconds": 2.0}, "it took more than 4 s, and was stopped"),  # its start takes a part of a second
        (work.hoard, {}, "it needs more than 2.0 GB of memory"),
        (work.crash, {}, "it ended unexpectedly (code 3)"),
    ],
)  # fmt: skip
def test_work_that_uses_too_much_is_stopped(what: Work, limits: dict[str, float], why: str) -> None:
    found = anyio.run(heard, workers(**limits), what)
    assert found[-1]["kind"] == "failed"
    assert found[-1]["why"].startswith(why)
    assert multiprocessing.active_children() == []


def test_work_for_which_nobody_waits_ends() -> None:
    crew = workers()
    assert [one["kind"] for one in anyio.run(heard, crew, work.sleep, 1)] == ["began"]
    assert multiprocessing.active_children() == []
    assert crew.ahead == 0


def test_all_work_ends_with_the_server() -> None:
    crew = workers()

    async def first() -> None:
        async with aclosing(crew.messages(work.sleep, {})) as every:
            async for message in every:
                crew.stopped = message["kind"] == "began"

    async def stopped() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(first)
            group.start_soon(heard, crew, work.sleep)  # waits for its turn

    anyio.run(stopped)
    assert multiprocessing.active_children() == []
    assert crew.ahead == 0


def test_others_wait_in_turn() -> None:
    crew = workers()

    async def both() -> list[str]:
        kinds: list[str] = []

        async def second() -> None:
            async with aclosing(crew.messages(work.crash, {})) as every:
                async for message in every:
                    kinds.append(message["kind"])
                    if message["kind"] == "waiting":
                        group.cancel_scope.cancel()

        async with anyio.create_task_group() as group, aclosing(crew.messages(work.sleep, {})) as first:
            async for _ in first:
                break
            group.start_soon(second)
            await anyio.sleep_forever()
        return kinds

    assert anyio.run(both) == ["waiting"]
    assert multiprocessing.active_children() == []
    assert crew.ahead == 0


def test_an_answer_passes_the_turn_on() -> None:
    crew = workers()

    async def both() -> list[str]:
        async with (
            aclosing(crew.messages(work.answer, {})) as first,
            aclosing(crew.messages(work.answer, {})) as second,
        ):
            return [(await anext(first))["kind"], (await anext(second))["kind"]]

    assert anyio.run(both) == ["answer", "answer"]
    assert multiprocessing.active_children() == []
    assert crew.ahead == 0
