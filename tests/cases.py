"""One test of many cases, for families of files and for tables: cheaper than a test each, and as easy to read."""

import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import product
from typing import Any

import pytest
from hypothesis import settings


class Extent:
    """How much is tried: a choice of long families, or, nightly, everything."""

    everything = False


def some(cases: Iterable[Any], most: int) -> list[Any]:
    """The first of many random cases; nightly, all of them."""
    return [*cases] if Extent.everything else [*cases][:most]


def examples(usual: int) -> settings:
    """How many examples of a property are tried: nightly, ten times as many as usual."""
    return settings(max_examples=10 * usual if Extent.everything else usual)


def grid(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations of values, each value with different ones of the others; nightly, all combinations."""
    if Extent.everything:
        return [*product(*values)]
    longest = max(map(len, values))
    ways = [[*values], [values[0], *(inner[::-1] for inner in values[1:])]]
    found = [tuple(inner[i % len(inner)] for inner in way) for way in ways for i in range(longest)]
    return [each for i, each in enumerate(found) if each not in found[:i]]


def for_each(
    names: str, cases: Iterable[Any], ids: Callable[[Any], object] | Iterable[str] | None = None
) -> Callable[..., Any]:
    """Make one test of many cases, as `parametrize` makes many tests; its failure lists all cases that failed.

    It is for cases that are alike and short. Several on top of each other try all combinations. Each case has a
    `tmp_path` of its own, its patches are undone after it, and it reads from `capsys` only what it printed. Cases share
    all other fixtures: use `parametrize` where a case changes one, or where a fixture has gone into the folder.
    """
    given = [name.strip() for name in names.split(",")]
    tried = [_labelled(given, case, ids if callable(ids) else None) for case in cases]
    if ids is not None and not callable(ids):
        tried = [(name, values) for name, (_, values) in zip(ids, tried, strict=True)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        inner, below = getattr(test, "cases_of", (test, [("", {})]))
        every = [
            (", ".join(filter(None, (first, second))), {**one, **other})
            for (first, one), (second, other) in product(tried, below)
        ]

        @wraps(inner)
        def all_of_them(**fixtures: Any) -> None:
            __tracebackhide__ = True
            _try_all(inner, every, fixtures)

        all_of_them.__dict__.update({k: v for k, v in vars(test).items() if k != "cases_of"})
        all_of_them.cases_of = (inner, every)  # pyright: ignore[reportFunctionMemberAccess]
        known = inspect.signature(test)
        all_of_them.__signature__ = known.replace(  # pyright: ignore[reportFunctionMemberAccess]
            parameters=[each for each in known.parameters.values() if each.name not in given]
        )
        return all_of_them

    return decorate


def _labelled(given: Sequence[str], case: Any, ids: Callable[[Any], object] | None) -> tuple[str, dict[str, Any]]:
    """The name of a case, which `pytest.param` may state, and its values by name."""
    name = getattr(case, "id", None) if hasattr(case, "marks") else None
    assert not getattr(case, "marks", ()), "a case has no marks of its own: use `parametrize`"
    values = case.values if hasattr(case, "marks") else case if len(given) > 1 else (case,)
    shown = (ids(value) if ids else value if isinstance(value, str) else repr(value) for value in values)
    return name or ", ".join(map(str, shown)), dict(zip(given, values, strict=True))


@contextmanager
def _fresh(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The fixtures of one case, of which those of pytest are as new."""
    own: dict[str, Any] = {}
    if at := fixtures.get("tmp_path"):
        own["tmp_path"] = at / f"{number}"
        own["tmp_path"].mkdir()
    with pytest.MonkeyPatch.context() as patches:
        if "monkeypatch" in fixtures:
            own["monkeypatch"] = patches
        try:
            yield fixtures | own
        finally:
            for name in {"capsys", "capfd"} & {*fixtures}:
                fixtures[name].readouterr()


def _try_all(test: Callable[..., None], cases: Sequence[tuple[str, dict[str, Any]]], fixtures: dict[str, Any]) -> None:
    """Try all cases, and then fail with a line for each that failed, after the whole failure of the first."""
    __tracebackhide__ = True
    assert cases
    failed: list[tuple[str, BaseException]] = []
    for i, (name, values) in enumerate(cases):
        try:
            with _fresh(fixtures, i) as own:
                test(**own, **values)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 (it is raised below)
            failed.append((name, error))
    if failed:
        listed = "\n".join(_line(test, *failure) for failure in failed)
        raise AssertionError(f"{len(failed)} of {len(cases)} cases failed:\n{listed}") from failed[0][1]


def _line(test: Callable[..., None], case: str, error: BaseException) -> str:
    stack = traceback.extract_tb(error.__traceback__)
    at = next(each.lineno for each in reversed(stack) if each.filename == test.__code__.co_filename)
    kind = "" if isinstance(error, AssertionError | pytest.fail.Exception) else f"{type(error).__name__}: "
    text = "\n    ".join(str(error).splitlines()[:8])
    return f"  {case} (line {at}): {kind}{text}"
