"""iperf3: output in JSON (`-J`).

See "Invoking iperf3" at software.es.net/iperf.
"""

from __future__ import annotations

from simbackup.errors import Problem
from simbackup.foreign.json_text import document
from simbackup.foreign.measurements.finding import Finding, Output, refused, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable

BITS = 8.0
MICROSECOND = 1e-6


def recognises(source: ForeignFile) -> bool:
    """Whether a text is output of iperf3 in JSON."""
    text = source.text
    return '"start"' in text and '"version"' in text and "iperf" in text


def read(source: ForeignFile) -> Output:
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


READER = FormatReader("iperf3", "iperf3 -c HOST -J", recognises, read)
