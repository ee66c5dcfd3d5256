"""A scenario on the page: its levers and picture, then the answer as simulated, with reasons, and with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from simbackup.drawing.layout import layout_of
from simbackup.errors import InputError
from simbackup.output.whole import write_whole
from simbackup.reporting import sections
from simbackup.reporting.page import Chapter, page
from simbackup.reporting.pictures import Shown, pictures, system_picture
from simbackup.reporting.report import explained, tables_of
from simbackup.reporting.sentences import in_short
from simbackup.reporting.tables import write_excel
from simbackup.results.result import Result
from simbackup.run import ran
from simbackup.scenario import Scenario, load, nothing_to_do
from simbackup.uncertainty.effort import for_scenario
from simbackup.uncertainty.verdict import job_intervals
from simbackup.web.cards import cards_of
from simbackup.web.guests import rendered
from simbackup.web.levers import Lever, levers_of, of_scenario
from simbackup.web.workers import Send

SELDOM = 0.2
"""Seconds between reports of progress."""
REPORT, TABLES, FILE = "report.html", "tables.xlsx", "scenario.yaml"
"""Files to download."""


@dataclass(slots=True)
class ProgressReports:
    """Reports the progress of the steps of a run, not too often."""

    send: Send
    step: str = ""
    _last: float = field(default=0.0)

    def begin(self, step: str) -> None:
        """Begin a step."""
        self.step, self._last = step, 0.0
        self.report(0.0, 0)

    def report(self, done: float, of: float) -> None:
        """Report how much of it is done."""
        now = time.monotonic()
        if now - self._last >= SELDOM:
            self._last = now
            self.send({"kind": "progress", "step": self.step, "done": done, "of": of})


def run(task: Mapping[str, Any], text: str, send: Send) -> None:
    """Run the scenario of a text, and report on it.

    Raises
    ------
    InputError
        Something is wrong with it.
    """
    scenario, steps, before = load(text), ProgressReports(send), task["before"]
    stated = (value.address for value in scenario.values if not value.place.file.startswith("models/"))
    levers = levers_of(of_scenario(scenario), stated)
    send(opened(scenario, text, levers))
    send(moved(levers))
    send(drawn(scenario))
    if not scenario.spec.jobs:
        raise InputError([nothing_to_do(scenario)])
    send(saved(text, Path(task["out"])))
    steps.begin("simulating")
    result = ran(scenario, progress=lambda _, ended, jobs: steps.report(ended, jobs), noting_reads=True)
    send({"kind": "warnings", "warnings": result.warnings})
    chapter = Chapter(scenario.title, result)
    send(answered(chapter, before, more=True))
    steps.begin("running without the bottleneck")
    chapter = replace(chapter, explained=explained(result, scenario))
    send(answered(chapter, before, more=True))
    send({"kind": "detail", "name": "why", "html": rendered("why.html", splits=sections.splits(result))})
    steps.begin("drawing")
    chapter = replace(chapter, pictures=list(pictures(result)))
    _details(chapter, send)
    steps.begin("computing intervals")
    chapter = with_intervals(chapter, steps.report)
    send(answered(chapter, before, more=False))
    steps.begin("writing the report")
    out = Path(task["out"])
    write_whole(out / REPORT, page([chapter]))
    write_excel(tables_of(chapter, alone=True), out / TABLES)
    send({"kind": "done", "files": [REPORT, TABLES, FILE]})


def opened(scenario: Scenario, text: str, levers: Sequence[Lever]) -> dict[str, Any]:
    """The message with what is known of a scenario before it is run."""
    return {
        "kind": "opened", "text": text, "title": scenario.title, "question": scenario.spec.question, "site": False,
        "values": values_of(levers),
    }  # fmt: skip


def moved(levers: Sequence[Lever]) -> dict[str, Any]:
    """The message with the levers that may be moved."""
    return {"kind": "levers", "html": rendered("levers.html", levers=levers)}


def drawn(scenario: Scenario) -> dict[str, Any]:
    """The message with the picture of a system."""
    shown = system_picture(layout_of(scenario))
    return {"kind": "detail", "name": "system", "html": rendered("picture.html", shown=shown)}


def saved(text: str, out: Path) -> dict[str, Any]:
    """The message that the text of a run is there to be opened again, even if the run does not come to its end."""
    write_whole(out / FILE, text)
    return {"kind": "saved", "files": [FILE]}


def values_of(levers: Sequence[Lever]) -> dict[str, str]:
    """The values of the levers by label, for the comparison of variants."""
    return {lever.label: lever.text for lever in levers if lever.group != "datasheet"}


def answered(chapter: Chapter, before: Mapping[str, Any], *, more: bool) -> dict[str, Any]:
    """The message with the cards of a result; `more` where intervals are still to come."""
    cards = cards_of(chapter.result, chapter.explained, chapter.intervals, before, more=more)
    return {
        "kind": "answer", "html": rendered(
            "cards.html", cards=cards, short=in_short(chapter.result.job_rows, chapter.result.user_rows),
        ),
        "figures": {card.answer.name: card.figure for card in cards},
    }  # fmt: skip


def with_intervals(chapter: Chapter, progress: Callable[[int, int], None]) -> Chapter:
    """The chapter with the intervals of its jobs; without where the scenario is very large."""
    records = chapter.result.trace.length
    effort = for_scenario("quick", records)
    if effort is None:
        return replace(chapter, note="No intervals: the scenario is very large.")
    found = job_intervals(chapter.result, effort=effort, progress=progress)
    return replace(chapter, intervals=found)


def _details(chapter: Chapter, send: Send) -> None:
    """Report pictures and tables."""
    result: Result = chapter.result
    shown: dict[str, Shown] = {one.name: one for one in chapter.pictures}
    if "timeline" in shown:
        send({"kind": "detail", "name": "timeline", "html": rendered("picture.html", shown=shown["timeline"])})
    tables = [
        (sections.devices(result), shown.get("utilisation")),
        (sections.devices(result, tape=True), shown.get("drives")),
        (sections.users(result), None),
    ]
    send({"kind": "detail", "name": "devices", "html": rendered("tables.html", tables=tables)})
