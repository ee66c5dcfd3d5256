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
# # A device of your own
#
# You back up a workstation to a USB stick, but simbackup does not know USB sticks. It does not have to: a device is a folder of
# four short files in a package of your own, and nothing in the program changes. **What does a simulator need to know about a
# device to predict how long a backup to it takes?**
#
# We start from the package in `examples/simbackup-example`, which adds memory that is used as a disk. We copy it, rename it,
# run it, find that it is wrong for a stick, and change the two lines that matter. The handbook's page *Add a device* shows how
# to write such a package from scratch.

# %%
import json
import os
import subprocess
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import simbackup as sb
from course import check, predict
from IPython.display import SVG

sb.style.use()
BLUE, DARK, RED, SKY = sb.style.BLUE, sb.style.DARK, sb.style.RED, sb.style.SKY
MB, MINUTE = 1e6, 60

# %% [markdown]
# ## 1. Copy and rename
#
# Each file of the example is copied under new names. Then the package is installed. `pip install ./my-devices` would do that;
# here we write what pip would write: a folder with the *entry points* through which simbackup finds the kinds of other
# packages.

# %%
EXAMPLE = Path(sb.__file__).parents[1] / "examples" / "simbackup-example"
NAMES = {
    "simbackup_example": "my_devices",
    "simbackup-example": "my-devices",
    "ram_disk": "usb_stick",
    "RamDisk": "UsbStick",
}
NAMES |= {"ddr4-2400": "stick-64gb", "Memory that is used as a disk": "A USB stick"}


def renamed(text):
    """A text with all names of the example replaced."""
    for old, new in NAMES.items():
        text = text.replace(old, new)
    return text


