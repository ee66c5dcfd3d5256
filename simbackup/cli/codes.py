"""How the program ends."""

from __future__ import annotations

WRONG_INPUT = 2
INTERRUPTED = 130
"""The exit codes for wrong input, and after Ctrl-C."""
EXIT_CODES = (
    f"Exit codes: 0 all is well; 1 the answer is bad, such as a failed job or a missed goal; {WRONG_INPUT} wrong "
    f"input; {INTERRUPTED} ended by Ctrl-C; 143 ended by SIGTERM."
)
"""What the help says of them."""
