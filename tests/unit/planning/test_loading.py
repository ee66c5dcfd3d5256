import re

import pytest
from sites.plan import TEXT, site

from simbackup.errors import InputError
from simbackup.planning.cautions import idle_keys
from simbackup.planning.goals import goals_of
from simbackup.planning.site import load_site
from simbackup.schema.yaml_file import parse
from tests.cases import for_each


def test_an_entry_with_a_count_is_as_many_systems_and_its_mistakes_are_its_own() -> None:
    of_two = {**site()["systems"]["first"], "compression": 2}
    apart = load_site(site(systems={f"web{i:02}": of_two for i in range(1, 13)}))
    loaded = load_site(site(systems={"web": of_two | {"count": 12}}))
    assert loaded.systems == apart.systems
    assert {one.address.replace("web01", "web") for one in idle_keys(apart)} == {
        one.address for one in idle_keys(loaded)
    }
    for wrong, problem in (
        ({"web": of_two | {"count": 12}, "web07": of_two}, "systems.web: is as many systems, and there is another one"),
        ({"web": of_two | {"count": 0}}, "systems.web.count: 0 is out of bounds"),
        ({"web": of_two | {"count": 12, "policy": "nigtly"}}, "systems.web.policy: there is no policy 'nigtly'"),
        ({"web": of_two | {"count": 12, "change": {"daily": "140 %"}}}, "systems.web.change.daily: 140 % is out of"),
    ):
        with pytest.raises(InputError) as refused:
            load_site(site(systems=wrong))
        assert [problem in str(one) for one in refused.value.problems].count(True) == 1


def test_a_problem_of_the_scenario_is_reported_in_the_site_file() -> None:
    with pytest.raises(InputError) as wrong:
        load_site(TEXT.replace("disks: 12", "disks: 3"))
    assert [(str(problem.place), problem.address) for problem in wrong.value.problems] == [
        ("site:11:80", "targets.pool.device.disks")
    ]


def test_goals_are_checked() -> None:
    with pytest.raises(InputError) as wrong:
        goals_of(parse("windows_missed: few\nrto: 4 h\n", "goals.yaml"))
    assert [problem.address for problem in wrong.value.problems] == ["windows_missed", "rto"]


def test_a_restore_without_a_limit_is_no_goal() -> None:
    with pytest.raises(InputError) as wrong:
        goals_of(parse("restores:\n  fire: {after_loss_of: main}\n", "goals.yaml"))
    assert str(wrong.value).startswith("goals.yaml:2:9: restores.fire: has no limit")


@for_each("address", ["systems", "policies.nightly", "targets.pool.device"])
def test_an_empty_override_that_would_change_nothing_is_refused(address: str) -> None:
    with pytest.raises(InputError) as wrong:
        load_site(TEXT, {address: {}})
    assert [(problem.address, problem.message) for problem in wrong.value.problems] == [
        (address, "is empty, and so changes nothing")
    ]


def test_keys_of_a_tool_that_no_night_uses_have_no_effect() -> None:
    tool = "tool: {model: backup_tool/gnu-tar, copies_log: true, file_cpu: 1 us/file, restore_cpu: 1 ns/B}\n    at"
    text = TEXT.replace("to: pool\n    at", f"to: pool\n    {tool}")
    text = text.replace("first: {size: 1 TB,", "first: {size: 1 TB, method: image, filesystem: filesystem/xfs,")
    idle = {problem.address: problem.remedy for problem in idle_keys(load_site(text))}
    assert idle == {
        "policies.nightly.tool.copies_log": (
            "it is for: Whether it also copies the log that a database writes meanwhile, and replays it in a restore, "
            "so that a hot copy needs no lock."
        ),
        "systems.first.filesystem": "it is only used in file_level backups",
    }


def test_a_name_that_an_override_misspells_is_refused() -> None:
    with pytest.raises(InputError) as wrong:
        load_site(TEXT, {"policies.nigthly.at": "21:00"})
    message = "overrides: policies.nigthly.at: there is no 'nigthly' under policies; did you mean 'nightly'?"
    assert str(wrong.value) == message


def test_what_stands_in_the_file_keeps_its_place_beside_an_override() -> None:
    with pytest.raises(InputError) as wrong:
        load_site(TEXT.replace("    to: pool\n", ""), {"policies.nightly.at": "21:00"})
    assert str(wrong.value).startswith("site:20:5: policies.nightly.to: is missing")


@for_each(
    "changes, message",
    [
        ({"systems.first.size": "8 Tb"}, "systems.first.size: '8 Tb' is in bits; did you mean '8 TB'?"),
        ({"growth": 20}, "growth: is 2,000 % in a year; did you mean '20 %'?"),
        ({"growth": "700 %"}, "growth: is 700 % in a year; write at most 500 %"),
        ({"policies.nightly.retention.age": "0 days"}, "policies.nightly.retention.age: keeps nothing; leave it out"),
    ],
)
def test_slips_that_would_make_a_plan_wrong_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        load_site(TEXT, changes)


def test_a_site_has_no_goals() -> None:
    with pytest.raises(InputError, match="is a site, not a file of goals"):
        goals_of(parse(TEXT, "site.yaml"))
