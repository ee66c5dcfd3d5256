"""Equations of tape that only tests need."""

from simbackup.equations.tape import TapeDriveParameters


def greatest_locate(drive: TapeDriveParameters) -> float:
    """Seconds of the longest locate: the whole length, with a turn.

    Parameters
    ----------
    drive
        Drive and cartridge.

    Examples
    --------
    >>> drive = TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    >>> round(greatest_locate(drive), 1)
    125.7

    """
    return drive.locate_overhead + drive.turn_time + drive.tape_length / drive.search_speed
