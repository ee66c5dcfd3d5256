"""Weights of shapes that hold on one link, in other units."""

import pytest
import simpy

from simbackup.devices.shape import FlowShape
from simbackup.engine.flow import LocalWeight
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from tests.cases import for_each


def test_a_weight_on_one_link_is_that_of_as_many_bytes_in_other_units() -> None:
    disk = Link("devices.sda", 100.0)
    files = FlowShape({disk: 1.0}, weight=0.2, among=LocalWeight(disk, 1.0)).times(50.0)
    assert files.weight == pytest.approx(0.2 / 50)
    assert files.among == LocalWeight(disk, 1.0)
    assert FlowShape({disk: 1.0}, weight=0.2).times(50.0).weight == 0.2


@for_each("read, sent, here, elsewhere", [(1.0, 1.0, 1.0, None), (4.0, 4.0, 0.25, None), (4.0, 1.0, 0.25, 1.0)])
def test_a_stream_counts_byte_for_byte_where_it_is_read_and_where_it_is_sent(
    read: float, sent: float, here: float, elsewhere: float | None
) -> None:
    network, disk = FlowNetwork(simpy.Environment()), Link("devices.sda", 100.0)
    shape = FlowShape({disk: read}, {disk: read}, {disk: Spot(0.0)}, sent=sent)
    flow = shape.start(network, "jobs.save", "save", 10.0)
    assert flow.given_weight == pytest.approx(here)
    assert flow.among == (None if elsewhere is None else LocalWeight(disk, elsewhere))


def test_requests_here_and_there_stay_such_beside_another_process() -> None:
    disk, card = Link("devices.sda", 100.0), Link("links.lan", 100.0)
    read, sent = FlowShape({disk: 1.0}, sequential=0.25), FlowShape({card: 1.0})
    assert read.in_parallel_with(sent).sequential == sent.in_parallel_with(read).sequential == 0.25
