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
# # How reliable is the answer?
#
# A simulation returns a number with many digits, whatever you give it. But nobody has counted the files on the server, the
# datasheet of the disk does not mention its cache, and the model leaves things out. **How wide is the range that contains the
# true time, what makes it wide, and what would you measure first?**

# %%
import matplotlib.pyplot as plt
import simbackup as sb
from course import check, predict

sb.style.use()
BLUE, DARK, RED, SKY = sb.style.BLUE, sb.style.DARK, sb.style.RED, sb.style.SKY
HOUR = 3600

# %% [markdown]
# ## 1. Write down what you do not know
#
# A file server is backed up over a network at night, and has eight hours for it. Nobody has looked up three things: how many
# files there are, what their total size is, and whether the files of a directory are together on the disk or scattered over it.
# Each of them is *assumed*: it has a best guess, a range, and a reason. (A word has alternatives instead of a range.) The
# scenario states this as follows:
#
#     data:
#       files:
#         on: store
#         filesystem: filesystem/ntfs-2003-guest
#         layout: {value: scattered, alternatives: [together], why: nobody has looked}
#         size: {value: 200 GB, basis: assumed, range: [150 GB, 260 GB], why: it grows}
#         files: {value: 1000000, basis: assumed, range: [500000, 2000000], why: nobody has counted}

# %%
SERVER = "teaching/uncounted-files"
sb.picture(SERVER)

# %%
night = sb.simulate(SERVER)
print(f"the best guess: {night.get('jobs.save.elapsed') / HOUR:.1f} hours of the 8")

# %% [markdown]
# ## Predict first
#
# The true time is below a 90 % interval in one case out of twenty, and above it in another. The best guess is 6.8 hours. By
# what factor is the upper end larger than the lower end? Write your number down before you go on; nobody else sees it.

# %%
guess = predict(2, "times")

# %% [markdown]
# ## 2. The interval
#
# simbackup varies all values that have a range, those above and those of datasheets, together. It adds the error of the model,
# which it estimates from published backups of the same kind: how far off were those?

# %%
save = sb.intervals_of(night)["save"]
guess.compare(save.elapsed.high / save.elapsed.low)
print(save.sentence().replace("; ", "\n"))

# %% tags=["claims"]
assert save.elapsed.high / save.elapsed.low > 10
assert [one.input.name for one in save.decides] == ["data.files.layout"]

# %% [markdown]
# The number that looked so exact says little: the backup takes half an hour, or half a day. That is not the program's fault.
# Nobody can know more without looking at this server.
#
# ## 3. What makes it wide?
#
# Move a single input to the ends of its range and leave all others at their best guess. The resulting picture is called a
# tornado diagram.

# %%
found = sb.sensitivity(SERVER, "jobs.save.elapsed", samples=0, walks=0, workers=1)
found.plot.tornado()

# %% [markdown]
# Two inputs stand out: how many files there are, and whether they are together. Measuring the second takes an hour with a tool
# that lists where files are on the disk. Of all measurements, it narrows the interval most. A faster network or a better guess
# of the size would change nothing.
#
# ## 4. Measure, and ask again
#
# Suppose you have looked: the files are scattered. Then you count them: 1.1 million. Known values no longer have a range.

# %%
STEPS = {
    "nothing measured": {},
    "layout measured": {"data.files.layout": "scattered"},
    "files counted, too": {"data.files.layout": "scattered", "data.files.files": "1100000"},
    "and the size": {"data.files.layout": "scattered", "data.files.files": "1100000", "data.files.size": "205 GB"},
}
known = {name: sb.intervals_of(sb.simulate(SERVER, values))["save"] for name, values in STEPS.items()}

fig, axis = plt.subplots(figsize=(8, 2.8))
for y, one in enumerate(known.values()):
    low, best, high = (end / HOUR for end in (one.elapsed.low, one.elapsed.best, one.elapsed.high))
    axis.plot([low, high], [y, y], color=SKY, linewidth=9, solid_capstyle="butt")
    low, high = one.from_inputs.low / HOUR, one.from_inputs.high / HOUR
    axis.plot([low, high], [y, y], color=BLUE, linewidth=3, solid_capstyle="butt")
    axis.plot(best, y, "o", color=DARK)
axis.axvline(8, color=RED)
axis.text(8.1, -0.55, "window", color=RED)
axis.set_yticks(range(len(known)), list(known))
axis.set(xlabel="hours (dark: from the inputs alone; light: with what the model leaves out)", ylim=(3.5, -0.9))
axis.set_xlim(left=0)
axis.tick_params(axis="y", length=0)
plt.show()

# %%
for name, one in known.items():
    low, high = one.elapsed.low / HOUR, one.elapsed.high / HOUR
    print(f"{name:<19}{low:4.1f} to {high:4.1f} h, fits in {one.fits:.0%} of cases")

# %% tags=["claims"]
first, *_, last = known.values()
assert last.elapsed.low > 4 * first.elapsed.low
assert last.input_share < 0.3 < 0.6 < first.input_share
assert last.fits < first.fits < 0.9
assert last.elapsed.high > 8 * HOUR

# %% [markdown]
# - The first measurement narrows the interval most, but only at the lower end: the best guess was right, and the night is as
#   tight as before. Knowing more does not make the backup faster.
# - The backup fits less often than before you looked, because the cases in which files are together are gone. A measurement can
#   also bring bad news.
# - Most of the remaining width is the error of the model, the light ends: published backups of other servers were off by as much.
#   A little comes from values of the file system that nobody publishes. Looking at the server again narrows neither. A measured
#   backup *of this server* does, because the program can then be fitted to it
#   ([bring your own measurements](06-bring-your-own-measurements.ipynb)).
#
# ## 5. Does a 90 % interval hold nine times in ten?
#
# Only measurements can answer this. The handbook's page on validation counts how many of the published figures are inside their
# intervals; look there before you promise anything.
#
# ## 6. Decide
#
# Does it fit? Not "yes, 6.8 hours are less than 8", but "about every other time". Whether that is good enough depends on
# what a missed window costs. If it costs little, just try it. If it costs much, change something first: for an image backup,
# for instance, it does not matter where the files are.

# %%
IMAGE = f"""
extends: {SERVER}
jobs: {{save: {{method: image, tool: null}}}}
"""
image = sb.intervals_of(sb.simulate(IMAGE))["save"]
print(f"{image.elapsed.low / HOUR:.1f} to {image.elapsed.high / HOUR:.1f} h, fits in {image.fits:.0%} of cases")

# %% tags=["claims"]
assert image.fits > 0.95 and image.elapsed.high < 2 * HOUR
assert 0.5 < last.fits < 0.6 < first.fits < image.fits

# %% [markdown]
# The image backup of the same server fits without any measurement, even at the upper end of its interval: what you do not know no
# longer matters. That is often the better way to be sure.
#
# ## 7. Exercises
#
# **1.** With the layout known to be scattered (`data.files.layout`), the files counted (1.1 million) and a window of **12
# hours** (`jobs.save.window`): in what share of cases, between 0 and 1, does the backup fit?

# %%
check("07.1", ...)

# %% [markdown]
# **2.** The layout turns out to be `together`. Which input matters most now? Write its address as text.

# %%
check("07.2", ...)

# %% [markdown]
# **Further**, without a check:
#
# - **Ranges of your own.** Take a scenario of your site, and write down ranges for three values on which you would bet nine to
#   one. Then look them up. How often was the true value inside?
