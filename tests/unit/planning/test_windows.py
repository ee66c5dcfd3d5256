"""What the verdicts of a plan come to."""

from datetime import UTC, date, datetime

from simbackup.planning.night import DAY
from simbackup.planning.windows import FIRST, Counted, Verdict, Windows

LATE, LATER = date(2027, 1, 9), date(2027, 2, 6)


def test_systems_that_miss_alike_are_one_line() -> None:
    """Their longest backups may differ; another first night or cause is another line."""
    found = Windows({
        "vm02": Counted(10, 3, LATE, "copy on links.wan", 5.0),
        "db": Counted(10, 3, LATER, "copy on links.wan", 5.0),
        "vm01": Counted(10, 3, LATE, "copy on links.wan", 7.0),
        "fine": Counted(10, 0, None, "", 1.0),
    }).late()  # fmt: skip
    assert found == [
        (("vm01", "vm02"), Counted(10, 3, LATE, "copy on links.wan", 7.0)),
        (("db",), Counted(10, 3, LATER, "copy on links.wan", 5.0)),
    ]


def _verdict(night: date, system: str, elapsed: float, window: float | None, level: str = "full") -> Verdict:
    met = window is None or elapsed <= window
    due = datetime(night.year, night.month, night.day, 20, tzinfo=UTC)
    return Verdict(night, system, "nightly", level, "", due, elapsed, 1e9, window, met, f"write on {system}")


def test_verdicts_are_counted_by_system_and_by_level() -> None:
    """The first backup of all counts as a night, but neither as missed nor as the tightest."""
    verdicts = (
        _verdict(LATE, "db", 900.0, 100.0, FIRST), _verdict(LATE, "vm", 50.0, 100.0),
        _verdict(LATER, "db", 150.0, 100.0), _verdict(LATER, "vm", 120.0, 100.0),
        _verdict(LATER, "open", DAY + 1.0, None),
    )  # fmt: skip
    found = Windows.of(verdicts, ("db", "vm", "open", "none"), "by {}".format)
    assert found.systems == {
        "db": Counted(2, 1, LATER, "write on db", 150.0),
        "vm": Counted(2, 1, LATER, "write on vm", 120.0),
        "open": Counted(1, 0, None, "", DAY + 1.0),
        "none": Counted(),
    }
    assert found.levels["by nightly", "full", ""] == Counted(2, 1, LATER, "write on db", DAY + 1.0)
    assert found.tightest is found.first_missed is verdicts[2]  # one without a window is less tight than any with one
    assert found.running_on == 1
