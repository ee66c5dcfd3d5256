"""What programs that are lists make of data: a largest file, files without bytes, directories."""

from typing import Any

import pytest

import simbackup as sb
from tests.analytic.test_program import FILES, SITE, elapsed, group, simulated, workers


def on_tree(changes: dict[str, Any], job: dict[str, Any]) -> float:
    """Seconds of a job with one group when the data are changed."""
    given = {f"data.tree.{key}": value for key, value in changes.items()}
    return float(simulated(job.pop("groups"), changes=given, **job).get("jobs.save.elapsed"))


def problems(changes: dict[str, Any]) -> set[tuple[str, str]]:
    """What is wrong with the site when the data are changed."""
    site = {**SITE, "data": {"tree": {**SITE["data"]["tree"], **changes}}}
    with pytest.raises(sb.InputError) as caught:
        sb.simulate(sb.load({**site, "jobs": {"save": {"method": "file_level", "data": "tree", "to": "hole"}}}))
    return {(problem.address, problem.message) for problem in caught.value.problems}


@pytest.mark.parametrize(("largest", "seconds"), [("1 GB", 10.0), ("5 GB", 20.0), ("50 %", 20.0), ("10 GB", 40.0)])
def test_the_largest_file_is_a_share_of_the_bytes_or_a_size(largest: str, seconds: float) -> None:
    # one of four workers takes its part of 10 GB alone, at 4 ms for each megabyte
    assert on_tree({"largest": largest}, workers(4, {"wait": "4 ms"})) == pytest.approx(seconds, rel=1e-3)


def test_a_size_of_the_largest_table_is_that_of_its_share() -> None:
    site = {**SITE, "data": {"tree": {"on": "disk", "size": "10 GB", "content": "10 GB", "database": {
        "dump_ratio": 1, "dump_cpu": "20 ns/B", "load_cpu": "20 ns/B", "replay_cpu": "20 ns/B", "flush_time": "0 s",
        "locks_for_snapshot": False,
    }}}}  # fmt: skip
    dump = {"method": "logical_dump", "data": "tree", "to": "target", "workers": 4, "serial_share": "0 %"}
    found = [
        sb.simulate(sb.load({**site, "jobs": {"dump": dump}}), {"data.tree.largest": largest}).get("jobs.dump.elapsed")
        for largest in ("60 %", "6 GB", None)
    ]
    assert found[0] == found[1]
    assert found[0] > found[2]


def test_a_largest_file_has_no_more_bytes_than_all() -> None:
    assert problems({"largest": "11 GB"}) == {
        ("data.tree.largest", "a file of 11 GB is larger than all data, which have 10 GB")
    }


def test_files_without_bytes_cost_what_files_cost() -> None:
    """Two reads of 0.1 ms, and 1 ms of a core of twice the speed to open one; 0.4 ms to look; 3 ms to make."""
    for do, of, each in (("open", "changed", 0.7e-3), ("look", "all", 0.4e-3), ("create", "changed", 1.5e-3)):
        found = on_tree({"size": "0 B"}, workers(1, {"at": "data", "do": do}, of=of))
        assert found == pytest.approx(FILES * each, rel=1e-6)


@pytest.mark.parametrize("layout", ["together", "scattered"])
@pytest.mark.parametrize("target", ["hole", "target", "there", "bucket"])
def test_files_without_bytes_are_saved_and_restored_by_the_method_that_walks(layout: str, target: str) -> None:
    tree = {**SITE["data"]["tree"], "size": "0 B", "layout": layout}
    save = {"method": "file_level", "data": "tree", "to": target, "serial_share": "0 %"}
    back = {} if target == "hole" else {"back": {"restore": "save", "after": "save"}}
    result = sb.simulate(sb.load({**SITE, "data": {"tree": tree}, "jobs": {"save": save, **back}}))
    assert set(result.jobs["status"]) == {"done"}
    asked = 81e-3 if target == "bucket" else 0.0  # a request for each file
    opened = 0.5e-3 + (2 * 0.1e-3 if layout == "scattered" else 0.0)
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES * max(opened, asked), rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": None}, "there are neither bytes nor files"),
        ({"database": "database/mysql-8.0-innodb"}, "a database has bytes"),
    ],
)
def test_data_are_bytes_or_files(changes: dict[str, Any], message: str) -> None:
    assert ("data.tree.size", message) in problems({"size": "0 B", **changes})


