"""A switch with a port for each part against closed forms: max-min fair rates over ports."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.causes import split
from tests.cases import for_each

HOSTS = ("a", "b", "c", "d")
PORT = 100e6
SIZE = 20e9


def site(lan: str, *ways: str) -> str:
    """Four hosts with fast disks on a switch, and a backup of 20 GB on each way, such as `ab`."""
    lines = ["title: A switch", "hosts:"]
    lines += [f"  {h}: {{model: host/linux-modern-server, owns: [d{h}]}}" for h in HOSTS]
    lines += ["devices:", *(f"  d{h}: {{model: ssd/sata-ssd-2015}}" for h in HOSTS)]
    lines += [f"links:\n  lan: {{joins: [{', '.join(HOSTS)}], rate: 100 MB/s, latency: 0 s{lan}}}"]
    lines += ["data:", *(f"  {w}: {{on: d{w[0]}, size: 20 GB}}" for w in ways)]
    lines += ["jobs:", *(f"  {w}: {{method: image, data: {w}, to: d{w[1]}}}" for w in ways)]
    return "\n".join(lines) + "\n"


def rates(lan: str, *ways: str) -> list[float]:
    """Bytes a second of each backup, over the wire alone; all begin and end together unless they do not."""
    result = sb.simulate(sb.load(site(lan, *ways)))
    return [SIZE / float(result.jobs.loc[way, "elapsed"]) for way in ways]


FULL = ", duplex: full"
NATIVE = "database_native, engine: backup_engine/sql-server-2008, buffers: 3"


@for_each(
    "lan, ways, each",
    [
        (FULL, ("ab", "cd"), PORT),  # two pairs
        (FULL, ("ab", "ba"), PORT),  # both directions of one pair
        (FULL, ("ab", "bc", "ca"), PORT),  # a ring: each sends and receives at full rate, in any order of `joins`
        (FULL, ("ab", "ac"), PORT / 2),  # one sends to two
        (FULL, ("ac", "bc"), PORT / 2),  # one receives from two
        (FULL + ", ports: {c: 1 GB/s}", ("ac", "bc"), PORT),
        (FULL + ", ports: {a: 10 MB/s}", ("ab",), PORT / 10),
        ("", ("ab", "cd"), PORT),
        ("", ("ab", "ba"), PORT / 2),  # half duplex: a port carries both
        (", medium: shared", ("ab", "cd"), PORT / 2),  # a bus carries all
        (FULL + ", medium: shared", ("ab", "ba"), PORT),
    ],
)
def test_rates_are_those_of_the_fullest_port(lan: str, ways: tuple[str, ...], each: float) -> None:
    assert rates(lan, *ways) == pytest.approx([each] * len(ways), rel=1e-3)  # starting takes some milliseconds


def test_explain_names_the_full_port() -> None:
    result = sb.simulate(sb.load(site(FULL, "ac", "bc")))
    assert max(split(result, "ac").items(), key=lambda item: item[1])[0].address == "links.lan.c.receive"


def test_the_order_of_joins_does_not_matter() -> None:
    turned = site(FULL, "ab", "cb", "bd").replace("joins: [a, b, c, d]", "joins: [d, c, b, a]")
    here, there = (sb.simulate(sb.load(text)).jobs["elapsed"] for text in (site(FULL, "ab", "cb", "bd"), turned))
    assert here.to_dict() == pytest.approx(there.to_dict(), rel=1e-9)


def test_a_window_over_one_round_trip_limits_a_connection() -> None:
    """The latency of the link counts once from port to port: 1 MB under way over 20 ms is 50 MB/s."""
    scenario = site(FULL + ", window: 1 MB", "ab").replace("latency: 0 s", "latency: 20 ms")
    assert SIZE / float(sb.simulate(sb.load(scenario)).jobs.loc["ab", "elapsed"]) == pytest.approx(50e6, rel=1e-3)


@pytest.mark.slow
@for_each(
    "job",
    ["method: image", "method: file_level", f"method: {NATIVE}"],
)
def test_an_idle_third_part_changes_nothing(job: str) -> None:
    """A line between two parts, and a switch with a third that sends nothing, give the same time."""
    text = site(", duplex: full, window: 1 MiB", "ab").replace("latency: 0 s", "latency: 5 ms")
    text = text.replace("method: image", job)
    text = text.replace(
        "size: 20 GB", "size: 2 GB, files: 20_000, filesystem: filesystem/xfs" if "file" in job else "size: 500 MB"
    )
    times = [
        float(sb.simulate(sb.load(text.replace("joins: [a, b, c, d]", f"joins: [{ends}]"))).jobs.loc["ab", "elapsed"])
        for ends in ("a, b", "a, b, c")
    ]
    assert times[0] == pytest.approx(times[1], rel=1e-9)


@pytest.mark.parametrize(
    ("lan", "says"),
    [
        (", ports: {e: 1 GB/s}", "links.lan.ports.e: the link does not join 'e'"),
        (", medium: shared, ports: {a: 1 GB/s}", "links.lan.ports: has no effect on a shared medium"),
    ],
)
def test_wrong_ports_are_reported(lan: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        sb.load(site(FULL + lan, "ab"))


def test_a_workload_names_the_port_that_its_requests_cross(tmp_path: Path) -> None:
    text = site(FULL, "ab", "ac") + "workloads:\n  web: {via: [PORT], request: 100 kB, transactions: 100 /s}\n"
    path = tmp_path / "web.yaml"
    path.write_text(text.replace("PORT", "lan"), encoding="utf-8")
    with pytest.raises(InputError, match=r"'lan' is a switch, with a port for each part; name a port: lan\.a\.send"):
        sb.load(path)
    path.write_text(text.replace("PORT", "lan.a.send"), encoding="utf-8")
    result = sb.simulate(path)
    # two backups share what 10 MB/s of requests leave of the port
    rate = 2 * SIZE / float(result.jobs["elapsed"].max())
    assert rate == pytest.approx(PORT - 10e6, rel=0.02)
