"""What a backup program adds to a group of save sets that it starts together: a start, an index, a system state."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import SaveSet
from simbackup.methods.job import Moved, Steps
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class StartGroup:
    """What the backup program does before the save sets of a group begin."""

    tool: Tool
    method: str = "start_group"

    def run(self, system: System, job: str) -> Steps:
        """Let the time pass."""
        with system.clock.span(job, "catalogue", Activity.START_GROUP):
            yield system.env.timeout(self.tool.group_time)
        return Moved(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SaveIndex:
    """The save set of the index: a record for each file that was saved, and a fixed time."""

    of: tuple[str, ...]
    """The jobs whose files it lists."""
    tool: Tool
    """The program."""
    method: str = "save_index"

    def run(self, system: System, job: str) -> Steps:
        """Save the records of the last runs."""
        saved = [system.catalogue.last(f"jobs.{name}") for name in self.of]
        files = sum(one.files for one in saved if one is not None)
        with system.clock.span(job, "catalogue", Activity.SAVE_INDEX):
            yield system.env.timeout(self.tool.index_time)
        return Moved(files * self.tool.index_record, float(files))


@dataclass(frozen=True, slots=True)
class SystemState:
    """The save sets of an operating system's state."""

    machine: str
    """The host."""
    data: str | None
    """The data set that stands for the state; None for only a time."""
    tool: Tool
    """The program."""
    method: str = "system_state"

    def run(self, system: System, job: str) -> Steps:
        """Save them, one after the other."""
        with system.clock.span(job, f"hosts.{self.machine}", Activity.SYSTEM_STATE):
            yield system.env.timeout(self.tool.system_state_time)
        if self.data is None:
            return Moved(0.0, 0.0)
        data = system.data[self.data]
        saved = SaveSet(job, data.name, self.method, data.size, data.files, system.env.now)
        system.catalogue.add(saved)
        return Moved(data.size, float(data.files))
