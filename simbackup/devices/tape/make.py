"""A live tape library from its spec."""

from __future__ import annotations

import simpy

from simbackup.devices.library import Cartridge, Library
from simbackup.devices.site import Site
from simbackup.devices.tape.live import TapeDrive
from simbackup.devices.tape.spec import TapeLibrarySpec
from simbackup.engine.link import Link
from simbackup.equations import tape as equations
from simbackup.parameters import parameters_of


def make(site: Site, library: TapeLibrarySpec) -> Library:
    """The library with its drives, robots and cartridges."""
    parameters, address = parameters_of(equations.TapeDriveParameters, library.drive), site.address
    names = [f"{address}.drive.{i + 1}" for i in range(library.drive_count())]
    drives = [TapeDrive(name, Link(name, 1.0, plain=True), parameters) for name in names]
    pools = [(pool, i) for pool, number in library.pool_sizes().items() for i in range(number)]
    capacity, new = parameters.cartridge_capacity, library.never_loaded() or 0.0
    cartridges = [Cartridge(f"cartridge.{n}", capacity, pool, new=i < new) for n, (pool, i) in enumerate(pools, 1)]
    robots = simpy.Resource(site.system.env, int(library.robots.si))
    stay = library.unload_after.si if library.unload_after else None
    return Library(site.system.clock, address, robots, library.exchange_time.si, cartridges, drives, stay)
