"""Nights whose jobs run on into the next, by the simulator."""

from sites.plan import site

from simbackup.planning.plan import plan
from simbackup.planning.site import load_site
from tests.cases import for_each


def test_limits_of_target_server_and_machines() -> None:
    """Two systems, one at a time: the second waits for as long as the first takes."""
    limit = {"limit": {"at_once": 1, "order": "longest_first"}}
    targets = site()["targets"]
    for address, parts in (
        ("targets.pool.limit", {"targets": targets | {"pool": targets["pool"] | limit}}),
        ("limit", limit),
        ("machines.guest.limit", {"machines": {"guest": site()["machines"]["guest"] | limit}}),
    ):
        found = {one.system: one for one in plan(load_site(site(**parts)), "1 day").verdicts if not one.copy}
        assert found["second"].cause.startswith("save")  # it has twice as much, and goes first
        behind = "transfer on targets.vault.device.drive.1" if address == "limit" else found["second"].cause
        assert found["first"].cause == f"wait for a turn on {address}, behind {behind}"  # copies take turns there, too
        assert found["first"].elapsed > found["second"].elapsed


@for_each("by, met", [("06:00", False), ("Monday 06:00", True), ("sunday 06:00", False)])
def test_a_copy_may_have_until_a_weekday(by: str, met: bool) -> None:
    """3 TB go to tape from Saturday 20:00 on, at 30 MB/s: 2 TB take until Sunday 15:00, 3 TB until midnight."""
    made = site(zone="UTC")
    made["targets"]["vault"]["link"]["rate"] = "30 MB/s"
    made["policies"]["nightly"] |= {"schedule": {"full": "saturday"}}
    made["policies"]["nightly"]["copies"]["tape"]["by"] = by
    found = plan(load_site(made), "2 days")
    copies = [verdict for verdict in found.verdicts if verdict.copy == "tape"]
    assert [verdict.met for verdict in copies if verdict.system == "second"] == [met]
