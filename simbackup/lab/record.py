"""Records of labs: one file that a user may send, and the folder in which its runs are compared for ever."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from simbackup.errors import ResultError
from simbackup.files import content
from simbackup.lab.data import Content
from simbackup.lab.folder import Folder, Line
from simbackup.lab.measuring import is_quiet
from simbackup.lab.predictions import FILE as PREDICTIONS
from simbackup.lab.regression import Constants
from simbackup.lab.results import Found, Lab, asked_of, every
from simbackup.lab.scenarios import Asked, Mapped, machine_of, together, with_constants
from simbackup.lab.sheets import constants, row_id, workers_id, workers_run
from simbackup.lab.spec import DesignSpec, load_program
from simbackup.results.compare import MEASURED, TOLERANCE

FORMAT = 3
PACK = "lab.json"
"""The pack in the folder of a record."""
MACHINE: tuple[str, ...] = (
    "id",
    "cores",
    "memory",
    "system",
    "architecture",
    "speed",
    "kernels",
    "copy_rate",
    "filesystem",
    "disk",
)
RUN: tuple[str, ...] = (
    "program", "operation", "point", "repeat", "workers", "round_trip", "bytes", "files", "random", "unchanged",
    "stored", "elapsed", "synced", "cpu", "server_cpu", "foreign", "steal", "cores", "disturbed", "attempts", "day",
)  # fmt: skip
PREDICTION: tuple[str, ...] = (
    "program",
    "operation",
    "point",
    "basis",
    "inputs",
    "runs",
    "elapsed",
    "low",
    "high",
    "cpu",
    "version",
)
"""What a pack holds of the machine, of each run and of each prediction, and nothing else."""
WORD = re.compile(r"[\w.+ -]{0,64}")
"""Words that a pack may hold: no path has such a form."""
RATE = re.compile("(?<=B)/s$")

Packed = dict[str, Any]


def packed(folder: Folder) -> str:
    """A lab as the text of one file, without names and paths.

    Raises
    ------
    ResultError
        Nothing was measured, or a word in it may be a name or a path.
    """
    lab = Lab.of(folder)
    if not lab.lines:
        raise ResultError(f"{folder.path}: nothing was measured; run 'simbackup lab measure {folder.path}' first")
    inside: Packed = {
        "format": FORMAT, "design": _plain_design(lab.design),
        "machine": {key: lab.machine[key] for key in MACHINE}, "versions": dict(lab.versions),
        "contents": {name: [one.bytes, one.files, one.random] for name, one in lab.contents.items()},
        "runs": [[line[key] for key in RUN] for line in lab.lines],
        "predictions": [[line[key] for key in PREDICTION] for line in folder.lines(PREDICTIONS)],
    }  # fmt: skip
    for word in _words(inside):
        if not WORD.fullmatch(word):
            raise ResultError(f"{folder.path}: '{word}' may be a name or a path, and is not packed; rename it")
    return _text({**inside, "sha256": _digest(inside)})


def _text(inside: Packed) -> str:
    """The text of a pack, with a line for each run and each prediction."""
    parts: list[str] = []
    for key, value in inside.items():
        rows = ",\n".join(map(json.dumps, value)) if key in {"runs", "predictions"} else ""
        parts.append(f"{json.dumps(key)}: " + (f"[\n{rows}\n]" if rows else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _plain_design(design: DesignSpec) -> Packed:
    """A design as its file says it."""
    points = {
        name: {
            key: value.si if hasattr(value, "si") else value for key, value in dict(point).items() if value is not None
        }
        for name, point in design.points.items()
    }
    return {
        "title": re.sub(r"[^\w.+ -]", "", design.title)[:64], "unit": f"{design.unit.si:.0f} B",
        "small_files": design.small_files.si, "repeats": design.repeats.si, "operations": list(design.operations),
        "points": points,
    }  # fmt: skip


def _words(given: object) -> Iterator[str]:
    """All texts in plain data, keys too."""
    if isinstance(given, str):
        yield RATE.sub("", given)
    elif isinstance(given, Mapping):
        for key, value in given.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _words(value)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(given, Sequence):
        for each in given:  # pyright: ignore[reportUnknownVariableType]
            yield from _words(each)  # pyright: ignore[reportUnknownArgumentType]


def _digest(inside: Packed) -> str:
    return hashlib.sha256(json.dumps(inside, sort_keys=True).encode()).hexdigest()


def unpacked(file: Path) -> tuple[Lab, list[Line]]:
    """The lab that a file holds, and its predictions.

    Raises
    ------
    ResultError
        The file cannot be read, or was changed.
    """
    try:
        inside: Packed = json.loads(content(file))
        digest = inside.pop("sha256")
        if inside["format"] != FORMAT or digest != _digest(inside):
            raise ResultError(f"{file} was changed since it was packed; pack it again")
        machine, names = inside["machine"], sorted(inside["versions"])
        if not all(WORD.fullmatch(each) for each in (machine["id"], *names, *inside["contents"])):
            raise ResultError(f"{file} is no packed lab; write one with: simbackup lab pack")
        lines: list[Line] = [dict(zip(RUN, run, strict=True)) for run in inside["runs"]]
        predictions: list[Line] = [dict(zip(PREDICTION, one, strict=True)) for one in inside["predictions"]]
        contents = {name: Content(*one) for name, one in inside["contents"].items()}
        design = DesignSpec.model_validate(inside["design"])
    except OSError as error:
        raise ResultError(f"{file} cannot be read ({error.strerror or error})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ResultError(f"{file} is no packed lab; write one with: simbackup lab pack") from None
    return Lab(machine["id"], design, machine, lines, inside["versions"], contents), predictions


def join(file: Path, into: Path) -> Path:
    """Write the record of a packed lab into a folder of records, and give its own folder.

    A record has the pack with its runs and its frozen predictions, and a scenario of each program with all its runs and
    the constants that they gave, beside what was measured.

    Raises
    ------
    ResultError
        The file is no packed lab, or the record is there already.
    """
    lab, _ = unpacked(file)
    folder = into / f"lab-{lab.id}"
    if folder.exists():
        raise ResultError(f"{folder} exists; this lab was joined before")
    partial = into / f".lab-{lab.id}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        (partial / PACK).write_bytes(content(file))
        for name, text in _files(lab):
            (partial / name).write_text(text, encoding="utf-8")
        partial.rename(folder)
    except OSError as error:
        raise ResultError(f"{folder} cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _files(lab: Lab) -> Iterator[tuple[str, str]]:
    """The files of a record, without the pack that they are made from: one of each program, and the measured rows."""
    rows: Packed = {}
    runs: dict[str, dict[str, tuple[Asked, Mapped]]] = {}
    for found in every(lab):
        if found.own is not None:
            rows |= _rows(lab, found)
            runs.setdefault(found.program, {}).update(_runs(lab, found, found.own))
    for program, those in runs.items():
        title = f"{load_program(program).title} {lab.versions[program]}"
        yield f"{program}.yaml", _yaml(together(lab.machine, title, those))
    document = f"simbackup lab {lab.id}: {lab.machine['cores']} cores, {lab.machine['system']}"
    yield MEASURED, _yaml({"document": document, "measurements": rows})


def _yaml(given: Packed) -> str:
    return yaml.safe_dump(given, sort_keys=False, allow_unicode=True, width=110)


def _rows(lab: Lab, found: Found) -> Packed:
    """The measured rows of an operation: the time of cores at each point, and the elapsed time if nothing disturbed."""
    rows: Packed = {}
    title = f"{load_program(found.program).title} {lab.versions[found.program]}"
    for point, computed in found.computed.items():
        runs = [line for line in lab.runs(found.program, found.operation) if line["point"] == point]
        name, run = row_id(lab, found, point), f"{found.operation}-{point}"
        what = {"operation": f"{found.operation} of {point} by {title}", "group": name}
        cores = lab.machine["cores"]
        own = _row([line["cpu"] / cores for line in runs], computed / cores, found.verdict)
        rows[name] = {
            **own,
            **what,
            "quantity": "cpu",
            "result": f"{found.program}.yaml#hosts.{machine_of(run)}.cores.busy_s",
        }
        if quiet := [line["synced"] for line in runs if is_quiet(line)]:
            own = _row(quiet, found.elapsed[point], f"It follows from the disk as dd measures it, too. {found.verdict}")
            rows[f"{name}-elapsed"] = {**own, **what, "result": f"{found.program}.yaml#jobs.{run}.elapsed"}
    for (point, number), computed in found.scaled.items():
        runs = [line for line in lab.with_workers(found.program, found.operation) if line["workers"] == number]
        if quiet := [line["synced"] for line in runs if line["point"] == point and is_quiet(line)]:
            name, run = workers_id(lab, found, point, number), workers_run(found.operation, point, number)
            rows[name] = {
                **_row(quiet, computed, f"The serial share is that of one point. {found.verdict}"),
                "operation": f"{found.operation} of {point} by {title}, workers: {number}",
                "group": name.removesuffix("-elapsed"), "result": f"{found.program}.yaml#jobs.{run}.elapsed",
            }  # fmt: skip
    return rows


def _row(values: Sequence[float], simulated: float, verdict: str) -> Packed:
    """The median of some times, with the least and the greatest, and why the simulation misses it if it does."""
    digits = [f"{one:.5g}" for one in (median(values), min(values) * 0.9999, max(values) * 1.0001)]
    middle, low, high = map(float, digits)
    shown = dict(zip(("value", "low", "high"), (f"{one} s" for one in digits), strict=True))
    row: Packed = {**shown, "at": f"{PACK}, {len(values)} runs"}
    if not low <= simulated <= high and abs(simulated / middle - 1.0) > TOLERANCE:
        row["off"] = f"{verdict}."
    return row


def _runs(lab: Lab, found: Found, own: Constants) -> Iterator[tuple[str, tuple[Asked, Mapped]]]:
    """The runs of an operation, by their names in the scenario of the program."""
    spec = load_program(found.program)
    operation, lines = spec.operations[found.operation], lab.runs(found.program, found.operation)
    values = constants(lab, found, own)
    jobs = with_constants(spec, (found.operation, operation), values)
    for point in found.computed:
        yield f"{found.operation}-{point}", (asked_of(lab, lines, point), jobs["run"])
    for point, number in found.scaled:
        jobs = with_constants(spec, (found.operation, operation), values, number)
        lines = [line for line in lab.with_workers(found.program, found.operation) if line["workers"] == number]
        yield workers_run(found.operation, point, number), (asked_of(lab, lines, point), jobs["run"])
