"""fio 2 and 3: output in JSON (`--output-format=json`), and as text, the default.

Of each job, the text states request sizes, a bandwidth in binary and decimal units, and latencies; of each group the
sum of its jobs, also in decimal units. It does not say whether requests went through the page cache; the command
before it does. See "JSON output" and "Interpreting the output" at fio.readthedocs.io.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from simbackup.errors import Place, Problem
from simbackup.foreign.json_text import Json, document
from simbackup.foreign.measurements.finding import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable

LEAST_SEQUENTIAL = 64 * 1024
"""Bytes of a request from which a test in sequence measures the rate, not the requests."""
MOST_SMALL = 16 * 1024
"""Bytes of a request up to which a random test measures the time of a request, not its transfer."""
SEQUENTIAL = {
    "read": ("read", Measurable.SEQUENTIAL_READ),
    "write": ("write", Measurable.SEQUENTIAL_WRITE),
}
RANDOM = {
    "randread": ("read", Measurable.SMALL_READ),
    "randwrite": ("write", Measurable.SMALL_WRITE),
}
SCALES = {"lat_ns": 1e-9, "lat": 1e-6}
"""Seconds in the unit of a latency, by its key: version 3 counts nanoseconds, older ones microseconds."""
MOST_DIGITS = 9
"""Digits of a count of requests or of processes."""
SUFFIXES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def recognises(source: ForeignFile) -> bool:
    """Whether a text is output of fio in JSON."""
    text = source.text
    return '"fio version"' in text


def read(source: ForeignFile) -> Output:
    """What a run of fio measured.

    Rates come from tests in sequence, times of a request from random tests with one request under way. Tests that go
    through the page cache, that fail, that mix reads and writes, or that run beside others are not used.

    Raises
    ------
    InputError
        The output is not complete.
    """
    text, file = source.text, source.shown
    whole = document(text, file)
    jobs = whole.get("jobs")
    if jobs is None or not jobs.value:
        raise refused(whole.place, "jobs", "is missing", "fio writes it when a test ends")
    common = whole.texts("global options")
    beside = Counter(job.text("groupid") for job in jobs.items())
    findings: list[Finding] = []
    left: list[Problem] = []
    for job in jobs.items():
        options = {**common, **job.texts("job options")}
        why = _useless(job, options, beside[job.text("groupid")])
        if why:
            left.append(unused(job.place, f"{job.address} ({job.text('jobname')})", *why))
        else:
            findings += _findings(job, options, left)
    return Output(whole.text("fio version"), whole.day("timestamp"), tuple(findings), tuple(left))


def _useless(job: Json, options: dict[str, str], beside: int) -> tuple[str, ...]:
    """Why a job measures nothing that a datasheet holds, and what would; nothing if it does."""
    kind = options.get("rw", options.get("readwrite", "read"))
    if job.text("error") not in {"", "0"}:
        return (f"it ended with error {job.text('error')}",)
    if kind not in {*SEQUENTIAL, *RANDOM}:
        return (
            f"it mixes reads and writes, or trims ('{kind}')",
            "measure rw=read, write, randread and randwrite separately",
        )
    if beside > 1:
        return "it ran at the same time as others", "write 'stonewall' into each section, or group_reporting"
    flushed = "write" in kind and {"end_fsync", "fsync", "fdatasync", "sync"} & options.keys()
    if options.get("direct") != "1" and not flushed:
        return "it went through the page cache", "measure with direct=1"
    return ()


def _findings(job: Json, options: dict[str, str], left: list[Problem]) -> Iterator[Finding]:
    """The figure of a job that is of use."""
    kind = options.get("rw", options.get("readwrite", "read"))
    size = _bytes(options.get("bs", options.get("blocksize", "4k")))
    label = f"{job.address} ({job.text('jobname')})"
    if kind in SEQUENTIAL:
        key, what = SEQUENTIAL[kind]
        if size < LEAST_SEQUENTIAL:
            why = f"requests of {size:.0f} bytes measure the requests, not the rate"
            left.append(unused(job.place, label, why, "measure with bs=1M"))
            return
        modern = job.get(key, "bw_bytes") is not None
        rate = job.number(key, "bw_bytes") if modern else job.number(key, "bw") * 1024.0
        yield Finding(what, rate, job.place, f"{job.address}.{key}.{'bw_bytes' if modern else 'bw'}")
        return
    key, what = RANDOM[kind]
    under_way = _whole(job, options, "iodepth") * _whole(job, options, "numjobs")
    if size > MOST_SMALL or under_way > 1:
        why = f"requests of {size:.0f} bytes, {under_way} at once, measure more than one small request"
        left.append(unused(job.place, label, why, "measure with bs=4k, iodepth=1 and numjobs=1"))
        return
    unit = "lat_ns" if job.get(key, "lat_ns") is not None else "lat"
    mean = job.number(key, unit, "mean") * SCALES[unit]
    yield Finding(what, mean, job.place, f"{job.address}.{key}.{unit}.mean")


def _whole(job: Json, options: dict[str, str], name: str) -> int:
    """An option that is a whole number, one by default."""
    text = options.get(name, "1")
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise refused(job.place, f"{job.address}.job options.{name}", f"'{text}' is not a whole number")
    return int(text)


def _bytes(text: str) -> float:
    """The bytes of a block size of fio, whose letters are binary; the first of several.

    >>> _bytes("4k,8k"), _bytes("1M"), _bytes("4096")
    (4096.0, 1048576.0, 4096.0)
    """
    first = text.lower().split(",")[0].removesuffix("b").removesuffix("i")
    scale = SUFFIXES.get(first[-1:], 1)
    digits = first[:-1] if first[-1:] in SUFFIXES else first
    return float(digits) * scale if digits.replace(".", "", 1).isdigit() else 0.0


READER = FormatReader("fio 2, 3", "fio --output-format=json", recognises, read)


_JOB = re.compile(
    r"(?P<name>.+): \(g=(?P<group>\d+)\): rw=(?P<kind>\w+), bs=(?:\(R\) )?(?P<read>[\d.]+[KMG]?i?B?)-\S+"
    r"(?:(?:, \(W\) |/)(?P<write>[\d.]+[KMG]?i?B?)-\S+)?.*, ioengine=(?P<engine>\w+), iodepth=(?P<depth>\d{1,6})\s*"
)
_VERSION = re.compile(r"fio-\d[\w.-]*")
_COMMAND = re.compile(r"^[$#>]?\s*(?:sudo )?fio (?=.*--)(?P<options>.*)$")
_RUN = re.compile(
    r"(?P<name>.+): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d{1,6})\): err= ?(?P<error>\d{1,6}).*?(?P<day>\d{4})?\s*"
)
_SIDE = re.compile(r"\s+(?P<side>read|write) ?:.*")
_IO = re.compile(r"BW=\S+ \(\S+\)\((?P<io>[\d.]+[kKMGTP]?i?B)/(?P<run>\d{1,12})msec\)")
_OLD = re.compile(r"io=(?P<io>[\d.]+[KMGTP]?B), .*runt= *(?P<run>\d{1,12})msec")
_LATENCY = re.compile(r"\s+lat \((?P<unit>[num]?sec)\) *: *min=.*?avg= *(?P<mean>[\d.]+)")
_GROUP = re.compile(r"Run status group (?P<group>\d+) .*")
_SUM = re.compile(
    r"\s+(?P<side>READ|WRITE): .*?\bio=(?P<io>[\d.]+[kKMGTP]?i?B)\b.*?(?:run|mint)=(?P<least>\d{1,12})"
    r"(?:-|msec, maxt=)(?P<most>\d{1,12})msec"
)
TEXT_SCALES = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
POWERS = {letter: 1024.0**i for i, letter in enumerate("kmgtp", 1)}


@dataclass
class JobGroup:
    """The jobs that ran at the same time, and what fio says of them."""

    jobs: list[tuple[re.Match[str], Place]] = field(default_factory=list[tuple[re.Match[str], Place]])
    runs: int = 0
    error: str = "0"
    moved: dict[str, tuple[float, float, int]] = field(default_factory=dict[str, tuple[float, float, int]])
    """By side, bytes, seconds, and the line that states them."""
    waited: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])
    """By side, the mean time of a request, and the line that states it."""
    uneven: bool = False


def recognises_text(source: ForeignFile) -> bool:
    """Whether a text has the line of a job, or of a group that ran."""
    if "ioengine=" in source.text and any(_JOB.fullmatch(line) for line in source.lines):
        return True
    return "Run status group" in source.text and any(_GROUP.fullmatch(line) for line in source.lines)


def read_text(source: ForeignFile) -> Output:
    """What a run of fio measured, with the rules of its JSON.

    A command before the output says whether requests went through the page cache. Without it, figures are used with a
    warning.

    Raises
    ------
    InputError
        Nothing says what was measured.
    """
    version, direct, groups = _parsed(source)
    findings: list[Finding] = []
    left: list[Problem] = []
    for group in groups.values():
        if not group.jobs:
            why = "no line before it says what was measured"
            left.append(unused(Place(source.shown, 1, 1), "", why, "keep the whole output, or write JSON"))
            continue
        found = _found(source, group)
        job, place = group.jobs[0]
        if direct is False and "write" not in job["kind"]:
            found = "it went through the page cache", "measure with direct=1"
        if isinstance(found, Finding):
            findings.append(found)
            if direct is None:
                message = "the text does not say whether the page cache took part; the value was used"
                remedy = "measure with --direct=1 and --output-format=json"
                left.append(Problem(found.place, job["name"], message, remedy, severity="warning"))
        else:
            left.append(unused(place, job["name"], *found))
    return Output(version or "fio", "", tuple(findings), tuple(left))


def _parsed(source: ForeignFile) -> tuple[str, bool | None, dict[str, JobGroup]]:
    """The version, whether requests went past the page cache (None if nothing says), and groups by number."""
    version, direct, side, group = "", None, "", JobGroup()
    groups: dict[str, JobGroup] = {}
    for number, line in enumerate(source.lines, 1):
        if command := _COMMAND.match(line):
            direct = re.search(r"--direct[= ]1\b", command["options"]) is not None
            direct = direct or re.search(r"--(?:end_)?f(?:data)?sync\b|--sync[= ]1", command["options"]) is not None
        elif _VERSION.fullmatch(line.strip()):
            version = line.strip()
        elif job := _JOB.fullmatch(line):
            groups.setdefault(job["group"], JobGroup()).jobs.append((job, Place(source.shown, number, 1)))
        elif run := _RUN.fullmatch(line):
            group, side = groups.setdefault(run["group"], JobGroup()), ""
            group.runs += int(run["jobs"])
            group.error = run["error"] if run["error"] != "0" else group.error
        elif head := _GROUP.fullmatch(line):
            group, side = groups.setdefault(head["group"], JobGroup()), ""
        else:
            side = _figures(group, side, line, number)
    return version, direct, groups


def _figures(group: JobGroup, side: str, line: str, number: int) -> str:
    """Add what a line says to a group; the side that the following lines belong to."""
    if begin := _SIDE.fullmatch(line):
        side = begin["side"]
    if (moved := _IO.search(line) or _OLD.search(line)) and side:
        group.moved[side] = _bytes_text(moved["io"]), int(moved["run"]) / 1000.0, number
    elif (waited := _LATENCY.match(line)) and side:
        group.waited[side] = float(waited["mean"]) * TEXT_SCALES[waited["unit"]], number
    elif total := _SUM.match(line):
        group.uneven = total["least"] != total["most"]
        group.moved[total["side"].lower()] = _bytes_text(total["io"]), int(total["most"]) / 1000.0, number
    return side


def _found(source: ForeignFile, group: JobGroup) -> Finding | tuple[str, ...]:
    """The figure of a group; or why there is none, and what would give one."""
    job, _ = group.jobs[0]
    kind = job["kind"]
    if group.error != "0":
        return (f"it ended with error {group.error}",)
    if kind not in {*SEQUENTIAL, *RANDOM}:
        words = "measure rw=read, write, randread and randwrite separately"
        return f"it mixes reads and writes, or trims ('{kind}')", words
    if len({each["name"] for each, _ in group.jobs}) > 1:
        return "it ran at the same time as others", "write 'stonewall' into each section"
    side = (SEQUENTIAL | RANDOM)[kind][0]
    size = _bytes_text(job["write"] if side == "write" and job["write"] else job["read"])
    return _rate(source, group, size) if kind in SEQUENTIAL else _wait(source, group, size)


def _rate(source: ForeignFile, group: JobGroup, size: float) -> Finding | tuple[str, ...]:
    """The rate of a test in sequence."""
    side, what = SEQUENTIAL[group.jobs[0][0]["kind"]]
    count, seconds, line = group.moved.get(side, (0.0, 0.0, 0))
    if size < LEAST_SEQUENTIAL:
        return f"requests of {size:.0f} bytes measure the requests, not the rate", "measure with bs=1M"
    if group.uneven:
        return "its jobs did not end at the same time", "measure with one job, or with a runtime"
    if count <= 0.0 or seconds <= 0.0:
        return "no line says how much it moved in which time", "keep the whole output, or write JSON"
    return Finding(what, count / seconds, Place(source.shown, line, 1), f"line {line}")


def _wait(source: ForeignFile, group: JobGroup, size: float) -> Finding | tuple[str, ...]:
    """The time of a request of a random test."""
    job, _ = group.jobs[0]
    side, what = RANDOM[job["kind"]]
    under_way = int(job["depth"]) * max(group.runs, len(group.jobs))
    if size > MOST_SMALL or under_way > 1:
        why = f"requests of {size:.0f} bytes, {under_way} at once, measure more than one small request"
        return why, "measure with bs=4k, iodepth=1 and numjobs=1"
    if side not in group.waited:
        return "no line states the time of a request ('lat')", "keep the whole output, or write JSON"
    mean, line = group.waited[side]
    return Finding(what, mean, Place(source.shown, line, 1), f"line {line}")


def _bytes_text(text: str) -> float:
    """The bytes of a size of fio, whose letters are binary with and without `i`.

    >>> [_bytes_text(text) for text in ("1024KiB", "8192MB", "4096B", "4K")]
    [1048576.0, 8589934592.0, 4096.0, 4096.0]
    """
    digits = text.rstrip("BikKMGTPE")
    return (
        float(digits) * POWERS.get(text[len(digits) :][:1].lower(), 1.0)
        if digits.replace(".", "", 1).isdigit()
        else 0.0
    )


TEXT = FormatReader("fio 2, 3", "fio (text)", recognises_text, read_text)
