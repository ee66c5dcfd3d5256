"""What jobs and workloads take of links while a simulation runs, from event to event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from simbackup.engine.network import FlowNetwork

LESS = 1e-6
"""Share by which a figure is less, rather than rounded."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a flow moved in some time, what it took of its links meanwhile, and which of its activities it was."""

    begin: float
    end: float
    activity: str
    moved: float
    units: Mapping[str, float]


class Step(NamedTuple):
    """How long a job took to move so much, and the units a second that others took of a link meanwhile."""

    seconds: float
    moved: float
    others: float


@dataclass(slots=True)
class Watch:
    """What each job and each workload took of all links, between one event and the next."""

    pieces: dict[str, list[Piece]] = field(default_factory=dict[str, list[Piece]])
    capacities: dict[str, float] = field(default_factory=dict[str, float])
    turning: set[str] = field(default_factory=set[str])
    round: set[str] = field(default_factory=set[str])
    """Who has requests that go round, or a law of its own: all that it crosses decides its rate, not one link."""

    def note(self, network: FlowNetwork, until: float) -> None:
        """Note the rates of now, which stay until a time."""
        now = float(network.env.now)
        for flow in network.flows:
            if flow.rate > 0.0:
                units = {link.name: link.demand(flow) * flow.rate * (until - now) for link in flow.links}
                self.capacities |= {link.name: link.capacity for link in flow.links}
                self.turning |= {link.name for link in flow.links if link.most_lost(link.crossing)}
                self.round |= {flow.name} if flow.depends else set()
                self.pieces.setdefault(flow.name, []).append(
                    Piece(now, until, flow.activity, flow.rate * (until - now), units)
                )

    def within(self, begin: float, end: float) -> Watch:
        """What was taken in some time."""
        found = Watch(capacities=self.capacities, turning=self.turning, round=self.round)
        for name, pieces in self.pieces.items():
            found.pieces[name] = [piece for piece in pieces if piece.begin < end and piece.end > begin]
        return found

    def own(self, job: str, link: str) -> float:
        """Units that a job took of a link."""
        return sum(piece.units.get(link, 0.0) for piece in self.pieces.get(job, []))

    def beside(self, job: str, link: str) -> tuple[float, float]:
        """Seconds in which a job used a link, and the units that others took of it meanwhile."""
        times = {
            piece.begin: piece.end - piece.begin
            for piece in self.pieces.get(job, [])
            if piece.units.get(link, 0.0) > 0.0
        }
        others = sum(
            piece.units.get(link, 0.0)
            for name, pieces in self.pieces.items()
            if name != job
            for piece in pieces
            if piece.begin in times
        )
        return sum(times.values()), others

    def steps(self, job: str, link: str) -> dict[str, list[Step]]:
        """How a job went on with each of its activities, and what others took of a link meanwhile."""
        others, found = dict[float, float](), dict[str, dict[float, Step]]()
        for name, pieces in self.pieces.items():
            for piece in pieces if name != job else ():
                used = piece.units.get(link, 0.0) / (piece.end - piece.begin)
                others[piece.begin] = others.get(piece.begin, 0.0) + used
        for piece in self.pieces.get(job, []):
            steps = found.setdefault(str(piece.activity), {})
            moved = piece.moved + (steps[piece.begin].moved if piece.begin in steps else 0.0)
            steps[piece.begin] = Step(piece.end - piece.begin, moved, others.get(piece.begin, 0.0))
        return {activity: list(steps.values()) for activity, steps in found.items()}

    def first(self, job: str, activity: str) -> float | None:
        """When a job first did something."""
        return next((piece.begin for piece in self.pieces.get(job, []) if piece.activity == activity), None)

    def links(self, job: str) -> set[str]:
        """The links that a job crosses."""
        return {link for piece in self.pieces.get(job, []) for link in piece.units}
