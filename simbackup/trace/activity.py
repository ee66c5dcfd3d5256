"""What a job can spend its time on: the activities in traces, with the nature and the colour of each."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from typing import Self

from simbackup import palette

OTHERS = (
    palette.TEAL, palette.OLIVE, palette.PURPLE, palette.SAND, palette.WINE, palette.RED, palette.SKY, palette.LILAC,
    palette.MOSS, palette.ORANGE, palette.BROWN, palette.PINK, palette.VIOLET,
)  # fmt: skip
"""Colours of activities of other packages; the word alone decides which."""


class Nature(Enum):
    """What kind of thing an activity is."""

    WAITING = auto()
    """Nothing is done: a part is in use, or an answer is under way."""
    MECHANICAL = auto()
    """Something moves: a tape, a cartridge, the arm of a disk."""
    MOVING = auto()
    """Bytes are read, written or transferred."""
    COMPUTING = auto()
    """A processor or a database engine works."""
    ADMINISTRATIVE = auto()
    """Something is set up, noted or closed; it takes its time whatever the bytes."""


class Activity(StrEnum):
    """What a job spends time on.

    `queue` names the queue in which a job waits meanwhile, if others hold it up. No two activities of one
    picture have the same `colour`. `at_host` is the colour of a word that means something else at a processor.

    >>> Activity.LOCATE.nature, Activity.LOCATE == "locate"
    (<Nature.MECHANICAL: 2>, True)
    """

    _value_: str
    nature: Nature
    colour: str
    queue: str
    at_host: str

    def __new__(cls, word: str, nature: Nature, colour: str, queue: str = "", at_host: str = "") -> Self:
        """The word, which is its value."""
        one = str.__new__(cls, word)
        one._value_ = word
        one.nature, one.colour, one.queue, one.at_host = nature, colour, queue, at_host or colour
        return one

    WAIT = "wait", Nature.WAITING, palette.PINK  # nothing is on record
    WAIT_FOR_DRIVE = "wait for a drive", Nature.WAITING, palette.PAPER, "wait for a drive"
    WAIT_FOR_ANY_CARTRIDGE = "wait for a cartridge", Nature.WAITING, palette.PAPER, "wait for a cartridge"
    WAIT_FOR_THE_CARTRIDGE = "wait for the cartridge", Nature.WAITING, palette.PAPER, "wait for a cartridge"
    WAIT_FOR_ROBOT = "mount queue", Nature.WAITING, palette.PAPER, "mount queue"
    WAIT_FOR_ROOM = "wait for room", Nature.WAITING, palette.PAPER, "wait for room"
    WAIT_FOR_TURN = "wait for a turn", Nature.WAITING, palette.PAPER, "job queue"
    WAIT_FOR_REQUESTS = "wait for requests", Nature.WAITING, palette.PAPER
    WAIT_FOR_RETRIEVAL = "wait for retrieval", Nature.WAITING, palette.PAPER
    WAIT_FOR_REPAIR = "wait for repair", Nature.WAITING, palette.PAPER
    WAIT_FOR_ONE = "wait for one worker", Nature.WAITING, palette.PAPER
    QUEUE = "queue", Nature.WAITING, palette.CORAL  # a buffer behind other buffers of its job

    MOUNT = "mount", Nature.MECHANICAL, palette.PURPLE
    DISMOUNT = "dismount", Nature.MECHANICAL, palette.STONE
    LOAD = "load", Nature.MECHANICAL, palette.GREY, "", palette.WINE  # of a cartridge; of a dump at a database
    INITIALISE = "initialise", Nature.MECHANICAL, palette.LILAC
    UNLOAD = "unload", Nature.MECHANICAL, palette.ASH
    LOCATE = "locate", Nature.MECHANICAL, palette.RED
    REWIND = "rewind", Nature.MECHANICAL, palette.SAND
    TAPE_MARKS = "tape marks", Nature.MECHANICAL, palette.WINE
    REPOSITION = "reposition", Nature.MECHANICAL, palette.BLUE
    SEEK = "seek", Nature.MECHANICAL, palette.WINE
    TURN = "turn", Nature.MECHANICAL, palette.CLAY

    TRANSFER = "transfer", Nature.MOVING, palette.BLUE
    READ = "read", Nature.MOVING, palette.SKY
    WRITE = "write", Nature.MOVING, palette.INDIGO
    SAVE = "save", Nature.MOVING, palette.FERN
    RESTORE = "restore", Nature.MOVING, palette.PLUM
    COPY = "copy", Nature.MOVING, palette.LIME
    BACK_UP = "back up", Nature.MOVING, palette.TEAL
    WRITE_BACK = "write-back", Nature.MOVING, palette.TEAL
    SYNCHRONISE = "synchronise", Nature.MOVING, palette.SKY
    COPY_READ = "copy read", Nature.MOVING, palette.MOSS
    COPY_WRITE = "copy write", Nature.MOVING, palette.SKY
    OWN_WRITE = "own write", Nature.MOVING, palette.VIOLET
    METADATA_COMMIT = "metadata commit", Nature.MOVING, palette.RED
    WALK = "walk", Nature.MOVING, palette.MUSTARD
    FLUSH = "flush", Nature.MOVING, palette.VIOLET
    TRAVEL = "travel", Nature.MOVING, palette.SLATE

    OPEN = "open", Nature.COMPUTING, palette.AQUA
    INDEX = "index", Nature.COMPUTING, palette.OLIVE
    CHECK = "check", Nature.COMPUTING, palette.PINE
    DUMP = "dump", Nature.COMPUTING, palette.RED
    REPLAY = "replay", Nature.COMPUTING, palette.SAND
    COMPRESS = "compress", Nature.COMPUTING, palette.MOSS
    EXPAND = "expand", Nature.COMPUTING, palette.BROWN
    FIND_CHUNKS = "find chunks", Nature.COMPUTING, palette.SAND
    JOIN_CHUNKS = "join chunks", Nature.COMPUTING, palette.PINE
    LOOKUP = "lookup", Nature.COMPUTING, palette.BROWN

    START = "start", Nature.ADMINISTRATIVE, palette.DARK
    PREPARE = "prepare", Nature.ADMINISTRATIVE, palette.LILAC
    CREATE = "create", Nature.ADMINISTRATIVE, palette.ORANGE
    REMOVE = "remove", Nature.ADMINISTRATIVE, palette.PINK
    OBSERVE = "observe", Nature.ADMINISTRATIVE, palette.PALE


WORDS: Mapping[str, Activity] = {activity.value: activity for activity in Activity}
"""Activities by their words."""


def nature_of(text: str) -> Nature:
    """The nature of any activity; one of another package waits if its word says so, else it moves bytes.

    >>> nature_of("rewind"), nature_of("wait for a courier"), nature_of("deduplicate")
    (<Nature.MECHANICAL: 2>, <Nature.WAITING: 1>, <Nature.MOVING: 3>)
    """
    activity = WORDS.get(text)
    if activity is not None:
        return activity.nature
    return Nature.WAITING if text.startswith("wait for") or text.endswith(" queue") else Nature.MOVING


def colour_of(text: str, *, at_host: bool = False) -> str:
    """The colour of any activity; that of one of another package follows from its word."""
    activity = WORDS.get(text)
    if activity is not None:
        return activity.at_host if at_host else activity.colour
    return palette.PAPER if nature_of(text) is Nature.WAITING else OTHERS[zlib.crc32(text.encode()) % len(OTHERS)]


def queue_of(text: str) -> str:
    """The queue in which a job waits during an activity, that of another package by its word; empty if in none.

    >>> queue_of("wait for the cartridge"), queue_of("wait for a courier"), queue_of("read")
    ('wait for a cartridge', 'wait for a courier', '')
    """
    activity = WORDS.get(text)
    if activity is not None:
        return activity.queue
    return text if nature_of(text) is Nature.WAITING else ""
