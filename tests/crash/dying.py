"""Commands that die while they write: at every rename, and at lines drawn at random. Prints what went wrong, as JSON.

Everything is imported and simulated once; each death is that of a forked copy of this process. Arguments: a folder, and
how often each command dies at random by
each signal, and how the names of those that do begin.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import io
import json
import os
import random
import runpy
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pandas as pd
import typer.main

from simbackup import run, shelf
from simbackup.cli import app as cli
from simbackup.cli import main as main_of_the_program
from simbackup.cli import show, show_plan, show_published, show_study
from simbackup.experiments import calibrate, history_fit, identifiability, sensitivity, study
from simbackup.experiments.fits import write_fitted
from simbackup.experiments.runner import StudyLedger
from simbackup.experiments.study_point import Point, PointResult
from simbackup.foreign import registry
from simbackup.foreign.measurements import measured_sheet
from simbackup.output import whole
from simbackup.planning import intervals, inventory, plan, site
from simbackup.plots import of_plan, of_result
from simbackup.reporting import report
from simbackup.results import folder
from simbackup.scenario import loading

SCENARIO, OTHER = "published/003-lvm-snapshots/no-snapshot", "published/003-lvm-snapshots/second-disk"
STUDY, OTHER_STUDY = "planning/copy-area-place", "teaching/bottleneck-moves"
SIGNALS = (signal.SIGKILL, signal.SIGINT)
SOURCE = Path(shelf.__file__).parent
WRITING = {
    str(SOURCE / f"{name}.py")
    for name in (
        "results/folder",
        "output/whole",
        "results/saved",
    )
}
WRITING |= {
    str(SOURCE / f"{name}.py")
    for name in (
        "reporting/tables", "experiments/fitted_sheet", "experiments/outcome_store", "planning/writing", "plots/style",
        "results/workbook",
    )
}  # fmt: skip
"""Files whose lines are counted, and those that they call."""
RENAMES = ("rename", "replace")
EXCHANGE = folder.exchange
SHEET = """\
title: Made up
kind: ssd
parameters:
  read_rate: {value: 100 MB/s, basis: assumed, range: [10 MB/s, 1 GB/s], why: "made up"}
  write_rate: {value: 100 MB/s, basis: assumed, range: [10 MB/s, 1 GB/s], why: "made up"}
