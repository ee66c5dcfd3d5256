"""What a file may say about compression by a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import Frozen, Multiple, Pieces, Rate, Ratio, TimePerByte

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class CompressorSheet(Frozen):
    """A method of compression: what it costs for each byte before compression."""

    compress_cpu: TimePerByte
    """Time of the reference core for each byte that is compressed."""
    expand_cpu: TimePerByte
    """Time of the reference core for each byte that comes of expanding."""
    scaling: Multiple | None = None
    """Power of the speed of a core with which it compresses and expands; 1 by default, and below it where it waits
    for caches and for branches, which became faster more slowly than the rest of a core."""
    measured_at: Ratio | None = None
    """Speed of the core on which its costs were measured; from there they go by `scaling`. That of the reference core
    by default."""
    rate: Rate | None = None
    """Greatest rate of a card or device that does it, before compression; no limit but the cores by default."""


class CompressionSpec(Modelled, CompressorSheet):
    """How what a job saves is compressed, by the `compression` of its data."""

    at: Literal["client", "wire", "server", "target"] = "client"
    """Where: `client` before it is sent, `wire` only while it is sent, `server` before it is written, `target` in the
    device, without a core of a host."""
    threads: Pieces | None = None
    """Threads that compress one stream at once, each on a core; one by default."""
    expand_threads: Pieces | None = None
    """Threads that expand one stream at once, each on a core; one by default, as few formats can be expanded in
    parallel."""
    overlapped: bool | None = None
    """Whether a single thread compresses or expands while the program reads and writes on, as behind a pipe; else both
    take turns. By default, backups of databases overlap, as the server or a program before the pipe works on, and
    others take turns. Several threads always overlap."""

    conditional: ClassVar[Mapping[str, str]] = {
        "compress_cpu": "where a host compresses: at the client, the server, or on the wire",
        "expand_cpu": "where a host expands: in restores, and on the wire",
        "scaling": "where a host compresses or expands",
        "measured_at": "where a host compresses or expands, with `scaling`",
        "threads": "where a host compresses",
        "expand_threads": "where a host expands: in restores, and on the wire",
        "overlapped": "where a host compresses or expands",
    }

    def used(self, address: str, *, restore: bool = False) -> list[str]:
        """The keys that a backup uses, or a restore of what it saved."""
        if self.at == "target":
            return []
        compress, expand = ["compress_cpu", "threads"], ["expand_cpu", "expand_threads"]
        keys = ["overlapped", "scaling", "measured_at", *(compress if not restore or self.at == "wire" else [])]
        keys += expand if restore or self.at == "wire" else []
        return [f"{address}.{key}" for key in keys]

    def check(self, checks: Checks, path: Path, data: str, *, remote: bool) -> None:
        """Report data that would grow, and a place other than the client where nobody else takes part."""
        saved = checks.spec.data.get(data)
        if saved is not None and saved.compression is not None and saved.compression.si < 1.0:
            message = f"'{data}' would grow: its compression is below 1"
            checks.report(path, message, f"correct data.{data}.compression")
        if self.at != "client" and not remote:
            message = f"only the client compresses for a target of this kind, not the {self.at}"
            checks.report((*path, "at"), message, "write 'client'")
