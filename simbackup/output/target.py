"""What may be written where, checked before any run; and the mark of what the program wrote, which it may replace."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from simbackup.errors import ResultError

MARK = "user.simbackup.sha256"
"""The extended attribute of a file that holds the checksum."""


def mark(path: Path) -> None:
    """Mark a file as written by the program; nothing happens where the file system keeps no such marks."""
    with suppress(OSError, AttributeError):  # no system but Linux has the function
        os.setxattr(path, MARK, _digest(path))


def check_replaced(path: Path) -> None:
    """Check that a file may be written: it is missing or empty, or as the program wrote it.

    Raises
    ------
    ResultError
        Somebody else wrote the file, or changed it since; or the file system does not keep who did.
    """
    if path.is_file() and path.stat().st_size > 0 and not _ours(path):
        raise ResultError(
            f"{path} exists, and simbackup did not write it, or it has changed since; remove it, or choose another name"
        )


def _ours(path: Path) -> bool:
    try:
        return os.getxattr(path, MARK) == _digest(path)
    except (OSError, AttributeError):
        return False


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).hexdigest().encode()


PICTURE, SYSTEM, TRACE, PAGE, WORKBOOK = ("png", "svg", "pdf"), ("svg",), ("json",), ("html",), ("xlsx",)
PRINT = ("pdf",)
TABLE = ("csv", "parquet", "xlsx", "json")
YAML = ("yaml", "yml")
"""Extensions of pictures of results, drawings of systems, traces, reports and their tables, studies, and sites."""


def check_file(path: str | Path, forms: Sequence[str]) -> str:
    """The form in which a file is to be written, from its extension.

    A device or a pipe, such as /dev/stdout, has no extension and takes the first of them.

    Raises
    ------
    ResultError
        The extension is wrong, there is no such folder, the file cannot be written, a library is missing, or there is
        such a file that the program did not write.

    >>> check_file("times.CSV", TABLE)
    'csv'
    """
    path = Path(path)
    if not path.name:
        raise ResultError(f"'{path}' is a folder; name a file")
    _check_name(path)
    if path.is_dir():
        raise ResultError(f"{path} cannot be written (Is a directory)")
    if path.exists() and not path.is_file():
        return forms[0]
    form = path.suffix.removeprefix(".").lower()
    if form not in forms:
        what = f"the extension '{path.suffix}' is not known here" if path.suffix else "its name has no extension"
        raise ResultError(f"{path} cannot be written ({what}); use {_listed(forms)}")
    _check_parent(path)
    check_replaced(path)
    if form == "xlsx" and find_spec("openpyxl") is None:
        remedy = "install it with: pip install 'simbackup[excel]'"
        raise ResultError(f"{path} cannot be written without openpyxl; {remedy}")
    return form


def check_folder(path: str | Path) -> None:
    """Check a folder that is to be written; it need not exist.

    Raises
    ------
    ResultError
        The folder around it does not exist, or it cannot be written.
    """
    path = Path(path)
    _check_name(path)
    if path.exists() and not path.is_dir():
        raise ResultError(f"{path} is a file; name a folder")
    _check_parent(path)


def _check_name(path: Path) -> None:
    """Refuse a name that no file can have."""
    try:
        path.exists()
    except OSError as error:
        raise ResultError(f"{path} cannot be written ({error.strerror})") from None


def _check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise ResultError(f"{path} cannot be written (there is no folder {path.parent})")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ResultError(f"{path} cannot be written (Permission denied)")


def _listed(forms: Sequence[str]) -> str:
    """A list of extensions in words.

    >>> _listed(("csv", "json", "html"))
    '.csv, .json or .html'
    """
    *most, last = (f".{form}" for form in forms)
    return f"{', '.join(most)} or {last}" if most else last
