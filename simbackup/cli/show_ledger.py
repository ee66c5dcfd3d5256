"""The ledger of blind predictions, as a table on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.cli import show
from simbackup.experiments.blind_predictions import FAR, Answers, LedgerLine
from simbackup.text import for_markdown

ANSWERS = ("median error", f"off by more than {FAR:g}", "intervals hold")
HEADS = (
    "publication", "by", "rows", *(f"blind: {head}" for head in ANSWERS),
    *(f"today: {head}" for head in ANSWERS), "seen", "fitted",
)  # fmt: skip
TEXTS = 2
"""Columns on the left side that are text."""


def printed(lines: Sequence[LedgerLine]) -> None:
    """Print the ledger, if there is anything in it."""
    if lines:
        show.table(HEADS, [_cells(line) for line in lines], "blind predictions", right=range(TEXTS, len(HEADS)))
        for line in _fitted(lines):
            show.line(line)


def markdown(lines: Sequence[LedgerLine]) -> str:
    """The ledger as Markdown."""
    rows = ["| " + " | ".join(map(for_markdown, cells)) + " |" for cells in (HEADS, *map(_cells, lines))]
    rows.insert(1, "|" + "---|" * TEXTS + "--:|" * (len(HEADS) - TEXTS))
    return "\n".join([*rows, "", *(f"- {for_markdown(line)}" for line in _fitted(lines))]) + "\n"


def _cells(line: LedgerLine) -> list[str]:
    counts = [str(line.seen), str(len(line.fitted))]
    return [
        line.publication, ", ".join(line.versions), str(line.rows), *_answers(line.blind), *_answers(line.today),
        *counts,
    ]  # fmt: skip


def _answers(answers: Answers) -> list[str]:
    held = answers.intervals
    hold = f"{held.hold} of {held.of}" if held.of else ""
    return [f"{answers.median:.1%}", str(answers.far), hold]


def _fitted(lines: Sequence[LedgerLine]) -> list[str]:
    """The constants that are fitted to each publication, in sentences; lines of several publications have none."""
    return [f"{line.publication} has fitted {', '.join(line.fitted)}" for line in lines if line.fitted and line.single]
