"""Nothing: a device that keeps nothing takes no time."""

from __future__ import annotations

from simbackup.devices.nul.spec import NulSpec
from simbackup.devices.site import Site


def make(site: Site, nul: NulSpec) -> None:
    """Nothing is live about it."""
    del site, nul
