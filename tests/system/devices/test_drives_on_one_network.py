"""Eight drives that one network cannot keep moving fill it, and the network is to blame."""

import pytest

from simbackup import load
from simbackup.experiments.what_if import reasons
from simbackup.run import simulate

DRIVES = 8
RATE = 38e6
SITE = {
    "title": "Eight drives on one network",
    "hosts": {
        "client": {"model": "host/linux-modern-server", "owns": ["disk"]},
        "server": {"model": "host/linux-modern-server", "owns": ["jukebox"]},
    },
    "devices": {
        "disk": {"model": "ssd/sata-ssd-2015"},
        "jukebox": {
            "model": "tape_library/atl-p3000", "drives": DRIVES, "robots": DRIVES,
            "drive": {"model": "tape_drive/quantum-dlt7000", "buffer": "1 MB"},
        },
    },
    "links": {"lan": {"model": "network/gigabit-ethernet", "rate": "38 MB/s", "joins": ["client", "server"]}},
    "data": {f"files{i}": {"on": "disk", "size": "4 GB"} for i in range(DRIVES)},
    "jobs": {
        f"save{i}": {"method": "image", "data": f"files{i}", "to": "jukebox", "streams": 1} for i in range(DRIVES)
    },
}  # fmt: skip


def test_the_network_is_full_and_explain_names_it() -> None:
    # A drive that were offered an eighth of it would stop for more than a third of the time.
    scenario = load(SITE)
    result = simulate(scenario)
    busy = max(rate.busy for rate in result.trace.rates if rate.link == "links.lan")
    assert busy > 0.97
    [found] = reasons(result, scenario, ["save0"])
    assert found.bottleneck == "links.lan"
    spent = {(cause.address, cause.activity): seconds for cause, seconds in found.causes.items()}
    assert spent["links.lan", "transfer"] == pytest.approx(4e9 * DRIVES / RATE, rel=0.01)
    assert spent["devices.jukebox.drive.1", "reposition"] < 0.05 * spent["links.lan", "transfer"]
