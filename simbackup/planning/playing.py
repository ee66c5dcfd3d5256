"""Simulates a night and returns the outcome of each job."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.collector import seldom
from simbackup.planning.hardware import of_policy
from simbackup.planning.night import DAY, Night, begin, job_of
from simbackup.planning.origins import Origins, scenario_of
from simbackup.planning.scenarios import OVERTIME, logs_jobs, logs_of, night_scenario, rebuilds
from simbackup.planning.site import PlannedSite
from simbackup.results.causes import spent
from simbackup.results.result import Result
from simbackup.run import NeverEndsError, ran
from simbackup.trace.activity import Activity, queue_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from simbackup.planning.loading import SiteFile
    from simbackup.scenario import Scenario

Row = Mapping[str, Any]
SHORT = 600.0
"""Least time, in seconds, that relative errors refer to."""
WORTHWHILE = 60
"""Least number of backups in nights that are simulated in parallel; fewer take less time than starting processes."""
MANY = 2_000
"""Jobs of nights that are over after which their memory is given back."""
NEVER = "never ends"
"""Beginning of the reason of a job that never ends."""
GOOD = frozenset({"done", "late"})
BEHIND = ", behind "
"""What comes after a queue in a cause: what those before spend their time on."""


class Outcome(NamedTuple):
    """The outcome of a backup or copy."""

    due: float
    """When it was due, in seconds from the midnight before the first night."""
    end: float
    """When it ended, in seconds from that midnight."""
    bytes: float
    """Bytes that it moved."""
    reason: str = ""
    """Why it failed; empty if it did not."""
    cause: str = ""
    """Its activity of most of its time, and the address; of a queue, also what those before it do."""
    failed: int = 0
    """Backups of transaction logs that failed."""
    unsaved: float = 0.0
    """Bytes that these would have saved."""


Play = Callable[[Night], Mapping[str, Outcome]]
"""Simulates a night: the outcome of each job, by the names that `job_of` gives."""


def scenario_on(file: SiteFile, night: Night, like: Scenario | None = None) -> Scenario:
    """The scenario of a night, in which transaction logs are saved as long as anything else runs; see `scenario_of`."""
    return scenario_of(file, night_scenario(file, night, overtime=True), f"on {night.day}", like=like)


@dataclass(slots=True)
class Player:
    """Simulates the nights of a site in this process. What is the same in two nights is made only once."""

    site: PlannedSite
    before: Scenario | None = None
    """The scenario of the night before."""
    jobs: int = 0
    """Jobs of nights that are over and may still take memory, as their parts know each other."""

    @seldom()
    def __call__(self, night: Night) -> dict[str, Outcome]:
        """The outcome of a night."""
        found = outcomes(self.site, night, self.result(night))
        self.jobs += len(found)
        if self.jobs >= MANY:
            gc.collect()
            self.jobs = 0
        return found

    def result(self, night: Night) -> Result:
        """A night by the simulator, in which transaction logs are saved as long as anything else runs.

        Jobs that never end are missing in it; what they need is `unfinished`.
        """
        self.before = scenario_on(self.site.file, night, self.before or self.site.first)
        lasting = [name for name in self.before.spec.jobs if not name.endswith(OVERTIME)]
        try:
            return ran(self.before, until=lasting)
        except NeverEndsError as error:
            return error.result


@dataclass(slots=True)
class Simulator:
    """Simulates nights of a site, several at once where it has worker processes."""

    site: PlannedSite
    begun: Callable[[Night, int], None] | None = None
    """Called with each night when its outcome is wanted next, and with `expected`."""
    executor: Executor | None = None
    """Worker processes, none by default."""
    at_once: int = 1
    """Nights that are simulated at once: as many as there are worker processes."""
    expected: int = 0
    """Nights that are simulated in all, as far as it is known by now."""
    player: Player = field(init=False)
    packed: bytes = b""
    """The site as worker processes get it."""

    def __post_init__(self) -> None:
        self.player = Player(self.site)

    def __call__(self, night: Night) -> Mapping[str, Outcome]:
        """The outcome of a night."""
        return next(self.each([night]))

    def each(self, nights: Sequence[Night]) -> Iterator[Mapping[str, Outcome]]:
        """The outcomes of several nights. If the worker processes end before they are done, this one simulates them."""
        done = 0
        if self.executor is not None and len(nights) > 1 and self._backups(nights) >= WORTHWHILE:
            from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 (only with worker processes)

            self.packed = self.packed or pickle.dumps(self.site)
            try:
                for outcomes in self._counted(nights, self.executor.map(partial(_in_worker, self.packed), nights)):
                    done += 1
                    yield outcomes
            except BrokenProcessPool:
                self.executor, self.at_once = None, 1
        yield from self._counted(nights[done:], map(self.player, nights[done:]))

    def _backups(self, nights: Sequence[Night]) -> int:
        """The backups of some nights."""
        return sum(len(self.site.of_policy(run.policy)) for night in nights for run in night.runs)

    def _counted(
        self, nights: Sequence[Night], outcomes: Iterator[Mapping[str, Outcome]]
    ) -> Iterator[Mapping[str, Outcome]]:
        """The outcomes of nights as they come; each is told when it is wanted."""
        for night in nights:
            if self.begun is not None:
                self.begun(night, self.expected)
            yield next(outcomes)


_players: dict[bytes, Player] = {}
"""In a worker process: what simulates the nights of its last site."""


def _in_worker(packed: bytes, night: Night) -> Mapping[str, Outcome]:
    """The outcome of a night in a worker process, which unpacks a site only once."""
    if packed not in _players:
        _players.clear()
        _players[packed] = Player(pickle.loads(packed))  # noqa: S301 (of the process that started this one)
    return _players[packed](night)


def of_site(play: Play | None, site: PlannedSite) -> Play:
    """What simulates the nights of a site: the simulator, by default and where it was made for another form of it."""
    if play is None:
        return Simulator(site)
    return replace(play, site=site, packed=b"") if isinstance(play, Simulator) and play.site is not site else play


def outcomes(site: PlannedSite, night: Night, result: Result) -> dict[str, Outcome]:
    """The outcome of each job of a night in a result of its scenario."""
    rows, origins = {str(row["job"]): row for row in result.job_rows}, Origins(site.file, {})
    stopped = max((float(row["end"]) for row in rows.values()), default=0.0)  # the next night begins anew
    endless = {name: f"{NEVER}: {origins.worded(needs)}" for name, needs in result.unfinished.items()}
    logs: dict[str, list[Row]] = {}
    for row in result.job_rows:
        logs.setdefault(logs_of(str(row["job"])), []).append(row)
    found, cause = dict[str, Outcome](), _causes(result, origins)
    for run in night.runs:
        due = run.later * DAY + begin(site.file.spec.policies[run.policy].at)
        for system in of_policy(site.file, run.policy):
            for copy in ("", *run.copies, *dict.fromkeys(made.name for made in run.made)):
                name = job_of(system, run.later, copy)
                if name in endless:
                    found[name] = Outcome(due, max(stopped, due), 0.0, endless[name])
                    continue
                row = rows[name]
                reason = "" if row["status"] in GOOD else origins.worded(str(row["reason"]))
                found[name] = Outcome(due, float(row["end"]), float(row["bytes"]), reason, cause(name))
            for name in logs_jobs(site.file.spec.policies[run.policy], system, run.later).values():
                if name in endless:
                    found[name] = Outcome(due, max(stopped, due), 0.0, endless[name])
                elif name in logs:
                    found[name] = _longest(due, logs[name], cause, night.logs[job_of(system, run.later)])
    lasting: Row = {"due": stopped, "end": stopped, "reason": NEVER}
    rebuilt = {name: rows.get(name, lasting) for name in rebuilds(site.file, night)}
    return found | {
        name: Outcome(float(row["due"]), float(row["end"]), 0.0, origins.worded(str(row["reason"])))
        for name, row in rebuilt.items()
    }


def _causes(result: Result, origins: Origins) -> Callable[[str], str]:
    """What jobs of a night spend most of their time on, in words; of a queue, also what those in it do."""
    waiting: dict[str, list[str]] = {}
    for job, one in result.scenario.spec.jobs.items():
        for queue in one.queues if job in result.row_of else ():
            waiting.setdefault(queue, []).append(job)

    @cache
    def behind(queue: str) -> str:
        members = waiting.get(queue.rpartition(".")[2], ())
        parts = spent(part for job in members for part in result.causes(job).items() if not queue_of(part[0].activity))
        first = max(parts, key=lambda part: parts[part], default=None)
        return "" if first is None else f"{BEHIND}{first.activity} on {origins.called(first.address)}"

    def cause(job: str) -> str:
        address, activity = next(iter(result.causes(job)), ("", ""))
        after = behind(address) if queue_of(activity) == Activity.WAIT_FOR_TURN.queue else ""
        return f"{activity} on {origins.called(address)}{after}" if activity else ""

    return cause


def _longest(due: float, rows: Sequence[Row], cause: Callable[[str], str], each: float) -> Outcome:
    """The backups of transaction logs of a night as one, as long as the longest of them; it fails if one does.

    Each saves so many bytes.
    """
    longest = max(rows, key=lambda row: float(row["end"]) - float(row["due"]))
    reason = next((str(row["reason"]) for row in rows if row["status"] not in GOOD), "")
    took, size = float(longest["end"]) - float(longest["due"]), sum(float(row["bytes"]) for row in rows)
    failed = sum(row["status"] not in GOOD for row in rows)
    return Outcome(due, due + took, size, reason, cause(str(longest["job"])), failed, failed * each)


def differences(
    found: Mapping[str, Outcome], guessed: Mapping[str, Outcome], windows: Collection[str]
) -> dict[str, float]:
    """The error of each guessed elapsed time: a share of it for jobs with a window, of the longest job for others.

    Times below ten minutes count as ten minutes. The error is 1 if a job fails and its guess does not, or the reverse.
    """
    longest = max((one.end - one.due for one in found.values()), default=0.0)

    def difference(name: str, one: Outcome, other: Outcome) -> float:
        if bool(one.reason) != bool(other.reason):
            return 1.0
        return abs(one.end - other.end) / max(one.end - one.due if name in windows else longest, SHORT)

    return {name: difference(name, found[name], other) for name, other in guessed.items()}
