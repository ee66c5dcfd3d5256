"""Makes `nul`, which discards everything and takes no time."""

from __future__ import annotations

from simbackup.devices.nul.spec import NulSpec
from simbackup.devices.site import Site


def make(site: Site, nul: NulSpec) -> None:
    """None: there is no live part."""
    del site, nul
