"""What a file may say about compression by a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import Frozen, Multiple, Pieces, Ratio, TimePerByte, usual

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class CompressorSheet(Frozen):
    """A method of compression, whose cost for each byte of the data is `a + b / ratio`.

    One long match covers many bytes at once, so that data that shrink more take less time.
    """

    compress_cpu: TimePerByte
    """Time of the reference core for each byte that is compressed (`a`)."""
    compress_coded_cpu: TimePerByte = usual("0 s/B", "s/B")
    """Time of the reference core, in addition, for each byte that compressing gives (`b`)."""
    compress_hard_cpu: TimePerByte | None = None
    """The same for each byte of data that are `incompressible`, of which it passes over many; by default, what data of
    the `hardest` ratio take.
    """
    expand_cpu: TimePerByte
    """Time of the reference core for each byte after expansion (`a`)."""
    expand_coded_cpu: TimePerByte = usual("0 s/B", "s/B")
    """Time of the reference core, in addition, for each byte that is taken to be expanded (`b`)."""
    hardest: Ratio = usual("1", "1")
    """Ratio of the data that cost it most: it passes over much of what shrinks less, which costs no more than these.
    """
    scaling: Multiple = usual("1", "1")
    """Exponent with which its speed grows with the speed of a core, and less than 1 if it waits for
    caches and branches, which have improved more slowly than the rest of a core.
    """
    measured_at: Ratio = usual("1", "1")
    """Speed of the core on which its costs were measured; for other cores they follow `scaling`. The default
    is that of the reference core.
    """


class CompressionSpec(Modelled, CompressorSheet):
    """How the saved data are compressed, with the ratio that their `compression` states."""

    at: Literal["client", "wire", "server", "target"] = "client"
    """Where data are compressed: by the `client` before they are sent, on the `wire` only while they are sent, by the
    `server` before they are written, or in the device (`target`) without using a host's cores.
    """
    threads: Pieces = usual("1")
    """Number of threads that compress one stream, each on a core."""
    expand_threads: Pieces = usual("1")
    """Number of threads that expand one stream, each on a core, because few formats can be expanded in
    parallel.
    """
    overlapped: bool | None = None
    """Whether a single thread compresses or expands while the program continues to read and write, as with a pipe;
    otherwise the two take turns. By default, they overlap in backups of databases, where the server or a program before
    the pipe continues to work, and take turns in others. Several threads always overlap.
    """

    def check(self, checks: Checks, path: Path, data: str, *, remote: bool) -> None:
        """Report data that would grow, and a place other than the client where nobody else takes part."""
        saved = checks.spec.data.get(data)
        if saved is not None and saved.compression.si < 1.0:
            message = f"'{data}' would grow: its compression is below 1"
            checks.report(path, message, f"correct data.{data}.compression")
        if self.at != "client" and not remote:
            message = f"only the client compresses for a target of this kind, not the {self.at}"
            checks.report((*path, "at"), message, "write 'client'")
