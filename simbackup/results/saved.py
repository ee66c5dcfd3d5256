"""A result in a folder: what is written, and what is checked when it is read back."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup.drawing.layout import Layout
from simbackup.errors import ResultError
from simbackup.output.whole import log, write_csv
from simbackup.results import bulk
from simbackup.results.folder import RESULT, changes, unseal
from simbackup.results.record import Record, UsedValue, program_version
from simbackup.scenario.kept import Kept, as_plain, from_plain
from simbackup.trace.trace import FULL, KEEPS, Trace

if TYPE_CHECKING:
    from simbackup.results.result import Result

TRACE_FILE = "trace.jsonl"
SCENARIO_FILE = "scenario.json"
AGAIN = "run its scenario again into another folder"
KEPT = ("keeps", "left_out", "last")
"""What is on record of a trace that does not hold all records."""


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
    content: dict[str, Any] = {
        "run": asdict(result.record), "records": result.trace.counts(),
        "values": [asdict(value) for value in result.values],
    }  # fmt: skip
    if result.trace.keeps != FULL:
        content["trace"] = {key: getattr(result.trace, key) for key in KEPT}
    return content if result.layout is None else {**content, "layout": result.layout.as_dict()}


def read(folder: Path) -> tuple[Record, list[UsedValue], Trace, Layout | None, Kept | None]:
    """What a result is made of, as it was written: the checksums of its files say whether it is.

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
        record = Record(**content["run"])
        values = [UsedValue(**value) for value in content["values"]]
        read_back = Trace.from_lines(trace.decode().splitlines())
        bulk.read(read_back, [kind for kind in bulk.FORMS if bulk.file_of(kind) in content["files"]], folder)
        for key in {*KEPT} & content.get("trace", {}).keys():
            setattr(read_back, key, content["trace"][key])
        if read_back.keeps not in KEEPS:
            raise ValueError(f"a trace keeps no '{read_back.keeps}'")  # noqa: TRY301 (reported like other damage)
        kept = None if scenario is None else from_plain(json.loads(scenario))
        layout = Layout.from_dict(content["layout"]) if content.get("layout") is not None else None
        counts = read_back.counts()
        stated = dict.fromkeys(counts, 0) | content["records"]  # an older program did not know all types
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, NotImplementedError, OSError) as error:
        raise _damaged(folder, str(error)) from None
    if counts != stated:
        raise _damaged(folder, f"{TRACE_FILE}: has {counts} instead of {stated}")
    if record.version != program_version():
        text = "%s was written by simbackup %s; this is %s, and its figures may differ"
        log.warning(text, folder, record.version, program_version())
    return record, values, read_back, layout, kept


def _damaged(folder: Path, why: str) -> ResultError:
    return ResultError(f"the result in {folder} is damaged ({' '.join(why.split())}); {AGAIN}")
