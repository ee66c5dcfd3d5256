"""fio 2 and 3: output in JSON (`--output-format=json`).

See "JSON output" at fio.readthedocs.io.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from simbackup.errors import Problem
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