"""
SAMPLES = Path(__file__).parents[1] / "unit/foreign/samples"
FOREIGN = {
    "thesis.txt": "years of work", ".out.partial": "mine", "out.old/run.json": "{}", ".simbackup-1.partial": "x",
    "led/ledger/mine.txt": "notes", "systems.csv": "Name,Size\nweb,100 GB\n",
    "small.site.yaml": runpy.run_path(str(Path(__file__).parents[1] / "sites/plan.py"))["TEXT"],
}  # fmt: skip
"""What a user has beside the outputs, and in their folders."""


@dataclass(frozen=True)
class Case:
    """A command that writes: what gave the older output, what gives the new one, and the outputs."""

    name: str
    before: tuple[str, ...]
    command: tuple[str, ...]
    outputs: tuple[str, ...]
    one_step: bool = True
    """Whether a folder changes places in one step."""
    again: bool = True
    """Whether it replaces its own output."""


SHEETS, RESULTS = ("models/ssd/one.yaml", "models/ssd/two.yaml"), "led/results.parquet"
LIKE, NONE = ("--like", "ssd/nvme-gen4-2021", "-o", "m.yaml"), ("--intervals", "none")
REPORT = ("--quick", "-o", "r.html", "--excel", "e.xlsx")
PLAN = ("plan", "run", "small.site.yaml", "--until")
PLOT = ("plan", "plot", "small.site.yaml", "capacity", "--until")
CASES = (
    Case("run", ("run", OTHER, *NONE, "--out", "out"), ("run", SCENARIO, *NONE, "--out", "out"), ("out",)),
    Case("run, first time", (), ("run", SCENARIO, *NONE, "--out", "out"), ("out",)),
    Case("run, two steps", ("run", OTHER, *NONE, "--out", "out"), ("run", SCENARIO, *NONE, "--out", "out"), ("out",),
         one_step=False),
    Case("trace", ("trace", OTHER, "-o", "t.json"), ("trace", SCENARIO, "-o", "t.json"), ("t.json",)),
    Case("picture", ("picture", OTHER, "-o", "p.svg"), ("picture", SCENARIO, "-o", "p.svg"), ("p.svg",)),
    Case("plot", ("plot", OTHER, "causes", "-o", "p.png"), ("plot", SCENARIO, "causes", "-o", "p.png"), ("p.png",)),
    Case("report", ("report", OTHER, *REPORT), ("report", SCENARIO, *REPORT), ("r.html", "e.xlsx")),
    Case("study, CSV", ("study", OTHER_STUDY, "--out", "s.csv"), ("study", STUDY, "--out", "s.csv"), ("s.csv",)),
    Case("study, Parquet", (), ("study", STUDY, "--out", "s.parquet"), ("s.parquet",)),
    Case("calibrate", (), ("calibrate", "here"), SHEETS),
    Case("calibrate, history", (), ("calibrate", "here", "--history", f"{SAMPLES}/restic-a-full.json"), SHEETS),
    Case("study, folder", ("study", OTHER_STUDY, "--into", "led"), ("study", STUDY, "--into", "led"), (RESULTS,)),
    Case("measure", ("measure", f"{SAMPLES}/fio-seqread-1.json", *LIKE),
         ("measure", f"{SAMPLES}/fio-seqread-2.json", *LIKE), ("m.yaml",)),
    Case("history", ("history", f"{SAMPLES}/restic-a-full.json", "-o", "h.csv"),
         ("history", f"{SAMPLES}/borg-a-full.json", "-o", "h.csv"), ("h.csv",)),
    Case("sensitivity", ("sensitivity", OTHER, "-o", "i.svg"), ("sensitivity", SCENARIO, "-o", "i.svg"), ("i.svg",)),
    Case("plan init", (), ("plan", "init", "systems.csv", "-o", "made.yaml"), ("made.yaml",), again=False),
    *(
        Case(f"plan run, {name}", (*PLAN, "2 days", "--out", out), (*PLAN, "3 days", "--out", out), (out,), one_step)
        for name, out, one_step in (
            ("workbook", "p.xlsx", True), ("folder", "tables", True), ("folder, two steps", "tables", False),
        )
    ),
    Case("plan plot", (*PLOT, "2 days", "-o", "c.png"), (*PLOT, "3 days", "-o", "c.png"), ("c.png",)),
)  # fmt: skip


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which works once for each command line."""
    found: dict[tuple[object, ...], Any] = {}

    @functools.wraps(function)
    def kept(*args: Any, **kwargs: Any) -> Any:
        key = (*sys.argv[1:3], *(arg for arg in args if isinstance(arg, str)))
        if key not in found:
            found[key] = function(*args, **kwargs)
        return found[key]

    return kept


