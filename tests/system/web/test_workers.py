"""Workers: they end when nobody waits, and when they use too much."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from simbackup.web import tasks
from simbackup.web.limits import WorkLimits
from simbackup.web.workers import Message, Workers

MIDNIGHT = "extends: planning/midnight\n"


def task(text: str, folder: str) -> Mapping[str, Any]:
    return {"text": text, "folder": folder, "changes": {}, "before": {}, "until": "1y", "out": folder}


def messages(workers: Workers, what: Mapping[str, Any], most: int = 1000) -> list[Message]:
    """The first messages of a run; the run then ends."""

    async def heard() -> list[Message]:
        found: list[Message] = []
        async with aclosing(workers.messages(tasks.run, what)) as every:
            async for message in every:
                found += [message] if message["kind"] not in {"alive", "progress"} else []
                if len(found) == most:
                    break
        return found

    return anyio.run(heard)


@pytest.mark.parametrize(
    ("limits", "why"),
    [(WorkLimits(seconds=1.0), "it took more than 1 s of a processor"), (WorkLimits(memory=4e8), "it needs more than 0.4 GB")],
)  # fmt: skip
def test_a_run_that_uses_too_much_is_stopped(limits: WorkLimits, why: str, tmp_path: Any) -> None:
    large = f"{MIDNIGHT}fleets: {{servers: {{count: 5000}}}}\n"
    found = messages(Workers(1, limits), task(large, str(tmp_path)))
    assert found[-1]["kind"] == "failed"
    assert why in found[-1]["why"]


def test_a_run_for_which_nobody_waits_ends(tmp_path: Any) -> None:
    workers = Workers(1, WorkLimits())
    found = messages(workers, task(MIDNIGHT, str(tmp_path)), most=1)
    assert [one["kind"] for one in found] == ["opened"]
    assert multiprocessing.active_children() == []
    assert workers.ahead == 0
