"""How many transactions there have been so far, and how long they took."""

from __future__ import annotations

import math
from typing import NamedTuple


class Passed(NamedTuple):
    """Totals of all transactions so far: their number, seconds of them, and how many of them waited without end."""

    transactions: float = 0.0
    seconds: float = 0.0
    endless: float = 0.0

    def plus(self, transactions: float, each: float) -> Passed:
        """The totals after so many more transactions that take so long each."""
        if math.isinf(each):
            return self._replace(transactions=self.transactions + transactions, endless=self.endless + transactions)
        return self._replace(transactions=self.transactions + transactions, seconds=self.seconds + transactions * each)

    def response(self, before: Passed, most: float) -> float:
        """Mean seconds of a transaction since other totals were taken; one that waits without end counts as `most`."""
        transactions = self.transactions - before.transactions
        if transactions <= 0.0:
            return 0.0
        return (self.seconds - before.seconds + (self.endless - before.endless) * most) / transactions
