"""What a study and a file of fits may ask, and what a scenario may say about values that chance decides."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Quantity, Text, Unit

MOST_GOALS = 3
"""Most goals of a search."""


class RangeSpec(Frozen):
    """Values from a first to a last one, both included."""

    first: str | int | float
    """The first value, such as `1 GB`."""
    last: str | int | float
    """The last value, such as `16 GB`."""
    count: Annotated[int, Field(ge=2, le=1000)]
    """Number of values; counts are rounded, and each is run once."""
    by: Literal["difference", "factor"] = "difference"
    """Whether consecutive values differ by the same amount or by the same factor."""


Varied = Annotated[tuple[Any, ...], Field(min_length=1)] | RangeSpec
"""What stands beside an address that is varied."""


class NarrowSpec(Frozen):
    """Runs with more and more seeds, until means are known precisely enough."""

    within: Annotated[Quantity, Unit("1", positive=True, most=1.0)]
    """When a mean is precise enough: half its 95 % interval as a share of the mean, such as `5 %`."""
    of: Names = ()
    """The figures whose means must be this precise; by default, all numbers that are shown."""
    first: Annotated[int, Field(ge=2, le=10_000)] = 10
    """Number of seeds with which each row starts."""
    most: Annotated[int, Field(ge=2, le=10_000)] = 200
    """Maximum number of seeds of each row."""


class CorrelationSpec(Frozen):
    """Two correlated inputs."""

    between: tuple[Text, Text]
    """Two uncertain inputs: their addresses, or the name under which several values are `shared`."""
    correlation: Annotated[float, Field(ge=-0.99, le=0.99)]
    """Their correlation, from -0.99 to 0.99, of how far each is from its best estimate."""


class UncertainSpec(Frozen):
    """How all assumed and fitted values vary together."""

    cases: Annotated[int, Field(ge=10, le=100_000)] = 200
    """Number of cases in which each row is run."""
    correlations: dict[Text, CorrelationSpec] = Field(default_factory=dict)
    """Correlated inputs, by any name; all others are independent."""


class SpanSpec(Frozen):
    """All values from a first to a last one; for counts, all whole numbers."""

    first: str | int | float
    """The first value, such as `1 GB`."""
    last: str | int | float
    """The last value, such as `16 GB`."""
    by: Literal["difference", "factor"] = "difference"
    """Whether values are spread by differences or by factors."""


class BoundSpec(Frozen):
    """Lower and upper limits of a figure."""

    at_least: str | int | float | None = None
    """The lower limit, such as `100 MB/s`."""
    at_most: str | int | float | None = None
    """The upper limit, such as `8 h`."""


class OptimiseSpec(Frozen):
    """Values that are chosen so that goals are met as well as possible."""

    values: Annotated[
        dict[Text, Annotated[tuple[Any, ...], Field(min_length=1)] | SpanSpec], Field(min_length=1, max_length=12)
    ]
    """The values to choose from, by address: a list, or a whole range such as `{first: 1, last: 8}`."""
    least: Names = ()
    """Goals to minimise: figures, chosen values, or names of `sums`."""
    greatest: Names = ()
    """Goals to maximise."""
    sums: dict[Text, Annotated[dict[Text, float], Field(min_length=1)]] = Field(default_factory=dict)
    """Weighted sums of figures and values in SI units, by a name, such as `price: {devices.library.robots: 4000}`."""
    limits: dict[Text, BoundSpec] = Field(default_factory=dict)
    """Limits of figures, such as `jobs.save.elapsed: {at_most: 8 h}`."""
    runs: Annotated[int, Field(ge=2, le=100_000)] = 200
    """Maximum number of combinations to try; all are tried if there are no more than this."""

    def goals(self) -> list[tuple[str, float]]:
        """The goals, each with 1 if less of it is better, and -1 if more is."""
        return [*((name, 1.0) for name in self.least), *((name, -1.0) for name in self.greatest)]

    def parts(self, goal: str) -> dict[str, float]:
        """The addresses of which a goal is made, with their weights."""
        return dict(self.sums.get(goal, {goal: 1.0}))

    def needed(self) -> tuple[str, ...]:
        """The addresses of all figures that goals and limits need."""
        return tuple(
            dict.fromkeys((*(address for name, _ in self.goals() for address in self.parts(name)), *self.limits))
        )

    def span(self, address: str) -> SpanSpec | None:
        """The range of an address; None where its values are listed."""
        values = self.values[address]
        return values if isinstance(values, SpanSpec) else None


class StudySpec(Frozen):
    """Many runs with values varied, in one table."""

    title: Text
    """What the study is about."""
    question: Text | None = None
    """The question that it answers."""
    scenarios: Annotated[dict[Text, Text], Field(min_length=1)]
    """Scenario files, by their name in the table; paths are relative to this file; names of scenarios work, too."""
    vary: dict[Text, Varied] = Field(default_factory=dict)
    """Lists or ranges of values by address; every combination is run.

    A range is `{first: 1 GB, last: 16 GB, count: 5, by: factor}`.
    """
    paired: dict[Text, Varied] = Field(default_factory=dict)
    """Lists or ranges of values by address that go together: the first ones, the second ones, and so on."""
    cases: dict[Text, Annotated[dict[Text, Any], Field(min_length=1)]] = Field(default_factory=dict)
    """Values by address that change together, by their name in the table; each case is run with all of `vary`. For
    example, volumes can grow together with their database: `10 GB: {data.db.size: 10 GB, devices.backups.size: 20 GB}`.
    """
    uncertain: bool | UncertainSpec = False
    """Whether every assumed and fitted value varies over its range, in 200 cases for each row. All rows share the same
    cases. The 90 % intervals come from these cases, unless the command asks for none.
    """
    optimise: OptimiseSpec | None = None
    """Values that are chosen for each row so that goals are met as well as possible. The table shows the best choice;
    with several goals, it shows all choices for which no other choice is better in every goal (Pareto).
    """
    compare: Text | None = None
    """A scenario or a case with which the others are compared at the same values: the difference and the ratio of each
    figure. All share their random numbers, so the interval of a difference is calculated from the pairs.
    """
    show: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Addresses of the figures shown, such as `jobs.dd.elapsed`.

    A job also has a `status`, a `reason` for it, and a `cause`, the address at which it spent most of its time.
    """
    seeds: NarrowSpec | Annotated[Quantity, Unit("count", least=2.0, most=1e4)] | None = None
    """Number of runs of each row, each with a different seed; figures are then means with intervals. One run by
    default. With `{within: 5 %, most: 200}`, there are as many runs as it takes until the interval is narrow enough.
    All rows have the same number of runs. Needs a scenario that draws random numbers: one with `chance`, or with
    jobs that may fail at random (`fails`).
    """

    def until(self) -> NarrowSpec | None:
        """When there are enough seeds; None if their number is stated."""
        return self.seeds if isinstance(self.seeds, NarrowSpec) else None

    def least_seeds(self) -> int:
        """How many seeds each row has at least."""
        if isinstance(self.seeds, NarrowSpec):
            return min(self.seeds.first, self.seeds.most)
        return int(self.seeds.si) if self.seeds else 1

    def varying(self) -> UncertainSpec | None:
        """How all uncertain values vary together; None if they do not."""
        if isinstance(self.uncertain, UncertainSpec):
            return self.uncertain
        return UncertainSpec() if self.uncertain else None


