"""Levers of the page, what it completes, and what it lets nobody do."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from sites.plan import TEXT
from starlette.datastructures import Headers

from simbackup import shelf, units
from simbackup.devices.network.spec import LinkSpec
from simbackup.errors import InputError
from simbackup.planning.site import load_site
from simbackup.schema.quantity import Duration, Frozen, Quantity
from simbackup.schema.upgrading import steps
from simbackup.web.describing import NETWORKS, datasheets
from simbackup.web.guard import LOCAL, MOST_BYTES, POLICY, refusal
from simbackup.web.levers import MOST, Lever, Setting, levers_of, of_scenario, of_site
from simbackup.web.opening import OwnFolder, of_library, uploaded
from tests.cases import for_each
from tests.shared import loaded


def found(name: str) -> list[Lever]:
    return levers_of(of_scenario(loaded(name)), [])


def test_planners_values_come_first() -> None:
    first = [one.label for one in found("planning/midnight") if one.group == "first"]
    assert len(first) <= MOST
    assert {"servers: number", "array: disks", "nic: rate", "save: window", "data: size", "front: rate"} <= {*first}


def test_a_fleet_is_moved_at_its_template_and_once() -> None:
    addresses = [one.addresses for one in found("planning/midnight")]
    assert ("fleets.servers.jobs.save-{number}.window",) in addresses
    assert len(addresses) < 100  # of 4,624 values


@for_each("name", ["teaching/one-file-from-tape", "planning/midnight", "planning/disk-then-tape"])
def test_every_stop_is_a_legal_value_and_all_are_in_order(name: str) -> None:
    settings = {one.address: one.value for one in of_scenario(loaded(name))}
    sliding = [one for one in found(name) if one.stops and not one.worded]
    assert len(sliding) > 20
    for one in sliding:
        given = settings[one.addresses[0]]
        assert isinstance(given, Quantity)
        values = [given.si if stop == given.text else units.parse(stop, given.unit) for stop in one.stops]
        assert values == sorted({*values})
        assert one.stops[one.at] == one.text


def test_shares_stay_below_one_and_counts_are_whole() -> None:
    select = next(one for one in found("teaching/one-file-from-tape") if one.addresses == ("jobs.one_file.select.at",))
    assert select.stops[-1] == "100 %"
    drives = next(one for one in found("teaching/one-file-from-tape") if one.label == "jukebox: drives")
    assert drives.stops == tuple(str(i) for i in range(1, 9))
    assert drives.bounds == "at least 1, at most 100,000"


def test_a_slider_leaves_out_what_its_part_refuses() -> None:
    disks = next(one for one in found("planning/adapter-speed") if one.addresses == ("devices.disks.disks",))
    assert disks.stops == tuple(str(i) for i in range(4, 25, 2))  # RAID 10: pairs of mirrors, two at least


def test_equal_values_of_a_site_move_together() -> None:
    site = load_site("planning/forty-systems")
    levers = levers_of(of_site(site), [])
    daily = [one for one in levers if one.addresses[0].endswith("change.daily")]
    assert sum(len(one.addresses) for one in daily) == len(site.systems)
    assert len(daily) < 8
    assert {"policies.nightly.window", "targets.pool.device.disks", "growth"} <= {one.addresses[0] for one in levers}


def test_addresses_of_a_site_are_those_of_its_file() -> None:
    site = load_site("planning/forty-systems")
    tree = site.file.tree
    for one in of_site(site):
        node, seen = tree.find(tuple(steps(one.address)))
        assert seen or one.path[0] in tree.mapping
        del node


def test_settings_of_a_site_come_section_by_section_as_in_its_file() -> None:
    firsts = dict.fromkeys(
        one.path[0] for one in of_site(load_site(TEXT.replace("offsite:", "fetch: 4 h\n    offsite:")))
    )
    assert [section for section in firsts if section in {"targets", "policies", "systems"}] == [
        "targets", "policies", "systems"
    ]  # fmt: skip


def test_a_value_of_nothing_has_no_slider() -> None:
    setting = next(iter(of_scenario(loaded("teaching/one-file-from-tape"))))
    zero = Setting(setting.path, setting.part, setting.key, Quantity(0.0, "s", "0 s"))
    assert levers_of([zero], [])[0].stops == ()


def test_links_step_through_the_speeds_that_are_sold() -> None:
    front = next(one for one in found("planning/midnight") if one.label == "front: rate")
    assert {"100 Mb/s", "1 Gb/s", "2.5 Gb/s", "10 Gb/s", "25 Gb/s", "40 Gb/s", "100 Gb/s"} <= {*front.stops}
    assert {stop for stop in front.stops if not stop.endswith("b/s")} == {front.text}
    every = {one.addresses for one in found("planning/midnight") if "40 Gb/s" in one.stops}
    assert all("links" in address and address.endswith(".rate") for addresses in every for address in addresses)


@for_each(
    "si, unit, text",
    [
        (1e-5, "1", "0.001 %"), (1e-12, "1", "1e-10 %"), (4e-13, "s", "0.0004 ns"), (1e18, "B", "1000 PB"),
        (120.0, "1/s", "7200 rpm"), (28_800.0, "s", "8 h"), (1e15, "count", "1e15"), (5e-324, "1", "5e-322 %"),
    ],
)  # fmt: skip
def test_any_value_that_a_file_may_hold_has_stops_that_are_read_back(si: float, unit: str, text: str) -> None:
    value = Quantity(si, unit, text, low=si / 3.0, high=si)
    [lever] = levers_of([Setting(("devices", "a", "made_up"), LinkSpec, "latency", value)], [])
    read = [units.parse(stop, unit) for stop in lever.stops if stop != text]
    assert read == sorted({*read})
    assert text in lever.stops


def test_a_lever_that_cannot_be_made_is_left_out_and_the_others_stay() -> None:
    class Broken(Frozen):
        latency: Duration

        def rules(self) -> Iterator[tuple[tuple[str, ...], str, str]]:
            yield ("latency",), f"{1.0 / 0.0}", ""

    part = Broken.model_construct(latency=Quantity(2.0, "s", "2 s"))
    good = next(iter(of_scenario(loaded("teaching/one-file-from-tape"))))
    bad = Setting(("devices", "b", "latency"), Broken, "latency", part.latency, part)
    assert [one.addresses for one in levers_of([bad, good], [])] == [(good.address,)]


def test_a_part_with_the_name_of_its_key_is_named_once() -> None:
    disks = Setting(("devices", "disks", "disks"), LinkSpec, "count", Quantity(6.0, "count", "6"))
    model = Setting(("devices", "disks", "model"), LinkSpec, "model", "disk/x")
    assert [one.label for one in levers_of([disks, model], [])] == ["disks", "disks: model"]


def test_datasheets_are_offered_by_product_and_maker() -> None:
    makers = datasheets()["tape_library"]
    assert ("tape_library/storagetek-l20", "StorageTek L20") in makers["StorageTek"]
    assert len(makers["IBM"]) > 1
    assert [*makers][-1] == ""
    libraries = [name for name in shelf.names() if name.startswith("tape_library/")]
    assert sorted(name for sheets in makers.values() for name, _ in sheets) == libraries


def test_networks_are_offered_by_their_usual_speeds_and_programs_if_they_save() -> None:
    kinds = datasheets()
    usual = kinds["network"]["Usual speeds"]
    assert {*NETWORKS} <= {name for name, _ in usual}
    assert [speed for _, speed in usual] == sorted(
        (speed for _, speed in usual), key=lambda one: units.parse(one.partition(",")[0], "B/s")
    )
    programs = {name for sheets in kinds["program"].values() for name, _ in sheets}
    assert "program/veeam-12" in programs
    assert "program/rsync-3" not in programs


# Opening
def in_64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_only_files_in_the_folder_are_offered(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text("title: secret")
    (folder / "a.yaml").write_text("title: A")
    (folder / ".hidden.yaml").write_text("title: hidden")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    chosen = OwnFolder(folder)
    assert chosen.names == ["a.yaml"]
    assert chosen.document("a.yaml").text == "title: A"
    for name in ("link.yaml", "../secret.yaml", ".hidden.yaml", str(tmp_path / "secret.yaml"), "b.yaml"):
        with pytest.raises(InputError, match="is not in the chosen folder"):
            chosen.document(name)
    assert OwnFolder().names == []


def test_a_scenario_that_comes_along_is_extended() -> None:
    found = of_library("teaching/one-file-from-tape")
    assert found.text == "extends: teaching/one-file-from-tape\n"
    assert "title: One file back from tape" in found.original
    assert of_library("planning/forty-systems").text.startswith("title: Forty virtual machines")
    with pytest.raises(InputError):
        of_library("teaching/nothing")


@for_each("name", ["../a.yaml", "/etc/a.yaml", "a/b.yaml", "..", ".yaml", "a.py", "a\x00.yaml", "a.yaml\n"])
def test_uploads_have_bare_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"is not a name of a file to upload|has no scenario"):
        uploaded(
            tmp_path, {"good.yaml": in_64("title: A"), name: in_64("x")} if name != ".yaml" else {name: in_64("x")}
        )


def test_an_upload_is_stored_with_its_tables(tmp_path: Path) -> None:
    found = uploaded(tmp_path, {"list.csv": in_64("name\nx\n"), "a.yaml": in_64("title: A\n")})
    assert (found.name, found.text) == ("a.yaml", "title: A\n")
    assert (found.folder / "list.csv").read_text() == "name\nx\n"
    with pytest.raises(InputError, match="was damaged in the upload"):
        uploaded(tmp_path, {"a.yaml": "%%%"})
    with pytest.raises(InputError, match="is not UTF-8"):
        uploaded(tmp_path, {"a.yaml": base64.b64encode(b"\xff\xfe\x00").decode()})


# Limits of a worker
GOOD = {
    "host": "localhost:8350",
    "origin": "http://localhost:8350",
    "content-type": "application/json",
    "content-length": "2",
}


def test_the_page_itself_may_ask() -> None:
    assert refusal("POST", Headers(GOOD), LOCAL) is None
    assert refusal("GET", Headers({"host": "127.0.0.1:8350"}), LOCAL) is None


@for_each(
    "change, status",
    [
        ({"host": "evil.example:8350"}, 421), ({"host": ""}, 421), ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403), ({"origin": "http://localhost:9999"}, 403), ({"origin": ""}, 403),
        ({"content-type": "text/plain"}, 415), ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-length": ""}, 411), ({"content-length": str(MOST_BYTES + 1)}, 413),
    ],
)  # fmt: skip
def test_others_may_not(change: dict[str, str], status: int) -> None:
    found = refusal("POST", Headers(GOOD | change), LOCAL)
    assert found is not None
    assert found[0] == status


def test_a_name_that_leads_here_by_foreign_means_is_refused_also_to_read() -> None:
    assert refusal("GET", Headers({"host": "rebound.example"}), LOCAL) is not None
    assert refusal("GET", Headers({"host": "planner.example"}), LOCAL | {"planner.example"}) is None


def test_pages_load_nothing_from_elsewhere_and_run_no_text() -> None:
    rules = dict(rule.strip().split(" ", maxsplit=1) for rule in POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == rules["style-src"] == "'self'"
