"""What a file may say about a block volume of a cloud."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import BlockDevice
from simbackup.schema.part import USE, Facts, Figures, Modelled, Rules, amount
from simbackup.schema.quantity import Duration, Frequency, Frozen, PositiveCount, PositiveSize, Rate, Share, usual
from simbackup.schema.registry import DeviceKind, Look


class CloudDiskSheet(Frozen):
    """A block volume of a cloud."""

    capacity: PositiveSize
    """Capacity that was ordered."""
    rate: Rate
    """Maximum rate of reads and writes together."""
    iops: Frequency
    """Maximum operations per second while credits last."""
    operation_size: PositiveSize
    """Bytes that count as one operation; a larger request counts as several."""
    latency: Duration
    """Time of one request of any size."""
    sequential_latency: Duration | None = None
    """Time of a request that continues where the previous one ended; `latency` by default."""
    baseline_iops: Frequency | None = None
    """Operations per second without credits, and credits earned per second; `iops` by default."""
    credits: PositiveCount | None = None
    """Maximum credits that it can hold; one credit is one operation above the baseline."""

    def rules(self) -> Rules:
        """Credits and a baseline go together, and the baseline is the lower rate; a sequence takes no longer."""
        if self.sequential_latency is not None and self.sequential_latency.si > self.latency.si:
            message = "sequential_latency is above latency"
            yield (
                ("sequential_latency", "latency"),
                message,
                "a request that continues the last one takes no longer than another",
            )
        if (self.baseline_iops is None) != (self.credits is None):
            message = "baseline_iops and credits go together"
            yield ("baseline_iops", "credits"), message, "give both, or neither"
        elif self.baseline_iops is not None and self.baseline_iops.si > self.iops.si:
            message = "baseline_iops is above iops"
            yield ("baseline_iops", "iops"), message, "iops is the maximum, with or without credits"


class CloudDiskSpec(BlockDevice, Modelled, CloudDiskSheet):
    """A block volume of a cloud in a scenario."""

    kind: Literal["cloud_disk"]
    saved_up: Share = usual("100 %", "1")
    """Share of its maximum credits that it has at the start."""

    def rules(self) -> Rules:
        """Only credits can be saved up."""
        yield from super().rules()
        if self.states("saved_up") and self.credits is None:
            yield ("saved_up", "credits"), "saved_up has no effect without credits", "leave it out, or add credits"

    def figures(self) -> Figures:
        """Its use by operations and by bytes, and what is left of its credits."""
        left = ("credits", "without_s") if self.credits is not None else ()
        return {"": USE, "throughput": (*USE, *left)}

    def facts(self) -> Facts:
        """Capacity, rate and operations a second."""
        yield from amount(self.capacity, "in a cloud")
        yield from amount(self.rate)
        yield from amount(self.iops, "at most")
        yield from amount(self.baseline_iops, "without credits")


KINDS = (DeviceKind("cloud_disk", CloudDiskSpec, "simbackup.devices.cloud_disk.live:make"),)
SHEETS = {"cloud_disk": CloudDiskSheet}
LOOKS = {
    "cloud_disk": Look("M4.5 12.5a3 3 0 0 1-.3-6 4 4 0 0 1 7.6-.6 3.3 3.3 0 0 1-.3 6.6z", "#e8f0fb", "#4a7ab5"),
}
