"""A result in a folder: what is written, and what is checked when it is read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter, ValidationError

from simbackup.drawing.layout import Layout
from simbackup.errors import ResultError
from simbackup.output.partial import log
from simbackup.output.seal import changes, unseal
from simbackup.output.whole import write_csv
from simbackup.results import bulk
from simbackup.results.folder import RESULT
from simbackup.results.record import Record, UsedValue, program_version
from simbackup.scenario.kept import Kept, as_plain, from_plain
from simbackup.trace.trace import FULL, Trace
from simbackup.workloads.impact import IMPACT

if TYPE_CHECKING:
    from simbackup.results.result import Result

MANY = 5_000
"""Values from which on an origin is written once: 1,000 clients have 30,000 values, and 30 origins."""


def packed(values: Sequence[UsedValue]) -> dict[str, Any]:
    """The values as plain data: each on its own, or the number of what is known of it by its address.

    >>> packed([])
    {'values': []}
    """
    if len(values) < MANY or len({value.address for value in values}) < len(values):
        return {"values": [asdict(value) for value in values]}
    numbers: dict[str, int] = {}
    texts: dict[str, int] = {}
    origins: list[UsedValue] = []
    for value in values:
        origin = replace(value, address="")
        number = texts.setdefault(repr(origin), len(origins))  # its lists have no hash
        if number == len(origins):
            origins.append(origin)
        numbers[value.address] = number
    return {"values": numbers, "origins": [asdict(origin) for origin in origins]}


def unpacked(content: Mapping[str, Any]) -> list[UsedValue]:
    """The values from which `packed` made such data; IndexError where an origin is missing."""
    if isinstance(content["values"], dict):
        values = cast("dict[str, int]", content["values"])
        origins = [UsedValue(**origin) for origin in content["origins"]]
        return [replace(origins[number], address=address) for address, number in values.items()]
    return [UsedValue(**value) for value in content["values"]]


TRACE_FILE = "trace.jsonl"
SCENARIO_FILE = "scenario.json"
AGAIN = "run its scenario again into another folder"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Node(_Strict):
    address: str
    kind: str
    name: str
    title: str
    count: int
    facts: list[tuple[str, float | None, float | None, str]]


class _SavedLayout(_Strict):
    title: str
    question: str
    nodes: list[_Node]
    edges: list[tuple[str, str, str]]


class _SavedTrace(_Strict):
    keeps: Literal["jobs", "none"]
    left_out: int
    last: FiniteFloat


class _Saved(_Strict):
    """The record of a result in its folder."""

    format: int
    """Number of the format."""
    run: Record
    """The provenance of the result."""
    records: dict[str, int]
    """Number of records in the trace, by type."""
    values: list[UsedValue] | dict[str, int]
    """Values that it depends on; if they are many, only the number of the origin of each."""
    origins: list[UsedValue] = []
    """What `values` then refers to."""
    layout: _SavedLayout | None = None
    """The topology of the system."""
    trace: _SavedTrace | None = None
    """What is kept of the trace; None if all is."""
    files: dict[str, str]
    """Checksums of the files."""


class _Job(BaseModel):
    """What every job reports; some jobs report more. Times are in seconds."""

    model_config = ConfigDict(strict=True, extra="allow")
    job: str
    """The name of the run."""
    method: str
    """Its method."""
    start: FiniteFloat
    """After the start of the simulation."""
    end: FiniteFloat
    """After the start of the simulation."""
    elapsed: FiniteFloat
    """From start to end."""
    bytes: FiniteFloat
    """Bytes of save sets."""
    files: FiniteFloat
    """Files of save sets."""
    lock: FiniteFloat
    """For which it held a read lock."""
    due: FiniteFloat
    """When it was due."""
    status: Literal["done", "late", "failed", "skipped"]
    """How it ended."""
    reason: str
    """Why it failed or was skipped."""


class _Impact(BaseModel):
    """The impact of a job on users: only numbers besides its name."""

    model_config = ConfigDict(strict=True, extra="allow")
    __pydantic_extra__: dict[str, float]  # pyright: ignore[reportIncompatibleVariableOverride]
    job: str
    offered: float
    rate: float
    lost: float


class _Down(_Strict):
    seconds: FiniteFloat


_JOB = TypeAdapter(_Job)
_EVENTS: Mapping[str, TypeAdapter[Any]] = {IMPACT: TypeAdapter(_Impact), "was down": TypeAdapter(_Down)}
"""The events that figures are read from, by what happened."""


def write(result: Result, folder: Path) -> dict[str, Any]:
    """Write the trace and tables of a result into a folder, and return the content of its record."""
    many = bulk.bulky(result.trace)
    bulk.write(result.trace, many, folder)
    with (folder / TRACE_FILE).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in result.trace.to_lines(many))
    if result.made_from is not None:
        text = json.dumps(as_plain(result.scenario), indent=None, separators=(",", ":"))
        (folder / SCENARIO_FILE).write_text(f"{text}\n", encoding="utf-8")
    tables = {
        "jobs": result.jobs.reset_index(),
        "devices": result.devices,
        "users": result.users,
        "values": result.sources(),
    }
    for name, table in tables.items():
        table.to_parquet(folder / f"{name}.parquet")
        write_csv(table, folder / f"{name}.csv")
    content = {"run": asdict(result.record), "records": result.trace.counts(), **packed(result.values)}
    if result.trace.keeps != FULL:
        content["trace"] = {key: getattr(result.trace, key) for key in _SavedTrace.model_fields}
    return content if result.layout is None else {**content, "layout": result.layout.as_dict()}


def read(folder: Path) -> tuple[Record, list[UsedValue], Trace, Layout | None, Kept | None]:
    """What a result is made of, as it was written.

    Raises
    ------
    ResultError
        The folder holds no result, one of another format, or one that was changed since.
    """
    try:
        content = unseal(folder, RESULT.record)
        wrong = changes(folder, content)
        trace = b"" if wrong else (folder / TRACE_FILE).read_bytes()
        scenario = (folder / SCENARIO_FILE).read_bytes() if SCENARIO_FILE in content["files"] and not wrong else None
    except OSError as error:
        raise ResultError(f"{folder} holds no result ({error.strerror}: {error.filename})") from None
    except ResultError as error:
        raise ResultError(f"{error}; {AGAIN}") from None
    if wrong:
        raise _damaged(folder, ", ".join(f"{name} {what}" for name, what in sorted(wrong.items())))
    try:
        _Saved.model_validate_json(json.dumps(content))
        values = unpacked(content)
        read_back = Trace.from_lines(trace.decode().splitlines())
        bulk.read(read_back, [kind for kind in bulk.FORMS if bulk.file_of(kind) in content["files"]], folder)
        for key, value in content.get("trace", {}).items():
            setattr(read_back, key, value)
        _check_trace(read_back, content["records"])
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        raise _damaged(folder, f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}") from None
    except LookupError as error:
        raise _damaged(folder, f"origins: {error}") from None
    except ValueError as error:
        raise _damaged(folder, f"{TRACE_FILE}: {error}") from None
    try:
        kept = None if scenario is None else from_plain(json.loads(scenario))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise _damaged(folder, f"{SCENARIO_FILE}: {error}") from None
    record = Record(**content["run"])
    if record.version != program_version():
        text = "%s was written by simbackup %s; this is %s, and its figures may differ"
        log.warning(text, folder, record.version, program_version())
    layout = Layout.from_dict(content["layout"]) if content.get("layout") is not None else None
    return record, values, read_back, layout, kept


def _damaged(folder: Path, why: str) -> ResultError:
    return ResultError(f"the result in {folder} is damaged ({why}); {AGAIN}")


def _check_trace(trace: Trace, counts: Mapping[str, int]) -> None:
    """Refuse a trace that lacks records, or has records of a wrong form."""
    if trace.counts() != {**dict.fromkeys(trace.counts(), 0), **counts}:  # an older program did not know all types
        raise ValueError(f"has {trace.counts()} instead of {dict(counts)}")
    for job in trace.jobs:
        _JOB.validate_python(job.data)
    for event in trace.events:
        if event.what in _EVENTS:
            _EVENTS[event.what].validate_python(event.data)
