"""The pictures of one result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.errors import ResultError
from simbackup.plots.drives import drives
from simbackup.plots.rates import throughput, utilisation
from simbackup.plots.reproduction import row_by_row
from simbackup.plots.style import Chart
from simbackup.plots.timeline import causes, timeline
from simbackup.results.compare import rows_of_scenario

if TYPE_CHECKING:
    from simbackup.results.result import Result


class Plots:
    """Pictures of a result. Each call gives a new figure of matplotlib; pyplot is not touched.

    >>> import simbackup as sb
    >>> figure = sb.simulate("teaching/one-file-from-tape").plot.timeline()
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['full', 'one_file', 'twenty_files']
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def timeline(self) -> Chart:
        """Gantt chart of the jobs, coloured by activity, with windows, and marks for those that failed."""
        return timeline(self._result)

    def utilisation(self) -> Chart:
        """Busy share of each device and link over time."""
        return utilisation(self._result)

    def throughput(self) -> Chart:
        """Bytes a second of each device and link over time."""
        return throughput(self._result)

    def causes(self, job: str | None = None) -> Chart:
        """Stacked bar of the elapsed time of each job, or of one, by cause."""
        return causes(self._result, job)

    def drives(self) -> Chart:
        """States of tape drives and robots over time, and how many wait for them."""
        return drives(self._result)

    def compare(self) -> Chart:
        """Measured beside simulated with the band of 10 %, for the rows that this scenario alone reproduces.

        Raises
        ------
        ResultError
            No measured row depends on this scenario alone.
        """
        rows = rows_of_scenario(self._result)
        if not rows:
            raise ResultError(
                f"{self._result.record.scenario} alone reproduces no measured row; choose another picture"
            )
        return row_by_row(rows)


KINDS = ("timeline", "utilisation", "throughput", "causes", "drives", "compare")
"""Names of the pictures of a result."""
