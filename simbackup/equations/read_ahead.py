"""Sequential reads through the page cache while the host reads ahead."""

from __future__ import annotations


def window_wait(request_time: float, work_time: float) -> float:
    """Seconds that a program waits for each window if the host requests the next window when it begins one.

    Linux since 2.6.23 marks the first page of each window, and requests the next window when the program reaches that
    page, whether it has arrived or not (mm/readahead.c). So the program has one window while another is on its way, or
    two are on their way. The program begins windows at `T(n+1) = max(T(n), T(n-1) + t) + w`; in the steady state they
    are `P = max(w, (t + w) / 2)` apart, of which it waits `P - w = max(0, (t - w) / 2)`. Range: the device serves both
    windows at once, or one after the other without a pause; its own capacity is a separate limit.

    Parameters
    ----------
    request_time
        Seconds until the device has delivered a window, t.
    work_time
        Seconds that the program works on a window, w.

    >>> window_wait(0.003, 0.001), window_wait(0.001, 0.003)
    (0.001, 0.0)
    """
    return max(0.0, (request_time - work_time) / 2.0)


def whole_stripes(stripe_unit: float, data_disks: int, stripes: float) -> float:
    """Minimum bytes that an operating system reads ahead on its own software array.

    Linux reads two whole stripes ahead (run() of drivers/md/raid0.c, raid5.c and raid10.c; later versions use twice
    the optimal request size that these report): `n d u`. Range: arrays of the operating system; controllers do not
    report the width of theirs.

    Parameters
    ----------
    stripe_unit
        Bytes on one disk before the next disk follows, u.
    data_disks
        Data disks of a stripe, d.
    stripes
        Whole stripes, n.

    >>> whole_stripes(65536.0, 4, 2.0)
    524288.0
    """
    return stripes * data_disks * stripe_unit
