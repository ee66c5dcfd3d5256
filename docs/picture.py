"""Draw every measured row beside its simulated figure, for the README; python docs/picture.py."""

from __future__ import annotations

from pathlib import Path

from simbackup.experiments.reproduce import reproduce

HERE = Path(__file__).parent

if __name__ == "__main__":
    reproduce(intervals=False).plot.overview().savefig(HERE / "pictures" / "all-rows.png", dpi=120)
