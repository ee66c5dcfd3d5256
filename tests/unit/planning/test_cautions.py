from datetime import timedelta
from typing import Any

from sites.plan import site

from simbackup.planning.cautions import endless
from simbackup.planning.ledger import Ledger
from simbackup.planning.site import PlannedSite, load_site
from tests.cases import for_each

SYSTEM = {"size": "1 TB", "change": {"daily": "1 %", "run": "1 MiB"}, "policy": "nightly"}
KEPT = {"retention": {"age": "14 days"}}
OF_POLICY, OF_COPY = "policies.nightly.retention", "policies.nightly.copies.away.retention"
FOREVER, WEEKLY = {"incremental": "daily"}, {"full": "sunday", "incremental": "daily"}


def loaded(schedule: dict[str, str], copy: dict[str, Any] | None = None, **policy: Any) -> PlannedSite:
    made = site(zone="UTC", systems={"a": SYSTEM})
    made["targets"]["second"] = made["targets"]["pool"] | {"place": "second"}
    copies = {"away": {"to": "second", **KEPT, **copy}} if copy is not None else {}
    nightly = {"to": "pool", "at": "20:00", "schedule": schedule, "copies": copies, **KEPT, **policy}
    return load_site(made | {"policies": {"nightly": nightly}})


@for_each(
    "schedule, copy, policy, found",
    [
        (FOREVER, None, {}, {"": OF_POLICY}),
        (FOREVER, None, {"merges": True}, {}),
        (FOREVER, {}, {"merges": True}, {"away": OF_COPY}),
        (FOREVER, {"merges": True}, {"merges": True}, {}),
        (FOREVER, {"which": "full"}, {"merges": True}, {}),
        (WEEKLY, {}, {}, {}),
        ({"differential": "daily"}, {}, {}, {}),
    ],
)
def test_nothing_expires_where_a_warning_says_so_and_only_there(
    schedule: dict[str, str], copy: dict[str, Any] | None, policy: dict[str, Any], found: dict[str, str]
) -> None:
    """Of a hundred save sets that are to stay for two weeks, all are still there."""
    planned = loaded(schedule, copy, **policy)
    assert [problem.address for problem in endless(planned.file)] == [*found.values()]
    ledger = Ledger(planned)
    for _ in ledger.days(planned.start + timedelta(days=99)):
        pass
    held = {copy: len(place.sizes) for stock in ledger.stocks.values() for copy, place in stock.places.items()}
    assert {copy for copy, number in held.items() if number == 100} == found.keys()


def test_a_retention_that_is_left_out_keeps_everything_by_intent() -> None:
    assert endless(loaded(FOREVER, {"retention": None}, retention=None).file) == []


def test_a_policy_that_is_divided_is_warned_of_once() -> None:
    made = site(systems={"a": SYSTEM, "b": SYSTEM})
    made["targets"]["second"] = made["targets"]["pool"]
    policy = {"to": ["pool", "second"], "at": "20:00", "schedule": FOREVER}
    found = endless(load_site(made | {"policies": {"nightly": policy | KEPT}}).file)
    assert [problem.address for problem in found] == [OF_POLICY]
