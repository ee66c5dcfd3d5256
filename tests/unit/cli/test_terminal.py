import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.cli import terminal
from simbackup.cli.terminal import BETWEEN, EDGES, CellLine, TableColumn, tables, widths

HEAD = ("job", "start", "end", "elapsed", "rate", "status")
ROWS = [
    ("first_time", "22:00", "02:43 day 2", "4 h 43 min", "117.7 MB/s", "done"),
    ("second_time", "22:30", "22:41", "10 min 2 s", "131.2 MB/s", "late"),
]


BOLD = re.compile(r"\x1b\[\d+m")


def a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Make standard output a terminal of this width."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")  # a dumb one always has 80 columns
    monkeypatch.setenv("COLUMNS", str(columns))


def test_a_narrow_terminal_gets_several_tables_with_whole_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a_terminal(monkeypatch, 40)
    terminal.table(HEAD, ROWS, "A night", right=range(1, 5))
    out = BOLD.sub("", capsys.readouterr().out)
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 40
    for cell in (*HEAD[1:], *(cell for row in ROWS for cell in row[1:])):
        assert cell in out  # one that was cut would be on two lines
    # by hand: job, start and end take 2 + 11 + (3 + 5) + (3 + 11) = 35 columns, and (3 + 10) for elapsed do not fit;
    # job, elapsed and rate take 2 + 11 + (3 + 10) + (3 + 10) = 39; status makes a third table
    assert out.count("first_time") == 3
    assert out.count("A night") == 1


def test_a_table_that_fits_stays_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    a_terminal(monkeypatch, 120)
    terminal.table(HEAD, ROWS, right=range(1, 5))
    assert capsys.readouterr().out.count("first_time") == 1


def test_a_row_whose_first_cell_is_a_sign_keeps_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a_terminal(monkeypatch, 30)
    terminal.table(("", "cause", "time", "share"), [("#", "devices.library", "1 h 2 min", "33.3%")], right=(2, 3))
    out = BOLD.sub("", capsys.readouterr().out)
    # 2 + 1 + (3 + 8) + (3 + 9) = 26 columns, and (3 + 5) more do not fit
    assert out.count("#") == out.count("library") == 2
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 30


def test_lines_break_between_words_but_not_in_quantities(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a_terminal(monkeypatch, 40)
    terminal.line("  fits its window; it takes 4 h 43 min to 6 h 5 min in 90 % of cases")
    terminal.line("the last of all these jobs ends after 12 min 30 s")
    assert capsys.readouterr().out.splitlines() == [
        "  fits its window; it takes 4 h 43 min",
        "    to 6 h 5 min in 90 % of cases",
        "the last of all these jobs ends after",
        "  12 min 30 s",
    ]


HEADS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=5).map(".".join)


def column(head: str, *cells: str) -> TableColumn:
    return TableColumn(CellLine.dotted(head), [[CellLine.words(cell)] for cell in cells])


@given(HEADS, st.integers(1, 60))
def test_no_piece_of_a_head_is_cut_or_lost(head: str, width: int) -> None:
    lines = CellLine.dotted(head).broken(width)
    assert "".join(lines) == head
    assert all(line.endswith(".") for line in lines[:-1])


@given(st.lists(HEADS, min_size=1, max_size=6), st.integers(10, 120))
def test_a_table_fits_its_width_wherever_its_pieces_allow(heads: list[str], width: int) -> None:
    columns = [column(head, "1 h 2 min") for head in heads]
    found = widths(columns, width)
    total = EDGES + sum(found) + BETWEEN * (len(found) - 1)
    least = EDGES + sum(one.least for one in columns) + BETWEEN * (len(found) - 1)
    assert total <= max(width, least)


def test_figures_that_do_not_fit_make_another_table_with_the_same_names() -> None:
    name, figures = column("scenario", "one"), [column(f"jobs.job{i}.elapsed", "1 h") for i in range(9)]
    found = tables([name], figures, 60)
    assert len(found) > 1
    assert [one for some in found for one in some if one is not name] == figures
    assert all(some[0] is name for some in found)


def test_wide_columns_are_narrowed_first() -> None:
    one, other = column("a.b", "1"), column("devices.library.drive.buffer", "1")
    assert widths([one, other], 24) == [3, 16]  # 19 are left for both; 'devices.library.' takes 16
