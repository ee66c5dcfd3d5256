"""Processor time of real compressors by the ratio that they reach: `a + b / ratio` for each byte, either way.

Each kind of generated text holds words of a Zipf vocabulary, rows of a table or digits, and repeats what came shortly
before, more or less often, so that codecs reach 1.3:1 to 40:1. Each program reads a file and writes to nowhere; the
user time of its process counts, the least of several rounds, because other work on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

CODECS = {
    **{f"gzip -{level}": f"gzip -{level} -c" for level in (1, 6, 9)},
    "bzip2 -9": "bzip2 -9 -c",
    **{f"xz -{level}": f"xz -{level} -T1 -c" for level in (0, 6)},
    **{f"zstd -{level}": f"zstd -{level} --single-thread -q -c" for level in (1, 3, 9, 13, 19)},
    "lz4 -1": "lz4 -1 -q -c",
    "lz4 -9": "lz4 -9 -q -c",
    **{f"brotli -{level}": f"brotli -q {level} -c" for level in (3, 5)},
}
REPEATS = (0.0, 0.5, 0.8, 0.93)
"""Shares of the text that repeat what came shortly before."""
FAST, AGAIN = ("lz4 -1", "zstd -1", "zstd -3"), 12
"""Codecs that take so little time that they get the text so many times; it is longer than their windows."""
Point = tuple[float, float]
"""A ratio, and nanoseconds for each byte before compression."""


def text(kind: str, repeated: float, size: int, seed: int = 1) -> bytes:
    """Text of a kind of which a share repeats what came at most 16 KiB before, in pieces of 20 to 300 bytes."""
    rng, made = random.Random(f"{kind} {seed}"), bytearray()  # noqa: S311
    words = ["".join(rng.choices("etaoinshrdlucmfwyp", k=rng.randint(2, 9))) for _ in range(4000)]
    weights = [1.0 / rank for rank in range(1, len(words) + 1)]
    while len(made) < size:
        if made and rng.random() < repeated:
            begin = max(0, len(made) - rng.randint(20, 16_384))
            made += made[begin : begin + rng.randint(20, 300)]
        elif kind == "words":
            made += " ".join(rng.choices(words, weights, k=28)).encode() + b"\n"
        elif kind == "rows":
            fields = (rng.randint(1, 10**6), rng.choice(words[:50]), rng.random() * 1000, rng.randint(0, 9))
            made += "{}\t{}\t{:.2f}\t2019-0{}-11\n".format(*fields).encode()
        else:
            made += rng.randbytes(80).hex().encode() + b"\n"
    return bytes(made[:size])


def seconds(command: Sequence[str], source: Path, target: Path, rounds: int) -> float:
    """Least user time of a program that reads a file."""
    least = float("inf")
    for _ in range(rounds):
        with source.open("rb") as taken, target.open("wb") as given:
            process = subprocess.Popen(command, stdin=taken, stdout=given)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        least = min(least, used.ru_utime)
    return least


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


def main() -> None:
    """Measure what is installed; with `--points`, also print each point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks codecs", description=__doc__)
    parser.add_argument("codecs", nargs="*", metavar="CODEC", help="such as 'gzip -6'; all by default")
    parser.add_argument("--megabytes", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--points", action="store_true")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    size, rounds = (200_000, 1) if asked.quick else (int(asked.megabytes * 1e6), asked.rounds)
    codecs = {name: CODECS[name].split() for name in asked.codecs or CODECS if shutil.which(CODECS[name].split()[0])}
    there, home = ({name: list[Point]() for name in codecs} for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        plain, coded, back = (Path(folder, name) for name in ("plain", "coded", "back"))
        for kind in ("words", "rows", "digits"):
            for repeated in REPEATS:
                once = text(kind, repeated, size)
                for name, command in codecs.items():
                    whole = once * (AGAIN if name in FAST else 1)
                    plain.write_bytes(whole)
                    spent = seconds(command, plain, coded, rounds)
                    ratio, each = len(whole) / coded.stat().st_size, 1e9 / len(whole)
                    there[name].append((ratio, spent * each))
                    home[name].append((ratio, seconds([command[0], "-d", "-c"], coded, back, rounds) * each))
                    if asked.points:
                        figures = f"{ratio:.2f}\t{there[name][-1][1]:.2f}\t{home[name][-1][1]:.2f}"
                        print(f"{name}\t{kind}\t{figures}", flush=True)
    print("codec\ta ns/B\tb ns/B\tfactor\tback: a\tb\tfactor")
    for name in codecs:
        print(name, *(f"{each:.3g}" for points in (there, home) for each in fitted(points[name])), sep="\t")


if __name__ == "__main__":
    main()
