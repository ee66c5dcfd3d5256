"""Weights of shapes that hold on one link, in other units."""

import pytest

from simbackup.devices.shape import FlowShape
from simbackup.engine.flows import Link
from simbackup.engine.weights import Among


def test_a_weight_on_one_link_is_that_of_as_many_bytes_in_other_units() -> None:
    disk = Link("devices.sda", 100.0)
    files = FlowShape({disk: 1.0}, share=0.2, among=Among(disk, 1.0)).times(50.0)
    assert files.share == pytest.approx(0.2 / 50)
    assert files.among == Among(disk, 1.0 / 50)
    assert FlowShape({disk: 1.0}, share=0.2).times(50.0).share == 0.2
