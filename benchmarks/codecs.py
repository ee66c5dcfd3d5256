"""Processor time of real compressors by the ratio that they reach: `a + b / ratio` for each byte, either way.

Each kind of generated text holds words of a Zipf vocabulary, rows of a table, source code or digits. More or less of it
repeats what came shortly before, or is random bytes, so that codecs reach 1.05:1 to 40:1; random bytes alone, which no
codec makes smaller, stand apart. Each program reads a file and writes another; the user time of its process counts. All
programs, texts and rounds are mixed at random, so that other work on the machine slows all of them alike, and medians
are taken; what takes too little time to be counted is left out (`--times` gives more text). `codecs.csv` holds medians
of one run on a shared virtual machine with AMD EPYC processors (family 25, model 1), with gzip 1.12, bzip2 1.0.8,
xz 5.4.1, zstd 1.5.4, lz4 1.9.4 and brotli 1.0.9.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_suffix(".csv")
CODECS = {
    **{f"gzip -{level}": f"gzip -{level} -c" for level in (1, 6, 9)},
    "bzip2 -9": "bzip2 -9 -c",
    **{f"xz -{level}": f"xz -{level} -T1 -c" for level in (0, 1, 6)},
    **{f"zstd -{level}": f"zstd -{level} --single-thread -q -c" for level in (1, 3, 9, 13, 19)},
    "lz4 -1": "lz4 -1 -q -c",
    "lz4 -9": "lz4 -9 -q -c",
    **{f"brotli -{level}": f"brotli -q {level} -c" for level in (1, 3, 5, 9)},
}
KINDS = ("words", "rows", "code", "digits")
TEXTS = (
    *((kind, repeated, 0.0) for kind in KINDS for repeated in (0.0, 0.5, 0.8, 0.93)),
    *(("words", 0.0, noise) for noise in (0.3, 0.6, 0.9)),
    ("random", 0.0, 1.0),
)
"""Kinds of text, with the shares that repeat what came shortly before, and that are random bytes."""
STORED = 1.02
"""Ratio below which data count as stored: a codec makes them no smaller."""
AMOUNTS = {
    "lz4 -1": (1.0, 36), "zstd -1": (1.0, 24), "zstd -3": (3.0, 6), "gzip -1": (1.0, 4), "gzip -6": (1.0, 3),
    "lz4 -9": (1.0, 2), "brotli -1": (3.0, 1), "brotli -5": (3.0, 1),
}  # fmt: skip
"""Megabytes of text, longer than the window of the codec, and how often codecs get it that take little time."""
ONCE = (1.0, 1)
LEAST = 0.02
"""User seconds below which a run says nothing: systems count short ones in ticks."""
FEWEST = 6
"""Points that a line needs."""
DRAWS = 400
"""Samples of the points from which the uncertainty of a line is estimated."""
Point = tuple[float, float]
"""A ratio, and nanoseconds for each byte before compression."""


class Measured(NamedTuple):
    """Medians of so many rounds of a codec with a text: its ratio, and ns for each byte before compression."""

    codec: str
    kind: str
    repeated: float
    noise: float
    ratio: float
    compress_ns: float
    expand_ns: float
    rounds: int


class Line(NamedTuple):
    """The line of a codec in one direction: `a`, `b`, their standard uncertainties, and the worst points over it."""

    each: float
    coded: float
    each_off: float
    coded_off: float
    least: float
    most: float


def text(kind: str, repeated: float, size: int, seed: int = 1, noise: float = 0.0) -> bytes:
    """Text of a kind with shares that repeat the last 16 KiB, or are random, in pieces of 20 to 300 bytes."""
    rng, made = random.Random(f"{kind} {seed}"), bytearray()  # noqa: S311
    words = ["".join(rng.choices("etaoinshrdlucmfwyp", k=rng.randint(2, 9))) for _ in range(4000)]
    weights = [1.0 / rank for rank in range(1, len(words) + 1)]
    while len(made) < size:
        if noise and rng.random() < noise:
            made += rng.randbytes(rng.randint(20, 300))
        elif made and repeated and rng.random() < repeated:
            begin = max(0, len(made) - rng.randint(20, 16_384))
            made += made[begin : begin + rng.randint(20, 300)]
        elif kind == "words":
            made += " ".join(rng.choices(words, weights, k=28)).encode() + b"\n"
        elif kind == "rows":
            key, word = rng.randint(1, 10**6), rng.choice(words[:50])
            made += f"{key}\t{word}\t{rng.random() * 1000:.2f}\t2019-0{rng.randint(0, 9)}-11\n".encode()
        elif kind == "code":
            name, called, other = rng.choices(words, weights, k=3)
            deep = "    " * rng.randint(1, 4)
            code = f"{deep}if {name} is not None:\n{deep}    {called}_{other} = self.{name}({rng.randint(0, 99)})\n"
            made += code.encode()
        else:
            made += rng.randbytes(80).hex().encode() + b"\n"
    return bytes(made[:size])


def seconds(command: Sequence[str], source: Path, target: Path) -> float:
    """User time of a program that reads a file."""
    with source.open("rb") as taken, target.open("wb") as given:
        process = subprocess.Popen(command, stdin=taken, stdout=given)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime


def fitted(points: Sequence[Point]) -> tuple[float, float, float]:
    """`a`, `b` of `t = a + b / ratio`, neither below zero, by least squares of relative errors, and the worst factor.

    >>> [round(each, 6) for each in fitted([(1.0, 30.0), (2.0, 20.0), (10.0, 12.0)])]
    [10.0, 20.0, 1.0]
    """
    rows = [(1.0 / time, 1.0 / (ratio * time)) for ratio, time in points]
    aa, ab, bb = (sum(one[i] * one[j] for one in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    sa, sb = (sum(one[i] for one in rows) for i in (0, 1))
    free = aa * bb - ab * ab
    a, b = ((sa * bb - sb * ab) / free, (sb * aa - sa * ab) / free) if free > 0.0 else (sa / aa, 0.0)
    if a < 0.0:
        a, b = 0.0, sb / bb
    elif b < 0.0:
        a, b = sa / aa, 0.0
    off = [time / (a + b / ratio) for ratio, time in points]
    return a, b, max(*off, 1.0 / min(off))


def line(points: Sequence[Point]) -> Line:
    """The line through points, with the uncertainties that samples of the points give it (bootstrap, seeded)."""
    rng, (a, b, _) = random.Random(1), fitted(points)  # noqa: S311
    samples = [rng.choices(points, k=len(points)) for _ in range(DRAWS)]
    drawn = [fitted(one)[:2] for one in samples if len(set(one)) > 1]
    each, coded = (statistics.pstdev(one[i] for one in drawn) for i in (0, 1))
    off = [time / (a + b / ratio) for ratio, time in points]
    return Line(a, b, each, coded, min(off), max(off))


def line_of(measured: Sequence[Measured], time: Callable[[Measured], float]) -> Line:
    """The line through what was measured long enough; not a number where that is too little."""
    points = [(one.ratio, time(one)) for one in measured if not math.isnan(time(one))]
    return line(points) if len(points) >= FEWEST else Line(*[math.nan] * 6)


def stored_of(measured: Sequence[Measured], time: Callable[[Measured], float]) -> float:
    """Nanoseconds of bytes that are only stored; not a number where that was not measured long enough."""
    return statistics.median(
        [time(one) for one in measured if one.ratio < STORED and not math.isnan(time(one))] or [math.nan]
    )


def lines(measured: Sequence[Measured]) -> dict[str, tuple[Line, Line, float, float]]:
    """The lines of each codec, there and back, and the nanoseconds of bytes that it only stores."""
    found: dict[str, tuple[Line, Line, float, float]] = {}
    for codec in dict.fromkeys(one.codec for one in measured):
        own = [one for one in measured if one.codec == codec]
        shrunk = [one for one in own if one.noise == 0.0]
        found[codec] = (
            line_of(shrunk, lambda one: one.compress_ns),
            line_of(shrunk, lambda one: one.expand_ns),
            stored_of(own, lambda one: one.compress_ns),
            stored_of(own, lambda one: one.expand_ns),
        )
    return found


def read_table(path: Path = TABLE) -> list[Measured]:
    """The medians that were measured last."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Measured(
                row["codec"], row["kind"], float(row["repeated"]), float(row["noise"]), float(row["ratio"]),
                float(row["compress_ns"]), float(row["expand_ns"]), int(row["rounds"]),
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip


