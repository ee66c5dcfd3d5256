"""The cost of creating a file: metadata, attributes and flushes, beside its bytes."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Service
from simbackup.equations import files as equations
from simbackup.trace.activity import Activity


class FilesMade(NamedTuple):
    """Files that are created from the bytes of a job."""

    per_byte: float
    """Files for each byte."""
    file_cpu: float = 0.0
    """Seconds of the reference core that the program spends on each file."""
    attributes: float = 0.0
    """Changes of attributes of each file."""
    flushes: float = 0.0
    """Flushes of each file."""


NONE = FilesMade(0.0)


def makes(data: DataSet) -> bool:
    """Whether a program that writes these data creates several files of a file system."""
    return data.filesystem is not None and data.files > 1


def each_file(data: DataSet, files: Files, attributes: float) -> equations.Making:
    """What the file system spends on creating one file of a data set with its attributes."""
    create = files.cpu_per_file if files.create_cpu is None else files.create_cpu
    each = equations.Making(create, files.create_writes, files.record)
    return equations.making(each, attributes, files.attribute_cpu, files.log_record, data.directories_per_file)


def filling(shape: FlowShape, host: Host, data: DataSet, made: FilesMade) -> FlowShape:
    """The shape of bytes that are written into memory when files are created from them, in series."""
    files = data.filesystem
    if files is None or made.per_byte <= 0.0:
        return shape
    each = each_file(data, files, made.attributes)
    shape = host.then(shape, host.seconds(each.cpu) * made.per_byte, Activity.CREATE)
    shape = host.then(shape, host.seconds(made.file_cpu) * made.per_byte, Activity.INDEX) if made.file_cpu else shape
    waited = equations.flushed_writes(made.flushes)
    if waited:
        store, request = data.volume.region.store, _positioned(data, files)
        times = waited * made.per_byte
        shape = shape.plus({store.link: times * request.busy}).after(
            times * request.latency, store.name, Activity.CREATE
        )
    return shape


def beside(data: DataSet, made: FilesMade) -> FlowShape:
    """What each byte of created files loads on their device in addition to itself when it is written back."""
    files, store = data.filesystem, data.volume.region.store
    if files is None or made.per_byte <= 0.0:
        return FlowShape()
    each = each_file(data, files, made.attributes)
    region = data.volume.region.part(data.begin, data.size)
    stream = store.stream("write", region.begin, region.size)
    busy = each.writes * _positioned(data, files).busy + each.bytes * stream
    moved = each.writes * max(files.record, 1.0) + each.bytes
    shape = FlowShape({store.link: made.per_byte * busy}, {store.link: made.per_byte * moved})
    return shape.through(store.path, made.per_byte * moved)


def _positioned(data: DataSet, files: Files) -> Service:
    """The time of one write of a record at a random place of the data."""
    region = data.volume.region.part(data.begin, data.size)
    size = max(min(files.record, region.size), 1.0)
    return region.store.scattered("write", region.begin, region.size, size)
