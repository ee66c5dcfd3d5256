"""Exchange two folders in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Arguments of Linux' renameat2."""


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths, and return whether it worked; False where the system cannot do it in one step."""
    if sys.platform != "linux":
        return False
    call: Any = getattr(ctypes.CDLL(None), "renameat2", None)
    if call is None:
        return False
    return call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0
