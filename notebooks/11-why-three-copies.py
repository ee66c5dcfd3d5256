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
# # Why three copies, two media, and one of them elsewhere?
#
# **What does each copy save you from?** A rule says: keep three copies of your data, on two kinds of media, one of them in
# another place. This notebook adds one copy after the other, and asks of each loss what it costs then. A copy helps if the loss
# does not take it as well: what counts is not how many copies there are, but what they have in common with the data.
# `docs/how-to/protect.md` does the same on the command line.

# %%
import matplotlib.pyplot as plt
import pandas as pd
import simbackup as sb
from course import check, predict

style = sb.style
style.use()
DAY = 86_400

# %% [markdown]
# ## 1. The data alone, and one copy beside them
#
# A file server of 2 TB is saved every night to an array of disks in the same building.

# %%
SITE = """
title: A file server
start: 2027-01-04
network: network/ten-gigabit-ethernet
machines:
  server: {host: host/linux-modern-server, storage: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 8}}
targets:
  pool:
    host: host/linux-modern-server
    device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 8}
policies:
  nightly:
    to: pool
    at: "20:00"
    schedule: {full: saturday, incremental: daily}
    retention: {age: 5 weeks}
systems:
  files: {size: 2 TB, change: {model: change/file-server, daily: 1 %}, policy: nightly}
"""
sb.picture(sb.load_site(SITE).first_night)

# %% [markdown]
# For each loss, `sb.protect` says how much work is lost on average. `everything` is the share of cases in which nothing comes
# back. Losses that leave the data alone are left out here.


# %%
def costs(site):
    """What each loss costs: days of work, and how often all is lost."""
    rows = sb.protect(site, times=False).frame
    rows = rows[~rows["spared"]].set_index("title")
    return pd.DataFrame(
        {"days": rows["lost_mean"] / DAY, "everything": rows["everything"], "saved by": rows["saved_by"]}
    )


one = costs(SITE)
one.round(2)

# %% [markdown]
# ## Predict first
#
# Now a second copy goes to disks in another building, every night. Of the losses above, after how many is everything still lost
# in some of the cases? Write your number down before you go on.

# %%
guess = predict(1, "losses")

# %% [markdown]
# ## 2. A copy in another place
#
# The second array is in the building `annex`, on the same network.

# %%
ANNEX = SITE.replace(
    "policies:",
    """\
  annex:
    host: host/linux-modern-server
    device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 8}
    place: annex
policies:""",
).replace(
    "retention: {age: 5 weeks}",
    """\
retention: {age: 5 weeks}
    copies: {second: {to: annex, retention: {age: 5 weeks}}}""",
)
two = costs(ANNEX)
two.round(2)

# %%
guess.compare(float((two["everything"] > 0).sum()))

# %% [markdown]
# The building may burn down now. An attacker who is in the network still reaches both arrays: three copies, and all on disks that
# anybody with the right password can erase. Silent corruption that nobody notices for two months is in every save set that is
# still kept; no copy helps against that, only keeping some for longer.
#
# ## 3. Another medium
#
# Now the second copy goes to tapes, which leave the building after each session. No network reaches a cartridge on a shelf.

# %%
TAPE = SITE.replace(
    "policies:",
    """\
  vault:
    beside: pool
    link: {rate: 800 MB/s, latency: 0.1 ms}
    device: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}
    offsite: true
    place: vault
policies:""",
).replace(
    "retention: {age: 5 weeks}",
    """\
retention: {age: 5 weeks}
    copies: {second: {to: vault, which: full, retention: {age: 3 months}}}""",
)
three = costs(TAPE)
three.round(2)

# %% [markdown]
# ## 4. All three side by side
#
# Black means that everything is lost, whenever the loss strikes.

# %%
WAYS = {"one copy": one, "in another place": two, "on another medium": three}
table = pd.DataFrame({name: way["everything"] for name, way in WAYS.items()}).loc[one.index]
fig, axis = plt.subplots(figsize=(8, 3.6))
axis.imshow(table, cmap="Greys", vmin=0, vmax=1, aspect="auto")
for (y, x), share in [((y, x), table.iloc[y, x]) for y in range(len(table)) for x in range(len(WAYS))]:
    axis.text(x, y, f"{share:.0%}", ha="center", va="center", color="white" if share > 0.5 else "black")
axis.set_xticks(range(len(WAYS)), list(WAYS))
axis.set_yticks(range(len(table)), list(table.index))
axis.set_title("Share of cases in which nothing comes back")
axis.tick_params(length=0)
plt.show()

# %% [markdown]
# Three copies save you from a disk, the other place from a fire, and the other medium from whoever reaches everything. Each part of
# the rule is there for losses that the other parts leave open. An array that nobody can change for two weeks (`immutable: 14 d`) does
# what the tapes do here, as long as an attack is noticed within two weeks.

# %% tags=["claims"]
assert {"place lost: main", "ransomware"} <= set(one.index[one["everything"] == 1.0])
assert two.loc["place lost: main", "everything"] == 0.0
assert two.loc["ransomware", "everything"] == 1.0
assert three.loc["ransomware", "everything"] < 1.0
assert three.loc["place lost: main", "everything"] == 0.0
assert 0.0 < two.loc["silent corruption", "everything"] < 1.0
assert three.loc["silent corruption", "everything"] < two.loc["silent corruption", "everything"]

# %% [markdown]
# ## 5. Exercises
#
# **1.** Give `annex` the key `immutable: 14 d`. In which share of cases is everything lost after ransomware then?

# %%
check("11.1", ...)

# %% [markdown]
# **2.** The tapes of step 3 take only full backups. How many days of work are lost on average when the building is lost?

# %%
check("11.2", ...)

# %% [markdown]
# **Further**, without a check:
#
# - **Money.** `simbackup protect site.yaml --losses losses.yaml` takes prices of an hour. Which copy is worth its price?
# - **Keys.** Encrypt both copies with the same `key`. What does losing it cost, and what would you do about it?
