from pathlib import Path

import pytest

from simbackup.errors import InputError, Problem
from simbackup.planning.cautions import idle_keys
from simbackup.planning.inventory import COLUMNS, site_text, templates
from simbackup.planning.loading import read_site
from simbackup.planning.site import load_site
from tests.cases import for_each


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
