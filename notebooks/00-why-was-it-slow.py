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
# # Why was it slow?
#
# **A backup takes too long. What would help: a faster network, more drives, a different start time?** Start here: you need no
# knowledge of backup. This notebook shows what `simbackup` tells you about a run: the system, the timeline, the causes of each
# job's time, and the same run without its bottleneck. The other notebooks show where such answers come from, and how far you
# can trust them.

# %%
import json
from pathlib import Path

import pandas as pd
import simbackup as sb
from course import check, predict

MB, MINUTE, HOUR = 1e6, 60, 3600

# %% [markdown]
# ## Predict first
#
# Eight files are restored from tape at once. There are eight drives, a cartridge for each, and one robot that needs 12 s for a
# move. One restore on its own takes 76 s. After how many seconds is the last of the eight done? Write your number down before
# you go on; nobody else sees it.

# %%
guess = predict(80, "s")

# %% [markdown]
# ## 1. One run, from all sides
#
# `teaching/mount-queue` runs eight restores at once from a library with eight drives and one robot.

# %%
queue = sb.simulate("teaching/mount-queue")
queue.picture

# %%
queue.plot.timeline()

# %%
queue.plot.drives()

# %%
guess.compare(queue.get("jobs.r8.elapsed"))

# %% [markdown]
# While the restores run, the drives are mostly idle. The restores wait, but not for a drive: the *mount queue* is the queue
# for the robot. This is where the seconds of each job went; they add up to its elapsed time:

# %%
queue.plot.causes()

# %% [markdown]
# `explain` names the bottleneck of each job. Then it runs the scenario again, first with that part twice as fast, and then with
# so much of it that it no longer limits the job.

# %%
why = sb.explain(queue)
why

# %%
first, last = why["r1"], why["r8"]
print(
    f"the last restore: {last.elapsed:.0f} s, without the robot {last.without:.0f} s; the first: {first.elapsed:.0f} s"
)

# %% tags=["claims"]
assert last.bottleneck == "devices.library.robot"
assert last.share > 0.6 * last.elapsed
assert last.without < 0.4 * last.elapsed
assert last.next_bottleneck == "devices.library.drive"
assert first.bottleneck == "devices.library.drive"
assert abs(first.without - first.elapsed) < 1

# %% [markdown]
# Speeding up the *largest share* does not always help. The first restore spends most of its time in its drive, but a faster
# drive gains nothing: the restore would only wait longer for the robot. That is why `explain` repeats the run instead of simply
# subtracting the share.
#
# ## 2. Removing a bottleneck moves it
#
# `teaching/bottleneck-moves` is the backup of a database. Each step removes a bottleneck.

# %%
sb.picture("teaching/bottleneck-moves")

# %%
moves = sb.study("teaching/bottleneck-moves", intervals="none")
table = moves.frame.set_index("case")
pd.DataFrame(
    {
        "backup, min": (table["jobs.backup.elapsed"] / MINUTE).round(1),
        "limited by": table["jobs.backup.cause"],
        "restore, min": (table["jobs.back.elapsed"] / MINUTE).round(1),
        "then by": table["jobs.back.cause"],
    }
).rename(columns={"then by": "limited by (restore)"})

# %%
start = sb.explain("teaching/bottleneck-moves", "backup")["backup"]
print(
    f"{start.elapsed / MINUTE:.0f} min, limited by {start.bottleneck}; without it {start.without / MINUTE:.0f} min,",
    end="",
)
print(f" then limited by {start.next_bottleneck}")
took = table["jobs.backup.elapsed"]

# %% tags=["claims"]
assert start.next_bottleneck == table["jobs.backup.cause"]["64 buffers"]
assert took["compression alone"] > took["8 buffers"]
assert took["25 Gb/s alone"] > 0.88 * took["8 buffers"] and took["64 buffers"] < 0.65 * took["8 buffers"]
assert took["16 threads alone"] == took["8 buffers"]

# %% [markdown]
# `explain` predicts the next row: with enough buffers the network is the limit, and the step to 64 buffers confirms it. The
# order matters. As the *first* step, a network of 25 Gb/s saves a ninth of the time, and more buffers save a third; 16
# threads save nothing, and compression alone makes the backup slower.
#
# ## 3. Two hundred servers at midnight
#
# `planning/midnight` starts the backups of 200 servers all at once; `planning/spread-starts` starts them one after the other
# over the day.

# %%
sb.picture("planning/midnight")

# %%
midnight, spread = sb.simulate("planning/midnight"), sb.simulate("planning/spread-starts")
midnight.plot.timeline()

