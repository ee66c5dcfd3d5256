"""Pictures of results, each a figure of its own that no other picture shares; they need matplotlib."""

from __future__ import annotations

from importlib.util import find_spec

from simbackup.errors import ResultError

if find_spec("matplotlib") is None:
    raise ResultError("pictures need matplotlib; install it with: pip install 'simbackup[plot]'")
