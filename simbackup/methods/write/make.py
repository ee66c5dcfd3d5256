"""The work of programs that write or copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.job import Work
from simbackup.methods.write.live import CopyData, SynchronousWrite, Write
from simbackup.methods.write.spec import CopySpec, WriteSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: WriteSpec, spec: Spec) -> Work:
    """The writer, request by request or through the page cache."""
    host = spec.host_of(job.data)
    size = spec.data[job.data].size.si * job.portion.si
    if job.request is not None:
        return SynchronousWrite(host, job.data, size, job.request.si, (job.over,) if job.over else ())
    return Write(host, job.data, size, flush=job.flush)


def make_copy(job: CopySpec, spec: Spec) -> CopyData:
    """The copy."""
    return CopyData(spec.host_of(job.data), job.data, job.to)