def written_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a table that writes it to a path; the same bytes again after the first time."""
    found: dict[tuple[str, ...], bytes] = {}

    def write(table: pd.DataFrame, path: Path | io.BytesIO, **settings: Any) -> None:
        if isinstance(path, io.BytesIO):
            function(table, path, **settings)
            return
        columns = ",".join(map(str, table.columns))
        key = (*sys.argv[2:7], path.suffix, "" if path.suffix == ".partial" else path.name, columns)
        if key not in found:
            function(table, path, **settings)
            found[key] = path.read_bytes()
        path.write_bytes(found[key])

    return write


class Drawn:
    """A picture that is drawn once."""

    def __init__(self, picture: Any = None, content: bytes = b"") -> None:
        written = io.BytesIO(content)
        if picture is not None:
            picture.savefig(written, format="png")
        self.content = written.getvalue()

    def __call__(self) -> Drawn:
        return self

    def savefig(self, path: Path, **_: Any) -> None:
        path.write_bytes(self.content)


def prepare() -> None:
    """Let nothing be computed twice, and nothing be printed."""
    typer.main.get_command = functools.cache(typer.main.get_command)
    run.simulate, loading.load = once(run.simulate), once(loading.load)
    pd.DataFrame.to_csv = written_once(pd.DataFrame.to_csv)
    pd.DataFrame.to_parquet = written_once(pd.DataFrame.to_parquet)
    report._chapter, report.page = once(report._chapter), once(report.page)
    study.study = kept_in_a_folder(once(study.study))
    measured_sheet.measured_sheet = once(measured_sheet.measured_sheet)
    registry.read_history, inventory.site_text = once(registry.read_history), once(inventory.site_text)
    plan.plan, site.load_site = once(plan.plan), once(site.load_site)
    intervals.sureness = lambda *_: intervals.NOT_ASKED
    capacity, causes = of_plan.PlanPlots.capacity, of_result.Plots.causes
    of_plan.PlanPlots.capacity = once(lambda plots: Drawn(capacity(plots)))
    sensitivity.sensitivity = lambda name, *_, **__: SimpleNamespace(
        plot=SimpleNamespace(tornado=lambda: Drawn(content=name.encode())), as_dict=dict
    )
    of_result.Plots.causes = once(lambda plots: Drawn(causes(plots)))
    show.result = show_study.study = lambda *_, **__: None
    show_published.fits = show_published.history_fit = show_study.sensitivity = lambda *_: None
    show_plan.plan = show_plan.sureness = lambda *_: None
    identifiability.separability = lambda *_, **__: None

    def fit(_: str, **__: Any) -> list[Any]:
        given = {"rows": ("a",), "plausible": ("1 MB/s", "1 GB/s"), "why": "made up"}
        fits = [
            calibrate.Fit(datasheet=f"ssd/{sheet}", parameter=parameter, **given)
            for parameter in ("read_rate", "write_rate")
            for sheet in ("one", "two")
        ]
        done = [calibrate.Fitted(one, "B/s", 2e8, 1e6, (1e7, 1e9), {}) for one in fits]
        write_fitted(done, Path.cwd())
        return done

    calibrate.calibrate = fit
    history_fit.fit_history = lambda name, *_, **__: SimpleNamespace(rows=fit(name), notes=())


def kept_in_a_folder(function: Callable[..., Any]) -> Callable[..., Any]:
    """A study that writes its outcomes and its table into a folder where one is named."""
    tables: dict[str, bytes] = {}

    def kept(name: str, *, into: Path | None, **_: Any) -> Any:
        found = function(name)
        tables.setdefault(name, found.parquet())
        if into is not None:
            ledger = StudyLedger(into)
            for key in (f"{name} 1", f"{name} 2"):
                ledger.add(Point("one", name, None, {}, {}, ("jobs.x.elapsed",), 0), PointResult(key, {}))
            ledger.write(study.RESULTS, tables[name])
            ledger.close()
        return found

    return kept


def command(words: tuple[str, ...]) -> int:
    """How a command ended."""
    sys.argv = ["simbackup", *words]
    shelf.forget()
    try:
        main_of_the_program()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def begin(where: Path, case: Case, old: Path) -> None:
    """Make a folder with the older output of a command, and what a user has beside it; go there."""
    os.chdir("/")
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    for name, text in FOREIGN.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    for file in (old / "led/ledger").glob("*.jsonl"):
        shutil.copy2(file, where / "led/ledger")
    if case.command[0] == "calibrate":
        for name in case.outputs:
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(SHEET)
    for name in case.outputs:
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        if (old / name).is_dir():
            shutil.copytree(old / name, where / name)
        elif (old / name).is_file():
            shutil.copy2(old / name, where / name)  # with its mark
    os.environ[shelf.SEARCH_PATH] = str(where) if case.command[0] == "calibrate" else ""
    os.chdir(where)


def state(path: Path) -> str:
    """What an output is, in a few letters."""
    if path.is_dir():
        files = {str(file.relative_to(path)): state(file) for file in sorted(path.rglob("*")) if file.is_file()}
        return hashlib.sha256(json.dumps(files).encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "nothing"


class Death:
    """Counts renames and lines, and dies at one of them."""

    def __init__(self) -> None:
        self.renames = self.lines = 0
        self.at: tuple[str, int] = ("", 0)
        self.by = signal.SIGKILL

    def strike(self, kind: str, number: int) -> None:
        """Die if it is time."""
        if self.at == (kind, number):
            self.at = ("", 0)
            signal.raise_signal(self.by)

    def renaming(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, before and after which death may come."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.renames += 1
            self.strike("before", self.renames)
            done = function(*args, **kwargs)
            self.strike("after", self.renames)
            return done

        return call

    def line(self, frame: FrameType, event: str, _: object) -> Any:
        """Count the lines of what writes, and of what that calls."""
        file = frame.f_code.co_filename
        if file not in WRITING and (frame.f_back is None or frame.f_back.f_code.co_filename not in WRITING):
            return None
        if event == "line":
            self.lines += 1
            self.strike("line", self.lines)
        return self.line


def fork(words: tuple[str, ...], at: tuple[str, int], by: signal.Signals) -> int:
    """How a command ended that died in another process."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 99
    try:
        death.at, death.by, death.renames, death.lines = at, by, 0, 0
        if at[0] == "line":
            sys.settrace(death.line)
        code = command(words)
    finally:
        os._exit(code)


