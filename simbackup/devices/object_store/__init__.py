"""Object stores: buckets that requests over connections write and read."""

from __future__ import annotations

from simbackup.devices.object_store.spec import ObjectStoreSheet, ObjectStoreSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("object_store", ObjectStoreSpec, "simbackup.devices.object_store.make:make"),)
SHEETS = {"object_store": ObjectStoreSheet}
LOOKS = {"object_store": Look("M2.5 4.5h11l-1.3 9.5H3.8zM2.5 4.5a5.5 2 0 0 1 11 0", "#e7f5ee", "#3f8f6b")}
