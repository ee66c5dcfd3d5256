"""What a file may say about a share: files that another host reads, or makes, over a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.errors import choices
from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import Count, Duration, Frozen, Multiple, PositiveSize, Rate, Text, usual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simbackup.scenario.checks import Checks


class ShareSheet(Frozen):
    """The costs of files or blocks on a share that another host accesses, one request at a time for each worker.

    A host that reads ahead of programs has a second request for the data of a large file under way, and writes behind
    a restore in the same way. An image opens no files, so only `request` and `call_cpu` affect it, and its requests
    follow one after the other.
    """

    calls: Count
    """Requests for each file that is read, in addition to those for its data: look-up, attributes, open, close; about 3
    over NFS, which does not open files, and 5 or more over SMB.
    """
    request: PositiveSize
    """Bytes of one request for data; if the host reads ahead, bytes of the window that it requests at once, such as
    256 KiB.
    """
    look_calls: Multiple | None = None
    """Requests for each file that is only examined; less than one if a request lists many files; `calls` by default."""
    make_calls: Count | None = None
    """Requests for each file that is created, in addition to those for its data: look-up, create, attributes, close;
    `calls` by default.
    """
    call_cpu: Duration = usual("0 s", "s")
    """Time of the reference core at the host that keeps the files for each request."""
    rate: Rate | None = None
    """Maximum bytes per second that the host which keeps the files gives or takes this way, for all jobs and streams
    together, as where a management stack limits it; by default, only cores and lines limit it.
    """
    stream_rate: Rate | None = None
    """The same for one stream, or for each worker; no limit by default."""
    flushes: Multiple = usual("0", "1")
    """How often this host waits for each created file until it is on disk, as with a battery."""


class ShareSpec(Modelled, ShareSheet):
    """How another host reads or writes files or blocks over the network: each worker waits for its requests."""

    host: Text
    """The host that reads or creates them, and runs the job."""


def check_share(
    checks: Checks, path: Path, share: ShareSpec, keeper: str | None, end: tuple[str, Sequence[str] | None]
) -> None:
    """The host at the share is another one than that of the files, and reaches both these and the other `end`."""
    spec, here, reader = checks.spec, (*path, "share", "host"), share.host
    others = [name for name in checks.named("hosts") if name != keeper]
    if reader == keeper:
        checks.report(here, f"'{reader}' keeps the data itself", choices(reader, others))
    elif checks.name(here, reader, others, "host") and checks.sound(path, "hosts", "devices", "links"):
        for name, way in ((keeper, spec.route(reader, keeper or "")), end):
            if way is None:
                message = f"there is no connection from '{reader}' to '{name}'"
                checks.report(here, message, f"let a link join '{reader}' and '{name}'")


SHEETS = {"share": ShareSheet}
