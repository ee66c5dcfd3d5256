# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""One look for all pictures: colours, sizes, and axes in minutes, hours and MB/s, or on the clock."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from simbackup import units
from simbackup.output.target import PICTURE, check_file
from simbackup.output.whole import whole
from simbackup.palette import BAND, BLUE, DARK, GREY, NIGHT, PURPLE, RED, SAND, SKY, TEAL, WINE
from simbackup.results.shown import on_the_clock
from simbackup.text import for_plot, of_plot

if TYPE_CHECKING:
    from simbackup.results.result import Result


__all__ = [  # what a notebook finds under `sb.style`, colours included
    "BAND", "BLUE", "DARK", "GREY", "LINES", "MARKS", "PURPLE", "RED", "SAND", "SKY", "TEAL", "WINE",
    "Chart", "in_style", "use",
]  # fmt: skip

LINES = (BLUE, RED, SAND, SKY, WINE, TEAL, GREY, PURPLE)
"""Colours of curves, in the order of use; distinguishable without red and green."""
MARKS = ("o", "s", "D", "^", "v", "P", "X", "*")
"""Marks of curves, so that colour is never the only difference."""
STYLE: Any = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "hatch.linewidth": 0.7,
    "svg.hashsalt": "simbackup",
}
"""Settings of matplotlib; the salt gives the same picture the same bytes."""
UNDATED: Mapping[str, Mapping[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""Metadata to leave out, by format, so that the same picture gives the same bytes."""
LETTERS = 12.0
"""Letters of a title to the inch."""
WIDTH, TITLE = 9.2, 8.0
"""Width of most pictures, and of a title in them, inches."""
LETTER, EDGE = 0.08, 0.3
"""Width of a letter beside an axis, and of the edges of a picture, inches."""
MOST_LINES = 3
"""Lines of a title."""
SMALL, SMALLER = 9.0, 8.0
"""Sizes of text beside axes and in legends, points."""


def use() -> None:
    """Apply this style to all further pictures drawn by hand; for notebooks."""
    mpl.rcParams.update(STYLE)


@contextmanager
def in_style() -> Generator[None]:
    """Apply this style inside, and restore the old one afterwards."""
    with mpl.rc_context(STYLE):
        yield


class Chart(Figure):
    """A figure that shows itself in a notebook, and gives the same bytes each time it is written."""

    def savefig(self, fname: Any, **settings: Any) -> None:
        """Write it as `Figure.savefig` does, without a date and with stable names."""
        kind = str(settings.get("format") or Path(str(fname)).suffix.removeprefix(".")).lower()
        settings["metadata"] = {**UNDATED.get(kind, {}), **settings.get("metadata", {})}
        with in_style(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box stands for it in the picture
            if kind != "svg":
                super().savefig(fname, **settings)
                return
            drawn = io.StringIO()
            settings["format"] = kind
            super().savefig(drawn, **settings)
        text = _dark_at_night(drawn.getvalue())
        if isinstance(fname, (str, Path)):
            Path(fname).write_text(text, encoding="utf-8")
        else:
            fname.write(text if isinstance(fname, io.TextIOBase) else text.encode("utf-8"))

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        written = io.BytesIO()
        self.savefig(written, format="png", bbox_inches="tight")
        return written.getvalue()


def _dark_at_night(svg: str) -> str:
    """An SVG of matplotlib with the rule by which it is dark on a dark page."""
    return svg.replace("</style>", f"{NIGHT.format(what='svg')}</style>", 1)


def picture(width: float, height: float) -> Chart:
    """An empty picture of a size in inches; to be called and filled inside `in_style`."""
    drawn = Chart(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawn)
    return drawn


def write(drawn: Figure, path: Path) -> Path:
    """Write a picture, completely or not at all, and return its path; the extension gives the format.

    Raises
    ------
    ResultError
        The extension is unknown, there is no such folder, or the file cannot be written.
    """
    kind = check_file(path, PICTURE)
    with whole(path) as partial:
        drawn.savefig(partial, format=kind)
    return path


def titled(text: str, width: float) -> str:
    r"""A title in as many lines as a picture of a width in inches needs, cut after `MOST_LINES`.

    >>> titled("one two three", 0.6)
    'one two\nthree'
    """
    return for_plot(textwrap.fill(text, max(int(width * LETTERS), 1), max_lines=MOST_LINES, placeholder="…"))


def titled_beside(text: str, names: Iterable[str]) -> str:
    """A title of axes in a picture of `WIDTH`, whose rows have names beside them: it begins where those end.

    >>> titled_beside("one two three", ["x" * 34]) == "one two three"
    True
    """
    longest = max((len(name) for name in names), default=0)
    return titled(text, min(TITLE, WIDTH - LETTER * longest - EDGE))


class Scale(NamedTuple):
    """A unit for people, and how many SI units it has."""

    size: float
    name: str


TIMES = (
    (0.0, Scale(1e-3, "ms")), (1.0, Scale(1.0, "s")), (180.0, Scale(60.0, "min")), (10_800.0, Scale(3600.0, "h")),
    (3e5, Scale(86400.0, "days")),
)  # fmt: skip
BYTES = (
    (0.0, Scale(1.0, "B")), (1e3, Scale(1e3, "kB")), (1e6, Scale(1e6, "MB")), (2e9, Scale(1e9, "GB")),
    (2e12, Scale(1e12, "TB")),
)  # fmt: skip
RATES = ((0.0, Scale(1.0, "B/s")), (1e3, Scale(1e3, "kB/s")), (1e5, Scale(1e6, "MB/s")), (2e9, Scale(1e9, "GB/s")))


def scale_of(greatest: float, steps: tuple[tuple[float, Scale], ...] = TIMES) -> Scale:
    """The best unit for an axis with this greatest value, in SI units.

    >>> scale_of(7200.0).name, scale_of(95e6, RATES).name
    ('min', 'MB/s')
    """
    return [scale for least, scale in steps if (greatest or 1.0) >= least or least == 0.0][-1]


def share_edge(drawn: Figure, axis: Axes, *, columns: int = 4) -> None:
    """Put the legend of one axis below the picture."""
    handles, labels = axis.get_legend_handles_labels()
    if handles:
        drawn.legend(
            handles, labels, loc="outside lower center", ncols=min(columns, len(handles)), fontsize=SMALLER,
            handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip


def short(address: str) -> str:
    """An address as an axis shows it, without its section.

    >>> short("devices.library.drive.1"), short("hosts.server.cores")
    ('library.drive.1', 'server.cores')
    """
    return address.partition(".")[2] or address


def clipped(text: str, length: int = 34) -> str:
    """A text beside an axis, cut in its middle when it is too long; one that was clipped may be clipped again.

    >>> clipped("a-name-that-goes-on-and-on", 12)
    'a-nam…and-on'
    """
    text = of_plot(text)
    if len(text) <= length:
        return for_plot(text)
    head = (length - 1) // 2
    return for_plot(f"{text[:head]}…{text[head + 1 - length :]}")


MINUTE, HOUR, DAY = 60, 3_600, 86_400
STEPS = (
    60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, DAY, 2 * DAY, 7 * DAY, 28 * DAY, 364 * DAY,
)  # fmt: skip
"""Seconds between two marks."""
MOST = 9
"""Most marks of an axis."""


def name_times(axis: Axes, result: Result, scale: Scale) -> None:
    """Name the axis of time, whose numbers are in the unit of a scale; on the clock, mark it as clocks show it."""
    if not on_the_clock(result):
        axis.set_xlabel(f"time, {scale.name}")
        return
    low, high = (end * scale.size for end in axis.get_xlim())
    step = next((step for step in STEPS if (high - low) / step <= MOST), STEPS[-1])
    times = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    axis.set_xticks([time / scale.size for time in times], [shown(time, step) for time in times])
    axis.set_xlabel("time of day" if step < DAY else "day")
    axis.set_xlim(low / scale.size, high / scale.size)


def shown(time: int, step: int = 1) -> str:
    r"""A time after midnight of the first day, as clocks show it; at later midnights also the day.

    >>> shown(72_000), shown(86_400), shown(100_800), shown(3 * 86_400, 86_400)
    ('20:00', '00:00\nday 2', '04:00', 'day 4')
    """
    if step >= DAY:
        return f"day {time // DAY + 1}"
    clock, _, day = units.show_clock(time).partition(" ")
    return f"{clock}\n{day}" if day and time % DAY == 0 else clock
