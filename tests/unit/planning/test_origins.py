import pytest
from sites.plan import TEXT

from simbackup.errors import InputError
from simbackup.planning.loading import read_site
from simbackup.planning.origins import Origins
from simbackup.planning.site import load_site
from tests.cases import for_each


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
