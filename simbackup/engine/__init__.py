"""Flows that share resources fairly, buffers between them, random streams and the trace of a run."""

from simbackup.engine.buffer import Buffer
from simbackup.engine.flows import Flow, FlowNetwork, Link
from simbackup.engine.randomness import stream
from simbackup.engine.trace import Trace

__all__ = ["Buffer", "Flow", "FlowNetwork", "Link", "Trace", "stream"]
