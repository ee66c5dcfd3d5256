"""In scenarios/published a plain number is one that the document states; every other says what it rests on."""

from __future__ import annotations

import pytest

from simbackup.scenario import load, names

STATED: dict[str, dict[str, set[str]]] = {
    "000-netbackup-frozen-images": {
        "disks": {"36", "18"},  # the volume, and its third mirror
        "drives": {"16"},
        "count": {"6", "2", "4"},  # adapters of the disks, adapters and routers of the tapes
        "size": {"310 GB", "20 MB", "320 MB"},
        "files": {"20", "1"},
    },
    "001-networker-small-files": {
        "disks": {"6"},
        "size": {
            "20 GB",
            "1.23 TiB",
            "2723028596 B",
            "5158851044 B",
            "511330412 B",
            "2865052 B",
            "508886880 B",
            "693861100 B",
        },
        "files": {"14", "18", "5360", "5351", "995663", "976597"},
    },
    "002-sql-server-tuning": {
        "buffers": {"1024", "575"},
        "transfer_size": {"2097152 B"},
    },
    "003-lvm-snapshots": {
        "size": {"2 GiB", "1 GB"},  # bs=1M count=2048; the largest disk of the simulator
    },
    "004-zrm-mysql": {
        "changed": {"5 %"},
        "every": {"1 day"},
        "until": {"6 days"},  # daily, usually under 5 %
        "memory": {"4 GiB"},
        "size": {"1001 MB", "1940 MB", "3940 MB", "1170 MB", "1990 MB", "4006 MB", "10 GB"},  # of the raw backups
        "content": {"1000 MB", "2000 MB", "4000 MB", "10 GB"},  # sizes that the databases go by
    },
}

SCENARIOS = [name for name in names("published") if not name.endswith(("/machine", "/calibration"))]


@pytest.mark.parametrize("name", SCENARIOS)
def test_plain_numbers_are_the_documents_own(name: str) -> None:
    stated = STATED[name.split("/")[1]]
    plain = {(v.address.rpartition(".")[2], v.given.text) for v in load(name).values if v.given.basis == "document"}
    untold = name.startswith("published/002") and name.rsplit("/", maxsplit=1)[-1] not in {
        "buffers",
        "all-together",
        "out-of-memory",
    }
    assert bool(plain) != untold, (
        "a scenario is given something by its document, unless that describes no system at all"
    )
    unstated = {(key, text) for key, text in plain if text not in stated.get(key, set())}
    assert not unstated


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_in_a_published_scenario_is_a_users_guess(name: str) -> None:
    assert not [v.address for v in load(name).values if v.given.basis == "user"]
