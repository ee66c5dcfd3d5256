"""What compressing and expanding cost, how much is new to a chunk store, and how scattered its chunks are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from simbackup.equations.change import Change, differs


def cost_of_coding(each: float, coded: float, ratio: float, hardest: float = 1.0) -> float:
    """Seconds for each byte before compression, or after expansion: `t = a + b / max(r, h)`.

    A codec looks at each byte, and works for each symbol that it writes or reads. One symbol covers more bytes of data
    that shrink more. Data that hardly shrink are passed over in part, and cost no more than those of the `hardest`
    ratio. Measured for deflate, bzip2, LZMA, Zstandard, LZ4 and Brotli (`python -m benchmarks codecs`).

    Parameters
    ----------
    each
        Seconds for each byte before compression (`a`).
    coded
        Seconds for each byte after compression (`b`).
    ratio
        Bytes before over bytes after compression (`r`).
    hardest
        Ratio of the data that cost most (`h`).

    >>> cost_of_coding(2.0, 30.0, 10.0), cost_of_coding(2.0, 30.0, 1.1, 1.5)
    (5.0, 22.0)
    """
    return each + coded / max(ratio, hardest)


def ratio_of_rest(ratio: float, hard: float) -> float:
    """Ratio of the bytes that shrink, where a share of all bytes is `hard` and stays as it is.

    Parameters
    ----------
    ratio
        Bytes before over bytes after compression, of all.
    hard
        Share of the bytes before compression that no compressor makes smaller.

    >>> round(ratio_of_rest(2.0, 0.25), 6), ratio_of_rest(1.0, 1.0)
    (3.0, 1.0)
    """
    if hard <= 0.0:
        return ratio
    left = 1.0 / ratio - hard
    return (1.0 - hard) / left if hard < 1.0 and left > 0.0 else 1.0


def touched_chunks(share: float, run: float, chunk: float) -> float:
    """Share of the chunks that have changed when a share of the bytes has changed, in runs.

    `1 - (1 - c) ^ (1 + s / r)`: runs of `r` bytes that begin anywhere leave a share `1 - c` of the bytes alone, so
    that `-ln(1 - c) / r` begin at each byte, and a chunk of `s` bytes is left alone if none begins in it or in the `r`
    bytes before it (Hall, "Introduction to the Theory of Coverage Processes", Wiley 1988, section 2.1: a Boolean model
    in one dimension). Holds for independent runs, and for chunks that have one size or are cut anew only near a
    change. If sizes vary, long chunks are touched more often.

    Parameters
    ----------
    share
        Share of the bytes that differ.
    run
        Mean bytes of a changed run.
    chunk
        Mean bytes of a chunk.

    >>> round(touched_chunks(0.02, run=65536, chunk=8192), 4), round(touched_chunks(0.02, run=8192, chunk=65536), 4)
    (0.0225, 0.1663)
    """
    return 1.0 if share >= 1.0 else 1.0 - (1.0 - share) ** (1.0 + chunk / run)


def piece(run: float, generations: Sequence[float]) -> float:
    """Mean bytes of a save set that are contiguous in a store when parts of it came with earlier generations.

    `r / (1 - sum p_k^2)`: each generation is written in one place, in order. Of two neighbouring runs of `r` bytes,
    the second follows the first there if both came with the same generation: with probability `sum p_k^2` if runs
    change independently. Infinite if all came at once. Any share left out came with so many generations that no two
    neighbours belong to the same one.

    Parameters
    ----------
    run
        Bytes that change, and are stored, in one piece.
    generations
        Share of the save set that came with each generation; the sum is at most 1.

    >>> piece(65536.0, [0.5, 0.5]), piece(65536.0, [1.0]), piece(65536.0, [0.5])
    (131072.0, inf, 87381.33333333333)
    """
    apart = 1.0 - sum([share * share for share in generations])
    return run / apart if apart > 0.0 else float("inf")


def came_with(change: Change, apart: float, number: int) -> list[float]:
    """Shares of the newest full backup that arrived with each of several full backups, the newest first.

    The share that differs from `k` backups ago, less that from one backup later, came between the two.

    Parameters
    ----------
    change
        How the data change.
    apart
        Seconds between two backups.
    number
        Backups before the newest one.

    >>> [round(share, 3) for share in came_with(Change(daily=0.1), 86_400.0, 2)]
    [0.1, 0.09, 0.81]
    """
    since = [0.0, *(differs(change, k * apart) for k in range(1, number + 1)), 1.0]
    return [later - earlier for earlier, later in pairwise(since)]


def containers_read(shares: Sequence[float], brought: Sequence[float], run: float, container: float) -> float:
    """Bytes of containers that a restore reads for each byte that it returns, if it reads each container once.

    `sum v_k T(p_k / v_k)`: a generation brought the share `v_k` of the data, in order, and `p_k` of it is still part of
    the save set. Of its containers, the share `T` holds some of that (`touched_chunks`, with containers in place of
    chunks). A restore proceeds through all generations in order at the same time, as a merge does, so that a memory of
    some containers for each generation suffices; with less, containers are read more than once (the cache of
    Lillibridge, Eshghi and Bhagwat, "Improving Restore Speed for Backup Systems that Use Inline Chunk-Based
    Deduplication", FAST 2013). Holds until the store collects its garbage, which brings what is left together.

    Parameters
    ----------
    shares
        Share of the save set that came with each generation; the sum is 1.
    brought
        Bytes that each generation brought, over the bytes of the save set.
    run
        Mean bytes of a run that stayed as it was, or was replaced.
    container
        Bytes of a container.

    >>> round(containers_read([0.1, 0.9], [0.1, 1.0], run=65536, container=4194304), 3)
    1.1
    """
    parts = zip(shares, brought, strict=True)
    return sum([each * touched_chunks(share / each, run, container) for share, each in parts if each > 0.0])
