"""Draw the pictures of the README; python docs/picture.py."""

from __future__ import annotations

from pathlib import Path

from simbackup.experiments.reproduce import reproduce
from simbackup.run import simulate

PICTURES = Path(__file__).parent / "pictures"

if __name__ == "__main__":
    reproduce(intervals=False).plot.overview().savefig(PICTURES / "all-rows.png", dpi=120)
    simulate("teaching/mount-queue").plot.timeline().savefig(PICTURES / "mount-queue.png", dpi=120)
