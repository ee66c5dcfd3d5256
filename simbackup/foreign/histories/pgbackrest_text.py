"""pgBackRest 2: the text of `pgbackrest info`.

Sizes have one decimal, and their KB, MB and GB are powers of 1024; times have an offset from version 2.45 on. The
layout may change with any release, that of JSON does not. See "Info Command" in the command reference at pgbackrest.org.
"""

from __future__ import annotations

import re
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.pgbackrest import LEVELS
from simbackup.foreign.reader import Reader, Source

_STANZA = re.compile(r"stanza: (\S+)\s*")
_BACKUP = re.compile(r"\s*(full|diff|incr) backup: (\S+)\s*")
_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)([+-]\d\d(?::?\d\d)?)?"
_TIMES = re.compile(rf"\s*timestamp start/stop: {_MOMENT} / {_MOMENT}\s*")
_AMOUNT = r"(\d[\d.]*[KMGTP]?B)"
_SIZES = re.compile(rf"\s*database size: {_AMOUNT}, (?:database )?backup size: {_AMOUNT}\s*")
_STORED = re.compile(rf"\s*repo(?:sitory)?\d*(?::| size:) (?:.*, )?(?:repository )?backup (?:set )?size: {_AMOUNT}\s*")


def recognises(source: Source) -> bool:
    """Whether a text has a stanza and a backup of it."""
    return _STANZA.search(source.text) is not None and _BACKUP.search(source.text) is not None


def read(source: Source) -> Past:
    """The backups of all stanzas.

    Raises
    ------
    InputError
        A time or a size cannot be read, or no backup has times.
    """
    past, stanza = Past(), ""
    found: list[tuple[str, int, dict[str, re.Match[str]], dict[str, int]]] = []
    for number, line in enumerate(source.text.splitlines(), 1):
        if part := _STANZA.fullmatch(line):
            stanza = part[1]
        if part := _BACKUP.fullmatch(line):
            found.append((stanza, number, {"backup": part}, {}))
        for key, form in (("times", _TIMES), ("sizes", _SIZES), ("stored", _STORED)):
            if found and (part := form.fullmatch(line)):
                found[-1][2].setdefault(key, part)
                found[-1][3].setdefault(key, number)
    several = len({name for name, *_ in found}) > 1
    zoneless = False
    for name, line, parts, lines in found:
        if "times" not in parts:
            past.problems.append(source.problem(line, "the backup has no line 'timestamp start/stop'"))
            continue
        zoneless = zoneless or not parts["times"][2]
        job = _job(past, source, name, line, parts, lines, several=several)
        past.jobs += [job] if job is not None else []
    if zoneless:
        past.notes.append(source.zone_note("pgbackrest"))
    past.notes.append(f"sizes in {source.shown} have one decimal; '--output=json' writes all of them")
    return past.checked(source, "has no backup with its times", "write it with 'pgbackrest info --output=json'")


def _job(
    past: Past, source: Source, stanza: str, line: int, parts: dict[str, re.Match[str]], lines: dict[str, int],
    *, several: bool,
) -> FinishedJob | None:  # fmt: skip
    """The job of a backup."""
    times = parts["times"]
    try:
        start, stop = (
            datetime.fromisoformat(f"{times[i]}{times[i + 1] or ''}").replace(
                **({} if times[i + 1] else {"tzinfo": source.in_zone})
            )
            for i in (1, 3)
        )
    except ValueError:
        past.problems.append(source.problem(lines["times"], f"'{times[0].strip()}' has no times"))
        return None
    if stop < start:
        past.problems.append(source.problem(lines["times"], "the backup ends before it begins"))
        return None
    kind, label = parts["backup"].groups()
    size, read_of_it, stored = (
        past.size(source, lines[key], parts[key][group], binary=True) if key in parts else None
        for key, group in (("sizes", 1), ("sizes", 2), ("stored", 1))
    )
    return FinishedJob(
        id=f"{stanza}-{label}" if several else label, tool="pgbackrest", job=stanza, operation="backup",
        level=LEVELS[kind], start=start, elapsed_s=(stop - start).total_seconds(), size_bytes=size,
        read_bytes=read_of_it, stored_bytes=stored,
        status=WARNING if "error" in source.text.splitlines()[line - 1] else OK, place=Place(source.shown, line, 1),
    )  # fmt: skip


READER = Reader("pgBackRest 2", "pgbackrest info", recognises, read)
