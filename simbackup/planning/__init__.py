"""Plans of a site over months: nights, capacity, cartridges, restore points, restores and cost.

How a plan is computed, and in which order to read the modules:

1. `spec` and `policy` say what a site file may say; `loading` reads and checks it; `rewriting` changes values in it,
   and divides policies among days, targets and proxies. `inventory` and `described` write such a file.
2. `site` has the numbers: sizes by date, what each level saves, and what each target holds.
3. `ledger` follows the calendars day by day, with the save sets of `stored` and the restore points of `points`. `cost`
   and `expenses` price what it finds. No night has to be simulated for this.
4. `night` says what a night is. `hardware` and `scenarios` write its scenario; `origins` maps mistakes in it back.
5. `playing` simulates a night; `sampling` chooses which are simulated, and `nights` has what all of them came to, also
   where parts fail (`failure`). `windows` counts what was late.
6. `plan` has all tables. `intervals` says how sure they are, `sensitivity` and `reasons` why they are as they are,
   `goals` and `variants` what would be better, and `cautions` what in the file does nothing.
7. `available` says what is left after a loss; `restore` brings it back: a `recovery`. `restore_points` lists points.
"""

from __future__ import annotations

from simbackup.planning.prices import PricesSheet

SHEETS = {"prices": PricesSheet}