class Constant(Frozen):
    """One constant that is fitted."""

    datasheet: Text
    """The datasheet that has the constant."""
    parameter: Text
    """Its name in the datasheet, such as `outer_rate`."""
    plausible: tuple[Any, Any]
    """The physically plausible range."""
    why: Text
    """What the constant means, and why it must be fitted."""


class Fit(Constant):
    """One constant that is fitted to measured rows."""

    rows: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The measured rows that it is fitted to."""


class HistoryJob(Frozen):
    """The rows of a history that are runs of one job."""

    where: dict[Text, Names] = Field(default_factory=dict)
    """The contents of columns of these rows: `{operation: backup, level: full}`; give several words if any of them will
    do. All rows by default.
    """
    set: dict[Text, Text] = Field(default_factory=dict)
    """Values of the scenario that a row states, by address: a column, such as `size_bytes`, or one column divided by
    another, such as `new_bytes / size_bytes`.
    """


class HistorySpec(Frozen):
    """How a history of jobs (`simbackup calibrate --history jobs.csv`) relates to the scenario."""

    jobs: Annotated[dict[Text, HistoryJob], Field(min_length=1)]
    """Which rows are runs of which job of the scenario, by its name."""
    fit: Annotated[dict[Text, Constant], Field(min_length=1)] = Field(default_factory=dict[str, Constant])
    """The constants that are fitted to these runs, by any name; none where they were fitted by another scenario."""


class ChanceSpec(Frozen):
    """Values that are drawn at random, anew for each seed.

    The draws for an address depend only on the seed and on this address, so changes elsewhere do not affect them.
    Values of a repeated job are drawn for each run, values of the `change` of data for each day, and all others once
    per simulation, unless they are drawn `each_time`.
    """

    of: Names
    """Addresses of the values, such as `data.files.change.daily`, also in the templates of fleets. The file must state
    a value other than zero there, which applies without chance.
    """
    distribution: Text
    """The name of a distribution in `scipy.stats`, such as `lognorm`, `gamma`, `triang` or `poisson`. Needs the
    extra `fit`."""
    shapes: dict[Text, float] = Field(default_factory=dict)
    """Its shape parameters by their names in scipy, such as `{s: 0.5}`."""
    loc: str | int | float | None = None
    """Its location: where it begins or has its centre, as `loc` in scipy; 0 by default."""
    scale: str | int | float | None = None
    """Its scale, as `scale` in scipy; 1 in SI units by default."""
    least: str | int | float | None = None
    """The smallest value that may be drawn; required if the distribution has no lower end."""
    most: str | int | float | None = None
    """The largest value that may be drawn; required if the distribution has no upper end."""
    by: Literal["value", "factor"] = "value"
    """Whether the value itself is drawn, or a factor by which the value in the file is multiplied."""
    together: bool = False
    """Whether all these values share one draw, as in a busy night; by default, each has its own."""
    each_time: bool = False
    """Whether a time is drawn anew for each use: for each mount, load, unload and locate of a tape library, and for
    each request to an object store. Each job has its own draws, so an additional job does not change those of the
    others. Each request of a stream takes the mean of the stream's draws.
    """
