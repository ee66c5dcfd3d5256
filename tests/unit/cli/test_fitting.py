from hypothesis import given
from hypothesis import strategies as st

from simbackup.cli.fitting import BETWEEN, EDGES, CellLine, TableColumn, tables, widths

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
