import json
from pathlib import Path

import pytest

from simbackup import load
from simbackup.drawing.arrangement import LARGE, merged
from simbackup.drawing.layout import Edge, Fact, Layout, LayoutNode, layout_of
from simbackup.errors import ResultError
from simbackup.results.record import Record
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import names
from simbackup.schema.capability import Device
from simbackup.schema.quantity import Rate, Size
from tests.cases import for_each
from tests.shared import each_scenario

EVERY = [name for folder in ("published", "planning", "teaching", "base") for name in names(folder)]


def layout(name: str) -> Layout:
    return layout_of(load(name))


@each_scenario(EVERY)
def test_every_scenario_has_a_layout_that_survives_json(name: str) -> None:
    scenario = load(name)
    found = layout_of(scenario)
    assert Layout.from_dict(json.loads(json.dumps(found.as_dict()))) == found
    spec = scenario.spec
    for section in ("hosts", "devices", "links", "data", "workloads", "jobs"):
        for part in getattr(spec, section):
            assert f"{section}.{part}" in found.node
    for edge in found.edges:
        assert {edge.start, edge.end} <= found.node.keys()
    without = {"job", "nul", "snapshot"}  # parts that need no values of their own
    assert all(node.facts or node.title or node.kind in without for node in found.nodes)


def test_edges_tell_how_parts_belong_together() -> None:
    found = layout("published/000-netbackup-frozen-images/mirror")
    kinds = {(e.start.split(".")[1], e.end.split(".")[1], e.kind) for e in found.edges}
    assert {
        ("server", "disks", "owns"), ("mirror", "third", "on"), ("mirror", "datavol", "freezes"),
        ("loops", "server", "joins"), ("db", "datavol", "on"),
    } <= kinds  # fmt: skip
    assert found.around("data.db") == ("data.db", "devices.datavol", "devices.disks", "hosts.server")


def test_a_checkpoint_lies_in_its_volume_and_a_guest_in_its_host() -> None:
    frozen = layout("published/000-netbackup-frozen-images/checkpoint")
    checkpoint = next(node for node in frozen.nodes if node.kind == "checkpoint")
    assert frozen.outer[checkpoint.address] == "devices.datavol"
    guest = layout("published/001-networker-small-files/guest-all-old")
    assert guest.outer["hosts.guest"] == "hosts.server"
    assert guest.outer["devices.vdi"] == "devices.disk"  # where it lies comes before who owns it
    assert Edge("hosts.guest", "devices.vdi", "owns") in guest.edges


def test_a_restore_reads_from_where_its_backup_wrote_and_writes_where_it_read() -> None:
    found = layout("planning/tape-drives-lto9")
    assert {(e.end, e.kind) for e in found.edges if e.start == "jobs.back"} == {
        ("devices.library", "reads"), ("data.db", "writes"), ("jobs.backup", "restores"), ("jobs.backup", "follows"),
    }  # fmt: skip


def test_a_writer_writes_its_data_and_users_work_on_theirs() -> None:
    assert Edge("jobs.dd", "data.file", "writes") in layout("published/003-lvm-snapshots/same-disk").edges
    assert Edge("workloads.users", "data.db", "works on") in layout("planning/mysql-under-load").edges


class Vault(Device):
    """A kind of device that the pictures know nothing of."""

    kind: str = "vault"
    capacity: Size
    rate: Rate


def test_a_kind_that_is_not_known_tells_its_size_and_rate() -> None:
    vault = Vault.model_validate({"capacity": "5 TB", "rate": "80 MB/s"})
    assert [str(fact) for fact in vault.facts()] == ["5 TB", "80 MB/s"]


@for_each(
    "fact, text",
    [
        (Fact.of(1, "count", "disk"), "1 disk"),
        (Fact.of(2**31, "B"), "2 GiB"),
        (Fact.of(310e9, "B"), "310 GB"),
        (Fact.of(2**30 * 1.5, "B", "memory"), "1,536 MiB memory"),
        (Fact("", 1e9, 3e9, "B"), "1 GB to 3 GB"),
        (Fact("RAID 5"), "RAID 5"),
    ],
)
def test_facts_read_well(fact: Fact, text: str) -> None:
    assert str(fact) == text


def fleet(clients: int, *, sizes: bool = False) -> Layout:
    nodes, edges = [LayoutNode("devices.tape", "library", "tape")], list[Edge]()
    for i in range(clients):
        nodes += [
            LayoutNode(f"hosts.c{i}", "host", f"c{i}", "Server"), LayoutNode(f"devices.d{i}", "disk", f"d{i}", "Disk"),
            LayoutNode(f"data.x{i}", "data", f"x{i}", "", (Fact.of(1e9 * (1 + i * sizes), "B"),)),
            LayoutNode(f"jobs.j{i}", "job", f"j{i}", "image"),
        ]  # fmt: skip
        edges += [
            Edge(f"hosts.c{i}", f"devices.d{i}", "owns"), Edge(f"data.x{i}", f"devices.d{i}", "on"),
            Edge(f"jobs.j{i}", f"data.x{i}", "reads"), Edge(f"jobs.j{i}", "devices.tape", "writes"),
        ]  # fmt: skip
    return Layout("Fleet", "", tuple(nodes), tuple(edges))


def test_equal_siblings_become_one_with_a_count() -> None:
    one = merged(fleet(200))
    assert {(node.kind, node.count) for node in one.nodes} == {
        ("library", 1), ("host", 200), ("disk", 200), ("data", 200), ("job", 200),
    }  # fmt: skip
    assert one.node["hosts.c0"].name == "c0 … c199"
    assert len(one.edges) == 4


def test_parts_that_a_reader_can_tell_apart_stay_apart() -> None:
    few = fleet(5, sizes=True)
    assert merged(few) == few  # each holds data of another size
    apart = Layout(
        "t", "", few.nodes[:1] + fleet(3).nodes[1:], (*fleet(3).edges, Edge("jobs.j0", "jobs.j1", "follows"))
    )
    assert len([node for node in merged(apart).nodes if node.kind == "host"]) == 3


def test_of_many_parts_those_are_one_that_differ_in_amounts_alone() -> None:
    many = fleet(LARGE, sizes=True)
    data = next(node for node in merged(many).nodes if node.kind == "data")
    assert data.count == LARGE
    assert str(data.facts[0]) == "1 GB to 60 GB"


def test_a_saved_result_keeps_the_layout(tmp_path: Path) -> None:
    result = simulate("published/003-lvm-snapshots/same-disk")
    assert result.layout == layout("published/003-lvm-snapshots/same-disk")
    again = Result.load(result.save(tmp_path / "run"))
    assert again.layout == result.layout
    assert again.picture.svg() == result.picture.svg()


def test_a_result_that_kept_no_layout_says_so(tmp_path: Path) -> None:
    result = simulate("published/003-lvm-snapshots/same-disk")
    folder = Result(result.record, result.values, result.trace).save(tmp_path / "old")
    old = Result.load(folder)
    assert old.layout is None
    with pytest.raises(ResultError, match="holds no layout"):
        _ = old.picture
    assert isinstance(old.record, Record)
    run = folder / "run.json"
    run.write_text(json.dumps(json.loads(run.read_text()) | {"layout": {"nodes": 3}}))
    with pytest.raises(ResultError, match="is damaged"):
        Result.load(folder)
