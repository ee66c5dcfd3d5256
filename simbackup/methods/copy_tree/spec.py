"""What a file may say about a copy of a tree of files onto another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.facts import Fact, Facts
from simbackup.schema.job import SharedOut
from simbackup.schema.part import Path
from simbackup.schema.quantity import Pieces, PositiveDuration, Text, usual
from simbackup.schema.refers import OF_DATA, ONTO_DATA

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class CopyTreeSpec(SharedOut):
    """Copy of a tree of files to another tree, on the same host or another: both are compared, differences are sent.

    Files that differ are sent whole unless the program sends only changed blocks; deleted files cost nothing. Both
    trees are walked at the same time, while files are sent. The job ends when everything is on disk, unless the program
    `ends_in_cache`.
    """

    method: Literal["copy_tree"]
    data: Annotated[Text, OF_DATA]
    """The data set whose files are copied."""
    to: Annotated[Text, ONTO_DATA]
    """The data set that the files replace."""
    since: PositiveDuration | None = None
    """How long ago they were last copied: the files are compared, and those that have changed since then are sent. By
    default, this is the first copy.
    """
    workers: Pieces = usual("1")
    """Number of copies that run at the same time, each for a different part of the tree."""
    tool: BackupToolSpec | None = None
    """The program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    def own_facts(self) -> Facts:
        """Whether it is repeated."""
        if self.since is not None:
            yield Fact("what has changed")

    def check(self, checks: Checks, path: Path) -> None:
        """Report unknown data, data without files or way between them, and those that do not say how they change."""
        spec = checks.spec
        for key, name in (("data", self.data), ("to", self.to)):
            if checks.name((*path, key), name, checks.named("data"), "data set"):
                checks.owned(path, spec.data[name].on, key)
                self._check_files(checks, (*path, key), name)
        if self.data not in spec.data or self.to not in spec.data:
            return
        if self.data == self.to:
            checks.report((*path, "to"), f"'{self.to}' would be copied onto itself", "name another data set")
            return
        with checks.about(*path):
            checks.room(path, spec.data[self.data].size, self.to)
        checks.connected((*path, "to"), spec.data[self.data].on, spec.data[self.to].on)
        if self.since is not None and spec.data[self.data].change is None:
            message = f"'{self.data}' does not say how it changes"
            remedy = f"write 'change: {{daily: 2 %}}' under data.{self.data}, or name a datasheet 'change/...'"
            checks.report((*path, "since"), message, remedy)

    @staticmethod
    def _check_files(checks: Checks, path: Path, name: str) -> None:
        if checks.spec.data[name].filesystem is None:
            message = f"'{name}' has no file system"
            checks.report(path, message, f"write 'filesystem: filesystem/ext4' under data.{name}")
