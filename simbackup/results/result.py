"""A result: what a run recorded, the tables made from it, and its inputs and assumptions."""

from __future__ import annotations

from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup import datasheets, units
from simbackup.drawing.layout import Layout
from simbackup.engine.trace import Trace
from simbackup.errors import ResultError, choices
from simbackup.output.target import TRACE, check_file
from simbackup.results.fleet_figures import job_figures, jobs_of, times_in_use
from simbackup.results.folder import put
from simbackup.results.record import Record, Rest
from simbackup.results.rows import device_rows, job_rows
from simbackup.workloads.impact import IMPACT

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.drawing.picture import Picture
    from simbackup.plots.of_result import Plots

SHOWN_JOB = (
    "job", "method", "start", "elapsed", "bytes", "files", "rate", "transfer_rate", "waits", "lock", "status", "reason",
)  # fmt: skip
KEYS = frozenset({"job", "device"})
"""Columns that name a row."""
SHOWN_DEVICE = ("device", "kind", "busy", "bytes", "peak")


class Result:
    """The result of a run of a scenario.

    `jobs` and `devices` are tables (pandas), `get` reads one figure, `sources` and `assumptions` list what
    the figures depend on, `compare` compares them with measurements, `save` writes everything and `load` reads it back.
    """

    def __init__(self, record: Record, values: list[Rest], trace: Trace, layout: Layout | None = None) -> None:
        self.record = record
        self.values = values
        self.trace = trace
        self.layout = layout

    @cached_property
    def end(self) -> float:
        """Seconds from the start until everything had ended."""
        ends = [float(job.data["end"]) for job in self.trace.jobs]
        rates = [rate.time for rate in self.trace.rates]
        return max([*ends, *rates], default=0.0)

    @cached_property
    def job_rows(self) -> list[dict[str, Any]]:
        """One mapping for each run of a job: times in seconds, bytes, files, bytes a second, status.

        `rate` is bytes over the elapsed time; `transfer_rate` leaves out the time in which none moved, as in a mount.
        """
        return job_rows(self.trace)

    @property
    def all_ended_well(self) -> bool:
        """Whether no job failed and none was skipped."""
        return all(job.data["status"] in {"done", "late"} for job in self.trace.jobs)

    @cached_property
    def device_rows(self) -> list[dict[str, Any]]:
        """One mapping for each device: busy share, seconds busy, bytes, greatest bytes a second.

        `busy` is the share of the time from the first start to the last end of any job; `busy_window` that of the
        windows and deadlines, from when their jobs were due, where any job has one. `busy_s` are of the whole run.
        """
        return device_rows(self.trace, self.job_rows)

    @cached_property
    def user_rows(self) -> list[dict[str, Any]]:
        """The impact of each run of a job on users: throughput lost, lock waits, slower queries, waits at networks.

        `offered` are the transactions that they asked for while it ran; for users who wait for each before the next,
        those that they would have completed undisturbed. `served` are those completed, `rate` those per second.
        """
        return [{"users": event.address, **event.data} for event in self.trace.events if event.what == IMPACT]

    @property
    def users(self) -> pd.DataFrame:
        """Table of the impact of each run of a job on users, with the columns that `user_rows` explains."""
        import pandas as pd  # noqa: PLC0415

        columns = [
            "users",
            "job",
            "offered",
            "served",
            "rate",
            "lost",
            "waited",
            "mean_wait",
            "longest_wait",
            "slowdown",
        ]
        columns += ["network_wait", "timed_out"]
        return pd.DataFrame(self.user_rows, columns=columns)

    @property
    def jobs(self) -> pd.DataFrame:
        """Table of the jobs, with the columns that `job_rows` explains."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return pd.DataFrame(self.job_rows, columns=[*SHOWN_JOB[:3], "end", *SHOWN_JOB[3:]])

    @property
    def devices(self) -> pd.DataFrame:
        """Table of the devices, with the columns that `device_rows` explains."""
        import pandas as pd  # noqa: PLC0415

        within = ["busy_window"] if any("busy_window" in row for row in self.device_rows) else []
        return pd.DataFrame(self.device_rows, columns=[*SHOWN_DEVICE[:3], *within, *SHOWN_DEVICE[3:], "busy_s"])

    @property
    def plot(self) -> Plots:
        """Pictures of it, such as `plot.timeline()`; they need matplotlib."""
        from simbackup.plots.of_result import Plots  # noqa: PLC0415 (matplotlib is an extra, and slow to import)

        return Plots(self)

    def activities(self, job: str) -> dict[tuple[str, str], float]:
        """Seconds that all streams of a job spent, by cause (an address) and activity, in order of appearance.

        `results.causes.split` gives those of the critical path alone.
        """
        spent: dict[tuple[str, str], float] = {}
        for span in self.trace.spans:
            for cause, activity, seconds in span.split if span.job == f"jobs.{job}" else ():
                spent[cause, activity] = spent.get((cause, activity), 0.0) + seconds
        return spent

    def get(self, address: str) -> float:
        """The figure at an address such as `jobs.dd.elapsed`, `links.lan.busy` or `data.db.size`, in SI units.

        Raises
        ------
        ResultError
            The result has no such figure.
        """
        section, _, rest = address.partition(".")
        name, _, column = rest.rpartition(".")
        owner = address.rpartition(".")[0]
        named = [(f"jobs.{row['job']}", row) for row in self.job_rows]
        named += [(str(row["device"]), row) for row in self.device_rows]
        for own, row in named:
            if own == owner and isinstance(row.get(column), (int, float)):
                return float(row[column])
        for row in self.user_rows:
            if address == f"{row['users']}.{row['job']}.{column}" and column in row:
                return float(row[column])
        for value in self.values:
            if value.address == address:
                return value.value
        down = [
            e.data["seconds"] for e in self.trace.events if (e.address, e.what) == (f"{section}.{name}", "was down")
        ]
        if column == "down" and down:
            return sum(down)
        more = self._figures_of_many(f"{section}.{name}")
        if column in more:
            return more[column]
        known = [f"{section}.{name}.{c}" for c in more]
        known += [f"{own}.{c}" for own, row in named if own.startswith(f"{section}.") for c in row if c not in KEYS]
        raise ResultError(f"the result has no figure '{address}'; {choices(address, known)}")

    def _figures_of_many(self, address: str) -> dict[str, float]:
        """Figures of all jobs of a fleet or of one of its templates, or of the times in which a device was in use."""
        parts = [
            part
            for template, each in self.record.fleets.items()
            if template == address or template.startswith(f"{address}.")
            for part in each
        ]
        rows = jobs_of(self.job_rows, parts)
        return job_figures(rows) if rows else times_in_use(self.trace, address, self.end) or {}

    def sources(self) -> pd.DataFrame:
        """Table of every value with its basis and source."""
        import pandas as pd  # noqa: PLC0415

        works = datasheets.sources()
        rows = [
            {
                "address": v.address, "value": units.show_short(v.value, v.unit), "basis": v.basis,
                "source": str(works[v.source].mapping["title"].value) if v.source in works else v.place,
                "at": v.at or "",
            }
            for v in self.values
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["address", "value", "basis", "source", "at"])

    def assumptions(self) -> pd.DataFrame:
        """Table of the assumed values, with range and reason."""
        import pandas as pd  # noqa: PLC0415

        rows = [
            {
                "address": v.address, "value": units.show_short(v.value, v.unit),
                "low": units.show_short(v.low, v.unit), "high": units.show_short(v.high, v.unit), "why": v.why,
            }
            for v in self.values
            if v.basis == "assumed" and v.low is not None and v.high is not None
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["address", "value", "low", "high", "why"])

    def bases(self) -> dict[str, int]:
        """How many values each basis has."""
        counts: dict[str, int] = {}
        for value in self.values:
            counts[value.basis] = counts.get(value.basis, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    def compare(self) -> pd.DataFrame:
        """Table of measured beside simulated, for the measured rows that this scenario alone reproduces."""
        import pandas as pd  # noqa: PLC0415

        from simbackup.results.compare import rows_of_scenario  # noqa: PLC0415

        rows = [row.as_dict() for row in rows_of_scenario(self)]
        columns = ["id", "operation", "measured", "simulated", "unit", "error", "role", "within"]
        return pd.DataFrame(rows, columns=columns)

    def as_dict(self) -> dict[str, list[dict[str, Any]]]:
        """The tables as plain data: `jobs` and `devices`, and `users` where there are any."""
        tables = {"jobs": self.job_rows, "devices": self.device_rows}
        return tables | {"users": self.user_rows} if self.user_rows else tables

    @property
    def picture(self) -> Picture:
        """The picture of the system that was simulated, which a notebook shows.

        Raises
        ------
        ResultError
            The result was saved by a version that kept no layout of the system.
        """
        from simbackup.drawing.picture import Picture  # noqa: PLC0415

        if self.layout is None:
            raise ResultError("the result holds no layout of its system; draw its scenario instead")
        return Picture(self.layout)

    def chrome_trace(self, path: str | Path | None = None) -> dict[str, Any]:
        """The trace in the format that Perfetto and chrome://tracing open, also written to a file if one is named.

        Raises
        ------
        ResultError
            Its name does not end with `.json`, there is no such folder, or it cannot be written; nothing is left then.
        """
        from simbackup.output.whole import write_whole  # noqa: PLC0415
        from simbackup.results import chrome_trace  # noqa: PLC0415

        if path is not None:
            check_file(path, TRACE)
        trace = chrome_trace.chrome_trace(self)
        if path is not None:
            write_whole(path, chrome_trace.text(trace))
        return trace

    def report(self, path: str | Path) -> Path:
        """Write a report and return its path: one self-contained HTML page.

        `simbackup.report` compares several results, and has more options.
        """
        report = import_module("simbackup").report  # it runs what-if scenarios, which a result must not import
        return report([self], path)

    def save(self, folder: str | Path) -> Path:
        """The folder into which the whole result was written: run record, tables, trace. All or nothing.

        An older result is replaced, if the folder holds nothing but its unchanged files.

        Raises
        ------
        ResultError
            The folder cannot be written, or holds files that the program did not write.
        """
        from simbackup.results.saved import write  # noqa: PLC0415

        return put(Path(folder), partial(write, self))

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """The result that `save` wrote, with a note on standard error if another version of the program did.

        Raises
        ------
        ResultError
            The folder holds no result, one of another format, or one that was damaged or changed since.
        """
        from simbackup.results.saved import read  # noqa: PLC0415

        return cls(*read(Path(folder)))
