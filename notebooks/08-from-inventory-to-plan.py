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
# **Does it fit, until when, and what does it cost?** This notebook starts from a list of systems and finds out which nights
# miss their window, when a pool is full, how many cartridges you need, how long a restore after a fire takes, and what it
# all costs. `docs/how-to/plan-a-site.md` does the same on the command line.

# %%
from datetime import date
from pathlib import Path

import pandas as pd
import simbackup as sb
from course import check, predict

HOUR = 3600

# %% [markdown]
# ## 1. The inventory
#
# The numbers are written as people write them: with a decimal comma, or with a binary unit. Guessed values are marked
# `assumed` in the site file, with a range.

# %%
Path("inventory.csv").write_text(
    "name;kind;size;files;change\n"
    "files01;file server;2.400,5 GB;3.000.000;1 %\n"
    "sql01;sql server;800 GiB;;5,5 %\n"
    "web01;vm;100 GB;;3 %\n",
    encoding="utf-8",
)
text = sb.site_text(Path("inventory.csv"))
print(text.split("systems:\n")[1])

# %% [markdown]
# A plan writes a scenario for each night that it simulates. This is the first one, in which everything is saved and copied:

# %%
sb.picture(sb.load_site(text).first_night)

# %% [markdown]
# ## Predict first
#
# Each Saturday, forty systems with 32 TB in total get a full backup that is kept for five weeks. All backups begin at 20:00 and
# go to an array of twelve disks. How many hours does the longest full backup take at the end of two years? Write your number
# down before you go on; nobody else sees it.

# %%
guess = predict(3, "h")

# %% [markdown]
# ## 2. Forty systems for two years
#
# The site `planning/forty-systems` was created in this way.

# %%
before = sb.plan("planning/forty-systems", "2 years")
before.plot.calendar()

# %%
guess.compare(max(client["longest"] for client in before.clients) / HOUR)

# %% [markdown]
# Every backup still fits its window of ten hours, but only just: on Saturdays the array moves back and forth between forty
# streams, and the longest backup takes almost nine hours. Spread the full backups over the week:

# %%
after = sb.plan("planning/forty-systems", "2 years", {"policies.nightly.spread": True})
after.plot.calendar()

# %% tags=["claims"]
longest = [max(client["longest"] for client in plan.clients) / HOUR for plan in (before, after)]
assert 8 < longest[0] < 9, longest
assert longest[1] < 2, longest
assert all(limit.date is None for plan in (before, after) for limit in plan.limits if limit.what == "windows")

# %% [markdown]
# Now every backup takes less than two hours. The pool fills up as before:

# %%
after.plot.capacity()

# %%
pd.DataFrame(after.limits)

# %% [markdown]
# ## 3. Which systems take longest?

# %%
clients = pd.DataFrame(after.clients)
clients["longest, h"] = clients["longest"] / HOUR
clients.nlargest(8, "longest, h")[["system", "policy", "longest, h", "missed", "restore_points"]].round(1)

# %% [markdown]
# ## 4. After a fire
#
# The tapes are stored elsewhere. Databases have the highest priority.

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

# %% [markdown]
# ## 6. Exercises
#
# **1.** The main site burns down at noon on 8 June 2028. At most how many hours of data of `sql01` are lost? Use the site with
# spread backups, as in section 4.

# %%
check("08.1", ...)

# %% [markdown]
# **2.** On 7 June 2028, how many minutes does it take to restore only `files06` from the tapes?

# %%
check("08.2", ...)

# %% [markdown]
# **Further**, without a check:
#
# - **Larger or later?** `simbackup plan compare --vary` tries configurations (see *Plan a site* in the handbook). What is cheaper in the
#   third year: two more disks, or four weeks of retention?
# - **Your own.** Write your inventory as CSV, and make a site from it: `sb.site_text(Path("inventory.csv"))`.
