"""Sites: how they are read, described in few words, made of inventories, and completed by editors."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sites.plan import TEXT, site

from simbackup import shelf
from simbackup.errors import InputError, Problem
from simbackup.planning.cautions import idle_keys
from simbackup.planning.described import Group, described
from simbackup.planning.goals import goals_of
from simbackup.planning.inventory import COLUMNS, site_text, templates
from simbackup.planning.json_schema import KINDS, site_schema
from simbackup.planning.loading import read_site
from simbackup.planning.origins import Origins
from simbackup.planning.plan import stocked
from simbackup.planning.site import load_site
from simbackup.schema.yaml_file import parse, read
from tests.cases import for_each
from tests.shared import ROOT
from tests.sites.plan import TEXT as SCHEMA_TEXT


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


# Sites described in few words
GUESTS = Group("vm", "40", "20 TB", change="2 %")
FILES = Group("file server", "2", "16 TB", files="12,000,000")


def test_each_machine_has_its_share() -> None:
    site = load_site(described([GUESTS, FILES], "virtualised", {}))
    systems = site.file.spec.systems
    assert len(systems) == 42
    assert {one.size.si for name, one in systems.items() if name.startswith("vm-1-")} == {500e9}
    files = [one for name, one in systems.items() if name.startswith("file-server-2-")]
    assert [(one.size.si, one.files.si if one.files else 0.0) for one in files] == [(8e12, 6e6)] * 2


@pytest.mark.slow
def test_pools_hold_three_years() -> None:
    kept = {"policies.nightly.retention": {"daily": "14", "monthly": "12"}}
    text = described([GUESTS, FILES], "virtualised", kept)
    assert "disks: 12}" not in text
    assert [limit.date for limit in stocked(load_site(text), "3y").full] == [None, None, None]  # and the array
    small = described([Group("vm", "2", "1 TB")], "virtualised", kept)
    assert "disks: 12}" in small  # what is large enough stays
    assert "retention: {daily: 14, monthly: 12}" in small


@for_each(
    "group, place, message",
    [
        (Group("vm", "4.5", "1 TB"), "machines:1", "machines: '4.5' must be a whole number"),
        (Group("vm", "0", "1 TB"), "machines:1", "machines: '0' is not a number of machines"),
        (Group("vm", "4", "one"), "machines:1", "data: 'one' is not a number"),
        (Group("vm", "4", "10 Tb"), "machines:1", "bits"),
        (Group("file server", "1", "1 TB"), "machines:1", "files: the number of files is missing"),
        (Group("vm", "4", "1 TB", change="200 %"), "machines:1", "'200 %' is more than all of the data"),
        (Group("teapot", "4", "1 TB"), "machines:1", "'teapot' is not a kind of system"),
    ],
)
def test_what_is_wrong_has_its_row(group: Group, place: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        described([group], "virtualised", {})
    first = raised.value.problems[0]
    assert str(first.place).startswith(place)
    assert message in str(first)


def test_there_are_machines_and_not_too_many() -> None:
    with pytest.raises(InputError, match="there are no machines"):
        described([], "virtualised", {})
    with pytest.raises(InputError, match="6000 machines are too many"):
        described([Group("vm", "3000", "1 PB")] * 2, "virtualised", {})


def test_a_wrong_window_is_reported() -> None:
    with pytest.raises(InputError, match=r"policies\.nightly\.window"):
        described([GUESTS], "virtualised", {"policies.nightly.window": "late to early"})


# Inventories
def written(folder: Path, *rows: str) -> Path:
    path = folder / "inventory.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as found:
        site_text(path)
    return [str(problem).removeprefix(str(path)) for problem in found.value.problems]


@for_each("template", templates())
def test_a_site_of_each_template_can_be_read(tmp_path: Path, template: str) -> None:
    path = written(tmp_path, "name,size,files,change", "a,1 TB,1000000,2 %", "b,500 GB,,5 %")
    spec = read_site(site_text(path, template)).spec
    assert list(spec.systems) == ["a", "b"]
    assert spec.systems["a"].size.si == 1e12
    assert spec.systems["a"].by_file()
    assert not spec.systems["b"].by_file()


def test_commas_and_binary_units_are_understood(tmp_path: Path) -> None:
    path = written(tmp_path, "Server;Size (GiB);Daily change;Kind", "db.site.example;1.234,5;2,5 %;SQL")
    system = read_site(site_text(path)).spec.systems["db-site-example"]
    assert system.size.si == 1234.5 * 2**30
    assert system.change["daily"] == "2.5 %"
    assert system.change["model"] == "change/database"


def test_a_change_without_a_unit_is_marked_as_assumed(tmp_path: Path) -> None:
    text = site_text(written(tmp_path, "name,size,change", "a,500 GB,2"))
    assert "daily: {value: 2 %, basis: assumed, range: [2 %, 2 %]" in text


def test_every_wrong_row_is_reported_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path, "name,size,files,change,policy,kind", "b,5 furlongs,,2 %,nightly,vm", ",1 TB,,2 %,nightly,vm",
        "c,,,2 %,nightly,vm", "d,1 TB,,200 %,nightly,vm", "e,1 TB,,2 %,weekly,oven", "a,1 TB,,2 %,nightly,vm",
        "a,1 TB,,2 %,nightly,vm",
        "f,1 TB,,2 %,nightly,toaster", "g,1 TB,,2 %,nightly,file server", "h,1 TB,many,2 %,nightly,files",
    )  # fmt: skip
    found = problems(path)
    assert [problem.split(":")[1] for problem in found] == ["2", "3", "4", "5", "6", "8", "9", "10", "11"]
    assert "there are two systems 'a'" in found[5]
    assert "'oven' is not a kind of system" in found[4]
    assert "'toaster' is not a kind of system; write 'vm', 'file server', 'database' or 'archive'" in found[6]


def test_policies_and_machines_that_the_template_lacks_are_written_as_assumed(tmp_path: Path) -> None:
    """A hundred rows name two policies and a kind of machine: each is written once, with a comment."""
    rows = [f"s{i},1 TB,2 %,{('Gold 1', 'silver', 'nightly')[i % 3]},{('rack', '')[i % 2]}" for i in range(100)]
    warnings: list[Problem] = []
    text = site_text(written(tmp_path, "name,size,change,policy,machine", *rows), warnings=warnings)
    spec = read_site(text).spec
    assert list(spec.policies) == ["nightly", "Gold-1", "silver"]
    assert spec.policies["silver"] == spec.policies["nightly"]
    assert spec.machines["rack"] == spec.machines["guest"]
    assert spec.systems["s0"].policy == "Gold-1"
    assert text.count("# assumed: the inventory names ") == 3
    assert [str(one.place).partition(":")[2] for one in warnings] == ["2:13", "2:20"]
    assert "the template has no policy 'Gold-1', 'silver'; each is written as a copy of 'nightly'" in str(warnings[0])


@for_each("template", templates())
def test_parts_can_be_added_to_every_template(template: str, tmp_path: Path) -> None:
    path = written(tmp_path, "name,size,change,policy,machine,files", "a,1 TB,2 %,gold,rack,1000")
    spec = read_site(site_text(path, template)).spec
    assert (spec.systems["a"].policy, spec.systems["a"].machine) == ("gold", "rack")


def test_a_table_needs_names_and_sizes(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "owner,colour", "me,red")) == [
        ":1:1: has no column 'name'; name it name or system or host",
        ":1:1: has no column 'size'; name it size or capacity or used",
    ]


def test_five_thousand_rows_with_fifty_errors(tmp_path: Path) -> None:
    rows = [f"s{i},{'5 furlongs' if i % 100 == 7 else '1 TB'},2 %" for i in range(5000)]
    assert len(problems(written(tmp_path, "name,size,change", *rows))) == 50


def warned(path: Path) -> list[str]:
    found: list[Problem] = []
    site_text(path, warnings=found)
    return [str(problem).removeprefix(str(path)) for problem in found]


def test_what_is_not_used_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "name,Sze,size,owner,VM", 'a.b,1,"1,200 GB",me,x', "c,1,2 TB,me,x")
    assert warned(path) == [
        ":1:6: warning: the column 'Sze' is not used; did you mean 'size'?",
        f":1:15: warning: the column 'owner' is not used; those that are: {', '.join(COLUMNS)}",
        ":1:21: warning: the column 'VM' is not used; 'name' has the same meaning, and comes first",
        (":2:7: warning: '1,200 GB' has a mark that may mean decimals or thousands; "
        "a point was read as a decimal point, a comma as a thousands separator"),
        ":2:1: warning: 'a.b' is called 'a-b'; names consist of letters, digits, '-' and '_'",
    ]  # fmt: skip
    assert warned(written(tmp_path, "name,size", "a,1.5 TB")) == []


def test_any_name_and_any_title_make_a_site(tmp_path: Path) -> None:
    path = tmp_path / "a: [b] #c.csv"
    path.write_text("name,size\nnull,1 TB\nyes,2E+12 B\ntrue,2 TB\n", encoding="utf-8")
    text = site_text(path)
    assert '  "null": {' in text
    spec = read_site(text).spec
    assert spec.title == "a: [b] #c, 3 systems"
    assert [(name, system.size.si) for name, system in spec.systems.items()] == [
        ("null", 1e12), ("yes", 2e12), ("true", 2e12),
    ]  # fmt: skip


def test_what_no_site_may_say_is_reported_at_its_cell(tmp_path: Path) -> None:
    rows = "pool,1 TB,", "a,1e30 GB,", "b,1 TB,0.0001", "a-data,1 TB,"
    assert problems(written(tmp_path, "name,size,compression", *rows)) == [
        ":3:3: '1e30 GB' is out of bounds; write at most 1000 PB and more than 0",
        ":4:8: '0.0001' is out of bounds; write at least 1 %",
    ]
    assert problems(written(tmp_path, "name,size,compression", rows[0], rows[3], "a,1 TB,")) == [
        ":2:1: is also the name of one of the targets; rename one of them",
        ":3:1: is also what a plan calls a part of 'a'; rename one of them",
    ]


@for_each("template", templates())
def test_the_growth_of_a_template_stays_only_for_systems_that_state_none(tmp_path: Path, template: str) -> None:
    head, one, two = "name,size,growth", "a,1 TB,5 %", "b,2 TB,"
    mixed = read_site(site_text(written(tmp_path, head, one, two), template)).spec
    assert mixed.growth is not None
    path = tmp_path / "site.yaml"
    path.write_text(site_text(written(tmp_path, head, one, f"{two}7 %"), template), encoding="utf-8")
    site = load_site(path)
    assert site.file.spec.growth is None
    assert [client.change.growth for client in site.systems] == [0.05, 0.07]
    assert site.file.spec.prices == mixed.prices  # what follows it stays
    assert "growth" not in {problem.address for problem in idle_keys(site)}


VINFO = """\
VM,Powerstate,Template,In Use MiB,Path,Host
web01,poweredOn,False,1000,[DS01] web01/web01.vmx,esx01.example.org
sql01,poweredOn,False,2000000,[DS 2] sql01/sql01.vmx,esx02.example.org
new01,poweredOn,False,500,,
"""


def test_hosts_and_datastores_of_vinfo_are_shared(tmp_path: Path) -> None:
    """Each host is one host, and the datastores lie on one array; a guest without a host gets the next one."""
    (tmp_path / "vinfo.csv").write_text(VINFO, encoding="utf-8")
    spec = read_site(site_text(tmp_path / "vinfo.csv")).spec
    assert (list(spec.hosts), list(spec.datastores)) == (
        ["esx01-example-org", "esx02-example-org"], ["san", "DS01", "DS-2"],
    )  # fmt: skip
    assert [spec.datastores[name].lies_on for name in spec.datastores] == [None, "san", "san"]
    places = [(system.host, system.datastore) for system in spec.systems.values()]
    assert places == [
        ("esx01-example-org", "DS01"), ("esx02-example-org", "DS-2"), ("esx01-example-org", None),
    ]  # fmt: skip
    assert not spec.machines


def test_guests_share_the_hosts_of_the_template_in_turn(tmp_path: Path) -> None:
    spec = read_site(site_text(written(tmp_path, "name,size", *(f"vm{i},1 TB" for i in range(9))))).spec
    assert [system.host for system in spec.systems.values()] == [f"esx{1 + i % 4}" for i in range(9)]


def test_the_array_is_large_enough_for_three_years(tmp_path: Path) -> None:
    """200 TB grow by 20 % a year to 345.6 TB; an array in RAID 5 has a disk of 3.84 TB less than it counts."""
    text = site_text(written(tmp_path, "name,size", "a,120 TB", "b,80 TB"))
    disks = int(read_site(text).tree.find(("datastores", "san", "device", "disks", "value"))[0].word)
    assert 345.6 / 3.84 + 1 <= disks <= 1.05 * 345.6 / 3.84
    assert load_site(text).systems[0].size == 120e12


def test_a_host_is_a_system_where_no_other_column_is(tmp_path: Path) -> None:
    assert list(read_site(site_text(written(tmp_path, "host,size", "a,1 TB"))).spec.systems) == ["a"]
    spec = read_site(site_text(written(tmp_path, "host,system,size", "a,b,1 TB"))).spec
    assert [(name, system.host) for name, system in spec.systems.items()] == [("b", "a")]


# The schema of sites
SITES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("scenarios/**/*.site.yaml"))


@cache
def schema(kind: Any) -> Any:
    return site_schema(kind, shelf.names())


def wrong(kind: str, plain: Any) -> list[str]:
    """The addresses at which the schema finds something wrong."""
    errors = Draft202012Validator(schema(kind)).iter_errors(plain)
    return sorted({".".join(map(str, error.absolute_path)) for error in errors})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_schema(kind: str) -> None:
    Draft202012Validator.check_schema(schema(kind))


@for_each("file", SITES)
def test_it_takes_the_sites_of_this_package(file: str) -> None:
    assert wrong("site", read(Path(ROOT, file), file).plain()) == []


@for_each(
    "old, new, address",
    [
        ("20:00 to 06:00", "[1, 2]", "policies.nightly.window"),
        ("size: 1 TB", "size: 1 m", "systems.first.size"),
        ("daily: 1 %}, policy: nightly}", "daily: 1 %}}", "systems.second"),
        ("full: saturday", "complete: saturday", "policies.nightly.schedule"),
        ("offsite: true", "offsight: true", "targets.vault"),
        ("which: full", "which: most", "policies.nightly.copies.tape.which"),
        ("network/ten-gigabit-ethernet", "disk/nearline-20tb-2022", "network"),
    ],
)
def test_it_finds_what_is_wrong(old: str, new: str, address: str) -> None:
    assert old in SCHEMA_TEXT
    assert wrong("site", parse(SCHEMA_TEXT.replace(old, new), "a.yaml").plain()) == [address]


def test_goals() -> None:
    right = {"windows_missed": 0, "restores": {"fire": {"what": "site", "within": "24 h", "at": "2027-06-01"}}}
    assert wrong("goals", right) == []
    assert wrong("goals", {"restores": {"fire": {"inside": "24 h"}}}) == ["restores.fire"]


# Where what is wrong with a scenario is said of its site
def addresses(text: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as wrong:
        load_site(text)
    return [(str(problem.place), problem.address) for problem in wrong.value.problems]


@for_each(
    "address, path",
    [
        ("hosts.first", "machines.guest.host"),
        ("hosts.pool-host.cores", "targets.pool.host"),  # the host is a datasheet, in which nothing has an address
        ("devices.first-disk.capacity", "systems.first.size"),
        ("devices.vault.drives", "targets.vault.device.drives"),
        ("links.vault-link.rate", "targets.vault.link.rate"),
        ("links.network.rate", "network"),
        ("data.second-data.files", "systems.second.files"),
        ("jobs.first", "systems.first"),
        ("jobs.first.begin", "policies.nightly.at"),
        ("jobs.first-night2.level", "policies.nightly.schedule"),
        ("jobs.first-night2-tape.to", "policies.nightly.copies.tape.to"),
        ("jobs.back-first", "systems.first"),
        ("jobs.first-0.tool.request", "policies.nightly.tool.request"),
    ],
)
def test_every_part_has_its_address_in_the_site(address: str, path: str) -> None:
    assert ".".join(Origins(read_site(TEXT), {}).known_path(address)) == path


def test_what_several_systems_have_is_said_once_with_the_first() -> None:
    small = TEXT.replace("{model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 12}", "disk/x")
    assert addresses(small) == [("site:11:13", "targets.pool.device")]
    with pytest.raises(InputError) as wrong:
        load_site(TEXT.replace("size: 1 TB", "size: 900 TB").replace("size: 2 TB", "size: 800 TB"))
    assert "('first', and 1 more like it)" in str(wrong.value)
    assert "policies.nightly.to: " in str(wrong.value)


def test_spread_policies_are_reported_as_they_are_written() -> None:
    text = TEXT.replace('    at: "20:00"\n', '    at: "20:00"\n    spread: true\n    tool: {model: backup_tool/x}\n')
    assert addresses(text) == [("site:23:19", "policies.nightly.tool.model")]
