from dataclasses import replace
from pathlib import Path

from simbackup import load
from simbackup.build import build
from simbackup.devices.store import Store
from simbackup.scenario.spec import Spec

HEAD = """
title: Hosts, devices and what lies between them
hosts:
  filer: {model: host/linux-modern-server, owns: [array]}
  server: {model: host/linux-modern-server, owns: [disk]}
devices:
  array: {model: disk/nearline-20tb-2022}
  disk: {model: disk/nearline-20tb-2022}
  jukebox: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}
links:
"""


def spec(**links: list[str]) -> Spec:
    """A scenario with links of 100 MB/s that join what is named."""
    lines = (
        f"  {name}: {{joins: [{', '.join(ends)}], rate: 100 MB/s, latency: 0 s, medium: shared}}"
        for name, ends in links.items()
    )
    return load(HEAD + "\n".join(lines) + "\n").spec


def test_a_device_and_its_owner_are_at_one_place() -> None:
    site = spec(lan=["filer", "server", "jukebox"])
    assert site.route("filer", "array") == ()
    assert site.route("filer", "filer") == ()
    assert site.route("filer", "disk") == ("lan",)
    assert site.route("array", "jukebox") == ("lan",)


def test_a_link_between_a_device_and_its_owner_is_its_bus() -> None:
    site = spec(lan=["filer", "server", "jukebox"], bus=["filer", "array"])
    assert site.route("filer", "array") == site.route("array", "filer") == ("bus",)
    assert site.route("server", "disk") == ()
    assert site.route("server", "array") == ("lan", "bus")
    assert site.route("disk", "array") == ("lan", "bus")


def test_it_is_enough_that_one_of_two_links_names_the_other() -> None:
    one = spec(loop=["filer", "server"], bridge=["loop", "jukebox"])
    other = spec(loop=["filer", "bridge"], bridge=["server", "jukebox"])
    for site in (one, other):
        assert site.route("filer", "jukebox") == ("loop", "bridge")


def test_a_disk_is_reached_over_its_bus_and_a_library_over_nothing_of_it() -> None:
    site = spec(bus=["filer", "array"], lan=["filer", "server", "jukebox"])
    system, _ = build(site, 0)
    assert [network.link.name for network in system.of(Store)["array"].path] == ["links.bus"]
    assert system.of(Store)["disk"].path == ()


def test_a_full_duplex_link_has_a_name_for_each_direction() -> None:
    site = spec(lan=["filer", "server", "jukebox"])
    both = replace(site, links={"lan": site.links["lan"].model_copy(update={"duplex": "full"})})
    assert both.route("filer", "jukebox") == both.way_to("filer", "jukebox") == ("lan",)
    assert both.route("jukebox", "filer") == both.way_from("filer", "jukebox") == ("lan.back",)
    assert both.way_to("server", "array") == ("lan.back",)
    assert both.way_from("server", "array") == ("lan",)


def switched(tmp_path: Path, more: str = "", duplex: str = "full") -> Spec:
    """A scenario with a switch of 100 MB/s a port between three parts."""
    path = tmp_path / "switched.yaml"
    text = f"  lan: {{joins: [filer, server, jukebox], rate: 100 MB/s, latency: 1 ms, duplex: {duplex}{more}}}\n"
    path.write_text(HEAD + text, encoding="utf-8")
    return load(path).spec


def test_a_way_through_a_switch_is_named_by_its_ends_whatever_their_order(tmp_path: Path) -> None:
    site = switched(tmp_path)
    assert site.route("filer", "jukebox") == ("lan:filer>jukebox",)
    assert site.way_from("filer", "jukebox") == ("lan:jukebox>filer",)
    assert site.way_to("server", "array") == ("lan:server>filer",)


def test_a_way_through_a_switch_passes_both_ports_and_is_under_way_once(tmp_path: Path) -> None:
    system, _ = build(switched(tmp_path, ", count: 2, ports: {jukebox: 40 MB/s}"), 0)
    way = system.networks["lan:filer>jukebox"]
    assert [link.name for link in way.links] == ["links.lan.filer.send", "links.lan.jukebox.receive"]
    assert [link.capacity for link in way.links] == [200e6, 80e6]
    assert (way.latency, way.rate, way.wires) == (1e-3, 40e6, 2)
    assert way.other is system.networks["lan:jukebox>filer"]


def test_a_link_that_another_joins_has_a_port_for_it(tmp_path: Path) -> None:
    path = tmp_path / "joined.yaml"
    links = "  lan: {joins: [filer, server], rate: 100 MB/s, latency: 0 s}\n"
    links += "  bus: {joins: [lan, jukebox], rate: 100 MB/s, latency: 0 s}\n"
    path.write_text(HEAD + links, encoding="utf-8")
    assert load(path).spec.route("filer", "jukebox") == ("lan:filer>bus", "bus")