def measure(codecs: Mapping[str, Sequence[str]], scale: float, rounds: int, folder: Path) -> list[Measured]:
    """Medians of all codecs with all texts, which are so many times as long, in a random order."""
    longest = max(AMOUNTS.get(name, ONCE)[0] for name in codecs)
    made = {one: text(one[0], one[1], int(longest * scale * 1e6), noise=one[2]) for one in TEXTS}
    turns = [(name, one) for name in codecs for one in TEXTS] * rounds
    random.Random(1).shuffle(turns)  # noqa: S311
    plain, coded, back = (folder / name for name in ("plain", "coded", "back"))
    ratios: dict[tuple[str, tuple[str, float, float]], float] = {}
    sizes: dict[str, int] = {}
    times: dict[tuple[str, tuple[str, float, float]], list[tuple[float, float]]] = {}
    for name, one in turns:
        megabytes, again = AMOUNTS.get(name, ONCE)
        given = made[one][: int(megabytes * scale * 1e6)] * again
        plain.write_bytes(given)
        whole, command = len(given), codecs[name]
        there = seconds(command, plain, coded)
        home = seconds([command[0], "-d", "-c"], coded, back)
        ratios[name, one] = whole / coded.stat().st_size
        times.setdefault((name, one), []).append((there, home))
        sizes[name] = whole
    found: list[Measured] = []
    for name in codecs:
        for one in TEXTS:
            there, home = (statistics.median(each) for each in zip(*times[name, one], strict=True))
            each = [
                float(f"{spent * 1e9 / sizes[name]:.4g}") if spent >= LEAST else math.nan for spent in (there, home)
            ]
            found.append(Measured(name, *one, round(ratios[name, one], 3), each[0], each[1], rounds))
    return found


