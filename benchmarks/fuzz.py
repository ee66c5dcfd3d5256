"""Many files changed at random: each is valid and runs, or has an error with its place; nothing else is allowed.

Every file that ships with the program is a seed: scenarios, sites, datasheets, studies, measured rows and calibrations;
`seeds.py` has goals and inventories. Files that pass `simbackup check` are also run. A case depends only on the seed
and its number.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import filterfalse
from pathlib import Path

from benchmarks.mutations import mutated, texts
from benchmarks.seeds import DD, FLEET, GOALS, OWN_MAPPING, PLANNED, REPORTS, SERVERS, SYSTEMS
from benchmarks.trials import (
    EnoughError,
    check_goals,
    check_mapping,
    check_output,
    check_report,
    check_systems,
    run_measured,
    run_scenario,
    run_site,
    run_study,
)  # fmt: skip
from simbackup import shelf
from simbackup.cli.checking import check_file
from simbackup.errors import Problem, SimbackupError

SLOW = 20.0
"""Seconds of the processor after which a file counts as slow, and is given up."""
LONGEST = 12_000
"""Characters of a file above which it is no seed: a site of 200 systems takes too long to plan."""
COUNTED = ("files", "refused", "right", "refused by the run", "tracebacks", "over 20 s", "problems without a location")


class SlowError(BaseException):
    """A file took too long; not an Exception, so that no handler catches it."""


@dataclass(slots=True)
class Counts:
    """The outcomes of the files, and the findings."""

    number: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    findings: list[str] = field(default_factory=list[str])

    def finding(self, what: str, case: str, reported: str) -> None:
        """Count one more finding."""
        self.number[what] += 1
        self.findings.append(f"{what}: {case}: {reported}")


def seeds(root: Path) -> dict[str, list[tuple[Path, str]]]:
    """The files that are changed, by kind: each with its place below a root, and its text."""
    every = texts(root, "scenarios/**/*.yaml")
    named = {"measured.yaml": "measured", "calibration.yaml": "calibration"}
    found: dict[str, list[tuple[Path, str]]] = {}
    for path, text in every.items():
        ending = path.name.partition(".")[2]
        kind = named.get(path.name, {"study.yaml": "study", "site.yaml": "site"}.get(ending, "scenario"))
        if len(text) < LONGEST:
            found.setdefault(kind, []).append((path, text))
    found["datasheet"] = list(texts(root, "models/*/*.yaml").items())
    found["inventory"] = [(FUZZ / "servers.csv", SERVERS)]
    found["goals"] = [(FUZZ / "goals.yaml", GOALS)]
    found["systems"] = [(FUZZ / "systems.csv", SYSTEMS), *texts(root, "scenarios/planning/*.csv").items()]
    found["report"] = [(FUZZ / name, text) for name, text in REPORTS.items()]
    found["report"] += [(FUZZ / each.name, each.read_text(encoding="utf-8")) for each in samples("restic", "borg")]
    found["mapping"] = [(FUZZ / "own.yaml", OWN_MAPPING)]
    found["output"] = [
        (FUZZ / each.name, each.read_text(encoding="utf-8")) for each in samples("fio", "iperf3", "btape")
    ]
    found["output"].append((FUZZ / "dd.txt", DD))
    return found


def samples(*tools: str) -> list[Path]:
    """Output of other programs, by the beginnings of their names."""
    return [path for path in sorted(SAMPLES.iterdir()) if path.name.startswith(tools)]


SAMPLES = Path(__file__).parents[1] / "tests/unit/foreign/samples"
CHECKS = {
    "goals": check_goals, "systems": check_systems, "output": check_output, "report": check_report,
    "mapping": check_mapping,
}  # fmt: skip
"""What finds the errors of a kind that `simbackup check` does not know."""
FUZZ = Path("scenarios/fuzz")
SHARES = {
    "scenario": 30, "site": 18, "datasheet": 16, "study": 6, "measured": 4, "calibration": 4, "inventory": 5,
    "goals": 4, "systems": 5, "report": 3, "mapping": 1, "output": 4,
}  # fmt: skip
"""Of a hundred files, how many are of each kind."""


def located(problem: Problem) -> bool:
    """Whether a problem says where it is: a line and a column, an option, or that a whole file cannot be read."""
    place = problem.place
    whole = problem.message.startswith(("cannot be read", "there is neither")) or place.file.startswith("--")
    text = str(problem)
    return bool(place.file and problem.message) and (place.line > 0 < place.column or whole) and "\n" not in text


@contextmanager
def searched(root: Path) -> Generator[None]:
    """Inside, datasheets are looked for in a folder first."""
    before = os.environ.get(shelf.SEARCH_PATH)
    os.environ[shelf.SEARCH_PATH] = str(root)
    try:
        yield
    finally:
        del os.environ[shelf.SEARCH_PATH]
        if before is not None:
            os.environ[shelf.SEARCH_PATH] = before


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """What takes more seconds of the processor inside is broken off with `SlowError`."""

    def broken_off(*_: object) -> None:
        raise SlowError

    before = signal.signal(signal.SIGPROF, broken_off)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True, slots=True)
class Site:
    """A copy of all files, in which one file at a time is changed."""

    root: Path
    users: dict[str, Path]
    """For each datasheet a scenario that names it."""

    def run(self, kind: str, path: Path) -> None:
        """Run a valid file."""
        if kind == "scenario":
            run_scenario(path)
        elif kind == "study":
            run_study(path)
        elif kind == "site":
            run_site(path)
        elif kind == "goals":
            run_site(path.with_name("planned.site.yaml"), path)
        elif kind == "measured":
            run_measured(path)
        elif kind == "datasheet":
            name = path.relative_to(self.root / "models").with_suffix("").as_posix()
            if name in self.users and not check_file(self.users[name]):  # a valid datasheet may fit no scenario
                self.run("site" if self.users[name].name.endswith(".site.yaml") else "scenario", self.users[name])

    def checked(self, kind: str, path: Path) -> tuple[list[Problem], Path]:
        """The errors of a changed file, or what to run if there are none."""
        if kind == "inventory":
            path = path.with_name("site.yaml")
        return CHECKS.get(kind, check_file)(path), path


def make_site(root: Path) -> Site:
    """The copy, in a folder that is searched first."""
    program = shelf.roots()[-1]
    for folder in ("scenarios", "models"):
        shutil.copytree(program / folder, root / folder)
    (root / FUZZ).mkdir()
    for name, text in {
        "site.yaml": FLEET, "servers.csv": SERVERS, "planned.site.yaml": PLANNED, "goals.yaml": GOALS,
        "systems.csv": SYSTEMS, "own.yaml": OWN_MAPPING, "dd.txt": DD, **REPORTS,
    }.items():  # fmt: skip
        (root / FUZZ / name).write_text(text, encoding="utf-8")
    for each in samples(""):
        shutil.copy(each, root / FUZZ)
    users: dict[str, Path] = {}
    for path, text in texts(root, "scenarios/**/*.yaml").items():
        for name in re.findall(r"model: ([\w/.+-]+)", text):
            if len(text) < LONGEST and not path.name.endswith((".study.yaml", "measured.yaml", "calibration.yaml")):
                users.setdefault(name, root / path)
    return Site(root, users)


def fuzzed(site: Site, kind: str, path: Path, data: bytes, counts: Counts, *, case: str) -> bool:
    """Whether a changed file gave no finding; its outcome is counted."""
    before, good = len(counts.findings), path.read_bytes()
    counts.number["files"] += 1
    counts.kinds[kind] += 1
    path.write_bytes(data)
    if kind == "datasheet":
        shelf.forget()
    try:
        with limited(SLOW):
            problems, right = site.checked(kind, path)
            if problems:
                counts.number["refused"] += 1
                for problem in filterfalse(located, problems):
                    counts.finding("problems without a location", case, str(problem))
            else:
                counts.number["right"] += 1
                site.run("scenario" if kind == "inventory" else kind, right)
    except EnoughError:
        pass
    except SimbackupError as error:
        counts.finding("refused by the run", case, str(error).partition("\n")[0])
    except SlowError:
        where = "".join(traceback.format_exc().splitlines()[-3:-1])
        counts.finding("over 20 s", case, where.strip())
    except Exception as error:  # noqa: BLE001 (whatever it is, it is what is looked for)
        last = traceback.extract_tb(error.__traceback__)[-1]
        counts.finding("tracebacks", case, f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"[:400])
    finally:
        path.write_bytes(good)
        if kind == "datasheet":
            shelf.forget()
    return len(counts.findings) == before


def fuzz(
    *,
    files: int,
    minutes: float,
    seed: int,
    kept: Path | None = None,
    first: int = 0,
    shares: Mapping[str, int] = SHARES,
) -> Counts:
    """The outcomes of so many changed files, or of so many minutes."""
    counts, ends = Counts(), time.monotonic() + 60.0 * minutes
    with tempfile.TemporaryDirectory() as folder:
        site = make_site(Path(folder))
        known = seeds(site.root)
        with searched(site.root):
            for number in range(first, first + files):
                if time.monotonic() > ends:
                    break
                draw = random.Random(f"{seed}/{number}")  # noqa: S311 (a case is no secret)
                kind = draw.choices(list(shares), list(shares.values()))[0]
                path, text = draw.choice(known[kind])
                data, case = mutated(draw, text), f"{seed}/{number} {path.as_posix()}"
                if not fuzzed(site, kind, site.root / path, data, counts, case=case):
                    print(counts.findings[-1], flush=True)
                    if kept is not None:
                        kept.mkdir(parents=True, exist_ok=True)
                        (kept / f"{seed}-{number}-{path.name}").write_bytes(data)
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each finding as it comes, and the counts at the end; ends with 1 when there were findings."""
    parser = argparse.ArgumentParser(description="files changed at random: valid, or an error with its place")
    parser.add_argument("--minutes", type=float, default=10.0, help="ends after so many (10)")
    parser.add_argument("--files", type=int, default=10**9, help="ends after so many (no limit)")
    parser.add_argument("--seed", type=int, default=0, help="draws other changes (0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to repeat a finding (0)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="writes the files of findings there")
    asked = parser.parse_args(arguments)
    counts = fuzz(files=asked.files, minutes=asked.minutes, seed=asked.seed, kept=asked.keep, first=asked.first)
    for name in COUNTED:
        print(f"{name:>28} {counts.number[name]:>8}")
    print(", ".join(f"{number} {kind}" for kind, number in sorted(counts.kinds.items())))
    raise SystemExit(1 if counts.findings else 0)


if __name__ == "__main__":
    main()
