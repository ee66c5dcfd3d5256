"""How the cases of a study's uncertain inputs are drawn: how many, and which inputs go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simbackup.errors import Problem, choices
from simbackup.schema.study import CorrelationSpec, StudySpec
from simbackup.schema.tree import Node
from simbackup.uncertainty.effort import for_study
from simbackup.uncertainty.inputs import Input

FEW, MANY = 6, 16
"""Groups of inputs that are moved for each figure, where its interval is widest; more in an `uncertain` study."""
SECTION = "uncertain"


@dataclass(frozen=True, slots=True)
class CaseDraws:
    """How the cases of uncertain inputs are drawn."""

    cases: int
    """Number of cases."""
    alone: int = FEW
    """Number of groups of inputs that are also moved alone."""
    correlations: Mapping[str, CorrelationSpec] = field(default_factory=dict[str, CorrelationSpec])
    """Correlations between inputs, by name."""

    def correlated(self, unknown: Sequence[Input]) -> tuple[Input, ...]:
        """Inputs with their correlations; of those that a row does not have there are none."""
        found = list(unknown)
        for each in self.correlations.values():
            numbers = [n for name in each.between if (n := number_of(name, unknown)) is not None]
            if len(numbers) == len(each.between):
                at, own = max(numbers), (found[min(numbers)].origin, each.correlation)
                found[at] = replace(found[at], correlations=(*found[at].correlations, own))
        return tuple(found)


def draws_for(asked: StudySpec, effort: str, records: Sequence[int]) -> CaseDraws | None:
    """How the cases of a study are drawn, at an effort and with rows of so many records; None for no intervals."""
    if effort == "none":
        return None
    varying = asked.varying()
    if varying is not None:
        return CaseDraws(varying.cases, MANY, varying.correlations)
    work = for_study(effort, records)
    return CaseDraws(work.cases) if work is not None else None


def number_of(name: str, unknown: Sequence[Input]) -> int | None:
    """The number of the input with a name, or at an address; None if there is none."""
    found = (i for i, one in enumerate(unknown) if one.name == name or name in {address for _, address in one.at})
    return next(found, None)


def wrong_correlations(named: Mapping[str, CorrelationSpec], tree: Node, unknown: Sequence[Input]) -> Iterator[Problem]:
    """Report correlations of what is not uncertain, of an input with itself, and those that contradict each other."""
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    matrix, good = np.eye(len(unknown)), True
    for name, each in named.items():
        path = (SECTION, "correlations", name)
        place, address = tree.find(path)[0].place, ".".join(path)
        one, other = (number_of(between, unknown) for between in each.between)
        for between, number in zip(each.between, (one, other), strict=True):
            if number is None:
                remedy = choices(between, [known.name for known in unknown])
                yield Problem(place, address, f"nothing uncertain is called '{between}'", remedy)
        if one is not None and one == other:
            yield Problem(place, address, "both are the same input", "name two inputs that vary separately")
        good = good and None not in {one, other} and one != other
        if good:
            matrix[one, other] = matrix[other, one] = each.correlation
    if good and np.linalg.eigvalsh(matrix).min() < 0.0:
        place = tree.find((SECTION, "correlations"))[0].place
        message = "the correlations contradict each other"
        yield Problem(place, f"{SECTION}.correlations", message, "make them weaker, or leave one out")
