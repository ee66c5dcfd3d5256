"""Pictures of studies that vary inputs and that search."""

from pathlib import Path

import pytest

import simbackup as sb
from tests.system.experiments.test_optimise import RATE, RATES, SAVE, SIZE, SIZES, asked


def labels(drawn: sb.style.Chart) -> list[str]:
    return [text.get_text() for text in drawn.axes[0].get_yticklabels()]


def test_a_tornado_has_a_pair_of_bars_for_each_input_that_was_moved(tmp_path: Path) -> None:
    study = {**asked(tmp_path, {}), "optimise": None}
    drawn = sb.study(study, workers=1).plot.tornado(SAVE)
    assert (RATE, labels(drawn)[0]) == ("devices.target.write_rate", "write rate of target")
    assert len(drawn.axes[0].patches) == 2 * len(labels(drawn))
    with pytest.raises(sb.ResultError, match="no input is known to move"):
        sb.study(study, workers=1, intervals="none").plot.tornado(SAVE)


def test_a_search_is_drawn_with_its_front(tmp_path: Path) -> None:
    search = {"values": {RATE: RATES[:4], SIZE: SIZES[:3]}, "least": SAVE, "greatest": SIZE}
    found = sb.study(asked(tmp_path, search), workers=1, intervals="none")
    tried, front = found.plot.pareto(SAVE, SIZE).axes[0].lines
    assert len(tried.get_xdata()) == 12
    assert len(front.get_xdata()) == len(found.rows) == 3  # each size as fast as can be
    with pytest.raises(sb.ResultError, match="no combination was tried with 'price'"):
        found.plot.pareto("price", SAVE)
