import pytest

from simbackup.cli import show_study
from simbackup.experiments.studied import Study
from simbackup.experiments.study_intervals import StudyIntervals

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
