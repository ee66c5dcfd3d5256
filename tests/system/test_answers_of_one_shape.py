"""What the Python interface returns has one shape: a main table, a headline, a picture, intervals and warnings."""

from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from sites.plan import TEXT

import simbackup as sb
from simbackup.results.tabled import MOST_ROWS, Answer, Tabled

SHORT = "teaching/short-backups"
HTML = "_repr_html_"
"""What notebooks call."""


def answers() -> dict[str, Any]:
    """An answer of each kind that a quick run gives."""
    result, site = sb.simulate(SHORT), TEXT.lstrip()
    plan = sb.plan(site, "3 days")
    return {
        "simulate": result, "explain": sb.explain(result), "plan": plan,
        "restore": sb.restore(plan.site, at=plan.until, intervals="quick"),
        "sensitivity": sb.sensitivity(SHORT, samples=2, walks=2, workers=1),
        "study": sb.study("planning/copy-area-place", workers=1),
        "calibrate": sb.calibrate("003", write=False),
    }  # fmt: skip


@pytest.mark.slow
def test_each_has_a_table_a_picture_and_a_look_in_notebooks() -> None:
    for name, answer in answers().items():
        frame = answer.frame
        assert isinstance(frame, pd.DataFrame), name
        assert len(frame) > 0, name
        html: str = getattr(answer, HTML)()
        assert "<table>" in html, name
        assert isinstance(answer, Answer), name
        assert name == "explain" or answer.headline[:20] in html, name
        assert isinstance(answer.figure(), Figure), name
        intervals = answer.intervals
        assert {"value", "low", "high", "unit"} <= {*intervals.columns}, name
        assert len(intervals) > 0, name
        assert (intervals.low <= intervals.high).all(), name
        assert all(str(one) for one in answer.warnings), name


class Long(Tabled):
    """A table of many rows."""

    @property
    def headline(self) -> str:
        """A sentence that has to be escaped."""
        return "a < b"

    @property
    def frame(self) -> pd.DataFrame:
        """Rows with a number and one that is missing."""
        return pd.DataFrame({"n": [1234.5678] * 100, "why": [None] * 100}, index=pd.Index(range(100), name="id"))


def test_a_notebook_shows_the_first_rows_of_many() -> None:
    html: str = getattr(Long(), HTML)()
    assert html.count("<tr>") == 1 + MOST_ROWS
    assert "a &lt; b" in html
    assert "1,235" in html
    assert "And 40 more rows." in html
    assert "None" not in html
