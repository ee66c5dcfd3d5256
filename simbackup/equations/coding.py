"""What compressing and expanding cost."""

from __future__ import annotations


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
