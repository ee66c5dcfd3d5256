"""The explanation that a notebook shows."""

import pytest

import simbackup as sb
from simbackup.errors import ResultError

TAPE = "teaching/one-file-from-tape"


def test_one_row_a_job_and_causes_that_sum_to_it() -> None:
    result = sb.simulate(TAPE)
    why = sb.explain(result)
    assert list(why.frame.index) == [row["job"] for row in result.job_rows]
    sums = why.causes.groupby("job")["seconds"].sum()
    for one in why.found:
        assert sums[one.name] == pytest.approx(one.elapsed, rel=1e-9)
    assert why["one_file"].bottleneck == "devices.jukebox.drive"
    assert why.frame["without it"]["one_file"] < why.frame["elapsed"]["one_file"]


def test_a_result_a_scenario_and_a_name_tell_the_same() -> None:
    changed = {"devices.jukebox.drives": 1}
    scenario = sb.load(TAPE)
    reported = [
        sb.explain(TAPE, "one_file", overrides=changed).found,
        sb.explain(scenario, "one_file", overrides=changed).found,
        sb.explain(sb.simulate(TAPE, changed), "one_file").found,
    ]
    assert reported[0] == reported[1] == reported[2]


def test_a_table_names_jobs_once_and_runs_of_one_job_share_a_row() -> None:
    alike = {f"devices.array.disk.{seek}_seek": "8 ms" for seek in ("track_to_track", "average", "full_stroke")}
    many = sb.explain("planning/mysql-weekly-and-daily", overrides=alike)
    assert len(many.found) > 30
    table = many._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert table.count("<tr>") < 8
    assert "daily (27 runs)" in table
    assert "devices.array" in table


def test_a_job_that_is_not_there_is_named_beside_those_that_are() -> None:
    with pytest.raises(ResultError, match="did you mean 'one_file'"):
        sb.explain(TAPE, "one_fil")
    with pytest.raises(ResultError, match="not explained here"):
        _ = sb.explain(TAPE, "one_file")["full"]
