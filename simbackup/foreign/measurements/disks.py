"""Readers of the output of fio and dd, which measure disks.

- fio 2 and 3 in JSON (`--output-format=json`), and as text, the default. Of each job, the text states request sizes,
  a bandwidth in binary and decimal units, and latencies; of each group the sum of its jobs. It does not say whether
  requests went through the page cache; the command before it does. See "JSON output" and "Interpreting the output" at
  fio.readthedocs.io.
- dd of GNU in any language, of BusyBox, and of BSD and macOS: its output, with the command before it. See "dd
  invocation" in the manual of GNU coreutils, and dd(1) of FreeBSD.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from simbackup.errors import Place, Problem
from simbackup.foreign.json_text import Json, document
from simbackup.foreign.measurements.measured_sheet import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader, matching
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
POWERS_OF_1024 = {letter: 1024.0**i for i, letter in enumerate("kmgtp", 1)}
Figure = tuple[float, Place, str]
"""A figure in SI units, and where it is stated, also in words."""


@dataclass(slots=True)
class FioTest:
    """Jobs of fio that ran at once: what they request, and where their figures are."""

    name: str
    place: Place
    kind: str
    """What is done, such as `randread`."""
    size: float
    """Bytes of a request."""
    under_way: int
    """Requests that are under way at once."""
    rate: Callable[[str], Figure | None]
    """Bytes a second that a side, `read` or `write`, moved."""
    wait: Callable[[str], Figure | None]
    """Seconds of a request."""
    error: str
    beside: bool
    """Whether others ran at the same time."""
    direct: bool | None
    """Whether requests went past the page cache; None if nothing says."""
    uneven: bool = False
    """Whether its jobs did not end at the same time."""


def _finding(test: FioTest) -> Finding | tuple[str, ...]:
    """The figure of a test; or why it measures nothing that a datasheet holds, and what would."""
    if test.error not in {"", "0"}:
        return (f"it ended with error {test.error}",)
    if test.kind not in {*SEQUENTIAL, *RANDOM}:
        words = "measure rw=read, write, randread and randwrite separately"
        return f"it mixes reads and writes, or trims ('{test.kind}')", words
    if test.beside:
        return "it ran at the same time as others", "write 'stonewall' into each section, or group_reporting"
    if test.direct is False:
        return "it went through the page cache", "measure with direct=1"
    return _rate(test) if test.kind in SEQUENTIAL else _wait(test)


def _rate(test: FioTest) -> Finding | tuple[str, ...]:
    side, what = SEQUENTIAL[test.kind]
    if test.size < LEAST_SEQUENTIAL:
        return f"requests of {test.size:.0f} bytes measure the requests, not the rate", "measure with bs=1M"
    if test.uneven:
        return "its jobs did not end at the same time", "measure with one job, or with a runtime"
    found = test.rate(side)
    return ("no line says how much it moved in which time", WHOLE) if found is None else Finding(what, *found)


def _wait(test: FioTest) -> Finding | tuple[str, ...]:
    side, what = RANDOM[test.kind]
    if test.size > MOST_SMALL or test.under_way > 1:
        why = f"requests of {test.size:.0f} bytes, {test.under_way} at once, measure more than one small request"
        return why, "measure with bs=4k, iodepth=1 and numjobs=1"
    found = test.wait(side)
    return ("no line states the time of a request ('lat')", WHOLE) if found is None else Finding(what, *found)


WHOLE = "keep the whole output, or write JSON"


def _block(text: str) -> float:
    """The bytes of a size of fio, whose letters are binary with and without `i`; the first of several.

    >>> [_block(text) for text in ("4k,8k", "1M", "4096", "1024KiB", "8192MB", "4096B")]
    [4096.0, 1048576.0, 4096.0, 1048576.0, 8589934592.0, 4096.0]
    """
    first = text.split(",", maxsplit=1)[0]
    digits = first.rstrip("BikKmMgGtTpP")
    scale = POWERS_OF_1024.get(first[len(digits) :][:1].lower(), 1.0)
    return float(digits) * scale if digits.replace(".", "", 1).isdigit() else 0.0


def read_fio(source: ForeignFile) -> Output:
    """What a run of fio measured, from its JSON.

    Rates come from tests in sequence, times of a request from random tests with one request under way. Tests that go
    through the page cache, that fail, that mix reads and writes, or that run beside others are not used.

    Raises
    ------
    InputError
        The output is not complete.
    """
    whole = document(source.text, source.shown)
    jobs = whole.get("jobs")
    if jobs is None or not jobs.value:
        raise refused(whole.place, "jobs", "is missing", "fio writes it when a test ends")
    common = whole.texts("global options")
    beside = Counter(job.text("groupid") for job in jobs.items())
    tests = [
        _of_json(job, {**common, **job.texts("job options")}, beside=beside[job.text("groupid")] > 1)
        for job in jobs.items()
    ]
    return _output(whole.text("fio version"), whole.day("timestamp"), tests)


def _output(tool: str, day: str, tests: Iterable[FioTest], left: Sequence[Problem] = ()) -> Output:
    findings: list[Finding] = []
    unfit = list(left)
    for test in tests:
        found = _finding(test)
        if not isinstance(found, Finding):
            unfit.append(unused(test.place, test.name, *found))
            continue
        findings.append(found)
        if test.direct is None:
            message = "the text does not say whether the page cache took part; the value was used"
            remedy = "measure with --direct=1 and --output-format=json"
            unfit.append(Problem(found.place, test.name, message, remedy, severity="warning"))
    return Output(tool, day, tuple(findings), tuple(unfit))


def _of_json(job: Json, options: dict[str, str], *, beside: bool) -> FioTest:
    kind = options.get("rw", options.get("readwrite", "read"))
    flushed = "write" in kind and {"end_fsync", "fsync", "fdatasync", "sync"} & options.keys()

    def count(name: str) -> int:
        text = options.get(name, "1")
        if not text.isdecimal() or len(text) > MOST_DIGITS:
            raise refused(job.place, f"{job.address}.job options.{name}", f"'{text}' is not a whole number")
        return int(text)

    def rate(side: str) -> Figure:
        key, scale = ("bw_bytes", 1.0) if job.get(side, "bw_bytes") is not None else ("bw", 1024.0)
        return job.number(side, key) * scale, job.place, f"{job.address}.{side}.{key}"

    def wait(side: str) -> Figure:
        key = "lat_ns" if job.get(side, "lat_ns") is not None else "lat"
        return job.number(side, key, "mean") * SCALES[key], job.place, f"{job.address}.{side}.{key}.mean"

    return FioTest(
        f"{job.address} ({job.text('jobname')})", job.place, kind,
        _block(options.get("bs", options.get("blocksize", "4k"))),
        count("iodepth") * count("numjobs"), rate, wait, job.text("error"), beside,
        options.get("direct") == "1" or bool(flushed),
    )  # fmt: skip


FIO = FormatReader("fio 2, 3", "fio --output-format=json", matching('"fio version"'), read_fio)


_JOB = re.compile(
    r"(?P<name>.+): \(g=(?P<group>\d+)\): rw=(?P<kind>\w+), bs=(?:\(R\) )?(?P<read>[\d.]+[KMG]?i?B?)-\S+"
    r"(?:(?:, \(W\) |/)(?P<write>[\d.]+[KMG]?i?B?)-\S+)?.*, ioengine=(?P<engine>\w+), iodepth=(?P<depth>\d{1,6})\s*"
)
_VERSION = re.compile(r"fio-\d[\w.-]*")
_FIO = re.compile(r"^[$#>]?\s*(?:sudo )?fio (?=.*--)(?P<options>.*)$")
_RUN = re.compile(
    r"(?P<name>.+): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d{1,6})\): err= ?(?P<error>\d{1,6}).*?(?P<day>\d{4})?\s*"
)
_SIDE = re.compile(r"\s+(?P<side>read|write) ?:.*")
_IO = re.compile(r"(?:BW=\S+ \(\S+\)\(|io=)(?P<io>[\d.]+[kKMGTP]?i?B)(?:/|, .*runt= *)(?P<run>\d{1,12})msec")
_LATENCY = re.compile(r"\s+lat \((?P<unit>[num]?sec)\) *: *min=.*?avg= *(?P<mean>[\d.]+)")
_GROUP = re.compile(r"Run status group (?P<group>\d+) .*")
_SUM = re.compile(
    r"\s+(?P<side>READ|WRITE): .*?\bio=(?P<io>[\d.]+[kKMGTP]?i?B)\b.*?(?:run|mint)=(?P<least>\d{1,12})"
    r"(?:-|msec, maxt=)(?P<most>\d{1,12})msec"
)
TEXT_SCALES = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}


@dataclass
class JobGroup:
    """The jobs that ran at the same time, and what the text of fio says of them."""

    jobs: list[tuple[re.Match[str], Place]] = field(default_factory=list[tuple[re.Match[str], Place]])
    runs: int = 0
    error: str = "0"
    rates: dict[str, Figure] = field(default_factory=dict[str, Figure])
    """By side, bytes a second."""
    waits: dict[str, Figure] = field(default_factory=dict[str, Figure])
    """By side, the mean time of a request."""
    uneven: bool = False


def read_fio_text(source: ForeignFile) -> Output:
    """What a run of fio measured, from its text, with the rules of its JSON.

    A command before the output says whether requests went through the page cache. Without it, figures are used with a
    warning.

    Raises
    ------
    InputError
        Nothing says what was measured.
    """
    version, direct, groups = _parsed(source)
    why = "no line before it says what was measured"
    unknown = unused(Place(source.shown, 1, 1), "", why, WHOLE)
    left = [unknown for group in groups.values() if not group.jobs]
    return _output(version or "fio", "", (_of_text(group, direct) for group in groups.values() if group.jobs), left)


def _of_text(group: JobGroup, direct: bool | None) -> FioTest:
    job, place = group.jobs[0]
    size = job["write"] if "write" in job["kind"] and job["write"] else job["read"]
    return FioTest(
        job["name"], place, job["kind"], _block(size), int(job["depth"]) * max(group.runs, len(group.jobs)),
        group.rates.get, group.waits.get, group.error, len({each["name"] for each, _ in group.jobs}) > 1, direct,
        group.uneven,
    )  # fmt: skip


def _parsed(source: ForeignFile) -> tuple[str, bool | None, dict[str, JobGroup]]:
    """The version, whether requests went past the page cache (None if nothing says), and groups by number."""
    version, direct, side, group = "", None, "", JobGroup()
    groups: dict[str, JobGroup] = {}
    for number, line in enumerate(source.lines, 1):
        place = Place(source.shown, number, 1)
        if command := _FIO.match(line):
            past = r"--direct[= ]1\b|--(?:end_)?f(?:data)?sync\b|--sync[= ]1"
            direct = re.search(past, command["options"]) is not None
        elif _VERSION.fullmatch(line.strip()):
            version = line.strip()
        elif job := _JOB.fullmatch(line):
            groups.setdefault(job["group"], JobGroup()).jobs.append((job, place))
        elif run := _RUN.fullmatch(line):
            group, side = groups.setdefault(run["group"], JobGroup()), ""
            group.runs += int(run["jobs"])
            group.error = run["error"] if run["error"] != "0" else group.error
        elif head := _GROUP.fullmatch(line):
            group, side = groups.setdefault(head["group"], JobGroup()), ""
        else:
            side = _figures(group, side, line, place)
    return version, direct, groups


def _figures(group: JobGroup, side: str, line: str, place: Place) -> str:
    """Add what a line says to a group; the side that the following lines belong to."""

    def moved(size: str, milliseconds: str) -> dict[str, Figure]:
        count, seconds = _block(size), int(milliseconds) / 1000.0
        return {side: (count / seconds, place, f"line {place.line}")} if count > 0.0 and seconds > 0.0 else {}

    if begin := _SIDE.fullmatch(line):
        side = begin["side"]
    if (one := _IO.search(line)) and side:
        group.rates |= moved(one["io"], one["run"])
    elif (waited := _LATENCY.match(line)) and side:
        seconds = float(waited["mean"]) * TEXT_SCALES[waited["unit"]]
        group.waits[side] = seconds, place, f"line {place.line}"
    elif total := _SUM.match(line):
        side, group.uneven = total["side"].lower(), total["least"] != total["most"]
        group.rates |= moved(total["io"], total["most"])
    return side


FIO_TEXT = FormatReader(
    "fio 2, 3", "fio (text)", matching(r", ioengine=\w+, iodepth=|^Run status group \d"), read_fio_text
)


_BYTES = re.compile(r"^\s*(?P<bytes>[0-9]{1,18}) [^\W\d_]+\b(?P<rest>.*)$")
_GNU = re.compile(r"[^\W\d_]+, (?P<seconds>[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?) s(?:econds)?\b")
_BSD = re.compile(r" in (?P<seconds>[0-9]+(?:\.[0-9]+)?) sec")
_TIME = re.compile(r"[0-9] s(?:ec|\b)")
"""What every such line has, found quickly."""
_COMMAND = re.compile(r"\bdd\s+(?=.*\b(?:if|of)=)(?P<options>.*)$")
_OPTION = re.compile(r"\b(if|of|iflag|oflag|conv|bs)=(\S+)")
NOTHING, ZEROS, RANDOM_BYTES = "/dev/null", "/dev/zero", ("/dev/urandom", "/dev/random")
TAPE = re.compile(r"/dev/(?:n?st\d|n?sa\d|nrst|rmt|IBMtape)")
WRITTEN = ("direct", "sync", "dsync", "fsync", "fdatasync")
"""Flags and conversions with which a write ends on the device, not in the page cache."""


def read_dd(source: ForeignFile) -> Output:
    """What runs of `dd` measured: bytes over seconds, read or written as the command before each says.

    Raises
    ------
    InputError
        A run has no command before it, so that nothing says whether it read or wrote.
    """
    text, file = source.text, source.shown
    findings: list[Finding] = []
    left: list[Problem] = []
    bsd = False
    for number, options, count, seconds in _runs(text):
        place = Place(file, number, 1)
        bsd = bsd or "transferred" in text.splitlines()[number - 1]
        if not options:
            message = "it is unclear whether this run of dd read or wrote"
            raise refused(place, "", message, "keep its command in the line before: dd if=... of=... bs=1M")
        found = _measured(options)
        if isinstance(found, Measurable) and seconds > 0:
            findings.append(Finding(found, count / seconds, place, f"line {number}"))
        else:
            why = found if isinstance(found, tuple) else ("it took no time",)
            said = " ".join(f"{key}={options[key]}" for key in ("if", "of") if key in options)
            left.append(unused(place, said, *why))
    return Output("dd of BSD" if bsd else "dd", "", tuple(findings), tuple(left))


def _runs(text: str) -> Iterator[tuple[int, dict[str, str], float, float]]:
    """Each run: its line, the options of the command before it, bytes, and seconds."""
    options: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        command = _COMMAND.search(line)
        if command is not None:
            options = {"": "dd", **{key: value.strip("'\"") for key, value in _OPTION.findall(command["options"])}}
        found = _seconds(line)
        if found is not None:
            yield number, options, *found
            options = {}


def _seconds(line: str) -> tuple[float, float] | None:
    """Bytes and seconds of a last line of dd; None if it is another.

    >>> _seconds("134217728 bytes (134 MB, 128 MiB) copied, 0,795761 s, 169 MB/s")
    (134217728.0, 0.795761)
    >>> _seconds("1048576 bytes transferred in 0.5 secs (2097152 bytes/sec)")
    (1048576.0, 0.5)
    """
    count = _BYTES.match(line) if _TIME.search(line) else None
    found = count and (_BSD.search(count["rest"]) or _GNU.search(count["rest"]))
    if not count or not found:
        return None
    return float(count["bytes"]), float(found["seconds"].replace(",", "."))


def _measured(options: dict[str, str]) -> Measurable | tuple[str, ...]:
    """What a command measures; or why nothing, and what would."""
    source, target = options.get("if", ""), options.get("of", "")
    if TAPE.match(target) or TAPE.match(source):
        return _of_tape(source, target)
    if source in {ZEROS, *RANDOM_BYTES}:
        return _of_write(source, options)
    if target == NOTHING and source:
        if "direct" in options.get("iflag", ""):
            return Measurable.SEQUENTIAL_READ
        return "the read may have come from the page cache", "measure with iflag=direct"
    return "it read one device and wrote another", "measure reads with of=/dev/null, writes with if=/dev/zero"


def _of_tape(source: str, target: str) -> Measurable | tuple[str, ...]:
    """What a command measures that reads or writes a tape."""
    if not TAPE.match(target):
        return "a tape was read, and the rates of a datasheet are those of writing", "write random data to it"
    if source == ZEROS:
        return Measurable.TAPE_ZEROS
    return Measurable.TAPE_RANDOM if source else ("it does not say what was written", "write if=FILE")


def _of_write(source: str, options: dict[str, str]) -> Measurable | tuple[str, ...]:
    """What a command measures that writes what a device of the system makes."""
    if source in RANDOM_BYTES:
        return "making random bytes is slower than many devices", "write a prepared file, or if=/dev/zero"
    if set(f"{options.get('oflag', '')},{options.get('conv', '')}".split(",")) & set(WRITTEN):
        return Measurable.SEQUENTIAL_WRITE
    return "the write may have ended in the page cache", "measure with oflag=direct or conv=fsync"


DD = FormatReader(
    "dd (GNU, BusyBox, BSD, macOS)", "dd", lambda source: any(_seconds(line) is not None for line in source.lines),
    read_dd,
)  # fmt: skip
