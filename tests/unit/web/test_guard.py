"""Which requests are refused: those of other pages, under other names, or too large."""

from starlette.datastructures import Headers

from simbackup.web.guard import LOCAL, MOST_BYTES, POLICY, refusal
from tests.cases import for_each

GOOD = {
    "host": "localhost:8350",
    "origin": "http://localhost:8350",
    "content-type": "application/json",
    "content-length": "2",
}


def test_the_page_itself_may_ask() -> None:
    assert refusal("POST", Headers(GOOD), LOCAL) is None
    assert refusal("GET", Headers({"host": "127.0.0.1:8350"}), LOCAL) is None


@for_each(
    "change, status",
    [
        ({"host": "evil.example:8350"}, 421), ({"host": ""}, 421), ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403), ({"origin": "http://localhost:9999"}, 403), ({"origin": ""}, 403),
        ({"content-type": "text/plain"}, 415), ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-length": ""}, 411), ({"content-length": str(MOST_BYTES + 1)}, 413),
    ],
)  # fmt: skip
def test_others_may_not(change: dict[str, str], status: int) -> None:
    found = refusal("POST", Headers(GOOD | change), LOCAL)
    assert found is not None
    assert found[0] == status


def test_a_name_that_leads_here_by_foreign_means_is_refused_also_to_read() -> None:
    assert refusal("GET", Headers({"host": "rebound.example"}), LOCAL) is not None
    assert refusal("GET", Headers({"host": "planner.example"}), LOCAL | {"planner.example"}) is None


def test_pages_load_nothing_from_elsewhere_and_run_no_text() -> None:
    rules = dict(rule.strip().split(" ", maxsplit=1) for rule in POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == rules["style-src"] == "'self'"