def test_a_group_has_a_number_of_workers() -> None:
    number = {"value": 4, "basis": "assumed", "range": [2, 8], "why": "a guess"}
    for many in (4, "4", number):
        assert elapsed({"one": group({"wait": "2 ms"}, workers=many)}) == pytest.approx(FILES * 2e-3 / 4, rel=1e-6)
    site = group({"wait": "2 ms"}, workers="many")
    with pytest.raises(sb.InputError, match="'many' is neither a number nor an option of the program"):
        elapsed({"one": site})


@pytest.mark.parametrize(
    ("changes", "job", "directories"),
    [
        ({"directories": 1000}, {}, 1000.0),
        ({"filesystem.files_per_directory": 20}, {}, 500.0),
        ({}, {}, 1.0),  # all files are in one
        ({"directories": 1000}, {"since": "1 d"}, 1000.0 * (1.0 - 0.9**10)),  # a tenth of the files has changed
        ({"directories": 1000}, {"since": "1 d", "of": "all"}, 1000.0),
        ({"directories": 1000}, {"since": "1 d", "of": "unchanged"}, 1000.0 * 0.9**10),
    ],
)
def test_steps_repeat_on_directories(changes: dict[str, Any], job: dict[str, Any], directories: float) -> None:
    found = on_tree(changes, workers(1, {"wait": "2 ms"}, items="directories", **job))
    assert found == pytest.approx(directories * 2e-3, rel=0.01 if "since" in job else 1e-6)


def test_a_step_may_repeat_on_directories_within_a_group_of_files() -> None:
    job = workers(1, {"wait": "2 ms"}, {"wait": "5 ms", "items": "directories"})
    assert on_tree({"directories": 1000}, job) == pytest.approx(FILES * 2e-3 + 1000 * 5e-3, rel=1e-6)


def test_a_step_moves_so_many_bytes_with_each_directory() -> None:
    put = {"at": "target", "do": "write", "bytes": "1 MB"}
    each = 80e-3 + 1e-3 + 1e6 / 50e6
    found = on_tree({"directories": 1000}, workers(1, put, items="directories", target="bucket"))
    assert found == pytest.approx(1000 * each, rel=1e-3)
    none = on_tree({"directories": 1000}, workers(1, {**put, "bytes": None}, items="directories", target="bucket"))
    assert none == pytest.approx(1000 * (each - 1e6 / 50e6), rel=1e-3)


def test_groups_of_directories_and_files_go_at_one_pace() -> None:
    one = group({"wait": "2 ms"}, buffer_size="1 MB")
    two = group({"wait": "30 ms"}, items="directories", buffer_size="1 MB")
    last = group({"wait": "1 ms"})
    found = simulated({"one": one, "two": two, "last": last}, changes={"data.tree.directories": 1000})
    assert found.get("jobs.save.elapsed") == pytest.approx(30.0, rel=1e-2)


def test_directories_are_those_of_files() -> None:
    tree = {"on": "disk", "size": "10 GB"}
    program = {"operations": {"backup": {"phases": {"all": {"one": group({"wait": "2 ms"}, items="directories")}}}}}
    save = {"method": "program", "program": program, "operation": "backup", "data": "tree"}
    with pytest.raises(sb.InputError, match="'tree' does not say how many directories it has"):
        sb.simulate(sb.load({**SITE, "data": {"tree": tree}, "jobs": {"save": save}}))