def deaths(renames: int, lines: int, name: str, often: int) -> Iterator[tuple[tuple[str, int], signal.Signals]]:
    """When and how a command dies: before and after every rename, and at lines drawn at random."""
    draw = random.Random(name)  # noqa: S311 (a seeded draw)
    for by in SIGNALS:
        yield from (((when, number), by) for when in ("before", "after") for number in range(1, renames + 1))
        yield from ((("line", draw.randint(1, lines)), by) for _ in range(often))


def tried(case: Case, root: Path, often: int) -> Iterator[str]:
    """What went wrong when a command died."""
    folder.exchange = death.renaming(EXCHANGE) if case.one_step else lambda *_: False
    begin(root / "old", case, root)
    if case.before and command(case.before):
        yield "the older output was not written"
    states = [{name: state(root / "old" / name) for name in case.outputs}]
    begin(root / "new", case, root / "old")
    command(case.command)  # everything is computed now
    begin(root / "new", case, root / "old")
    death.renames = death.lines = 0
    sys.settrace(death.line)
    code = command(case.command)
    sys.settrace(None)
    if code:
        yield "the new output was not written"
    states.append({name: state(root / "new" / name) for name in case.outputs})
    listed = {path.name for path in (root / "new").iterdir()}
    gc.collect()
    gc.freeze()  # which the copies would copy
    for at, by in deaths(death.renames, death.lines, case.name, often):
        tally[case.name][at[0]] += 1
        begin(root / "trial", case, root / "old")
        ended = fork(case.command, at, by)
        if ended != (-by if by == signal.SIGKILL else cli.INTERRUPTED):
            yield f"{at} {by.name}: ended with {ended}"
        yield from (f"{at} {by.name}: {what}" for what in after(case, states, listed))


def after(case: Case, states: list[dict[str, str]], listed: set[str]) -> Iterator[str]:
    """What is wrong after a death, and after the command was run again."""
    for name in case.outputs:
        if not case.one_step:
            folder.is_there(Path(name))
    for name in case.outputs:
        if state(Path(name)) not in {each[name] for each in states}:
            yield f"{name} is neither old nor new as a whole"
    there = all(Path(name).exists() for name in case.outputs)
    if (code := command(case.command)) and (case.again or not there):
        yield f"the next run ended with {code}"
    if {name: state(Path(name)) for name in case.outputs} != states[1]:
        yield "the next run did not write the new output"
    if any(not Path(name).is_file() or Path(name).read_text() != text for name, text in FOREIGN.items()):
        yield "a file of the user is gone"
    if wrong := sorted({path.name for path in Path().iterdir()} ^ listed):
        yield f"{wrong} is too much or too little"


RANDOM_DEATHS = 5
"""Of each command and each signal."""
death, tally = Death(), {case.name: {"before": 0, "after": 0, "line": 0} for case in CASES}
"""What dies, and how often each command did, by the place."""


def main() -> None:
    """Let every command die, and print for each, as a line of JSON, what went wrong and how often it died."""
    print_to, root, chosen = os.dup(1), Path(sys.argv[1]), "".join(sys.argv[3:])
    often = int(sys.argv[2]) if sys.argv[2:] else RANDOM_DEATHS
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    cli.print = lambda *_, **__: None
    whole.log.disabled = True
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
    for name in RENAMES:
        setattr(os, name, death.renaming(getattr(os, name)))
    prepare()
    for case in (case for case in CASES if case.name.startswith(chosen)):
        wrong = list(tried(case, root / case.name, often))
        line = {"command": case.name, "wrong": wrong, "deaths": tally[case.name], "outputs": len(case.outputs)}
        os.write(print_to, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main()
