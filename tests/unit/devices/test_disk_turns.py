"""What streams lose on a disk, kept up as they come and go."""

import random

import pytest
import simpy

from simbackup.devices.disk.live import Disk
from simbackup.devices.disk.turns import Sweep
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.network import FlowNetwork
from simbackup.equations.disk import DiskParameters, cylinder
from simbackup.equations.disk_turns import sweep_turn_time, turn_size

DISK = DiskParameters(100e9, 120.0, 0.8e-3, 8.5e-3, 18e-3, 80e6, 40e6, 0.2e-3, 512 * 1024)


def test_a_sweep_that_is_kept_up_is_that_of_the_equation() -> None:
    draw = random.Random(1)  # noqa: S311
    sweep, places = Sweep(DISK), list[float]()
    for _ in range(300):
        if places and draw.random() < 0.45:
            sweep.remove(places.pop(draw.randrange(len(places))))
        else:
            places.append(draw.choice([draw.random(), 0.25]))  # some at the same place
            sweep.add(places[-1])
        if places:
            assert sweep.mean() == pytest.approx(sweep_turn_time(DISK, places), rel=1e-14)


def test_the_order_in_which_streams_came_does_not_matter() -> None:
    places = [random.Random(i).random() for i in range(50)]  # noqa: S311
    one, other = Sweep(DISK), Sweep(DISK)
    for place in places:
        one.add(place)
    for place in [*reversed(places), 0.5]:
        other.add(place)
    other.remove(0.5)
    assert one.mean() == other.mean()


def test_streams_lose_a_turn_after_each_run_while_others_are_there() -> None:
    disk = Disk("devices.sda", DISK)
    network = FlowNetwork(simpy.Environment())

    def begun(begin: float, **moved: float) -> Flow:
        moves = {disk.link: moved.get("bytes", 1.0)}
        return network.start(
            "jobs.a", "read", 1e9, {disk.link: 1e-8}, moves=moves, places={disk.link: Spot(begin, 1e6)}
        )

    streams = [begun(0.0), begun(30e9), begun(90e9, bytes=2.0)]
    turn = sweep_turn_time(DISK, [cylinder(DISK, begin) for begin in (0.0, 30e9, 90e9)])
    assert [disk.link.lost(flow) for flow in streams] == pytest.approx(
        [size * turn / turn_size(DISK, 1e6) for size in (1.0, 1.0, 2.0)]
    )
    network.stop(streams[1])
    turn = sweep_turn_time(DISK, [cylinder(DISK, begin) for begin in (0.0, 90e9)])
    assert disk.link.lost(streams[0]) == pytest.approx(turn / turn_size(DISK, 1e6))
    network.stop(streams[2])
    assert disk.link.lost(streams[0]) == 0.0  # alone again
