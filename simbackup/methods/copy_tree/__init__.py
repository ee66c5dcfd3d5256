"""A copy of a tree of files onto another, which sends what differs, as rsync and robocopy do."""

from __future__ import annotations

from simbackup.methods.copy_tree.spec import CopyTreeSpec
from simbackup.schema.registry import MethodKind

KINDS = (MethodKind(("copy_tree",), CopyTreeSpec, "simbackup.methods.copy_tree.make:make"),)
