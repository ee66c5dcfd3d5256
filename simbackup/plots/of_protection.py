# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The picture of a protection: a matrix of losses and groups of systems, coloured by what each loss costs."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.patches import Rectangle

from simbackup.palette import BAND, MOSS, ORANGE, RED, SAND
from simbackup.plots import style
from simbackup.plots.style import Chart
from simbackup.protection.words import GONE, SPARED, cell_of
from simbackup.text import for_plot

if TYPE_CHECKING:
    from simbackup.protection.protect import Answer, Protection

CELL, ROW, LABELS, MARGIN = 1.9, 0.46, 2.6, 1.3
"""Inches of a column, of a row, of the names of losses, and of title and legend."""
LEAST = 5.0
"""Inches of the narrowest picture."""
DAY, WEEK = 86_400.0, 7.0 * 86_400.0
WRAPPED = 24
"""Letters of a name in one line."""


class Grade(NamedTuple):
    """How bad the loss of data is: its name, a colour, and a hatch, which also black and white shows."""

    name: str
    colour: str
    hatch: str


GRADES = (
    Grade("data spared", BAND, ""), Grade("up to a day of data lost", MOSS, ""),
    Grade("up to a week", SAND, "."), Grade("more", ORANGE, ".."), Grade("all lost at times", ORANGE, "//"),
    Grade("all lost, always", RED, "xx"),
)  # fmt: skip


def grade_of(answer: Answer) -> Grade:
    """How bad a loss is for a group."""
    if answer.lost is None:
        return GRADES[0]
    if not answer.survives:
        return GRADES[4 if answer.comes_back else 5]
    return GRADES[1] if answer.mean_lost <= DAY else GRADES[2] if answer.mean_lost <= WEEK else GRADES[3]


def matrix(found: Protection) -> Chart:
    """A row for each loss and a column for each group: the data lost on average, and the time to service."""
    names, losses = list(found.named), [answer.loss for answer in found.of(found.groups[0])]
    width = max(LABELS + CELL * len(names), LEAST)
    with style.in_style():
        drawn = style.picture(width, ROW * len(losses) + MARGIN)
        axis = drawn.subplots()
        for column, group in enumerate(found.groups):
            for row, answer in zip(count(), found.of(group), strict=False):
                grade = grade_of(answer)
                axis.add_patch(Rectangle(
                    (column, row), 1, 1, facecolor=grade.colour, hatch=grade.hatch, edgecolor="white", linewidth=1.5
                ))  # fmt: skip
                axis.text(
                    column + 0.5, row + 0.5, _lines(cell_of(answer)), ha="center", va="center",
                    fontsize=style.SMALLER, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.2},
                )  # fmt: skip
        for grade in GRADES:
            axis.add_patch(Rectangle((0, 0), 0, 0, facecolor=grade.colour, hatch=grade.hatch, edgecolor="white",
                                     label=grade.name))  # fmt: skip
        axis.set_xlim(0, len(names))
        axis.set_ylim(len(losses), 0)
        axis.set_xticks(
            [i + 0.5 for i in range(len(names))], [for_plot(style.clipped(name, WRAPPED)) for name in names]
        )
        axis.set_yticks([i + 0.5 for i in range(len(losses))], [for_plot(style.clipped(one.title)) for one in losses])
        axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        for spine in axis.spines.values():
            spine.set_visible(False)
        timed = ", and time to service" if found.timed else ""
        title = f"{found.site.file.spec.title}: data lost on average{timed}"
        drawn.suptitle(style.titled(title, width), x=0.01, ha="left")
        drawn.legend(loc="outside lower left", fontsize=style.SMALLER, ncols=2 if width < 2 * LEAST else len(GRADES))
    return drawn


def _lines(text: str) -> str:
    """The words of a cell in lines: the data, the time, and how often nothing comes back."""
    if text in {GONE, SPARED}:
        return text
    return text.replace(", ", "\n", 1).replace(" (", "\n(", 1)
