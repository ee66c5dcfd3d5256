"""Plans of a few days, in which backups of logs may come nearest to their windows."""

import pytest
from sites.plan import site

from simbackup.planning.intervals import sureness
from simbackup.planning.plan import plan
from simbackup.planning.site import load_site
from tests.cases import for_each


@pytest.mark.slow
@for_each("until", ["1 day", "2 days", "3 weeks"])
def test_repeated_backups_of_logs_have_an_interval(until: str) -> None:
    made = site()
    made["policies"]["nightly"] = {
        "to": "pool", "at": "20:00", "schedule": {"full": "daily"}, "retention": {"last": 2},
        "logs": {"every": "15 min"}, "retries": 2, "retry_after": "10 min",
    }  # fmt: skip
    change = {"daily": "3 %", "run": "256 KiB"}
    made["systems"] = {"sql": {"size": "10 GB", "change": change, "log": "10 %", "policy": "nightly"}}
    found = plan(load_site(made), until)
    sure = sureness(found).night
    if until == "1 day":
        assert sure is None  # the first backup of all is not judged
    else:
        assert sure is not None
        assert sure.job == "sql-logs"
        assert 0.0 < sure.elapsed.low <= sure.elapsed.best <= sure.elapsed.high
