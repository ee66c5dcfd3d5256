"""CPU time of `simbackup reproduce`, all processes together, for each document and for all of them."""

from __future__ import annotations

from benchmarks.processes import cpu_of, simbackup
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show

DOCUMENTS, FEW = ("000", "001", "002", "003", "004", "all"), ("003",)


def main() -> None:
    """Print one row for each document."""
    parser = options("CPU time of reproduce")
    parser.add_argument("documents", nargs="*", help=f"beginnings of their names, or all ({', '.join(DOCUMENTS)})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    for document in asked.documents or (FEW if asked.quick else DOCUMENTS):
        command = simbackup("reproduce", *(() if document == "all" else (document,)))
        ours, timeout = compared([lambda command=command: cpu_of(command), bare_timeout], runs)
        show(Row("reproduce", document, "program", TIMEOUT, timeout / ours, ours, "call", runs), as_json=asked.json)


if __name__ == "__main__":
    main()
