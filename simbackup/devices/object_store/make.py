"""A live object store from its spec."""

from __future__ import annotations

from simbackup.devices.object_store.live import ObjectStore, Terms
from simbackup.devices.object_store.spec import ObjectStoreSpec
from simbackup.devices.site import Site
from simbackup.parameters import parameters_of


def make(site: Site, store: ObjectStoreSpec) -> ObjectStore:
    """The store."""
    return ObjectStore(site.address, parameters_of(Terms, store))
