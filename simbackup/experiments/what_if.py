"""Why each job took as long as it did, and what would change with a faster bottleneck or without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.errors import ResultError, choices
from simbackup.results.causes import Cause, split
from simbackup.results.figures import series
from simbackup.results.result import Result
from simbackup.results.rows import whole
from simbackup.results.tabled import Answer
from simbackup.run import ran
from simbackup.scenario import Scenario, Source, Value, load
from simbackup.schema.capability import ImageDevice, Piece
from simbackup.schema.job import JobSpec
from simbackup.schema.registry import device_kinds, method_kinds
from simbackup.text import html_table
from simbackup.trace.activity import WORDS, Activity, queue_of

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.style import Chart
    from simbackup.results.causes import Cause


UNLIMITED = 1e6
"""Factor for no limit: the remaining time is negligible, and figures stay exact."""
MANY = 64.0
"""Factor for countable pieces, such as drives and buffers: enough that no job waits for one."""

AT_DATA, OF_TOOL = {"start_time", "file_time"}, {"mount_time"}
"""Times of a backup program at the data, and its own."""
INVERSE, DIRECT = frozenset({"s", "s/B"}), frozenset({"B/s", "m/s", "1/s"})
"""Units of values that are lower for a faster part, and of values that are higher."""
SHARE = "1"
"""Unit of what a job loses of its time."""


NOTHING_FASTER = frozenset({Activity.OBSERVE, Activity.WAIT})
"""Activities that no part shortens."""


def resource(cause: Cause, scenario: Scenario | None = None) -> str | None:
    """The part of a scenario behind a cause, such as `devices.library.drive`; None if nothing could be made faster.

    Without the scenario a device may have the pieces of any kind.

    >>> from simbackup.results.causes import Cause
    >>> resource(Cause("devices.library.drive.2", "locate"))
    'devices.library.drive'
    >>> resource(Cause("devices.library", "wait for a drive"))
    'devices.library.drives'
    >>> resource(Cause("hosts.server.page_cache.devices.disk", "write-back"))
    'devices.disk'
    """
    section, _, rest = cause.address.partition(".")
    name, *inner = rest.split(".")
    if WORDS.get(cause.activity) in NOTHING_FASTER or not rest:
        return None
    if section == "devices":
        if inner[:1] and inner[0] in _pieces_at(scenario, name):
            return cause.address
        return _of_device(cause.activity, name, inner, _pieces(scenario, name))
    if section == "hosts" and inner[:1] == ["page_cache"]:
        return ".".join(inner[1:3])
    if section == "jobs" and {inner[0] if inner else "", ".".join(inner)} & _pieces_of_jobs(scenario, name).keys():
        return cause.address
    return f"{section}.{name}"


def _of_device(activity: str, name: str, inner: list[str], pieces: Mapping[str, Piece]) -> str | None:
    """The part behind an activity at a device: the piece that the job uses or waits for, or the device."""
    waited = [piece for piece, keys in pieces.items() if not inner and keys.waits == activity]
    piece = next((piece for piece in (*waited, *inner[:1]) if piece in pieces), None)
    if piece is not None:
        return f"devices.{name}.{piece}"
    if queue_of(activity):
        return None
    return "tool" if WORDS.get(activity) is Activity.MOUNT else f"devices.{name}"  # a program mounts frozen images


def faster(scenario: Scenario, part: str, factor: float) -> Scenario:
    """The scenario in which every time of a part is so many times shorter, and every rate as many times greater.

    Pieces that are counted, such as the drives of a library, are so many times as many, at most `MANY`. The changes
    are not checked: no such part has to exist.
    """
    factors = {value.address: _factor(scenario, part, value, factor) for value in scenario.values}
    return scenario.scaled({address: each for address, each in factors.items() if each != 1.0})


def counted(scenario: Scenario, part: str) -> bool:
    """Whether a part is pieces of which there could be more, such as the drives of a library."""
    section, name, piece = (*part.split(".", 2), "", "")[:3]
    keys = _pieces(scenario, name).get(piece) if section == "devices" else None
    return keys is not None and bool(keys.count) and not keys.times


def _factor(scenario: Scenario, part: str, value: Value, factor: float) -> float:
    """By what a value is multiplied."""
    section, name, *inner = value.address.split(".")
    section_of, _, rest = part.partition(".")
    name_of, _, piece = rest.partition(".")
    unit = value.given.unit
    by_unit = 1.0 / factor if unit in INVERSE else factor if unit in DIRECT else 1.0
    if part == "tool" or section_of == "data":  # processor work of programs and databases belongs to the host
        of_program = (
            section == "jobs" and inner[:1] == ["tool"] and inner[-1] in (OF_TOOL if part == "tool" else AT_DATA)
        )
        flushed = (section, name) == (section_of, name_of) and inner[-1] == "flush_time"
        return by_unit if of_program or flushed else 1.0
    if section == "jobs" and section_of in {"jobs", "devices"}:
        said = _said(scenario, (section_of, name_of, piece), name)
        more = 1.0 / factor if unit in {SHARE, *INVERSE} else min(factor, MANY)
        return more if ".".join(inner) in said else 1.0
    if section_of == "hosts":
        mine = section == "hosts" and name in _computers(scenario, name_of)
        return factor if mine and inner[-1] == "speed" else by_unit if mine else 1.0
    if (section, name) != (section_of, name_of):
        image = scenario.spec.devices.get(name_of) if section_of == section == "devices" else None
        taken = (
            isinstance(image, ImageDevice) and image.times_of_volume and name == image.of
        )  # its volume determines its time
        return by_unit if taken and inner[-1] in {"create_time", "remove_time"} else 1.0
    keys = _pieces(scenario, name).get(piece) if section == "devices" else None
    if keys is not None and (keys.count or keys.times):
        return min(factor, MANY) if inner == [keys.count] else by_unit if inner == [keys.times] else 1.0
    return by_unit if not piece or inner[:1] == [piece] else 1.0


def _said(scenario: Scenario, part: tuple[str, str, str], job: str) -> tuple[str, ...]:
    """What a job says of a part: of its own too few, those of the backup whose program it uses; of where it goes to."""
    section, name, piece = part
    if section == "devices":
        return _pieces_at(scenario, name).get(piece, {}).get(job, ())
    return _pieces_of_jobs(scenario, name).get(piece, ()) if job in {name, _backup(scenario, name)} else ()


def _pieces(scenario: Scenario | None, name: str) -> Mapping[str, Piece]:
    """The pieces of a device; those of every kind where it is not known which it is."""
    if scenario is not None:
        device = scenario.spec.devices.get(name)
        return device.pieces if device is not None else {}
    return {piece: keys for kind in device_kinds().values() for piece, keys in kind.spec.pieces.items()}


def _pieces_at(scenario: Scenario | None, device: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """What of jobs that go to a device limits all of them there: of each piece the keys of each job."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, job in scenario.spec.jobs.items() if scenario is not None else ():
        for piece, keys in job.pieces.items() if getattr(job, "to", None) == device else ():
            found.setdefault(piece, {})[name] = keys
    return found


