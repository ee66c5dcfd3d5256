"""Readers of the output of btape and iperf3, which measure tape drives and networks.

- btape of Bacula and Bareos: output of its command `speed`. See "Testing Your Tape Drive" in the manuals of both.
- iperf3 in JSON (`-J`). See "Invoking iperf3" at software.es.net/iperf.
"""

from __future__ import annotations

import re

from simbackup.errors import Place, Problem
from simbackup.foreign.json_text import document
from simbackup.foreign.measurements.measured_sheet import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader, matching
from simbackup.schema.measurable import Measurable
from simbackup.units import parse

_TEST = re.compile(r"Test with (zero|random) data")
_RATE = re.compile(
    r"(?P<total>Total )?Volume bytes\s*=.*?Write rate\s*=\s*"
    r"(?P<rate>[0-9][0-9,]{0,11}(?:\.[0-9]+)?) ?(?P<unit>[KMGT]?B/s)"
)
DATA = {"zero": Measurable.TAPE_ZEROS, "random": Measurable.TAPE_RANDOM}
BITS = 8.0
MICROSECOND = 1e-6


def read_btape(source: ForeignFile) -> Output:
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


BTAPE = FormatReader("Bacula, Bareos", "btape: speed", matching("btape", "Write rate|Volume bytes"), read_btape)


def read_iperf3(source: ForeignFile) -> Output:
    """What a run of iperf3 measured: the payload that arrived a second, and the shortest round trip.

    Raises
    ------
    InputError
        The test failed, or its output is not complete.
    """
    text, file = source.text, source.shown
    whole = document(text, file)
    if whole.text("error"):
        raise refused(whole.place, "error", f"the test failed: {whole.text('error')}", "run it again")
    day = whole.day("start", "timestamp", "timesecs")
    tool = whole.text("start", "version") or "iperf3"
    if whole.text("start", "test_start", "protocol") == "UDP":
        why = "UDP is sent at a rate that the command states"
        return Output(tool, day, (), (unused(whole.place, "end", why, "measure with TCP, without -u"),))
    address = "end.sum_received.bits_per_second"
    rate = whole.number("end", "sum_received", "bits_per_second") / BITS
    findings = [Finding(Measurable.TRANSFER, rate, whole.place, address)]
    left: list[Problem] = []
    streams = whole.get("end", "streams")
    trips = [
        (each.number("sender", "min_rtt") * MICROSECOND, f"{each.address}.sender.min_rtt")
        for each in (streams.items() if streams else ())
        if each.get("sender", "min_rtt") is not None and each.number("sender", "min_rtt") > 0
    ]
    if trips:
        findings.append(Finding(Measurable.ROUND_TRIP, min(trips)[0], whole.place, min(trips)[1]))
    else:
        left.append(unused(whole.place, "end.streams", "it states no round trip", "measure from a sender on Linux"))
    return Output(tool, day, tuple(findings), tuple(left))


IPERF3 = FormatReader("iperf3", "iperf3 -c HOST -J", matching('"start"', '"version"', "iperf"), read_iperf3)
