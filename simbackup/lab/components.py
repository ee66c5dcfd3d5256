"""The parts of the machine, measured alone: disk, memory copies, and the speed of a core by fixed kernels."""

from __future__ import annotations

import bz2
import lzma
import os
import platform
import shutil
import statistics
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simbackup import shelf, units
from simbackup.equations.coding import cost_of_coding
from simbackup.foreign.measurements.measured_sheet import measured_sheet
from simbackup.foreign.measurements.tools import read_outputs
from simbackup.lab.data import Text
from simbackup.lab.folder import Folder
from simbackup.lab.runs import FailedError, Shell
from simbackup.output.whole import write_whole

FILE = "components.json"
DISK_LIKE, HOST_LIKE = "ssd/nvme-gen4-2021", "host/linux-2024-server"
"""Datasheets that supply what is not measured of a disk and of a host."""
DISK = 256
"""MiB that are written to the disk and read back."""
TIMES = 3
SAMPLE = 4 << 20
"""Bytes that a kernel compresses."""
KERNELS: dict[str, Callable[[bytes], bytes]] = {
    "gzip-6": lambda data: zlib.compress(data, 6),
    "bzip2": lambda data: bz2.compress(data, 9),
    "xz-6": lambda data: lzma.compress(data, preset=6),
}
"""Compressors that every Python has, by the datasheet that says what they take of the reference core."""
CODECS = {"zstd-1": "zstd -q -1 -c", "lz4": "lz4 -q -1 -c"}
"""Those that are programs of their own."""


class Speed(NamedTuple):
    """How many times as fast as the reference core a core is, by one kernel."""

    kernel: str
    speed: float


def measure(folder: Folder, seed: int) -> dict[str, Any]:
    """Measure the parts of the machine, and keep what was found in the folder.

    Parameters
    ----------
    folder
        The folder of the lab, on the disk that is measured.
    seed
        Of the data that the kernels work on.

    Raises
    ------
    ResultError
        The disk is full.
    """
    folder.check_room(2.0 * DISK * 2**20)
    speeds = [*_speeds(seed), *_program_speeds(folder, seed)]
    found = {
        "cores": os.cpu_count() or 1,
        "memory": _memory(),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "architecture": platform.machine(),
        "speed": _spread([one.speed for one in speeds]),
        "kernels": {one.kernel: float(f"{one.speed:.4g}") for one in speeds},
        "copy_rate": _spread([_copy_rate() for _ in range(TIMES)]),
        "disk": _disk(folder),
    }
    folder.write(FILE, found)
    return found


def _spread(values: list[float]) -> list[float]:
    """The least, the median and the greatest of some values."""
    return [float(f"{one:.4g}") for one in (min(values), statistics.median(values), max(values))]


def _memory() -> int:
    """Bytes of memory, in whole GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(round(total / 2**30), 1) * 2**30


def _copy_rate() -> float:
    """Bytes a second of a core that copies memory."""
    data = np.ones(64 << 20, dtype=np.uint8)
    into = np.empty_like(data)
    np.copyto(into, data)
    start = time.process_time()
    np.copyto(into, data)
    return data.size / max(time.process_time() - start, 1e-9)


def _speeds(seed: int) -> Iterator[Speed]:
    """The speed by each kernel that Python has."""
    data = Text(3.0, seed).make(SAMPLE, np.random.default_rng([seed, 3]))
    for sheet, kernel in KERNELS.items():
        start = time.process_time()
        ratio = len(data) / len(kernel(data))
        yield Speed(sheet, speed_of(sheet, ratio, (time.process_time() - start) / len(data)))


def _program_speeds(folder: Folder, seed: int) -> Iterator[Speed]:
    """The speed by each codec that is installed as a program."""
    folder.scratch.mkdir()
    (folder.scratch / "home").mkdir()
    source = folder.scratch / "text"
    data = Text(3.0, seed).make(4 * SAMPLE, np.random.default_rng([seed, 3]))
    source.write_bytes(data)
    shell = Shell(folder.scratch, {})
    for sheet, command in CODECS.items():
        if shutil.which(command.split()[0]) is None:
            continue
        try:
            (folder.scratch / "empty").write_bytes(b"")
            empty = shell.measure(f"{command} empty > packed", folder.scratch).cpu
            ran = shell.measure(f"{command} text > packed", folder.scratch)
        except FailedError:
            continue
        ratio = len(data) / (folder.scratch / "packed").stat().st_size
        yield Speed(sheet, speed_of(sheet, ratio, max(ran.cpu - empty, 1e-6) / len(data)))
    folder.clear()


def speed_of(sheet: str, ratio: float, cost: float) -> float:
    """How many times as fast as the reference core a core is that compresses at a cost.

    Parameters
    ----------
    sheet
        The datasheet of the compressor, without its kind.
    ratio
        Bytes before over bytes after.
    cost
        Seconds of the core for each byte.

    >>> round(speed_of("lz4", 1.3, 1.0 / 360e6), 3)
    2.995
    """
    values = {name: value.si for name, value in shelf.load_datasheet(f"compressor/{sheet}").values()}
    reference = cost_of_coding(
        values["compress_cpu"], values.get("compress_coded_cpu", 0.0), ratio, values.get("hardest", 1.0)
    )
    scaling = values.get("scaling", 1.0)
    return float((reference * values.get("measured_at", 1.0) ** (scaling - 1.0) / cost) ** (1.0 / scaling))


def _disk(folder: Folder) -> dict[str, Any]:
    """What `dd` measures of the disk, as `simbackup measure` reads it; nothing where it does not go past the cache."""
    outputs = folder.path / "components"
    outputs.mkdir(exist_ok=True)
    folder.scratch.mkdir(exist_ok=True)
    shell = Shell(folder.scratch, {})
    written: list[Path] = []
    for number in range(TIMES):
        for name, command in (
            ("write", f"dd if=/dev/zero of=block bs=1M count={DISK} oflag=direct conv=fsync"),
            ("read", "dd if=block of=/dev/null bs=1M iflag=direct"),
        ):
            try:
                shell.call(f"{command} 2> said")
            except FailedError:
                continue
            said = (folder.scratch / "said").read_text(encoding="utf-8")
            path = outputs / f"dd-{name}-{number}.txt"
            path.write_text(f"{command}\n{said}", encoding="utf-8")
            written.append(path)
    folder.clear()
    if not written:
        return {}
    sheet = folder.path / "models" / "ssd" / "lab-disk.yaml"
    sheet.parent.mkdir(parents=True, exist_ok=True)
    found = measured_sheet(read_outputs(written), DISK_LIKE, sheet)
    write_whole(sheet, found.text, edited=True)
    return {
        one.parameter: [units.show(value, one.unit) for value in (one.low, one.value, one.high)] for one in found.values
    }
