"""Bacula and Bareos: output of the command `speed` of `btape`, their tape test.

See "Testing Your Tape Drive" in the manuals of both.
"""

from __future__ import annotations

import re

from simbackup.errors import Place, Problem
from simbackup.foreign.measurements.finding import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable
from simbackup.units import parse

_TEST = re.compile(r"Test with (zero|random) data")
_RATE = re.compile(
    r"(?P<total>Total )?Volume bytes\s*=.*?Write rate\s*=\s*"
    r"(?P<rate>[0-9][0-9,]{0,11}(?:\.[0-9]+)?) ?(?P<unit>[KMGT]?B/s)"
)
DATA = {"zero": Measurable.TAPE_ZEROS, "random": Measurable.TAPE_RANDOM}


def recognises(source: ForeignFile) -> bool:
    """Whether a text is output of btape."""
    text = source.text
    return "btape" in text and ("Write rate" in text or "Volume bytes" in text)


def read(source: ForeignFile) -> Output:
    """What a speed test measured: the rate of each file, of random data and of zeros.

    Raises
    ------
    InputError
        No line states a rate after the kind of data.
    """
    text, file = source.text, source.shown
    findings: list[Finding] = []
    left: list[Problem] = []
    what: Measurable | None = None
    for number, line in enumerate(text.splitlines(), 1):
        place = Place(file, number, 1)
        test = _TEST.search(line)
        what = DATA[test[1]] if test else what
        rate = _RATE.search(line)
        if rate is None or rate["total"]:
            continue
        if what is None:
            left.append(unused(place, "", "no line before it says which data were written", "keep the whole output"))
        else:
            value = parse(f"{rate['rate'].replace(',', '')} {rate['unit'].replace('KB', 'kB')}", "B/s")
            findings.append(Finding(what, value, place, f"line {number}"))
    if not findings and not left:
        raise refused(
            Place(file, 1, 1), "", "btape states no rate of a file", "run its command 'speed', and keep all lines"
        )
    return Output("btape", "", tuple(findings), tuple(left))


READER = FormatReader("Bacula, Bareos", "btape: speed", recognises, read)