# %%
spread.plot.timeline()

# %%
starts = {"all at midnight": midnight, "over the day": spread}
pd.DataFrame(
    {
        "hours until the last has ended": {name: r.end / HOUR for name, r in starts.items()},
        "hours of the longest backup": {name: r.jobs["elapsed"].max() / HOUR for name, r in starts.items()},
        "backups that miss their window of 6 h": {
            name: (r.jobs["status"] == "late").sum() for name, r in starts.items()
        },
        "busy share of the array, %": {name: 100 * r.get("devices.array.busy") for name, r in starts.items()},
    }
).round(1)


# %%
def limit(result, job):
    """The address that takes most of a job's time."""
    return pd.Series(result.causes(job)).groupby(level=0).sum().idxmax()


LAST = "save-200"
for name, result in starts.items():
    seconds = result.get(f"jobs.{LAST}.elapsed")
    print(f"{LAST}, {name:<16} {seconds / MINUTE:6.1f} min, limited by {limit(result, LAST)}")

# %% tags=["claims"]
assert limit(midnight, LAST) == "devices.array"
assert limit(spread, LAST).startswith("links.nic")
assert spread.get(f"jobs.{LAST}.elapsed") < midnight.get(f"jobs.{LAST}.elapsed") / 10

# %% [markdown]
# The array and the servers are the same. At midnight, all backups wait for the array. Spread over the day, each backup has the
# array almost to itself, and is limited by its own network adapter. This improvement costs nothing.
#
# ## 4. What users do to a later backup
#
# A *redirect-on-write* volume never overwrites data: each update goes to free space. Snapshots cost nothing to keep, but data
# that were written in one piece end up in many pieces, and a backup must read them in sequence.
# `teaching/random-updates-fragment` lets users update 100 GB at random, 4 KiB at a time, before the backup.

# %%
sb.picture("teaching/random-updates-fragment")

# %%
aged = sb.study("teaching/random-updates-fragment", intervals="none")
aged.plot.lines("data.db.aged.updates", "jobs.backup.rate", by="scenario")

# %%
rates = (
    aged.frame.pivot_table(index="data.db.aged.updates", columns="scenario", values="jobs.backup.rate", sort=False) / MB
)
rates.round(1).rename_axis(columns="MB/s")

# %% tags=["claims"]
assert rates["LUN"].iloc[-1] < rates["LUN"].iloc[0] / 30
assert rates["LUN"]["10000000"] < rates["LUN"].iloc[0] / 24
assert (rates["files"] >= 0.99 * rates["LUN"]).all()

# %%
UPDATES = {"data.db.aged.updates": 10_000_000}
worn = sb.explain("teaching/random-updates-fragment", overrides=UPDATES)
worn

# %%
busy = worn.result.get("devices.aggregate.busy")
print(f"the aggregate limits, and is {busy:.0%} busy")

# %% tags=["claims"]
assert worn["backup"].bottleneck == "devices.aggregate"
assert busy < 0.4

# %% [markdown]
# For the same bytes, the time grows from twenty minutes to more than eight hours. The sixteen disks are the limit, and yet
# most of them are idle: a single reader requests one place after the other, and waits for one arm each time. A volume that is
# read as *files* lets the server read ahead, and keeps more arms busy.
#
# ## 5. A look inside
#
# Every change of every rate is in the trace. `chrome_trace` writes it for Perfetto (ui.perfetto.dev) or chrome://tracing, with
# a track for each job, drive and robot.

# %%
path = Path("mount-queue.json")
queue.chrome_trace(path)
events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
seconds = sum(event["dur"] for event in events if event["ph"] == "X" and event["name"] == "mount queue") / 1e6
print(f"{len(events)} events; {seconds:.0f} s in the mount queue")

# %% [markdown]
# ## 6. Exercises
#
# **1.** Two robots: with `devices.library.robots` set to 2, after how many seconds is the last restore (`jobs.r8.elapsed`) of
# `teaching/mount-queue` done? Predict it, then simulate: `sb.simulate("teaching/mount-queue", {...})`.

# %%
check("00.1", ...)

# %% [markdown]
# **2.** What is the bottleneck of `one_file` in `teaching/one-file-from-tape`? Write its address as text.

# %%
check("00.2", ...)

# %% [markdown]
# **Further**, without a check:
#
# - **Half a day.** Spread the starts of `planning/midnight` over six hours (`planning/spread-starts-night`). What limits the
#   last backup now?
# - **Your own.** Take the scenario that is closest to your site, and ask `sb.explain` which change would gain most. Make that
#   change, and ask again.
