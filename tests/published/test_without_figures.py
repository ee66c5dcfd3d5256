"""Publications that somebody described without their figures, and what README says of them."""

import math
from statistics import median

from simbackup.results.compare import documents
from tests.published.test_readme import README, TOP
from tests.shared import IN_ONE_PROCESS, reproduced

pytestmark = IN_ONE_PROCESS
ROWS = [row for measured in documents("without-figures") for row in measured.rows]


def test_each_describes_a_publication_that_we_describe_too() -> None:
    ours = {measured.folder.name: {row.value for row in measured.rows} for measured in documents("validation")}
    for row in ROWS:
        assert row.described_anew
        assert row.value in ours[row.publication], row.id


def test_readme_says_how_far_off_the_answers_were() -> None:
    answers = [(row.blind, row.value) for row in ROWS if row.blind is not None]
    assert len(answers) == len(ROWS)
    factors = [answer.value / value for answer, value in answers]
    off = sum(abs(math.log(factor)) > math.log(2.0) for factor in factors)
    held = sum((answer.low or 0.0) <= value <= (answer.high or math.inf) for answer, value in answers)
    error = median(abs(factor - 1.0) for factor in factors)
    said = (
        f"the median error of {len(answers)} rows was {error:.0%}, {off} were off by more than 2, and {held} intervals"
    )
    assert said.replace("%", " %") in " ".join(README.read_text(encoding="utf-8").split())


def test_the_handbook_says_how_far_off_our_descriptions_are() -> None:
    described = {row.publication for row in ROWS}
    ours = [row for row in reproduced("validation").rows if row.measurement.folder in described and row.predicted]
    error = f"{median(abs(row.error) for row in ours):.0%}".replace("%", " %")
    handbook = " ".join((TOP / "docs" / "validation.md").read_text(encoding="utf-8").split())
    assert f"the median error of the same publications is {error}." in handbook


def test_the_scenarios_still_answer_every_row() -> None:
    assert {row.measurement.id for row in reproduced("without-figures").rows} == {row.id for row in ROWS}
    assert {row.role for row in reproduced("without-figures").rows} == {"opened"}