def _pieces_of_jobs(scenario: Scenario | None, name: str) -> Mapping[str, tuple[str, ...]]:
    """What of a job, or of the backup that it restores, can limit it; of any job where the scenario is not known."""
    if scenario is not None:
        job = scenario.spec.jobs.get(_backup(scenario, name))
        return {**JobSpec.pieces, **job.pieces_of()} if job is not None else {}
    return {piece: keys for kind in method_kinds().values() for piece, keys in kind.spec.pieces.items()}


def _backup(scenario: Scenario, job: str) -> str:
    """The backup whose engine and tool a job uses: its own, or that of the backup that it restores."""
    spec = scenario.spec.jobs.get(job.partition(".")[0])
    return (spec.tool_of() if spec is not None else None) or job.partition(".")[0]


def _computers(scenario: Scenario, name: str) -> set[str]:
    """A host and those around it, whose cores it uses."""
    found: set[str] = set()
    below: str | None = name
    while below is not None and below not in found and below in scenario.spec.hosts:
        found.add(below)
        below = scenario.spec.hosts[below].within
    return found


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why one job took as long as it did."""

    name: str
    """The name of the job or run."""
    status: str
    """How it ended."""
    elapsed: float
    """Its seconds."""
    causes: dict[Cause, float]
    """Its seconds by cause."""
    bottleneck: str | None
    """The part with the greatest share, among those that could be faster; None without such a part."""
    share: float = 0.0
    """Seconds that are due to the bottleneck."""
    doubled: float | None = None
    """Seconds of the job with a bottleneck twice as fast; None if it then fails, or was not run."""
    without: float | None = None
    """Seconds of the job without the bottleneck; None if it then fails, or was not run."""
    next_bottleneck: str | None = None
    """The bottleneck in the run without the first one; None without such a run."""
    reason: str = ""
    """Why the job failed; empty if it did not."""
    counted: bool = False
    """Whether the bottleneck is a number of things, of which `doubled` has twice as many."""
    wait: Cause | None = None
    """A cause that takes more time than the bottleneck and that no part shortens; None without one."""

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {
            "name": self.name, "status": self.status, "reason": self.reason, "elapsed_s": self.elapsed,
            "causes": {f"{cause.address} {cause.activity}": seconds for cause, seconds in self.causes.items()},
            "bottleneck": self.bottleneck, "bottleneck_s": self.share, "doubled_s": self.doubled,
            "without_bottleneck_s": self.without, "next_bottleneck": self.next_bottleneck,
            "wait": self.wait and f"{self.wait.address} {self.wait.activity}",
        }  # fmt: skip


def reasons(
    result: Result, scenario: Scenario | None, jobs: Sequence[str] = (), *, reruns: bool = True
) -> list[Reasons]:
    """Why each job, or each of those named, took as long as it did.

    Parameters
    ----------
    result
        What was simulated.
    scenario
        Its scenario, which knows the parts that could be faster; None leaves the runs out, too.
    jobs
        Names of jobs, or of their single runs; default: all jobs.
    reruns
        Whether to run the scenario again with the bottleneck twice as fast and removed.

    Raises
    ------
    ResultError
        The result has no such job, or does not hold the whole trace.

    >>> from simbackup.scenario import load
    >>> loaded = load("teaching/one-file-from-tape")
    >>> [found] = reasons(ran(loaded), loaded, ["one_file"])
    >>> found.bottleneck, found.next_bottleneck
    ('devices.jukebox.drive', 'devices.jukebox.robot')
    """
    whole(result, "an explanation")
    rows = rows_of(result, jobs)
    again: dict[tuple[str, float], Result] = {}
    until = tuple(dict.fromkeys(series(job) for job in jobs))  # what comes later changes nothing of these

    def rerun(part: str, factor: float) -> Result | None:
        if scenario is None or not reruns:
            return None
        if (part, factor) not in again:
            again[part, factor] = ran(faster(scenario, part, factor), seed=result.record.seed, until=until)
        return again[part, factor]

    found: list[Reasons] = []
    for row in rows:
        causes = split(result, row["job"])
        part, share = _bottleneck(causes, scenario)
        one = Reasons(
            row["job"], row["status"], row["elapsed"], causes, part, share, reason=row["reason"],
            wait=_longest_wait(causes, scenario, share),
        )  # fmt: skip
        found.append(one if part is None else _what_if(one, scenario, rerun(part, 2.0), rerun(part, UNLIMITED)))
    return found


def rows_of(result: Result, jobs: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the named jobs or runs; of all jobs unless any is named.

    Raises
    ------
    ResultError
        The result has no such job.
    """
    known = [row["job"] for row in result.job_rows] if jobs else []
    named = {*known, *(name.rpartition(".")[0] for name in known)}
    for job in jobs:
        if job not in named:
            raise ResultError(f"simbackup explain: there is no job '{job}'; {choices(job, known)}")
    asked = {*jobs}
    return [row for row in result.job_rows if not asked or {row["job"], row["job"].rpartition(".")[0]} & asked]


