"""Sequential reads through the page cache while the host reads ahead."""

from __future__ import annotations


def window_wait(request_time: float, work_time: float) -> float:
    """Seconds that a program waits for each window if the host requests the next window when it begins one.

    Linux since 2.6.23 marks the first page of each window, and asks for the next window when the program comes to that
    page, whether it is there or not (mm/readahead.c). So one window is with the program and one on the way, and while
    the first is on the way, too, there are two. The program begins windows at `T(n+1) = max(T(n), T(n-1) + t) + w`; in
    the steady state they are `P = max(w, (t + w) / 2)` apart, of which it waits `P - w = max(0, (t - w) / 2)`. Range:
    the device serves both windows at once, or one behind the other without a pause; its own capacity holds beside this.

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

    Linux takes two whole stripes (run() of drivers/md/raid0.c, raid5.c and raid10.c; later twice the best size of a
    request, which these report): `n d u`. Range: arrays of the operating system; controllers do not say how wide theirs
    are.

    Parameters
    ----------
    stripe_unit
        Bytes on one disk before the next disk follows, u.
    data_disks
        Disks of data of a stripe, d.
    stripes
        Whole stripes, n.

    >>> whole_stripes(65536.0, 4, 2.0)
    524288.0
    """
    return stripes * data_disks * stripe_unit