def main() -> None:
    """Measure what is installed; with `--write`, keep it; with `--kept`, show what was kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks codecs", description=__doc__)
    parser.add_argument("codecs", nargs="*", metavar="CODEC", help="such as 'gzip -6'; all by default")
    parser.add_argument("--times", type=float, default=1.0, help="as much text as usual, about 1 to 36 MB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--points", action="store_true", help="also print each point")
    parser.add_argument("--write", action="store_true", help=f"keep the medians in {TABLE.name}")
    parser.add_argument("--kept", action="store_true", help=f"measure nothing, and show what {TABLE.name} holds")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    scale, rounds = (0.05, 1) if asked.quick else (asked.times, asked.rounds)
    chosen = asked.codecs or list(CODECS)
    codecs = {name: CODECS[name].split() for name in chosen if shutil.which(CODECS[name].split()[0])}
    if asked.kept:
        measured = [one for one in read_table() if one.codec in chosen]
    else:
        with tempfile.TemporaryDirectory() as folder:
            measured = measure(codecs, scale, rounds, Path(folder))
    if asked.write:
        kept = [one for one in read_table() if one.codec not in codecs] if TABLE.exists() else []
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Measured._fields)
            rows = [*kept, *measured]
            rows.sort(key=lambda row: list(CODECS).index(row.codec))
            writer.writerows(rows)
    for one in measured if asked.points else ():
        print(*one, sep="\t")
    print("codec\ta ns/B\t+-\tb ns/B\t+-\tpoints over line\tstored\tback: a\t+-\tb\t+-\tpoints over line\tstored")
    for name, (there, home, stored, restored) in lines(measured).items():
        figures = [
            part
            for each, kept in ((there, stored), (home, restored))
            for part in (
                f"{each.each:.3g}", f"{each.each_off:.2g}", f"{each.coded:.3g}", f"{each.coded_off:.2g}",
                f"{each.least:.2f} to {each.most:.2f}", f"{kept:.3g}",
            )
        ]  # fmt: skip
        print(name, *figures, sep="\t")


if __name__ == "__main__":
    main()
