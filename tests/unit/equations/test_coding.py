"""What codecs cost by the ratio that they reach, against measured points."""

import pytest

from benchmarks.codecs import CODECS, FEWEST, TEXTS, fitted, line, lines, read_table, text
from simbackup.equations.coding import cost_of_coding, ratio_of_rest

ZLIB_6 = ((1.7, 6.5), (2.75, 11.0), (5.7, 18.7), (9.9, 29.8), (35.0, 64.8))
"""Ratio and MB/s of zlib at level 6 with generated text on one busy core."""


def test_a_line_over_the_inverse_ratio_meets_what_zlib_takes() -> None:
    a, b, worst = fitted([(ratio, 1e3 / rate) for ratio, rate in ZLIB_6])
    assert worst < 1.25
    for ratio, rate in ZLIB_6:
        assert cost_of_coding(a, b, ratio) == pytest.approx(1e3 / rate, rel=0.25)


def test_a_fit_finds_the_line_and_never_goes_below_zero() -> None:
    a, b, worst = fitted([(ratio, 3.0 + 50.0 / ratio) for ratio in (1.5, 3.0, 9.0)])
    assert (a, b, worst) == pytest.approx((3.0, 50.0, 1.0))
    assert fitted([(1.0, 10.0), (4.0, 1.0)])[0] == 0.0
    assert fitted([(1.0, 10.0), (4.0, 20.0)])[1] == 0.0


def test_data_that_hardly_shrink_cost_no_more_than_the_hardest() -> None:
    assert cost_of_coding(1.0, 10.0, 1.0, 2.0) == cost_of_coding(1.0, 10.0, 2.0)
    assert cost_of_coding(1.0, 10.0, 2.0001, 2.0) == pytest.approx(cost_of_coding(1.0, 10.0, 2.0), rel=1e-3)


@pytest.mark.parametrize(
    ("ratio", "hard", "rest"), [(2.0, 0.0, 2.0), (1.6, 0.25, 2.0), (1.0, 0.5, 1.0), (1.0, 1.0, 1.0)]
)
def test_what_shrinks_has_the_ratio_that_is_left(ratio: float, hard: float, rest: float) -> None:
    assert ratio_of_rest(ratio, hard) == pytest.approx(rest)
    assert hard + (1.0 - hard) / ratio_of_rest(ratio, hard) == pytest.approx(1.0 / ratio)


def test_generated_text_repeats_as_much_as_it_should() -> None:
    assert text("words", 0.5, 5000) == text("words", 0.5, 5000)
    assert len(text("rows", 0.0, 4321)) == 4321


def test_random_bytes_in_text_make_it_hard_to_compress() -> None:
    assert text("words", 0.0, 5000, noise=0.5) == text("words", 0.0, 5000, noise=0.5)
    assert len(set(text("words", 0.0, 5000, noise=1.0))) == 256


def test_the_uncertainty_of_a_line_is_none_where_all_points_are_on_it() -> None:
    found = line([(ratio, 3.0 + 50.0 / ratio) for ratio in (1.5, 2.0, 3.0, 9.0)])
    assert found == pytest.approx((3.0, 50.0, 0.0, 0.0, 1.0, 1.0), abs=1e-6)


def test_what_was_measured_covers_six_ratios_of_each_codec() -> None:
    measured = read_table()
    assert [one.codec for one in measured] == [codec for codec in CODECS for _ in TEXTS]
    for codec in CODECS:
        ratios = [one.ratio for one in measured if one.codec == codec and 1.0 < one.ratio < 20.0]
        assert len(ratios) >= FEWEST
    there, _, stored, _ = lines(measured)["gzip -6"]
    assert 0.7 < there.least < 1.0 < there.most < 1.4
    assert stored < there.each + there.coded
