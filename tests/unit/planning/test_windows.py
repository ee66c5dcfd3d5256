"""What the verdicts of a plan come to."""

from datetime import date

from simbackup.planning.windows import Counted, Windows

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