for path in sorted(EXAMPLE.rglob("*")):
    if path.suffix in {".py", ".yaml", ".toml"} and "verify" not in str(path):
        copy = Path(renamed(str(path.relative_to(EXAMPLE))))
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(renamed(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(copy)

# %%
groups = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
installed = Path("my_devices-0.1.0.dist-info")
installed.mkdir()
(installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-devices\nVersion: 0.1.0\n", encoding="utf-8")
lines = [
    f"[{group}]\n{name} = {where}"
    for group, points in groups.items()
    for name, where in points.items()
    if name != "verify"  # we took the device, and left the method
]
(installed / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
print("\n".join(lines))

# %% [markdown]
# ## 2. The keys of a file, and what takes time
#
# `spec.py` has the keys of a datasheet, each with a type that knows its unit:

# %%
ROOM = Path("my_devices/usb_stick")
print((ROOM / "spec.py").read_text(encoding="utf-8").split("\n\n\n", 1)[1])

# %% [markdown]
# `live.py` answers two questions: how many seconds of the device does each byte of a long stream take,
# and how long does one small request take?

# %%
print((ROOM / "live.py").read_text(encoding="utf-8").split("    def stream", 1)[1])

# %% [markdown]
# `make.py` turns the first into the second, and `__init__.py` names the kind. A datasheet for our stick, and a scenario:

# %%
SHEET, SCENARIO = Path("my_devices/models/usb_stick/stick-64gb.yaml"), Path("onto-a-stick.yaml")
SHEET.write_text(
    """\
title: A USB stick
kind: usb_stick
parameters:
  capacity: {value: 64 GB, basis: assumed, range: [58 GB, 64 GB], why: printed on it}
  rate: {value: 100 MB/s, basis: assumed, range: [80 MB/s, 130 MB/s], why: printed on its package}
  latency: {value: 1 ms, basis: assumed, range: [0.3 ms, 5 ms], why: a command over USB}
""",
    encoding="utf-8",
)
SCENARIO.write_text(
    """\
title: A workstation is saved onto a USB stick
hosts:
  workstation: {model: host/linux-modern-server, owns: [disk, stick]}
devices:
  disk: {model: ssd/nvme-gen3-2018}
  stick: {model: usb_stick/stick-64gb}
data:
  home: {on: disk, size: 24 GB}
jobs:
  save: {method: image, data: home, to: stick}
  bring_back: {restore: save, after: save}
""",
    encoding="utf-8",
)


HERE = {**os.environ, "PYTHONPATH": "."}


def simbackup(*words):
    """What the command prints; a process of its own sees the files as they are now."""
    return subprocess.run(["simbackup", *words], env=HERE, capture_output=True, text=True, check=True).stdout


def minutes():
    """Minutes of each job, as simulated now."""
    jobs = json.loads(simbackup("run", str(SCENARIO), "--json"))["jobs"]
    return {job["job"]: job["elapsed"] / MINUTE for job in jobs}


simbackup("picture", str(SCENARIO), "-o", "system.svg")
SVG(filename="system.svg")

# %%
datasheet = minutes()
print({job: round(took, 1) for job, took in datasheet.items()})

# %% [markdown]
# ## Predict first
#
# You try it with a stopwatch. Writing 24 GB to the stick takes 20 minutes, and reading them back takes 4 minutes. The packaging
# states 100 MB/s, but not what it refers to. How many times as long as simulated does the backup really take? Write your number
# down before you go on; nobody else sees it.

# %%
guess = predict(2, "times")

# %%
STOPWATCH = {"save": 20.0, "bring_back": 4.0}
guess.compare(STOPWATCH["save"] / datasheet["save"])

# %% [markdown]
# ## 3. Where is the model wrong?
#
# The restore is right, and the backup is wrong by a factor of five. So the rate is the read rate. Flash is erased in blocks
# before it is written, and cheap sticks do that slowly. No value of `rate` can be right for both: the *form* of the device is
# wrong, and a fit would hide that. The device needs a second rate.

# %%
spec, live, make = (ROOM / name for name in ("spec.py", "live.py", "make.py"))


def change(path, old, new):
    """Replace a piece of a file."""
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


KEY = '    """Bytes a second that are read and written together."""\n'
change(
    spec,
    KEY,
    '    """Bytes a second that are read."""\n    write_rate: Rate\n    """Bytes a second that are written."""\n',
)
change(live, "    rate: float\n", "    rate: float\n    write_rate: float\n")
change(live, "del direction, position, size\n        return 1.0 / self.rate",
       "del position, size\n        return 1.0 / (self.rate if direction == 'read' else self.write_rate)")  # fmt: skip
change(make, "disk.rate.si, ", "disk.rate.si, disk.write_rate.si, ")

checked = subprocess.run(["simbackup", "check", str(SCENARIO)], env=HERE, capture_output=True, text=True, check=False)
print(checked.stderr)

# %% [markdown]
# The check knows the new key at once, and so do the schema for editors and the reference: they are all made from `spec.py`. The
# datasheet gets the value, and states where it comes from.

# %%
LINE = "  write_rate: {value: 20 MB/s, basis: measured, source: our-notes, at: 24 GB in 20 minutes}\n"
SHEET.write_text(SHEET.read_text(encoding="utf-8") + LINE, encoding="utf-8")
Path("my_devices/models/sources.yaml").write_text(
    "our-notes:\n  title: Our notebook\n  kind: notes\n  year: 2026\n", encoding="utf-8"
)
own = minutes()
print({job: round(took, 1) for job, took in own.items()})

# %% tags=["claims"]
assert abs(own["save"] / STOPWATCH["save"] - 1) < 0.05
assert abs(own["bring_back"] / STOPWATCH["bring_back"] - 1) < 0.05

# %%
fig, axis = plt.subplots(figsize=(8, 2.6))
JOBS = {"save": "backup", "bring_back": "restore"}
for y, job in enumerate(JOBS):
    axis.barh(y - 0.2, datasheet[job], height=0.36, color=SKY, label="one rate, as on the package" if y == 0 else None)
    axis.barh(y + 0.2, own[job], height=0.36, color=BLUE, label="reading and writing apart" if y == 0 else None)
    axis.plot([STOPWATCH[job]] * 2, [y - 0.42, y + 0.42], color=RED, label="stopwatch" if y == 0 else None)
axis.set_yticks(range(len(JOBS)), list(JOBS.values()))
axis.set(xlabel="minutes", ylim=(1.5, -0.5))
axis.tick_params(axis="y", length=0)
axis.legend(loc="lower right")
plt.show()

# %% [markdown]
# ## 4. Is it right now?
#
# It agrees with the two figures that we gave it, and that proves nothing: the write rate *is* one of them. A device is right if
# it predicts something that we did not give it. So predict a third figure before you measure it: many small files, or a restore
# while something else is written. `request()` still treats reads and writes alike; sticks are slowest with small writes.
#
# ## 5. Exercises
#
# **1.** A better stick writes at 50 MB/s. How many minutes does the backup of 24 GB take? Change the datasheet, or calculate it.

# %%
check("10.1", ...)

# %% [markdown]
# **2.** Each small write makes the stick erase a whole block. In which of the four files do you write how long that takes: `spec`,
# `live`, `make` or `__init__`? Write the word as text.

# %%
check("10.2", ...)

# %% [markdown]
# **Further**, without a check:
#
# - **Small writes.** Give the sheet a key `erase_block`, and let `request()` write whole blocks. Then restore 10,000 files of
#   50 kB to the stick. How long does the same restore to the solid-state disk take?
# - **A method.** The example also adds a method, `verify`. Copy that, too, and check the save set on the stick.
