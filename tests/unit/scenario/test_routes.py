from simbackup import load
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
