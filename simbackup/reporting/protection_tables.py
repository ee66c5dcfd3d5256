# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The protection of a site as tables and a picture of a page."""

from __future__ import annotations

from dataclasses import replace

from simbackup.planning.alike import called
from simbackup.protection.protect import Protection, cell_of, odds, short
from simbackup.reporting.pictures import Shown, plot_picture
from simbackup.reporting.tables import Column, ReportTable, words


def losses_table(found: Protection) -> ReportTable:
    """A row for each loss with what it costs each group."""
    groups = list(found.groups)
    rows = [
        (words(found.of(groups[0])[i].loss.title), *(words(cell_of(found.of(group)[i])) for group in groups))
        for i in range(len(found.of(groups[0])))
    ]
    caption = f"Data lost on average, for a loss in the 13 weeks before {found.until}"
    return ReportTable("What each loss costs", (Column("loss"), *map(Column, found.named)), rows, caption)


def groups_table(found: Protection) -> ReportTable:
    """A row for each group with its weakest point, and the odds that it loses data."""
    years = f"in {found.horizon:g} years"
    columns = (
        Column("policy"), Column("systems"), Column("weakest point"), Column("lost if struck, median"), Column("95 %"),
        Column(f"a day lost {years}"),
        Column(f"all lost {years}"),
    )  # fmt: skip
    rows = [
        tuple(
            map(
                words,
                (
                    name,
                    called(one.group.names),
                    found.weakest[name],
                    *map(short, one.struck),
                    odds(one.much),
                    odds(one.everything),
                ),
            )
        )
        for name, one in zip(found.named, found.expected, strict=True)
    ]
    caption = "Probabilities that a system loses more than a day of its data, and all of them, with their ranges"
    return ReportTable("Weakest points", columns, rows, caption)


def matrix_picture(found: Protection) -> Shown:
    """What each loss costs each group, in colours."""
    drawn = found.chart()
    drawn.suptitle("")
    label = "Losses and groups of systems; each field has the words of the table"
    shown = plot_picture("protection", drawn, "What each loss costs each group.", label, titled=True)
    return replace(shown, narrow=shown.wide)
