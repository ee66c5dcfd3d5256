# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # From an inventory to a plan
#
# A list of systems, and the question whether it fits: which nights miss their window, when a pool is full, how many
# cartridges there are, how long a restore after a fire takes, and what it costs. `docs/how-to/plan-a-site.md` does the same
# on the command line.

# %%
from datetime import date
from pathlib import Path

import pandas as pd
import simbackup as sb

HOUR = 3600

# %% [markdown]
# ## 1. The inventory
#
# Numbers as people write them: a decimal comma, a binary unit, none at all. What is guessed is marked `assumed` in the site
# file, with a range.

# %%
Path("inventory.csv").write_text(
    "name;kind;size;files;change\n"
    "files01;file server;2.400,5 GB;3.000.000;1 %\n"
    "sql01;sql server;800 GiB;;5,5 %\n"
    "web01;vm;100;;3 %\n",
    encoding="utf-8",
)
text = sb.site_text(Path("inventory.csv"))
print(text.split("systems:\n")[1])

# %% [markdown]
# A plan writes a scenario for each night that it simulates. This is the first one, in which everything is saved and copied:

# %%
sb.picture(sb.load_site(text).first_night)

# %% [markdown]
# ## 2. Forty systems for two years
#
# The site `planning/forty-systems` was made in this way.

# %%
before = sb.plan("planning/forty-systems", "2 years")
before.plot.calendar()

# %% [markdown]
# All full backups on Saturdays are too much for the array, which turns between forty streams. Spread over the week they
# fit:

# %%
after = sb.plan("planning/forty-systems", "2 years", {"policies.nightly.spread": True})
after.plot.calendar()

# %%
after.plot.capacity()

# %%
pd.DataFrame(after.limits)

# %% [markdown]
# ## 3. Which systems take longest

# %%
clients = pd.DataFrame(after.clients)
clients["longest, h"] = clients["longest"] / HOUR
clients.nlargest(8, "longest, h")[["system", "policy", "longest, h", "missed", "restore_points"]].round(1)

# %% [markdown]
# ## 4. After a fire
#
# The tapes are elsewhere. Databases have the highest priority.

# %%
site = sb.load_site("planning/forty-systems", {"policies.nightly.spread": True})
fire = sb.restore(site, "site", date(2028, 6, 7), "main")
back = pd.Series([system.back / HOUR for system in fire.systems], [system.system for system in fire.systems])
print(f"half of the systems after {fire.until(0.5) / HOUR:.1f} h, all after {fire.until(1.0) / HOUR:.1f} h")
print(f"data of {fire.data_lost / HOUR:.0f} h are lost at most")
back.sort_values().round(1).head(10)

# %% [markdown]
# ## 5. What it costs

# %%
months = pd.DataFrame(after.months)
months["year"] = months["month"].str[:4]
months.groupby("year")[["pools", "cartridges", "objects", "total"]].sum().round(0)
