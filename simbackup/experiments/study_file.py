"""Files of studies: which points they ask for, which values they vary, and what is wrong before any is run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.experiments.figure_names import WORDS, unknown
from simbackup.experiments.study_intervals import wrong_correlations
from simbackup.experiments.study_point import Point, Values, resolved
from simbackup.scenario import Scenario, Source, load, misread, names
from simbackup.scenario.files import given
from simbackup.schema import study as schema
from simbackup.schema.study import RangeSpec
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import a_folder, read, refuse_others, refuse_unreachable
from simbackup.shelf import is_file, is_folder
from simbackup.uncertainty.inputs import inputs

UNITS = ("count", "1", "B", "s", "B/s", "1/s")
"""SI units in which the ends of a range may be written."""
DIGITS = 12
"""Significant digits of the values of a range, so that five steps from 1 to 16 give 2, 4 and 8."""
COUNT = "count"


def values_of(
    varied: Mapping[str, tuple[Any, ...] | RangeSpec], tree: Node, section: str, problems: list[Problem]
) -> dict[str, tuple[Any, ...]]:
    """The values by address; what is wrong with a range is added to `problems`."""
    found: dict[str, tuple[Any, ...]] = {}
    for address, values in varied.items():
        if isinstance(values, tuple):
            found[address] = values
            continue
        unit = common_unit(values.first, values.last)
        wrong = "" if unit else f"'{values.first}' and '{values.last}' have no common unit"
        if unit and values.by == "factor" and min(_ends(values, unit)) <= 0.0:
            wrong = "a range by factors begins and ends above zero"
        if wrong or unit is None:
            place = tree.find((section, address))[0].place
            remedy = "write for example {first: 1 GB, last: 16 GB, count: 5, by: factor}"
            problems.append(Problem(place, f"{section}.{address}", wrong, remedy))
            continue
        found[address] = tuple(between(values, unit))
    return found


def between(asked: RangeSpec, unit: str) -> list[str]:
    """The values of a range, with its ends, as files say them; what is counted is whole.

    >>> between(RangeSpec(first="1 GB", last="16 GB", count=5, by="factor"), "B")
    ['1 GB', '2 GB', '4 GB', '8 GB', '16 GB']
    >>> between(RangeSpec(first=1, last=4, count=7), "count")
    ['1', '2', '3', '4']
    """
    first, last = _ends(asked, unit)
    shares = [i / (asked.count - 1) for i in range(asked.count)]
    if asked.by == "factor":
        values = [first * (last / first) ** share for share in shares]
    else:
        values = [first + (last - first) * share for share in shares]
    rounded = [float(round(value)) if unit == COUNT else float(f"{value:.{DIGITS}g}") for value in values]
    return list(dict.fromkeys(units.show(value, unit) for value in rounded))


def _ends(asked: RangeSpec, unit: str) -> tuple[float, float]:
    return units.parse(asked.first, unit), units.parse(asked.last, unit)


def common_unit(first: str | float, last: str | float) -> str | None:
    """The unit in which two values can be read; None if there is none."""
    for unit in UNITS:
        try:
            _ = units.parse(first, unit), units.parse(last, unit)
        except units.UnitError:
            continue
        return unit
    return None


def find(name: str) -> Path:
    """The file of a study, by path or by name such as `planning/snapshot-chunk-size`."""
    path = Path(name)
    if is_file(path):
        return path
    bare = name.removesuffix(".yaml").removesuffix(".study").removeprefix("scenarios/")
    known: list[str] = []
    for root in shelf.roots():
        inside = root / "scenarios" / f"{bare}.study.yaml"
        if is_file(inside):
            return inside
        files = (root / "scenarios").rglob("*.study.yaml")
        known += [p.relative_to(root / "scenarios").as_posix().removesuffix(".study.yaml") for p in files]
    if shelf.is_folder(path):
        raise InputError([a_folder(path, name)])
    refuse_unreachable(path, name)
    remedy = f"it is a scenario: simbackup run {bare}" if bare in names() else choices(bare, known)
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a study", remedy)])


def read_study(what: Source, seed: int = 0) -> tuple[schema.StudySpec, list[Point], Node]:
    """A study, its points, and its tree. Each value that it sets can be read at its address.

    Whether values agree with each other, such as a size with the volume, is known when their point is run.

    Raises
    ------
    InputError
        All errors in the file, and in the values and figures that it names.
    """
    tree, folder = given(what), Path()
    own = tree is not None
    if tree is None:
        path = find(str(what))
        tree, folder = read(path, shelf.shown(path)), path.parent
    refuse_others(tree, "study")
    problems: list[Problem] = []
    asked = validate(schema.StudySpec, tree, "", problems)
    if asked is None:
        raise InputError(problems)
    problems.extend(_twice(asked, tree))
    problems.extend(wrong_base(asked, tree))
    vary, paired = values_of(asked.vary, tree, "vary", problems), values_of(asked.paired, tree, "paired", problems)
    lengths = sorted({len(values) for values in paired.values()})
    if len(lengths) > 1:
        message = f"lists of {' and '.join(map(str, lengths))} values cannot be paired"
        problems.append(
            Problem(tree.mapping["paired"].place, "paired", message, "write equally many values for each address")
        )
        paired = {}
    points: list[Point] = []
    for name, text in asked.scenarios.items():
        file = _file(folder, text)
        if file is None:
            place = tree.find(("scenarios", name))[0].place
            message = f"there is neither a file nor a scenario '{text}'" if own else f"there is no file '{text}'"
            remedy = choices(text, names()) if own else choices(Path(text).name, _near(folder / text))
            problems.append(Problem(place, f"scenarios.{name}", message, remedy))
            continue
        ours = [
            Point(name, file, case, together, {**pair, **varied}, asked.show, seed)
            for case, together in _cases(asked.cases)
            for pair in _pairs(paired)
            for varied in _combinations(vary)
        ]
        points += ours
        problems.extend(located(_misread(ours), tree))
    if problems:
        raise InputError(problems)
    return asked, points, tree


def wrong_base(asked: schema.StudySpec, tree: Node) -> Iterator[Problem]:
    """Report a base of a comparison that is no scenario and no case, or the only one."""
    base = asked.compare
    if base is None:
        return
    place = tree.mapping["compare"].place
    known = [*asked.scenarios, *asked.cases]
    if base not in known:
        yield Problem(place, "compare", f"there is no scenario and no case '{base}'", choices(base, known))
    elif len(asked.scenarios if base in asked.scenarios else asked.cases) == 1:
        yield Problem(place, "compare", f"there is nothing to compare with '{base}'", "add another scenario or case")


def check_correlations(asked: schema.StudySpec, points: list[Point], tree: Node) -> None:
    """Check that the inputs whose correlations a study states are there.

    Raises
    ------
    InputError
        One is not, or the correlations contradict each other.
    """
    varying = asked.varying()
    if varying is None or not varying.correlations:
        return
    first = {point.file: point for point in reversed(points)}
    scenarios = {point.scenario: scenario for point in first.values() if (scenario := scenario_of(point)) is not None}
    problems = list(wrong_correlations(varying.correlations, tree, inputs(scenarios))) if scenarios else []
    if problems:
        raise InputError(problems)


def check_study(what: Source) -> None:
    """Check a study, and that each of its points can be run.

    Raises
    ------
    InputError
        Everything that is wrong with it.
    """
    asked, points, tree = read_study(what)
    check_correlations(asked, points, tree)
    problems = list(located(((point, problem) for point in points for problem in _refused(point)), tree))
    if problems:
        raise InputError(problems)


def _refused(point: Point) -> tuple[Problem, ...]:
    try:
        scenario = resolved(point)
    except InputError as error:
        return (*error.problems, *error.notes)
    return tuple(_unknown_figures(point, scenario))


def _misread(points: list[Point]) -> Iterator[tuple[Point, Problem]]:
    """What is wrong with the values of the points of a scenario in themselves, and with the figures they ask for.

    Each value is read once, in the first point that has it.
    """
    seen: set[tuple[str, str]] = set()
    base, scenario = None, None
    for point in points:
        new = {(name, repr(value)) for name, value in {**point.varied, "": point.case}.items()} - seen
        if not new and point is not points[0]:
            continue
        seen |= new
        try:
            base = base or load(point.file)
        except InputError:  # the values may make right what is wrong
            yield from ((point, problem) for problem in _refused(point))
            continue
        wrong = misread(base, point.values)
        yield from ((point, problem) for problem in wrong)
        if not wrong and scenario is None:
            scenario = scenario_of(point)
            yield from ((point, problem) for problem in (_unknown_figures(point, scenario) if scenario else ()))


def scenario_of(point: Point) -> Scenario | None:
    """The scenario of a point; None if its values are refused."""
    try:
        return resolved(point)
    except InputError:
        return None


def _unknown_figures(point: Point, scenario: Any) -> Iterator[Problem]:
    """The figures that the result of a point will not have."""
    for i, message, remedy in unknown(scenario, point.show, WORDS):
        yield Problem(Place(""), f"show.{i}", message, remedy)


def _file(folder: Path, text: str) -> str | None:
    """The scenario that a study names: a file beside it, or one by its name."""
    if is_file(folder / text):
        return str(folder / text)
    return text if text in names() else None


def _near(file: Path) -> list[str]:
    """The files among which one was looked for."""
    return [path.name for path in file.parent.glob("*.yaml")] if is_folder(file.parent) else []


def _combinations(vary: Mapping[str, tuple[Any, ...]]) -> Iterator[Values]:
    """Every combination of the values, the last address varied fastest."""
    for values in itertools.product(*vary.values()):
        yield dict(zip(vary, map(_text, values), strict=True))


def _pairs(paired: Mapping[str, tuple[Any, ...]]) -> Iterator[Values]:
    """The first values of all addresses together, then the second ones, and so on; once nothing if there are none."""
    for values in zip(*paired.values(), strict=True) if paired else ((),):
        yield dict(zip(paired, map(_text, values), strict=True))


def _cases(cases: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str | None, Values]]:
    """Each case with its values; a study without cases has one without changes."""
    if not cases:
        yield None, {}
    for name, values in cases.items():
        yield name, {address: _text(value) for address, value in values.items()}


def _text(value: object) -> str | list[str] | dict[str, Any] | None:
    """A value as it is written in a file; a list of names stays one, and so does a value with its origin."""
    if value is None or isinstance(value, dict):
        return cast("dict[str, Any] | None", value)
    if isinstance(value, (list, tuple)):
        return [str(item) for item in cast("list[object]", value)]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _twice(asked: schema.StudySpec, tree: Node) -> Iterator[Problem]:
    """Addresses that a case sets and `vary` varies."""
    for name, values in asked.cases.items():
        for address in values.keys() & (asked.vary.keys() | asked.paired.keys()):
            place = tree.find(("cases", name, address))[0].place
            message = "is both varied and set by a case"
            yield Problem(place, address, message, "name the address either under 'vary' or in the cases")
    for address in asked.vary.keys() & asked.paired.keys():
        place = tree.find(("paired", address))[0].place
        yield Problem(place, address, "is both varied and paired", "name the address either under 'vary' or 'paired'")


def located(wrong: Iterable[tuple[Point, Problem]], tree: Node) -> Iterator[Problem]:
    """Problems of points where the study sets the values that they are about."""
    show = tree.mapping["show"].value
    places = [item.place for item in show] if isinstance(show, list) else []
    for point, problem in wrong:
        section, _, number = problem.address.partition(".")
        if section == "show" and number.isdigit() and int(number) < len(places):
            yield replace(problem, place=places[int(number)])
        else:
            yield replace(problem, place=_written(point, tree, problem))


def _written(point: Point, tree: Node, problem: Problem) -> Place:
    """Where a study sets the value that a problem is about; one above or below it where the problem has no place."""
    paths = [(section, address) for section in ("vary", "paired") for address in point.varied]
    paths += [("cases", point.case or "", name) for name in point.together]
    paths = [path for path in paths if tree.find(path)[1] == path]
    places = {path[-1]: tree.find(path)[0].place for path in paths}
    if problem.address in places or problem.place.line:
        return places.get(problem.address, problem.place)
    about = f"{problem.address}."
    near = (place for name, place in places.items() if about.startswith(f"{name}.") or f"{name}.".startswith(about))
    return next(near, tree.mapping["scenarios"].mapping[point.scenario].place)
