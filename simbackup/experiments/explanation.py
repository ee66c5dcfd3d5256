"""Explanations of the time of jobs, as an object that a notebook shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup import units
from simbackup.errors import ResultError, choices
from simbackup.experiments.what_if import Reasons, reasons
from simbackup.results.result import Result
from simbackup.results.tabled import Answer
from simbackup.run import ran
from simbackup.scenario import Scenario, Source, load
from simbackup.text import html_table

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.style import Chart

COLUMNS = ("job", "elapsed", "bottleneck", "its share", "twice as fast", "without it", "then limits")
RIGHT = frozenset({"elapsed", "its share", "twice as fast", "without it"})
"""Columns of figures."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Answer):
    """Why the jobs of a result took as long as they did, and their time with a faster bottleneck or without it."""

    result: Result
    found: tuple[Reasons, ...]

    def __repr__(self) -> str:
        return f"Explanation({self.result.record.scenario!r}, {', '.join(f'{n}: {b}' for n, b in self._limits())})"

    def _limits(self, most: int = 3) -> list[tuple[str, str]]:
        """The first jobs, each with its bottleneck."""
        rows = [(one.name, one.bottleneck or "-") for one in self.found]
        return rows if len(rows) <= most else [*rows[:most], (f"{len(rows) - most} more jobs", "...")]

    def __getitem__(self, job: str) -> Reasons:
        """The explanation of one run of a job.

        Raises
        ------
        ResultError
            There is no explanation of that job.
        """
        for one in self.found:
            if one.name == job:
                return one
        raise ResultError(f"the job '{job}' is not explained here; {choices(job, [one.name for one in self.found])}")

    @property
    def headline(self) -> str:
        """What is explained: the title of the scenario."""
        return self.result.record.title

    @property
    def intervals(self) -> pd.DataFrame:
        """Table of the 90 % intervals of the elapsed times of these jobs, in seconds."""
        every = self.result.intervals
        return every[every.index.isin([f"jobs.{one.name}.elapsed" for one in self.found])]

    @property
    def warnings(self) -> Sequence[str]:
        """Keys of the scenario that had no effect in the run."""
        return self.result.warnings

    def figure(self) -> Chart:
        """The main picture: where the time of each job went."""
        return self.result.plot.causes()

    @property
    def frame(self) -> pd.DataFrame:
        """Table with one row per job: elapsed seconds, bottleneck, and seconds with it twice as fast and without it."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        rows = [
            (o.name, o.elapsed, o.bottleneck, o.share / (o.elapsed or 1.0), o.doubled, o.without, o.next_bottleneck)
            for o in self.found
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS)).set_index("job")

    @property
    def causes(self) -> pd.DataFrame:
        """Table of the seconds of each job by address and activity; they add up to its elapsed time."""
        import pandas as pd  # noqa: PLC0415

        rows = [
            (one.name, cause.address, cause.activity, seconds, seconds / (one.elapsed or 1.0))
            for one in self.found
            for cause, seconds in one.causes.items()
        ]
        return pd.DataFrame(rows, columns=["job", "address", "activity", "seconds", "share"])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html_table(COLUMNS, _rows(self.found), right=RIGHT)


def explain(
    what: Result | Scenario | Source,
    *jobs: str,
    overrides: Mapping[str, object] | None = None,
    seed: int = 0,
    reruns: bool = True,
) -> Explanation:
    """Explain why jobs took as long as they did, with runs in which the bottleneck is twice as fast, or removed.

    Parameters
    ----------
    what
        A result; or a scenario, or anything that `load` accepts, which is then run.
    *jobs
        Names of jobs; default: all.
    overrides
        Values by address that replace those of the scenario; a result has its own.
    seed
        Seed of all random streams; a result has its own.
    reruns
        Whether to run it again with the bottleneck twice as fast and without it; for a long run, that takes long, too.

    Raises
    ------
    InputError
        Something is wrong with the scenario.
    ResultError
        There is no such job.

    >>> explain("teaching/one-file-from-tape", "one_file")["one_file"].bottleneck
    'devices.jukebox.drive'
    """
    if isinstance(what, Result):
        result, scenario = what, what.scenario
    else:
        scenario = what if isinstance(what, Scenario) else load(what)
        scenario = scenario.with_(overrides) if overrides else scenario
        result = ran(scenario, seed=seed)
    return Explanation(result, tuple(reasons(result, scenario, jobs, reruns=reruns)))


def _rows(found: Sequence[Reasons]) -> list[list[str]]:
    """The fields of each row; runs of one job with the same explanation share a row."""
    runs: dict[tuple[str, ...], list[str]] = {}
    for one in found:
        name, *rest = _sentences(one)
        runs.setdefault((_series(one.name), *rest), []).append(name)
    return [
        [some[0] if len(some) == 1 else f"{job} ({len(some):,} runs)", *rest] for (job, *rest), some in runs.items()
    ]


def _sentences(one: Reasons) -> list[str]:
    """The fields of a job; a dash where there is none."""
    share = f"{one.share / one.elapsed:.0%}" if one.bottleneck and one.elapsed else "-"
    later = one.next_bottleneck
    then = "the same" if later and later == one.bottleneck else later or "-"
    return [
        one.name if one.status == "done" else f"{one.name} ({one.status})",
        _time(one.elapsed),
        one.bottleneck or "-",
        share,
        _time(one.doubled),
        _time(one.without),
        then,
    ]


def _series(job: str) -> str:
    """The name of a job as it was written, of one of its runs."""
    name, _, number = job.rpartition(".")
    return name if name and number.isdigit() else job


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else units.show_short(seconds, "s", 3)
