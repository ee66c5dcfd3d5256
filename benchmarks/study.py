"""CPU time of the rows of a study with their intervals, for each row, compared with a timeout of bare SimPy."""

from __future__ import annotations

from benchmarks.processes import cpu_of, simbackup
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show

STUDIES, FEW = ("teaching/million-small-files", "planning/small-files", "planning/offsite"), ("planning/offsite",)


def main() -> None:
    """Print one row for each study."""
    parser = options("CPU time of whole studies")
    parser.add_argument("studies", nargs="*", help=f"names ({', '.join(STUDIES)})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    for study in asked.studies or (FEW if asked.quick else STUDIES):
        ours, timeout = compared([lambda study=study: cpu_of(simbackup("study", study)), bare_timeout], runs)
        show(Row("study", study, "program", TIMEOUT, timeout / ours, ours, "study", runs), as_json=asked.json)


if __name__ == "__main__":
    main()
