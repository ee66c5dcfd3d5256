"""A result: what a run recorded, the tables made from it, and its inputs and assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.errors import ResultError
from simbackup.output.whole import log
from simbackup.results.causes import Cause, SpansOfJobs, spent, split
from simbackup.results.figures import GOOD, Figures
from simbackup.results.floors import Crossed, Least, certain, floors
from simbackup.results.record import Record, UsedValue, used_values
from simbackup.results.rows import ASSUMPTION, SOURCE, assumption_rows, device_rows, job_rows, source_rows, whole
from simbackup.results.shown import DEVICES, JOBS, USERS, noted, shown, table
from simbackup.results.tabled import Answer
from simbackup.scenario import Scenario
from simbackup.scenario.idle_keys import idle_keys
from simbackup.trace.trace import Span, Trace
from simbackup.workloads.impact import IMPACT

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.drawing.layout import Layout
    from simbackup.drawing.picture import Picture
    from simbackup.plots.of_result import Plots
    from simbackup.plots.style import Chart
    from simbackup.scenario.kept import Kept


def ended_well(trace: Trace) -> bool:
    """Whether no job of a run failed and none was skipped."""
    return all(status in GOOD for status in trace.jobs.column("status"))


class Result(Answer):
    """The result of a run of a scenario.

    `jobs` and `devices` are tables (pandas), `get` reads one figure, `sources` and `assumptions` list what
    the figures depend on, `compare` compares them with measurements, `save` writes everything and `load` reads it back.
    """

    def __init__(
        self, record: Record | Callable[[], Record], values: list[UsedValue] | None, trace: Trace,
        layout: Layout | None = None, made_from: Scenario | Kept | None = None,
    ) -> None:  # fmt: skip
        self._record = record  # or what makes it, as few runs of many are asked for theirs
        self.trace = trace
        self.made_from = made_from
        self.reads: AbstractSet[str] | None = None  # what the run read of its scenario, if that is known
        self.crossed: Crossed = {}  # what the bytes of each run of a job take of lines; not kept in a folder
        self.unfinished: Mapping[str, str] = {}  # jobs that never end, with what each needs; not kept in a folder
        self._values = values
        self._layout = layout

    def __repr__(self) -> str:
        jobs = f"{len(self.job_rows)} job{'s'[: len(self.job_rows) != 1]}"
        run = f"{units.show_short(self.end, 's', 3)}, hash {self.record.hash}, seed {self.record.seed}"
        return f"Result({self.record.scenario!r}, {jobs}, {run})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the jobs, and below them the origins of their inputs."""
        return shown(self)

    @cached_property
    def record(self) -> Record:
        """The record of the run."""
        return self._record() if callable(self._record) else self._record

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario that was run. If its file has changed since, a line on standard error says so.

        Raises
        ------
        ResultError
            The result has no scenario, or this version of simbackup reads it differently.
        InputError
            This version of simbackup requires more than the version that ran it.
        """
        made_from = self.made_from
        if isinstance(made_from, Scenario):
            return made_from
        if made_from is None:
            raise ResultError(f"the result of '{self.record.scenario}' does not hold its scenario")
        scenario = made_from.scenario()
        if made_from.changed():
            log.warning("'%s' or one of its datasheets has changed; this is about the old run", made_from.name)
        return scenario

    @cached_property
    def values(self) -> list[UsedValue]:
        """The values that the result depends on, with their origins."""
        return used_values(self.scenario) if self._values is None else self._values

    @cached_property
    def layout(self) -> Layout | None:
        """The parts of the simulated system, as pictures show them; None if the result was saved without them."""
        from simbackup.drawing.layout import layout_of  # noqa: PLC0415 (few runs are drawn)

        own = isinstance(self.made_from, Scenario) and self._layout is None
        return layout_of(self.scenario) if own else self._layout

    @property
    def works(self) -> dict[str, dict[str, Any]]:
        """The works that these values cite, by key: author, title, year and so on."""
        made_from = self.made_from
        return {} if made_from is None else {key: node.plain() for key, node in made_from.library.works.items()}

    @cached_property
    def end(self) -> float:
        """Seconds from the start until everything had ended."""
        return self.trace.end

    @cached_property
    def least(self) -> dict[str, Least]:
        """The shortest possible time of each run of a job, by name; empty if the result was loaded from a folder.

        It is that of the lines whose rates are certain.
        """
        return floors(self.job_rows, certain(self.crossed, self.scenario.spec)) if self.crossed else {}

    @cached_property
    def spans(self) -> Mapping[str, list[Span]]:
        """What each job did, by its address; the spans of a job are made when they are read."""
        return SpansOfJobs(whole(self, "an explanation").spans)

    @cached_property
    def job_rows(self) -> list[dict[str, Any]]:
        """One mapping for each run of a job: times in seconds, bytes, files, bytes per second, status.

        `rate` is bytes per elapsed second; `transfer_rate` leaves out the time in which no data moved, such as mounts.
        """
        return job_rows(self.trace)

    @cached_property
    def row_of(self) -> dict[str, dict[str, Any]]:
        """The row of each run of a job, by its name."""
        return {row["job"]: row for row in self.job_rows}

    @property
    def all_ended_well(self) -> bool:
        """Whether no job failed and none was skipped."""
        return ended_well(self.trace)

    @property
    def fleets(self) -> Mapping[str, Sequence[str]]:
        """The parts of fleets, by the address of their template."""
        return self.made_from.fleets if isinstance(self.made_from, Scenario) else self.record.fleets

    @cached_property
    def warnings(self) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Keys of the scenario that had no effect in the run, each with its place.

        None are known where a job failed or was skipped, as keys may not have come to have their effect, and where the
        run ended before all jobs had.
        """
        if self.reads is None or not isinstance(self.made_from, Scenario):
            return self.record.warnings
        return [str(warning) for warning in idle_keys(self.made_from, self.reads)]

    @cached_property
    def device_rows(self) -> list[dict[str, Any]]:
        """One mapping for each device: busy share, busy seconds, bytes, peak bytes per second.

        `busy` is the share of the time from the first start to the last end of any job; `busy_window` that of the
        windows and deadlines, from when their jobs were due, where any job has one. `busy_s` are of the whole run.
        """
        return device_rows(self.trace, self.job_rows)

    @cached_property
    def user_rows(self) -> list[dict[str, Any]]:
        """The impact of each run of a job on users: throughput lost, lock waits, slower queries, waits at networks.

        `offered` are the transactions that users requested while the job ran. For users who wait for each one to end,
        they are those that would have completed without the job. `served` are those completed, `rate` is per second.
        """
        return [{"users": event.address, **event.data} for event in self.trace.events if event.what == IMPACT]

    @property
    def users(self) -> pd.DataFrame:
        """Table of the impact of each run of a job on users, with the columns that `user_rows` explains."""
        return table(self.user_rows, USERS)

    @property
    def jobs(self) -> pd.DataFrame:
        """Table of the jobs by their names, with the columns that `job_rows` explains."""
        return table(self.job_rows, JOBS).set_index("job")

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: that of the jobs."""
        return self.jobs

    @property
    def headline(self) -> str:
        """The title of the scenario."""
        return self.record.title

    def figure(self) -> Chart:
        """The main picture: the timeline of the jobs."""
        return self.plot.timeline()

    @property
    def devices(self) -> pd.DataFrame:
        """Table of the devices, with the columns that `device_rows` explains."""
        within = ["busy_window"] if any("busy_window" in row for row in self.device_rows) else []
        return table(self.device_rows, [*DEVICES[:3], *within, *DEVICES[3:]])

    @property
    def plot(self) -> Plots:
        """Pictures of the result, such as `plot.timeline()`; they need matplotlib."""
        from simbackup.plots.of_result import Plots  # noqa: PLC0415 (matplotlib is an extra, and slow to import)

        return Plots(self)

    def activities(self, job: str) -> dict[tuple[str, str], float]:
        """Seconds that all streams of a job spent, by cause (an address) and activity, in order of appearance.

        `causes` gives only those of the critical path.
        """
        parts = (part for span in self.spans.get(f"jobs.{job}", ()) for part in span.split)
        return spent(((part.cause, part.activity), part.seconds) for part in parts)

    def causes(self, job: str) -> dict[Cause, float]:
        """Seconds of one run of a job along its critical path, by cause (an address) and activity; the greatest first.

        Raises
        ------
        ResultError
            The result has no such job.
        """
        return split(self, job)

    def get(self, address: str) -> float:
        """The figure at an address such as `jobs.dd.elapsed`, `links.lan.busy` or `data.db.size`, in SI units.

        Raises
        ------
        ResultError
            The result has no such figure.
        """
        return self._figures[address]

    @cached_property
    def figures(self) -> dict[str, float]:
        """Every figure of the jobs that ended well, of devices, users and fleets, by its address, in SI units."""
        return self._figures.every()

    @cached_property
    def intervals(self) -> pd.DataFrame:  # pyright: ignore[reportIncompatibleMethodOverride] (kept)
        """Table of all figures by address: the value, the ends `low` and `high` of its 90 % interval, and the SI unit.

        The scenario is run again in some tens of cases of its uncertain values; in none if it is very large, and the
        table is empty then. Times on the clock have no interval.
        """
        return import_module("simbackup.experiments.intervals").frame_of(self)  # it runs scenarios

    @cached_property
    def _figures(self) -> Figures:
        return Figures(self)

    def sources(self) -> pd.DataFrame:
        """Table of all values with basis and source; each as a number with its SI unit, and as written in the file."""
        return table(source_rows(self.values, self.works), SOURCE)

    def assumptions(self) -> pd.DataFrame:
        """Table of the assumed values, with the ends of the range in the same unit, and the reason."""
        return table(assumption_rows(self.values), ASSUMPTION)

    def bases(self) -> dict[str, int]:
        """Number of values of each basis."""
        return dict(Counter(value.basis for value in self.values).most_common())

    def compare(self) -> pd.DataFrame:
        """Table of measured and simulated figures, for the measured rows that need only this scenario."""
        from simbackup.results.compare import rows_of_scenario  # noqa: PLC0415

        columns = ["id", "operation", "measured", "simulated", "unit", "error", "role", "within"]
        return table([row.as_dict() for row in rows_of_scenario(self)], columns)

    def as_dict(self) -> dict[str, list[dict[str, Any]]]:
        """The tables as plain data: `jobs` and `devices`, and `users` and `notes` where there are any."""
        tables = {"jobs": self.job_rows, "devices": self.device_rows, "users": self.user_rows}
        return {name: rows for name, rows in tables.items() if rows or name != "users"} | noted(self.trace)

    @property
    def picture(self) -> Picture:
        """The picture of the system that was simulated, which a notebook shows.

        Raises
        ------
        ResultError
            The result was saved by a version that did not save the layout of the system.
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
            The name does not end with `.json`, the folder does not exist, or the file cannot be written.
        """
        from simbackup.results import chrome_trace  # noqa: PLC0415

        trace = chrome_trace.chrome_trace(self)
        return trace if path is None else chrome_trace.write(trace, path)

    def report(self, path: str | Path) -> Path:
        """Write a report and return its path: one self-contained HTML page.

        `simbackup.report` has more options.
        """
        return import_module("simbackup").report(self, path)  # it runs scenarios, which a result must not import

    def save(self, folder: str | Path) -> Path:
        """Write the whole result (run record, tables, trace) to a folder, all or nothing, and return the folder.

        An older result is replaced, if the folder holds nothing but its unchanged files.

        Raises
        ------
        ResultError
            The folder cannot be written, or holds files that the program did not write.
        """
        from simbackup.results.folder import put  # noqa: PLC0415
        from simbackup.results.saved import write  # noqa: PLC0415

        return put(Path(folder), partial(write, self))

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Load a result that `save` wrote. A note on standard error says if another version of simbackup wrote it.

        Raises
        ------
        ResultError
            The folder holds no result, one of another format, or one that was damaged or changed since.
        """
        from simbackup.results.saved import read  # noqa: PLC0415

        return cls(*read(Path(folder)))