def by_part(causes: dict[Cause, float], scenario: Scenario | None = None) -> dict[str, float]:
    """Seconds by the part that would have to be faster, the greatest first; by address where no part shortens them."""
    spent: dict[str, float] = {}
    for cause, seconds in causes.items():
        key = resource(cause, scenario) or cause.address
        spent[key] = spent.get(key, 0.0) + seconds
    return dict(sorted(spent.items(), key=lambda item: (-item[1], item[0])))


def _bottleneck(causes: dict[Cause, float], scenario: Scenario | None) -> tuple[str | None, float]:
    """The part that takes most of the time, among those that could be faster, and its seconds."""
    removable = {part for cause in causes if (part := resource(cause, scenario)) is not None}
    return next(
        ((part, seconds) for part, seconds in by_part(causes, scenario).items() if part in removable), (None, 0.0)
    )


def _longest_wait(causes: dict[Cause, float], scenario: Scenario | None, share: float) -> Cause | None:
    """The cause that takes more than so many seconds, and more than any other, if no part shortens it."""
    longest = max(causes, key=lambda cause: causes[cause], default=None)
    return longest if longest and causes[longest] > share and resource(longest, scenario) is None else None


def _what_if(one: Reasons, scenario: Scenario | None, doubled: Result | None, without: Result | None) -> Reasons:
    """The explanation with the same job in both other runs."""
    later = _bottleneck(split(without, one.name), scenario)[0] if without and _elapsed(without, one.name) else None
    after = {"doubled": _elapsed(doubled, one.name), "without": _elapsed(without, one.name)}
    many = scenario is not None and one.bottleneck is not None and counted(scenario, one.bottleneck)
    return replace(one, **after, next_bottleneck=later, counted=many)


def _elapsed(result: Result | None, job: str) -> float | None:
    """Seconds of a job that ended well."""
    row = result.row_of.get(job) if result else None
    return row["elapsed"] if row is not None and row["status"] in {"done", "late"} else None


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
        runs.setdefault((series(one.name), *rest), []).append(name)
    return [
        [some[0] if len(some) == 1 else f"{job} ({len(some):,} runs)", *rest] for (job, *rest), some in runs.items()
    ]


def _sentences(one: Reasons) -> list[str]:
    """The cells of a job's row in the table of explanations; `-` where nothing is known."""
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


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else units.show_short(seconds, "s", 3)
