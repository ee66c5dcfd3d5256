"""Warnings about a site file that need no simulation."""

from __future__ import annotations

from datetime import date

from simbackup.errors import Problem
from simbackup.planning.endless import endless
from simbackup.planning.futile import futile
from simbackup.planning.idle import idle_keys
from simbackup.planning.site import PlannedSite


def cautions(site: PlannedSite, until: date | None = None) -> list[Problem]:
    """Keys without effect, what never happens or is undone at once until the end of a plan, and endless chains."""
    return [*idle_keys(site), *futile(site, until), *endless(site.file)]
