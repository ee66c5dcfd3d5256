"""The parts of the machine, measured alone: disk, page cache, file system, and the speed of a core by kernels."""

from __future__ import annotations

import bz2
import lzma
import math
import os
import platform
import re
import shutil
import statistics
import sysconfig
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simbackup import shelf, units
from simbackup.equations.reduction import cost_of_coding
from simbackup.equations.uncertainty import SCORE
from simbackup.foreign.measurements.measured_sheet import measured_sheet
from simbackup.foreign.registry import read_outputs
from simbackup.lab.folder import Folder
from simbackup.lab.runs import FailedError, Shell
from simbackup.output.whole import write_whole

FILE = "components.json"
DISK_LIKE, HOST_LIKE, FILESYSTEM_LIKE = "ssd/nvme-gen4-2021", "host/linux-2024-server", "filesystem/ext4"
"""Datasheets that supply what is not measured of a disk, of a host and of a file system."""
DISK = 256
"""MiB that are written to the disk and read back."""
TIMES = 5
"""How often each part is measured; the least time of a core counts, which other work disturbs least."""
SAMPLE = 1 << 20
"""Bytes of source text, and of machine code, that a kernel compresses."""
FILES, SMALL, PER_DIRECTORY, PIECE, COPIED = 2000, 4096, 100, 64 << 10, 64 << 20
"""Files that are made and read, bytes of each, files in a directory; bytes of a piece of a large file, and of all."""
CONTENT, BUFFER = bytes(SMALL), bytearray(10 << 10)
"""What a small file holds, and what takes the bytes that are read."""
KERNELS: dict[str, Callable[[bytes], bytes]] = {
    "gzip-6": lambda data: zlib.compress(data, 6),
    "bzip2": lambda data: bz2.compress(data, 9),
    "xz-6": lambda data: lzma.compress(data, preset=6),
}
"""Compressors that every Python has, by the datasheet that says what they take of the reference core."""
CODECS = {"zstd-1": "zstd -b1 -i1", "lz4": "lz4 -b1 -i1"}
"""The benchmarks of those that are programs of their own: reading and writing files would cost as much as they do."""
RATE = re.compile(r"-> *(\d+) *\(x?[\d.]+\), *([\d.]+) MB/s")
"""What such a benchmark says: bytes after compression, and the rate of compression."""


class Speed(NamedTuple):
    """How many times as fast as the reference core a core is, by one kernel."""

    kernel: str
    speed: float


def measure(folder: Folder) -> dict[str, Any]:
    """Measure the parts of the machine, and keep what was found in the folder.

    Parameters
    ----------
    folder
        The folder of the lab, on the disk that is measured.

    Raises
    ------
    ResultError
        The disk is full.
    """
    folder.check_room(2.0 * DISK * 2**20)
    speeds = [*_speeds(), *_program_speeds(folder)]
    found = {
        "cores": os.cpu_count() or 1,
        "memory": _memory(),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "architecture": platform.machine(),
        "speed": mean_speed([one.speed for one in speeds]),
        "kernels": {one.kernel: float(f"{one.speed:.4g}") for one in speeds},
        **_page_cache(folder),
        "disk": _disk(folder),
    }
    folder.write(FILE, found)
    return found


def mean_speed(speeds: Sequence[float]) -> list[float]:
    """The lower end of the 90 % interval of the mean speed, the geometric mean itself, and the upper end.

    Each kernel meets data of other kinds than those that its datasheet was measured with, and misses by a factor of up
    to two, the one upwards and the other downwards. Their mean is known better than any of them.

    >>> mean_speed([2.0, 2.0]), mean_speed([1.0, 4.0])[1]
    ([2.0, 2.0, 2.0], 2.0)
    """
    logs = [math.log(one) for one in speeds]
    middle = statistics.fmean(logs)
    error = SCORE * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return _digits([math.exp(one) for one in (middle - error, middle, middle + error)])


