"""Any program: a table of systems in CSV or Excel, with a head and a row for each. See RFC 4180 for CSV."""

from __future__ import annotations

from simbackup.foreign.inventories.listing import Listing
from simbackup.foreign.reader import SHEET, ForeignFile, FormatReader
from simbackup.schema.inventory import read_inventory


def recognises(source: ForeignFile) -> bool:
    """Whether a file is a table; what is none is reported when it is read."""
    return source.tabular or (source.path.suffix.lower() == ".csv" and source.text.strip() != "")


def read(source: ForeignFile) -> Listing:
    """The table as it is.

    Raises
    ------
    InputError
        It is none.
    """
    return Listing(read_inventory(source.path, source.shown, sheet=SHEET))


READER = FormatReader("any program", "a table of systems, .csv or .xlsx", recognises, read)
