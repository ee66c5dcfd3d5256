"""Draw every measured row beside its simulated figure, for the README; python docs/picture.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from simbackup.experiments.reproduce import reproduce
from simbackup.results.compare import Row

HERE = Path(__file__).parent
STYLE = {
    "fitted": ("#4a6d8c", "o", "a constant was fitted to its group, or chosen on it"),
    "held-out": ("#d0485a", "D", "held out"),
    "input": ("#b3b3b3", "s", "given to the scenario"),
}
"""Colour, mark and meaning of each role."""


def ratio(row: Row) -> float:
    """Simulated over measured; 1 inside what the document's print allows."""
    return 1.0 if row.error == 0.0 else row.simulated / row.measurement.value


def draw(rows: list[Row], path: Path) -> None:
    """Write the picture of some rows, document below document."""
    folders = sorted({row.measurement.folder for row in rows}, reverse=True)
    figure, axis = plt.subplots(figsize=(8.0, 3.6), layout="constrained")
    axis.axvspan(0.9, 1.1, color="#dceaf5", zorder=0)
    axis.axvline(1.0, color="#4a6d8c", linewidth=1.0, zorder=1)
    for role, (colour, mark, meaning) in STYLE.items():
        label: str | None = meaning
        for level, folder in enumerate(folders):
            own = [row for row in rows if row.measurement.folder == folder]
            heights = [level + 0.7 * (i / max(len(own) - 1, 1) - 0.5) for i in range(len(own))]
            points = [(ratio(row), height) for row, height in zip(own, heights, strict=True) if row.role == role]
            if points:
                axis.scatter(*zip(*points, strict=True), s=18, color=colour, marker=mark, label=label, zorder=2)
                label = None
    counts = {folder: [row for row in rows if row.measurement.folder == folder] for folder in folders}
    names = [f"{folder}\n{sum(row.within for row in own)} of {len(own)} within 10 %" for folder, own in counts.items()]
    axis.set_yticks(range(len(folders)), names, fontsize=8)
    axis.set_xlim(0.5, 1.75)
    axis.set_xlabel("simulated / measured")
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    draw(reproduce(intervals=False).rows, HERE / "pictures" / "all-rows.png")
