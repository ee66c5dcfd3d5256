"""Mean time to data loss against closed forms, a linear system, and brute force."""

import math
from itertools import islice

import numpy as np
import pytest

from simbackup.protection.durability import DiskGroup, availability, constant, exponential, simulated
from simbackup.protection.losses import read_losses
from simbackup.protection.protect import mean_over
from simbackup.protection.spec import LossSpec

YEAR = 8760.0


def test_a_mirror_and_raid5_have_their_closed_forms() -> None:
    failures, repairs = 1.0 / (100.0 * YEAR), 1.0 / 24.0
    mirror = (3.0 * failures + repairs) / (2.0 * failures**2)
    assert DiskGroup(2, 1, failures, 24.0).mttdl == pytest.approx(mirror, rel=1e-12)
    raid5 = ((2.0 * 8 - 1.0) * failures + repairs) / (8 * 7 * failures**2)
    assert DiskGroup(8, 1, failures, 24.0).mttdl == pytest.approx(raid5, rel=1e-12)


def test_raid6_comes_close_to_the_form_of_chen() -> None:
    """MTTF^3 / (n (n - 1) (n - 2) MTTR^2) for rebuilds that are short."""
    life, rebuild = 100.0 * YEAR, 1.0
    form = life**3 / (12 * 11 * 10 * rebuild**2)
    assert DiskGroup(12, 2, 1.0 / life, rebuild).mttdl == pytest.approx(form, rel=1e-4)


@pytest.mark.parametrize("unreadable", [0.0, 0.02])
@pytest.mark.parametrize(("disks", "tolerated"), [(1, 0), (2, 1), (8, 1), (12, 2), (15, 3)])
def test_the_chain_is_solved_exactly(disks: int, tolerated: int, unreadable: float) -> None:
    """The same chain as a system of linear equations."""
    failures, rebuild = 1.0 / 500.0, 24.0
    group = DiskGroup(disks, tolerated, failures, rebuild, unreadable)
    spoilt = 1.0 - (1.0 - unreadable) ** (disks - tolerated)
    rates = np.zeros((tolerated + 1, tolerated + 1))
    for missing in range(tolerated + 1):
        fails, repairs = (disks - missing) * failures, 1.0 / rebuild if missing else 0.0
        rates[missing, missing] = -fails - repairs
        if missing:
            rates[missing, missing - 1] = repairs
        if missing < tolerated:
            rates[missing, missing + 1] = fails * (1.0 - spoilt * (missing == tolerated - 1))
    assert group.mttdl == pytest.approx(np.linalg.solve(rates, -np.ones(tolerated + 1))[0], rel=1e-9)


def test_unreadable_sectors_cost_raid5_what_their_probability_says() -> None:
    """With rebuilds that take no time, a loss needs a failure and a sector: 1 / (n f p)."""
    group = DiskGroup(8, 1, 0.01, 1e-9, 0.01)
    assert group.mttdl == pytest.approx(1.0 / (8 * 0.01 * (1.0 - 0.99**7)), rel=1e-6)


@pytest.mark.parametrize("unreadable", [0.0, 0.01])
@pytest.mark.parametrize(("disks", "tolerated"), [(2, 1), (6, 1), (8, 2)])
def test_splitting_has_the_exact_mean_in_its_interval(disks: int, tolerated: int, unreadable: float) -> None:
    """Of intervals of 90 % some miss it by a little: by three tenths of their width, they would once in a thousand."""
    group = DiskGroup(disks, tolerated, 1.0 / 2000.0, 10.0, unreadable)
    found = simulated(group, exponential(10.0), runs=400, seed=3)
    width = found.high - found.low
    assert found.low - 0.3 * width <= group.mttdl <= found.high + 0.3 * width
    assert width < 0.1 * found.value


@pytest.mark.parametrize("unreadable", [0.0, 0.01])
@pytest.mark.parametrize("disks", [2, 6])
def test_rebuilds_of_constant_time_have_a_closed_form_with_one_parity(disks: int, unreadable: float) -> None:
    """A cycle waits for a failure; the rebuild meets a bad sector, or else another failure with 1 - exp(-f R)."""
    group = DiskGroup(disks, 1, 1.0 / 2000.0, 10.0, unreadable)
    first, next_one = group.rate(0), group.rate(1)
    second = -math.expm1(-next_one * 10.0)
    loss = group.spoilt + (1.0 - group.spoilt) * second
    cycle = 1.0 / first + (1.0 - group.spoilt) * second / next_one
    assert simulated(group, constant(10.0), runs=400).value == pytest.approx(cycle / loss, rel=1e-4)


