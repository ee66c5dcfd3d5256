from simbackup.results.shown import note_rows, note_sentences, noted
from simbackup.trace.trace import Trace


def test_notes_are_known_by_their_mark_and_not_by_their_words() -> None:
    trace = Trace()
    trace.event(1.0, "devices.cow", "is read from now on")
    trace.note(90.0, "devices.cow", "lost its copy area", chunks=3)
    assert note_rows(trace) == [{"address": "devices.cow", "what": "lost its copy area", "at": 90.0}]
    assert note_sentences(trace) == ["devices.cow lost its copy area, at 1 min 30 s"]


def test_a_saved_trace_keeps_its_notes() -> None:
    trace = Trace()
    trace.note(90.0, "devices.cow", "lost its copy area", chunks=3)
    trace.event(91.0, "devices.cow", "is removed")
    assert note_rows(Trace.from_lines(trace.to_lines())) == note_rows(trace) != []


def test_a_trace_without_notes_has_no_such_table() -> None:
    trace = Trace()
    trace.event(1.0, "devices.cow", "is read from now on")
    assert noted(trace) == {}
