"""Readers of logs and reports of backup programs as text: for each format, patterns of the lines about a job.

- Bacula and Bareos since 1.38: the report at the end of a job, as in mails, in the log, and in `list joblog`: lines of
  name and value, with times like 02-May-2026 20:00:01 in the zone of the director, and commas between thousands. See
  "Messages Resource" in the "Bacula Main Reference" and at docs.bareos.org.
- BorgBackup 1.1 to 2: the text of `borg create --stats` and `borg info`. Times are those of the machine, from some
  versions on with its offset; sizes have three digits and decimal units, or binary ones with `--iec`. See "borg create"
  at borgbackup.readthedocs.io.
- pgBackRest 2: the text of `pgbackrest info`. Sizes have one decimal; times have an offset from version 2.45 on; its
  layout may change with any release, that of JSON does not. See "Info Command" in the command reference at
  pgbackrest.org.
- Proxmox VE 6 to 9: the log of the task "Backup", and the text of its mail, of one guest or of many, to a file or to a
  Proxmox Backup Server; each line may begin with a time. See vzdump(1).
- Proxmox Backup Server 1 to 4: the log of a task as the server shows it, or `proxmox-backup-manager task log`. For each
  index it states the size, the bytes uploaded, and the percentage to which these were compressed. See "Backup Client
  Usage" at pbs.proxmox.com/docs.

KB, MB and GB without a space before them are powers of 1024 in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FAILED, NUMBERS, OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import ISO, Past, moment, seconds_of
from simbackup.foreign.reader import ForeignFile, FormatReader, matching
from simbackup.units import UnitError, parse

FORMS = (ISO, "%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M")
"""Formats of times, for strptime."""
WORDS = {
    "virtualfull": "synthetic", "diff": "differential", "incr": "incremental", "copying": "copy", "migration": "copy",
}  # fmt: skip
"""Levels and operations of a history, by the words of programs that differ from them."""
GOOD = re.compile(r"\bOK\b|WARNINGS|success|Finished")
"""Pattern of a status that means success, perhaps with warnings."""
BINARY = {"KB": "KiB", "kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "PB": "PiB"}
"""Units in powers of 1024, by the decimal names under which programs write them."""
DIGITS = 18
"""Maximum digits of a number."""


@dataclass(slots=True)
class StatedJob:
    """What a log states about one job, by column: texts with the numbers of their lines, and numbers."""

    line: int
    """Number of the line at which it begins."""
    texts: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    numbers: dict[str, float] = field(default_factory=dict[str, float])

    def text(self, column: str) -> str:
        """The text in a column; empty if there is none."""
        return self.texts.get(column, ("", 0))[0]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """The format of a log: regular expressions of its lines, whose named groups are columns of a history, or `end`.

    If several lines state the same column, numbers are taken from the first, texts and times from the last.
    """

    tool: str
    """Name of the program."""
    begin: str
    """Pattern of the first line of a job."""
    lines: tuple[str, ...]
    """Patterns of the other lines of a job."""
    sums: tuple[str, ...] = ()
    """Patterns of lines whose numbers are summed; `percent` is the stored share of `new_bytes` on the line before."""
    before: str = ""
    """Pattern of a prefix of all these lines."""
    head: str = ""
    """Pattern of a line that applies to all jobs below it."""
    level: str = ""
    """Level of jobs that state none."""
    note: str = ""
    """Note on the precision of the figures, with `{}` for the name of the file; empty if there is none."""
    remedy: str = ""
    """Advice if no job is found."""

    def read(self, source: ForeignFile) -> Past:
        """The jobs of a log whose duration is stated, and whose status is if the format has one.

        Raises
        ------
        InputError
            A time or a number cannot be read, or there is no such job.
        """
        past = Past()
        stated = list(self._stated(past, source))
        ends = any("(?P<status>" in form for form in self.lines)
        found = [
            one for one in stated
            if ("elapsed_s" in one.numbers or {"start", "end"} <= one.texts.keys()) and (one.text("status") or not ends)
        ]  # fmt: skip
        if len(found) < len(stated):
            left = len(stated) - len(found)
            past.notes.append(f"{left} of {len(stated)} jobs in {source.shown} have no end, and were left out")
        ids = list(_ids(found, source.path.stem))
        past.jobs = [self._job(past, source, one, name) for one, name in zip(found, ids, strict=True)]
        times = [one.text(at) for one in found for at in ("start", "end") if at in one.texts]
        if not all(re.search(r"(?:[+-]\d\d(?::?\d\d)?|Z)$", time) for time in times):
            past.notes.append(source.zone_note(self.tool))
        past.notes += [self.note.format(source.shown)] if self.note else []
        return past.checked(source, "has no job that ended", self.remedy)

    def _stated(self, past: Past, source: ForeignFile) -> Iterator[StatedJob]:
        """Yield each job with what its lines state."""
        begin, head, *forms = (
            re.compile(self.before + form) for form in (self.begin, self.head or "(?!)", *self.lines, *self.sums)
        )
        above: dict[str, tuple[str, int]] = {}
        one: StatedJob | None = None
        for number, line in enumerate(source.lines, 1):
            text = line.rstrip()
            if part := head.fullmatch(text):
                above = {column: (words, number) for column, words in part.groupdict().items()}
            if part := begin.fullmatch(text):
                if one is not None:
                    yield one
                one = StatedJob(number, dict(above))
            else:
                part = next(filter(None, (form.fullmatch(text) for form in forms)), None)
            if part and one is not None:
                self._add(past, source, one, part, number)
        if one is not None:
            yield one

    def _add(self, past: Past, source: ForeignFile, one: StatedJob, part: re.Match[str], line: int) -> None:
        """Add what one line states to a job."""
        summed = part.re.pattern.removeprefix(self.before) in self.sums
        for column, text in ((column, text.strip()) for column, text in part.groupdict().items() if text is not None):
            if column == "percent":
                new = float(one.text("new_bytes") or 0.0)
                stored = float(round(new * float(text) / 100.0))
                one.numbers["stored_bytes"] = one.numbers.get("stored_bytes", 0.0) + stored
            elif column in NUMBERS and (summed or column not in one.numbers):
                number = _number(past, source, column, text, line)
                if number is not None:
                    one.numbers[column] = one.numbers.get(column, 0.0) + number
            one.texts[column] = text, line

    def _job(self, past: Past, source: ForeignFile, one: StatedJob, name: str) -> FinishedJob:
        """The finished job that the lines describe."""
        times = {at: _moment(past, source, *one.texts[at]) for at in ("start", "end") if at in one.texts}
        start, end = times.get("start"), times.get("end")
        if "elapsed_s" not in one.numbers and start is not None and end is not None:
            one.numbers["elapsed_s"] = (end - start).total_seconds()
        if one.numbers.get("elapsed_s", 0.0) < 0.0:
            past.problems.append(source.problem(one.line, "the job ends before it begins"))
        level, operation = (one.text(column).lower() for column in ("level", "operation"))
        said = one.text("status")
        good = WARNING if "warning" in said.lower() else OK
        return FinishedJob(
            id=name, tool=self.tool, system=one.text("system"), job=one.text("job"), start=start,
            operation=WORDS.get(operation, operation or "backup"), level=WORDS.get(level, level or self.level),
            status=good if not said or GOOD.search(said) else FAILED, place=Place(source.shown, one.line, 1),
            **one.numbers,
        )  # fmt: skip


def _ids(found: list[StatedJob], stem: str) -> Iterator[str]:
    """Yield a unique id for each job: the stated id, a number after the name of the file, or that name for one job."""
    seen: dict[str, int] = {}
    for i, one in enumerate(found, 1):
        name = one.text("id") or (str(i) if len(found) > 1 else stem)
        name = f"{stem}-{name}" if name.isdecimal() and name != stem else name
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"


def _number(past: Past, source: ForeignFile, column: str, text: str, line: int) -> float | None:
    """The number that a text states; None if it cannot be read, which is added to the problems."""
    plain = text.replace(",", "")
    if plain.isdecimal() and len(plain) <= DIGITS:
        return float(plain)
    unit = text.lstrip("0123456789.").strip()
    known = unit if " " in text else BINARY.get(unit, unit)
    try:
        if column == "elapsed_s":
            return seconds_of(text)
        return float(round(parse(f"{text.removesuffix(unit)} {known}", "B")))
    except UnitError as error:
        message, _, remedy = str(error).partition("; ")
        past.problems.append(source.problem(line, message, remedy))
        return None


def _moment(past: Past, source: ForeignFile, text: str, line: int) -> datetime | None:
    """The time that a text states; None if it cannot be read, which is added to the problems."""
    for form in FORMS:
        with suppress(ValueError):
            return moment(re.sub(" (?=[+-])", "", text), form, source.in_zone)
    past.problems.append(source.problem(line, f"'{text}' is not a time"))
    return None


_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?: ?(?:[+-]\d\d(?::?\d\d)?|Z))?"
_SIZE = r"\d[\d.]* ?[kKMGTPE]?i?B"

BACULA = FormatReader(
    "Bacula, Bareos", "list joblog, or the mail of a job", matching(r"^[ \t]+JobId: +\d", "Termination:"),
    LogFormat("bacula", r"JobId:\s+(?P<id>\d{1,18})", (
        r"Job:\s+(?P<job>\S.*?)(?:\.\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d_\d+)?",
        r"Backup Level:\s+(?P<level>[A-Za-z]+).*",
        r'(?:Restore )?Client:\s+"?(?P<system>[^"\s]+).*',
        r"Start time:\s+(?P<start>.*)", r"End time:\s+(?P<end>.*)", r"Elapsed time:\s+(?P<elapsed_s>.*)",
        r"[FS]D Files Written:\s+(?P<files_saved>\S+).*", r"[FS]D Bytes Written:\s+(?P<stored_bytes>\S+).*",
        r"Files Restored:\s+(?P<files_saved>\S+).*", r"Bytes Restored:\s+(?P<size_bytes>\S+).*",
        r"Termination:\s+(?P<status>[* ]*(?P<operation>\w+).*)",
    ), before=r"\s+", remedy="keep the whole block, down to 'Termination:'").read,
)  # fmt: skip

BORG = FormatReader(
    "BorgBackup 1.x, 2", "borg create --stats", matching("^Archive name: ", r"^Time \(start\): "),
    LogFormat("borg", r"Archive name: (?P<job>.*)", (
        rf"Time \(start\): +(?:[A-Z][a-z]{{2}}, )?(?P<start>{_TIME})",
        rf"Time \(end\): +(?:[A-Z][a-z]{{2}}, )?(?P<end>{_TIME})",
        r"Duration: (?P<elapsed_s>.*)", r"Number of files: (?P<files>\d{1,18})", r"Hostname: (?P<system>.*)",
        rf"This archive: +(?P<size_bytes>{_SIZE})(?: +{_SIZE})? +(?P<stored_bytes>{_SIZE})",
        rf"Original size: +(?P<size_bytes>{_SIZE})", rf"Deduplicated size: +(?P<stored_bytes>{_SIZE})",
    ), note="sizes in {} have three digits; 'borg create --json' writes all of them",
    remedy="write it with 'borg create --stats', or 'borg create --json'").read,
)  # fmt: skip

PGBACKREST = FormatReader(
    "pgBackRest 2", "pgbackrest info", matching(r"^stanza: \S", r"^[ \t]*(?:full|diff|incr) backup: "),
    LogFormat("pgbackrest", r"\s*(?P<level>full|diff|incr) backup: (?P<id>\S+)", (
        rf"\s*timestamp start/stop: (?P<start>{_TIME}) / (?P<end>{_TIME})",
        rf"\s*database size: (?P<size_bytes>{_SIZE}), (?:database )?backup size: (?P<read_bytes>{_SIZE})",
        rf"\s*repo(?:sitory)?\d*(?::| size:) (?:.*, )?(?:repository )?backup (?:set )?size: (?P<stored_bytes>{_SIZE})",
    ), head=r"stanza: (?P<job>\S+)", note="sizes in {} have one decimal; '--output=json' writes all of them",
    remedy="write it with 'pgbackrest info --output=json'").read,
)  # fmt: skip

VZDUMP = FormatReader(
    "Proxmox VE 6 to 9", "vzdump", matching("INFO: Starting Backup of VM "),
    LogFormat("vzdump", r"Starting Backup of VM (?P<job>(?P<id>(?P<system>\d{1,18}))).*", (
        r"(?:VM|CT) Name: (?P<system>.*)", rf"Backup started at (?P<start>{_TIME})",
        rf"(?:Backup finished|Failed) at (?P<end>{_TIME})",
        r"(?P<status>Finished Backup of VM \d+) \((?P<elapsed_s>\d+:\d\d:\d\d)\)",
        r"(?P<status>Backup of VM \d+ failed).*",
        rf"using fast (?P<level>incremental) mode \(dirty-bitmap\), {_SIZE} dirty of (?P<size_bytes>{_SIZE}) .*",
        rf" *\d+% \([^)]* of (?P<size_bytes>{_SIZE})\).*",
        rf"transferred (?P<read_bytes>{_SIZE}) in .*", rf"archive file size: (?P<stored_bytes>{_SIZE})",
        r"Total bytes written: (?P<size_bytes>(?P<read_bytes>\d{1,18})) .*",
    ), sums=(
        (
            rf"\S+: had to (?:backup|upload) (?P<new_bytes>{_SIZE}) of (?P<size_bytes>{_SIZE})"
            rf"(?: \(compressed (?P<stored_bytes>{_SIZE})\))?.*"
        ),
    ), before=r"(?:(?:\d+: )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S* )?(?:INFO|WARN|WARNING|ERROR): ", level="full",
    remedy="keep the log down to 'Finished Backup of VM'").read,
)  # fmt: skip

PROXMOX = FormatReader(
    "Proxmox Backup Server 1 to 4", "proxmox-backup-manager task log", matching("starting new backup on datastore '"),
    LogFormat(
        "proxmox-backup",
        rf"(?P<start>{_TIME}): starting new backup on datastore .*: \"(?:ns/.*/)?(?P<job>\w+/(?P<system>[^/]+))/.*",
        (rf"(?P<end>{_TIME}): (?P<status>TASK (?:OK|WARNINGS|ERROR)|backup (?:finished successfully|failed|ended)).*",),
        sums=(
            rf"{_TIME}: Size: (?P<size_bytes>\d{{1,18}})", rf"{_TIME}: Upload size: (?P<new_bytes>\d{{1,18}}) .*",
            rf"{_TIME}: Compression: (?P<percent>\d{{1,3}})%.*",
        ), note="what was stored follows from the share of compression in {}, in whole percent",
        remedy="keep the log down to 'TASK OK'",
    ).read,
)  # fmt: skip