def test_rebuilds_of_constant_time_have_a_closed_form_with_two_parities() -> None:
    """Another failure in the rebuild, at rate a, and a third in what is left of it, at rate b; else it begins again."""
    group = DiskGroup(8, 2, 1.0 / 2000.0, 10.0)
    a, b, rebuild = group.rate(1), group.rate(2), 10.0
    third = -math.expm1(-a * rebuild) - a * math.exp(-b * rebuild) * -math.expm1(-(a - b) * rebuild) / (a - b)
    again = -math.expm1(-a * rebuild) - third
    cycle, loss = 1.0 / group.rate(0) + rebuild / (1.0 - again), third / (1.0 - again)
    found = simulated(group, constant(rebuild), runs=2000)
    assert found.value == pytest.approx(cycle / loss, rel=0.02)


def test_splitting_agrees_with_brute_force_where_rebuilds_take_constant_times() -> None:
    group = DiskGroup(6, 2, 1.0 / 100.0, 10.0)
    draw = np.random.default_rng(5)
    lives = [_life(group, 10.0, draw) for _ in range(3000)]
    mean, error = float(np.mean(lives)), float(np.std(lives)) / math.sqrt(len(lives))
    found = simulated(group, constant(10.0), runs=500)
    assert abs(found.value - mean) < 3.0 * error + (found.high - found.low)
    assert found.high - found.low < 0.3 * found.value


def _life(group: DiskGroup, rebuild: float, draw: np.random.Generator) -> float:
    """The time until a group loses data, disk by disk: each has a time of its own at which it fails."""
    now, missing, done = 0.0, 0, math.inf
    fails = [float(draw.exponential(1.0 / group.failures)) for _ in range(group.disks)]
    while True:
        i = int(np.argmin(fails))
        if fails[i] < done:
            now, fails[i], missing = fails[i], math.inf, missing + 1
            if missing > group.tolerated:
                return now
            done = now + rebuild if missing == 1 else done
        else:
            now, missing = done, missing - 1
            fails[fails.index(math.inf)] = now + float(draw.exponential(1.0 / group.failures))
            done = now + rebuild if missing else math.inf


def test_two_states() -> None:
    assert availability(8760.0, 8.76) == pytest.approx(1.0 / 1.001)


@pytest.mark.slow
def test_a_rare_loss_has_a_narrow_interval() -> None:
    """Brute force would need 10^9 cycles to see one."""
    group = DiskGroup(12, 2, 0.0157 / YEAR, 24.0)
    found = simulated(group, exponential(24.0), runs=3000, seed=2)
    assert found.high / found.low < 1.1
    assert found.low < group.mttdl < found.high


@pytest.mark.slow
@pytest.mark.parametrize("tolerated", [1, 2])
def test_nine_of_ten_intervals_of_splitting_hold_the_exact_mean(tolerated: int) -> None:
    """Of 500 experiments, the nominal 90 % are off by at most three standard errors: 86 to 94 %."""
    group = DiskGroup(8, tolerated, 0.02, 12.0 / 8_766.0, 0.01)
    found = (simulated(group, exponential(group.rebuild), runs=150, seed=seed) for seed in range(500))
    hits = sum(one.low <= group.mttdl <= one.high for one in found)
    assert 0.86 <= hits / 500 <= 0.94


DISK, MONTHS, NEARLINE = 1.57e-2, 32.0 / 12.0, 8.5e-2
"""Failures of a disk in a year (Backblaze, 2024); nearline disks with a latent sector error within so many years
(Bairavasundaram et al. 2007)."""
REBUILD = 12.0 / 8_766.0
"""Years of a rebuild."""


def unscrubbed(days: float) -> float:
    """The share of disks with an undetected error when one fails, half way between two scrubs on average."""
    return NEARLINE / MONTHS * days / 365.0 / 2.0


