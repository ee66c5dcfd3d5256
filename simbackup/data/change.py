"""What a file may say about how data change, and how much of them a backup above another has to save."""

from __future__ import annotations

from typing import Annotated

from simbackup.equations.change import Change
from simbackup.schema.part import Modelled, Rules
from simbackup.schema.quantity import Frozen, Multiple, PositiveShare, PositiveSize, Share, Word, usual


class ChangeSheet(Frozen):
    """How data change over time."""

    daily: Share
    """Share of the bytes that have changed after a day."""
    daily_files: Share | None = None
    """Share of the files that have changed after a day; a file-level incremental saves each of them whole. By default
    `daily`; or, for changes `in_place`, the share of the files in which a run has changed.
    """
    in_place: Annotated[bool, Word()] = False
    """Whether runs change within files that keep the rest, as in databases and disks of virtual machines. By default,
    whole files change.
    """
    hot_data: PositiveShare = usual("100 %", "1")
    """Share of the data that receives most of the changes."""
    hot_changes: PositiveShare = usual("100 %", "1")
    """Share of the changes that go to the hot data."""
    replaced: Share = usual("0 %", "1")
    """Share of the data that is deleted and created anew each day."""
    growth: Multiple = usual("0 %", "1")
    """Share by which the data grow in a year, compounded."""
    run: PositiveSize | None = None
    """Mean contiguous run of changed bytes, which an incremental image reads at once; only needed for incremental
    images, and for changes `in_place`.
    """

    def rules(self) -> Rules:
        """Report half of a hot spot, and one that is colder than the rest."""
        if self.states("hot_data") != self.states("hot_changes"):
            yield ("hot_data", "hot_changes"), "hot_data and hot_changes go together", "give both, or neither"
        elif self.hot_changes.si < self.hot_data.si:
            message = "the hot data get less than their share of the changes"
            yield ("hot_changes", "hot_data"), message, f"write {self.hot_data.text} or more"
        if self.in_place and self.run is None and self.daily_files is None:
            yield ("in_place",), "needs the size of the runs that change", "add 'run: 64 KiB', or 'daily_files'"


class ChangeSpec(Modelled, ChangeSheet):
    """How a data set changes."""


def within_files(change: ChangeSpec | None) -> bool:
    """Whether the runs of a change decide how many files it changes."""
    return change is not None and change.in_place and change.daily_files is None


def change_of(change: ChangeSpec | None, file_size: float | None = None) -> Change | None:
    """How data change, by bytes or, if they are in files of so many bytes, by whole files."""
    if change is None:
        return None
    daily = change.daily_files if file_size is not None and change.daily_files is not None else change.daily
    within = file_size is not None and within_files(change)
    places = 1.0 + (file_size or 0.0) / change.run.si if within and change.run is not None else 1.0
    return Change(
        daily.si, change.hot_data.si, change.hot_changes.si, change.replaced.si, change.growth.si, places,
    )  # fmt: skip
