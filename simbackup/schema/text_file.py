"""Text that other programs wrote: UTF-8 or UTF-16, with or without a mark, and of a size that can be read."""

from __future__ import annotations

import codecs
import errno
import stat
from pathlib import Path

from simbackup.errors import InputError, Place, Problem
from simbackup.files import content
from simbackup.schema.yaml_file import a_folder

MOST_BYTES = 1 << 27
"""Bytes of a file up to which it is read."""
BINARY = {
    b"PK\x03\x04": ("a ZIP archive or an Excel file", "unpack it, or name it .xlsx"),
    b"\xd0\xcf\x11\xe0": ("a file of an old Office program, such as .xls", "save it as .xlsx or CSV"),
    b"%PDF": ("a PDF document", "export text, CSV or JSON"),
    b"\x1f\x8b": ("compressed by gzip", "unpack it"),
    b"\x28\xb5\x2f\xfd": ("compressed by zstd", "unpack it"),
    b"\xfd7zXZ": ("compressed by xz", "unpack it"),
    b"BZh": ("compressed by bzip2", "unpack it"),
    b"SQLite format 3": ("an SQLite database", "export its table as CSV"),
}
"""What files of other kinds are, by their first bytes, and what to do."""
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Encodings by the mark with which they begin."""


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a file that is shown as `name`.

    Raises
    ------
    InputError
        It cannot be read, is a device or a folder, or is larger than `MOST_BYTES`.
    """
    try:
        if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
            raise _refused(name, "is a device", "name a file")
        return content(path, MOST_BYTES)
    except IsADirectoryError:
        raise InputError([a_folder(path, name)]) from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise _refused(name, f"is larger than {MOST_BYTES >> 20} MiB", "keep only the part that matters") from None
        why = getattr(error, "strerror", None) or error
        raise InputError([Problem(Place(name), "", f"cannot be read ({why})")]) from None


def read_any_text(path: Path, name: str) -> str:
    """The text of a file that another program wrote.

    Raises
    ------
    InputError
        It cannot be read, is no text, or is in an encoding that is neither UTF-8 nor UTF-16.
    """
    return decoded(read_bytes(path, name), name)


def decoded(data: bytes, name: str) -> str:
    """The text that bytes stand for; the mark of an encoding and zeros at every second byte show UTF-16.

    Raises
    ------
    InputError
        They are no text, or in another encoding.
    """
    for begin, (what, remedy) in BINARY.items():
        if data.startswith(begin):
            raise _refused(name, f"is not text but {what}", remedy)
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    form = MARKS.get(mark, _without_mark(data[:1024]))
    try:
        text = data[len(mark) :].decode(form)
    except UnicodeDecodeError as error:
        before = data[len(mark) : len(mark) + error.start].decode(form, "replace")
        place = Place(name, before.count("\n") + 1, len(before) - before.rfind("\n"))
        shown = "UTF-16" if form.startswith("utf-16") else "UTF-8"
        remedy = "save it as UTF-8; programs for Windows may call it 'CSV UTF-8'"
        raise InputError([Problem(place, "", f"is not {shown} text", remedy)]) from None
    if "\0" in text:
        place = Place(name, text.count("\n", 0, text.index("\0")) + 1, 1)
        raise InputError([Problem(place, "", "is not text: it has bytes of zero", "export text, CSV or JSON")])
    return text


def _without_mark(begin: bytes) -> str:
    """The encoding of bytes without a mark: UTF-16 where every other byte is zero, as in text of Latin letters."""
    half = len(begin) // 2
    if half and begin[1::2].count(0) == half and begin[0::2].count(0) == 0:
        return "utf-16-le"
    if half and begin[0::2].count(0) >= half and begin[1::2].count(0) == 0:
        return "utf-16-be"
    return "utf-8"


def _refused(name: str, message: str, remedy: str) -> InputError:
    return InputError([Problem(Place(name), "", message, remedy)])