@pytest.mark.parametrize(("days", "times"), [(1, 3.0), (14, 29.0), (365, 700.0)])
def test_latent_errors_cost_raid5_as_much_as_elerath_and_pecht_say(days: int, times: float) -> None:
    """They found 2 to 1,500 times as many losses as the mean time to data loss predicts (DSN 2007, abstract).

    By hand, that mean is 1/(8 x 7 r^2 R). With latent errors, 8 disks fail r times a year, and a share s of the
    rebuilds from seven disks fails: 1/(8 r (s + 7 r R)).
    """
    group = DiskGroup(8, 1, DISK, REBUILD, unscrubbed(days))
    predicted = 1.0 / (8 * 7 * DISK**2 * REBUILD)
    by_hand = 1.0 + group.spoilt / (7 * DISK * REBUILD)
    assert predicted / group.mttdl == pytest.approx(by_hand, rel=0.01)
    assert 2.0 <= by_hand <= 1_500.0
    assert by_hand == pytest.approx(times, rel=0.06)


def test_double_parity_makes_good_for_latent_errors() -> None:
    """By hand, a second parity disk is worth a factor of 1/(9 r R): that one of nine disks fails in a rebuild, too."""
    single, double = (DiskGroup(7 + n, n, DISK, REBUILD, unscrubbed(14)).mttdl for n in (1, 2))
    assert double / single == pytest.approx(1.0 / (9 * DISK * REBUILD), rel=0.01)


def bathtub(**more: object) -> LossSpec:
    """Disks that fail as those that Backblaze bought until 2013: 5.1, 1.4, and from 3 years on 11.8 % a year."""
    disks = {"strikes": "disks", "model": "loss/consumer-disk-failure-2013", **more}
    return read_losses({"usual": False, "losses": {"disks": disks}}).losses["disks"]


def test_disks_by_age_fail_as_often_as_the_years_of_each_age_say() -> None:
    """Of a share of disks that is left after four years: exp(-(1.5 x 5.1 + 1.5 x 1.4 + 11.8) %) = 81 %.

    Backblaze says that nearly 80 % were still there.
    """
    four, ten, old, renewed = (
        mean_over(bathtub(**more), years).value
        for years, more in ((4.0, {}), (10.0, {}), (1.0, {"age": "5 years"}), (10.0, {"replaced": "3 years"}))
    )
    assert math.exp(-4.0 * four) == pytest.approx(0.80, abs=0.015)
    assert ten == pytest.approx((1.5 * 0.051 + 1.5 * 0.014 + 7.0 * 0.118) / 10.0)
    assert old == pytest.approx(0.118)
    assert renewed == pytest.approx((3 * (1.5 * 0.051 + 1.5 * 0.014) + 0.051) / 10.0)
    assert [mean_over(bathtub(), 1.0)[i] for i in (1, 2)] == pytest.approx([0.04, 0.06])


def test_groups_of_ageing_disks_lose_data_as_brute_force_says() -> None:
    """Lives of 3,000 mirrors of two disks that fail 3, 0.5 and 4 times a year, by thinning."""
    rates = {"early": 3.0, "early_until": "1 year", "yearly": 0.5, "late": 4.0, "late_from": "2 years"}
    spec, rebuild, draw = bathtub(**rates, unreadable="0 %"), 0.004, np.random.default_rng(7)
    group = DiskGroup(2, 1, 1.0, rebuild)
    expected = mean_over(spec, 3.0, group.losses).value * 3.0
    lost, most = 0, 8.0
    for _ in range(3000):
        now, missing = float(draw.exponential(1.0 / most)), 0
        while now < 3.0 and missing < 2:
            repairs = missing / rebuild
            if draw.random() < repairs / (most + repairs):
                missing = 0
            else:
                missing += int(draw.random() < (2 - missing) * (3.0, 0.5, 4.0)[int(now)] / most)
            now += float(draw.exponential(1.0 / (most + missing / rebuild)))
        lost += missing == 2
    error = math.sqrt(lost) / 3000
    assert lost > 200
    assert abs(lost / 3000 - -math.expm1(-expected)) < 3.0 * error


def test_a_constant_rate_has_one_piece_without_end() -> None:
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": "host", "yearly": 0.25}}}).losses["it"]
    assert spec.yearly is not None
    assert list(islice(spec.pieces(spec.yearly), 1)) == [(math.inf, spec.yearly)]
    assert mean_over(spec, 10.0) == (0.25, 0.25, 0.25)