def _memory() -> int:
    """Bytes of memory, in whole GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(round(total / 2**30), 1) * 2**30


def _sample() -> bytes:
    """Text and machine code as disks hold them: sources that come with Python, and a library of numpy."""
    sources = Path(sysconfig.get_path("stdlib")).glob("*.py")
    text = b"".join(path.read_bytes() for path in sorted(sources))[:SAMPLE]
    library = max(Path(np.__file__).parent.rglob("*multiarray*.so"), key=lambda path: path.stat().st_size)
    return text + library.read_bytes()[:SAMPLE]


def _speeds() -> Iterator[Speed]:
    """The speed by each kernel that Python has."""
    data = _sample()
    for sheet, kernel in KERNELS.items():
        times, ratio = list[float](), 1.0
        for _ in range(TIMES):
            start = time.process_time()
            ratio = len(data) / len(kernel(data))
            times.append(time.process_time() - start)
        yield Speed(sheet, speed_of(sheet, ratio, min(times) / len(data)))


def _program_speeds(folder: Folder) -> Iterator[Speed]:
    """The speed by each codec that is installed as a program, by its own benchmark in memory."""
    folder.scratch.mkdir()
    (folder.scratch / "home").mkdir()
    data = 8 * _sample()
    (folder.scratch / "text").write_bytes(data)
    shell = Shell(folder.scratch, {})
    for sheet, command in CODECS.items():
        if shutil.which(command.split()[0]) is None:
            continue
        try:
            said = RATE.findall(shell.call(f"{command} text 2>&1"))
        except FailedError:
            continue
        if said:
            ratio, rate = len(data) / int(said[0][0]), max(float(one[1]) for one in said) * 1e6
            yield Speed(sheet, speed_of(sheet, ratio, 1.0 / rate))
    folder.clear()


def _page_cache(folder: Folder) -> dict[str, Any]:
    """What the system takes of a core for files that are in the page cache, and for copies to it and from it.

    Returns
    -------
    dict of str to Any
        `filesystem` has seconds of the machine's core for a file that is read, created, or found unchanged, and
        `copy_rate` bytes a second; each the best of several, between the ends of its range. The other end is the
        median: a core that does nothing else is not slower.
    """
    costs: dict[str, list[float]] = {"create_cpu": [], "cpu_per_file": [], "walk_cpu": []}
    rates: list[float] = []
    for _ in range(TIMES):
        folder.scratch.mkdir()
        for name, each in (("create_cpu", _create), ("cpu_per_file", _read), ("walk_cpu", _look)):
            start = time.process_time()
            for number in range(FILES // PER_DIRECTORY):
                _in_directory(folder.scratch / f"{number}", each)
            costs[name].append((time.process_time() - start) / FILES)
        start = time.process_time()
        _copy(folder.scratch / "large")
        rates.append(2 * COPIED / max(time.process_time() - start, 1e-9))
        folder.put_aside()
    least = {name: [min(times), min(times), statistics.median(times)] for name, times in costs.items()}
    most = [statistics.median(rates), max(rates), max(rates)]
    return {"filesystem": {name: _digits(times) for name, times in least.items()}, "copy_rate": _digits(most)}


def _in_directory(path: Path, each: Callable[[str, int], object]) -> None:
    """Do something with each file of a directory, as programs do that walk through a tree."""
    path.mkdir(exist_ok=True)
    directory = os.open(path, os.O_RDONLY)
    try:
        for number in range(PER_DIRECTORY):
            each(str(number), directory)
    finally:
        os.close(directory)


def _create(name: str, directory: int) -> None:
    """Make a small file."""
    file = os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=directory)
    os.write(file, CONTENT)
    os.close(file)


def _look(name: str, directory: int) -> None:
    """Look whether a file has changed."""
    os.stat(name, dir_fd=directory, follow_symlinks=False)


def _read(name: str, directory: int) -> None:
    """Look at a small file, open it, read it to its end and close it."""
    _look(name, directory)
    file = os.open(name, os.O_RDONLY, dir_fd=directory)
    while os.readv(file, [BUFFER]):
        pass
    os.close(file)


def _copy(path: Path) -> None:
    """Write a large file to the page cache, and read it again."""
    piece = bytearray(PIECE)
    with path.open("wb", buffering=0) as file:
        for _ in range(COPIED // PIECE):
            file.write(piece)
    with path.open("rb", buffering=0) as file:
        while file.readinto(piece):
            pass


def _digits(values: list[float]) -> list[float]:
    """Values with the digits that a measurement has."""
    return [float(f"{one:.4g}") for one in values]


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
    2.112
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
