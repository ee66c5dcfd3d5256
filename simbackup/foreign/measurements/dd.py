"""dd of GNU in any language, of BusyBox, and of BSD and macOS: its output, with the command before it.

See "dd invocation" in the manual of GNU coreutils, and dd(1) of FreeBSD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simbackup.errors import Place, Problem
from simbackup.foreign.measurements.finding import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable

_BYTES = re.compile(r"^\s*(?P<bytes>[0-9]{1,18}) [^\W\d_]+\b(?P<rest>.*)$")
_GNU = re.compile(r"[^\W\d_]+, (?P<seconds>[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?) s(?:econds)?\b")
_BSD = re.compile(r" in (?P<seconds>[0-9]+(?:\.[0-9]+)?) sec")
_TIME = re.compile(r"[0-9] s(?:ec|\b)")
"""What every such line has, found quickly."""
_COMMAND = re.compile(r"\bdd\s+(?=.*\b(?:if|of)=)(?P<options>.*)$")
_OPTION = re.compile(r"\b(if|of|iflag|oflag|conv|bs)=(\S+)")
NOTHING, ZEROS, RANDOM = "/dev/null", "/dev/zero", ("/dev/urandom", "/dev/random")
TAPE = re.compile(r"/dev/(?:n?st\d|n?sa\d|nrst|rmt|IBMtape)")
WRITTEN = ("direct", "sync", "dsync", "fsync", "fdatasync")
"""Flags and conversions with which a write ends on the device, not in the page cache."""


def recognises(source: ForeignFile) -> bool:
    """Whether a text has lines that `dd` writes at its end."""
    return any(_seconds(line) is not None for line in source.lines)


def read(source: ForeignFile) -> Output:
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
    if source in {ZEROS, *RANDOM}:
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
    if source in RANDOM:
        return "making random bytes is slower than many devices", "write a prepared file, or if=/dev/zero"
    if set(f"{options.get('oflag', '')},{options.get('conv', '')}".split(",")) & set(WRITTEN):
        return Measurable.SEQUENTIAL_WRITE
    return "the write may have ended in the page cache", "measure with oflag=direct or conv=fsync"


READER = FormatReader("dd (GNU, BusyBox, BSD, macOS)", "dd", recognises, read)
