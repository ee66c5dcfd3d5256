"""The ledger of blind predictions, as a table on a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.cli import show
from simbackup.experiments.ledger import NEAR, Answers, LedgerLine
from simbackup.text import for_markdown

WITHIN = f"within {100 * NEAR:.0f} %"
HEADS = (
    "publication", "predicted rows", "blind: median error", WITHIN, "worst", "today: median error", WITHIN, "worst",
    "seen",
)  # fmt: skip


def printed(lines: Sequence[LedgerLine]) -> None:
    """Print the ledger, if there is anything in it."""
    if lines:
        show.table(HEADS, [_cells(line) for line in lines], "blind predictions", right=range(1, len(HEADS)))


def markdown(lines: Sequence[LedgerLine]) -> str:
    """The ledger as Markdown."""
    rows = ["| " + " | ".join(map(for_markdown, cells)) + " |" for cells in (HEADS, *map(_cells, lines))]
    rows.insert(1, "|---|" + "--:|" * (len(HEADS) - 1))
    return "\n".join(rows) + "\n"


def _cells(line: LedgerLine) -> list[str]:
    return [line.publication, str(line.rows), *_answers(line.blind), *_answers(line.today), str(line.seen)]


def _answers(answers: Answers) -> list[str]:
    return [f"{answers.median:.1%}", str(answers.near), f"factor {answers.worst:.3g}"]
