"""How many transactions there have been so far, and how long they took."""

from __future__ import annotations

import math
from typing import NamedTuple


class Passed(NamedTuple):
    """Totals of the transactions so far."""

    transactions: float = 0.0
    """Their number."""
    seconds: float = 0.0
    """Their seconds."""
    endless: float = 0.0
    """Those that waited in a queue that grows without end."""

    def plus(self, transactions: float, each: float) -> Passed:
        """The totals after some more transactions that take `each` seconds."""
        if math.isinf(each):
            return self._replace(transactions=self.transactions + transactions, endless=self.endless + transactions)
        return self._replace(transactions=self.transactions + transactions, seconds=self.seconds + transactions * each)

    def response(self, before: Passed, most: float) -> float:
        """Mean seconds of a transaction since `before`; one in a queue that grows without end counts as `most`."""
        transactions = self.transactions - before.transactions
        if transactions <= 0.0:
            return 0.0
        return (self.seconds - before.seconds + (self.endless - before.endless) * most) / transactions
