"""How the cases of a study's uncertain inputs are drawn: how many, and which inputs go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.errors import Problem, choices
from simbackup.schema.study import CorrelationSpec, StudySpec
from simbackup.schema.tree import Node
from simbackup.uncertainty.effort import for_study
from simbackup.uncertainty.inputs import Input
from simbackup.uncertainty.sampling import Case, Correlations, correlated, latin_hypercube

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

    def sample(self, unknown: Sequence[Input], seed: int) -> list[Case]:
        """The cases of some inputs; none if there are no inputs.

        Raises
        ------
        ValueError
            The correlations contradict each other, or name an input twice.
        """
        if not unknown:
            return []
        return correlated(latin_hypercube(unknown, self.cases, seed), self._numbered(unknown))

    def _numbered(self, unknown: Sequence[Input]) -> Correlations:
        """The correlations of inputs by their numbers; of inputs that a row does not have there are none."""
        pairs = {
            (number_of(one, unknown), number_of(other, unknown)): each.correlation
            for each in self.correlations.values()
            for one, other in [each.between]
        }
        return {(a, b): r for (a, b), r in pairs.items() if a is not None and b is not None}


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


def wrong_correlations(asked: StudySpec, tree: Node, unknown: Sequence[Input]) -> Iterator[Problem]:
    """Report correlations of what is not uncertain, of an input with itself, and those that contradict each other."""
    draws = draws_for(asked, SECTION, ())
    if draws is None or not draws.correlations:
        return
    named, good = draws.correlations, True
    for name, one in named.items():
        path = (SECTION, "correlations", name)
        place, address = tree.find(path)[0].place, ".".join(path)
        numbers = [number_of(each, unknown) for each in one.between]
        for each, number in zip(one.between, numbers, strict=True):
            if number is None:
                good = False
                remedy = choices(each, [known.name for known in unknown])
                yield Problem(place, address, f"nothing uncertain is called '{each}'", remedy)
        if numbers[0] is not None and numbers[0] == numbers[1]:
            good = False
            yield Problem(place, address, "both are the same input", "name two inputs that vary separately")
    if not good:
        return
    place = tree.find((SECTION, "correlations"))[0].place
    used = {number_of(each, unknown) for one in named.values() for each in one.between}
    if len(used) >= draws.cases:
        message = f"{draws.cases} cases are too few for {len(used)} correlated inputs"
        yield Problem(place, f"{SECTION}.cases", message, f"write more than {len(used)}")
        return
    try:
        draws.sample(unknown, 0)
    except ValueError as error:
        yield Problem(place, f"{SECTION}.correlations", str(error), "make them weaker, or leave one out")
