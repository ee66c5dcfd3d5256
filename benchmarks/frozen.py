"""Results that a change of structure must not move: `python -m benchmarks frozen` prints what moved, to the bit.

All scenarios, random systems, and sites over some weeks are simulated. For jobs, `frozen.csv` has the elapsed seconds
and the bytes of all runs, and a digest of their states and the causes of their time; jobs whose names differ by numbers
only share a line. For each table of a site it has a digest. With `--write` the file is written anew: that belongs into
the commit that means to move results. Names and folders choose some of the cases:
`python -m benchmarks frozen random/7 published`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import simbackup as sb
from benchmarks.random_systems import system
from simbackup.run import ran
from simbackup.scenario import names

FILE = Path(__file__).with_name("frozen.csv")
RANDOM = 40
"""Random systems."""
SITES = ("planning/forty-systems", "planning/university", "planning/templates/two-sites")
UNTIL = "2 months"
"""The time over which sites are planned: with full backups of several weeks, and copies of them that expire."""


class Frozen(NamedTuple):
    """A figure of a case that must not move: seconds and bytes as hexadecimal numbers, and a digest of the rest."""

    case: str
    part: str
    elapsed: str
    bytes: str
    digest: str


def cases() -> list[str]:
    """The names of all cases."""
    return [*names(), *(f"random/{number}" for number in range(RANDOM)), *SITES]


def chosen(names: Sequence[str]) -> list[str]:
    """The cases that names and folders choose, each once; all without a name.

    Raises
    ------
    ValueError
        If a name chooses none.
    """
    every = cases()
    for name in names:
        if not any(_chooses(name, case) for case in every):
            raise ValueError(f"no case is called {name!r}; cases are {', '.join(every[:3])} ... {every[-1]}")
    return [case for case in every if not names or any(_chooses(name, case) for name in names)]


def _chooses(name: str, case: str) -> bool:
    return case == name or case.startswith(name.rstrip("/") + "/")


def frozen(case: str) -> list[Frozen]:
    """The figures of a case as they are now."""
    if case in SITES:
        return list(_site(case))
    kind, _, number = case.partition("/")
    return list(_scenario(case, system(0, int(number)) if kind == "random" else case))


def _scenario(case: str, what: Any) -> Iterator[Frozen]:
    """The jobs of a scenario; a system that cannot run has its errors."""
    try:
        result = ran(what)
    except sb.InputError as error:
        yield Frozen(case, "error", "", "", _digest([str(problem.message) for problem in error.problems]))
        return
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in result.job_rows:
        runs.setdefault(re.sub(r"\d+", "#", row["job"]), []).append(row)
    for jobs, rows in sorted(runs.items()):
        yield Frozen(
            case, jobs, _sum(rows, "elapsed"), _sum(rows, "bytes"), _digest([_run(result, row) for row in rows])
        )


def _run(result: sb.Result, row: dict[str, Any]) -> list[object]:
    """A run of a job: when it began, how it ended, and what it spent its time on."""
    spans = result.spans.get(f"jobs.{row['job']}", ())
    spent = [(span.cause, span.activity, span.start.hex(), span.end.hex()) for span in spans]
    return [row["job"], float(row["start"]).hex(), row["status"], row["reason"], spent]


def _site(case: str) -> Iterator[Frozen]:
    """The tables of a site, each with a digest."""
    found = sb.plan(case, UNTIL).as_dict()
    for part, table in sorted(found.items()):
        yield Frozen(case, part, "", "", _digest(table))


def _sum(rows: Sequence[dict[str, Any]], figure: str) -> str:
    return float(sum(row[figure] for row in rows)).hex()


def _digest(value: object) -> str:
    text = json.dumps(value, default=str, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def kept(file: Path = FILE) -> dict[tuple[str, str], Frozen]:
    """The figures on file, by case and part."""
    with file.open(encoding="utf-8", newline="") as lines:
        return {(row["case"], row["part"]): Frozen(**row) for row in csv.DictReader(lines)}


def moved(before: dict[tuple[str, str], Frozen], now: dict[tuple[str, str], Frozen]) -> Iterator[str]:
    """A line for each figure that is another than before, that is new, or that is gone."""
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        name = " ".join(key)
        if old is None or new is None:
            yield f"{name}: {'is new' if old is None else 'is gone'}"
        elif not (old.elapsed and new.elapsed):
            yield f"{name}: moved"
        elif (old.elapsed, old.bytes) == (new.elapsed, new.bytes):
            yield f"{name}: the causes of its time moved"
        else:
            yield f"{name}: {_change('elapsed', old.elapsed, new.elapsed)}, {_change('bytes', old.bytes, new.bytes)}"


def _change(what: str, before: str, now: str) -> str:
    """A figure, or by how much it moved."""
    old, new = float.fromhex(before), float.fromhex(now)
    return f"{what} {old:.10g}" if old == new else f"{what} {old:.10g} to {new:.10g}"


def main() -> None:
    """Compare all cases, or some, with the file; ends with an error if anything moved, unless it is written anew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks frozen", description=__doc__)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="a scenario, a site, random/NUMBER, or a folder; all by default"
    )
    parser.add_argument("--write", action="store_true", help="write the file anew")
    asked = parser.parse_args()
    try:
        tried = chosen(asked.cases)
    except ValueError as error:
        parser.error(str(error))
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        longest_first = sorted(tried, key=lambda case: case not in SITES)
        found = {(one.case, one.part): one for each in pool.map(frozen, longest_first) for one in each}
    before = kept() if FILE.exists() else {}
    others = {key: one for key, one in before.items() if key[0] not in tried} if asked.cases else {}
    lines = list(moved({key: one for key, one in before.items() if key not in others}, found))
    print(*lines, f"{len(found)} figures of {len(tried)} cases, {len(lines)} moved", sep="\n")
    if asked.write:
        with FILE.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(Frozen._fields)
            rows.writerows(one for _, one in sorted({**others, **found}.items()))
    elif lines:
        sys.exit(1)
