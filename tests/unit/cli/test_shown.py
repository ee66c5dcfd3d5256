"""What commands print: lists of commands, datasheets, notes, studies, tables that fit a terminal."""

import re
import sys
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from simbackup import shelf
from simbackup.cli import show, show_study, terminal
from simbackup.cli.app import app, application
from simbackup.cli.of_models import shown
from simbackup.cli.terminal import BETWEEN, EDGES, CellLine, TableColumn, tables, widths
from simbackup.experiments.studied import Study
from simbackup.experiments.study_intervals import StudyIntervals
from simbackup.trace.trace import Trace
from tests.cases import for_each

# Commands and their options
COMMANDS = get_command(app)


@for_each("group", [COMMANDS, *(one for one in COMMANDS.commands.values() if hasattr(one, "commands"))])  # type: ignore[attr-defined]
def test_each_command_has_a_line_of_its_own_in_the_list(group: object) -> None:
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        line = command.get_short_help_str(62)
        assert line.endswith("."), f"{name}: {line}"
        assert "..." not in line


def test_options_that_take_a_value_name_it() -> None:
    """And not the type that Python gives it; those with choices list them."""
    for group in (COMMANDS, *(one for one in COMMANDS.commands.values() if hasattr(one, "commands"))):  # type: ignore[attr-defined]
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            for option in getattr(command, "params", ()):
                if option.param_type_name == "option" and not option.is_flag:
                    assert option.metavar or option.name in {"intervals", "hold_out", "trace"}, (
                        f"{name} {option.opts[0]}"
                    )


@for_each("name", COMMANDS.commands)  # type: ignore[attr-defined]
def test_a_command_that_is_named_comes_alone_and_as_it_is_among_all(name: str) -> None:
    alone, among = get_command(application(name)), COMMANDS
    assert list(alone.commands) == [name]  # type: ignore[attr-defined]
    one, other = alone.commands[name], among.commands[name]  # type: ignore[attr-defined]
    assert [each.opts for each in one.params] == [each.opts for each in other.params]
    assert list(getattr(one, "commands", ())) == list(getattr(other, "commands", ()))
    assert one.help == other.help


@for_each("name", ["", "--help", "rnu"])
def test_what_is_no_name_of_a_command_leaves_all(name: str) -> None:
    assert list(get_command(application(name)).commands) == list(COMMANDS.commands)  # type: ignore[attr-defined]


# Datasheets
@pytest.mark.parametrize(
    "name", ["disk/sata-7200-1tb-2008", "backup_tool/network-backup-2015", "raid/midrange-array-2018"]
)
def test_a_datasheet_fits_a_terminal_of_80_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown(name)
    lines = re.sub(r"\x1b\[\d+m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    for parameter, value in shelf.load_datasheet(name).values():
        assert parameter in said
        assert value.text in said
        assert " ".join((value.why or value.rule or "").split()) in said


# Notes
def test_the_first_of_many_notes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    trace = Trace()
    for i in range(show.MOST_NOTES + 2):
        trace.note(float(i), f"jobs.again.{i}", "has nothing to do")
    show.notes(cast("Any", SimpleNamespace(trace=trace)))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "jobs.again.0 has nothing to do, at 0 s"
    assert lines[show.MOST_NOTES :] == ["and 2 more notes, under 'notes' of --json"]


# Studies
ROWS = ({"scenario": "a", "failed": "save: the disk is full"}, {"scenario": "b", "failed": None})


@pytest.mark.parametrize(("samples", "more"), [((), ""), (({}, {}), ", in at least one run of each")])
def test_rows_with_failed_jobs_are_counted_as_rows(
    samples: tuple[dict[str, tuple[float]], ...], more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_study.study(Study("A study", "", (), (), ROWS, samples))
    lines = [each.rstrip() for each in capsys.readouterr().out.splitlines()]
    assert lines[-2:] == [f"a job failed in 1 of 2 rows{more}:", "  1 x save: the disk is full"]


def test_refused_cases_are_stated(capsys: pytest.CaptureFixture[str]) -> None:
    intervals = StudyIntervals(({},), cases=(({},), ({},)), refused=(1,))
    show_study.study(Study("A study", "", (), (), ({"scenario": "a"},), between=intervals))
    said = "in 1 of 2 cases, a check refuses the values, and nearer ones take their place"
    assert said in " ".join(capsys.readouterr().out.split())


# Terminals
HEAD = ("job", "start", "end", "elapsed", "rate", "status")
TERMINAL_ROWS = [
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
    terminal.table(HEAD, TERMINAL_ROWS, "A night", right=range(1, 5))
    out = BOLD.sub("", capsys.readouterr().out)
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 40
    for cell in (*HEAD[1:], *(cell for row in TERMINAL_ROWS for cell in row[1:])):
        assert cell in out  # one that was cut would be on two lines
    # by hand: job, start and end take 2 + 11 + (3 + 5) + (3 + 11) = 35 columns, and (3 + 10) for elapsed do not fit;
    # job, elapsed and rate take 2 + 11 + (3 + 10) + (3 + 10) = 39; status makes a third table
    assert out.count("first_time") == 3
    assert out.count("A night") == 1


def test_a_table_that_fits_stays_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    a_terminal(monkeypatch, 120)
    terminal.table(HEAD, TERMINAL_ROWS, right=range(1, 5))
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
