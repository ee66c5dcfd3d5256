"""What workers need, loaded once in the process that they are copies of; its import is what it is for."""

from __future__ import annotations

from simbackup import shelf
from simbackup.planning.site import load_site
from simbackup.plots import of_plan, of_result
from simbackup.reporting import page, pictures
from simbackup.scenario import load
from simbackup.scenario.json_schema import json_schema
from simbackup.web import site_run, tasks
from simbackup.web.describing import offers
from simbackup.web.levers import levers_of, of_site

__all__ = ["load", "of_plan", "of_result", "page", "pictures", "tasks"]

load("teaching/short-backups")  # reads the kinds, and builds the classes that read files
json_schema("scenario", shelf.names())
site = load_site(f"planning/templates/{offers()[0].name}")
site_run.moved(levers_of(of_site(site), ()))  # reads the templates of pages, and what values mean
