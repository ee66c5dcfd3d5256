import pytest

from simbackup.errors import InputError
from simbackup.planning.spec import SiteSpec
from simbackup.scenario import spec
from simbackup.schema.yaml_file import SECTIONS, FileKind, parse, refuse_others
from tests.cases import for_each

SITE, SCENARIO, STUDY = "systems: {}\npolicies: {}\n", "hosts: {}\njobs: {}\n", "scenarios: {}\nshow: []\n"


@for_each(
    "text, wanted, message",
    [
        (SITE, "scenario", "a.yaml:1:1: is a site, not a scenario; use 'simbackup plan run'"),
        (SCENARIO, "site", "a.yaml:1:1: is a scenario, not a site; use 'simbackup run'"),
        (SCENARIO, "study", "a.yaml:1:1: is a scenario, not a study; use 'simbackup run'"),
        (SITE, "study", "a.yaml:1:1: is a site, not a study; use 'simbackup plan run'"),
        (STUDY, "site", "a.yaml:1:1: is a study, not a site; use 'simbackup study'"),
    ],
)
def test_a_file_of_another_kind_is_named(text: str, wanted: FileKind, message: str) -> None:
    with pytest.raises(InputError) as raised:
        refuse_others(parse(text, "a.yaml"), wanted)
    assert [str(problem) for problem in raised.value.problems] == [message]


@pytest.mark.parametrize(("kind", "keys"), [("site", tuple(SiteSpec.model_fields)), ("scenario", spec.SECTIONS)])
def test_sections_come_in_the_order_in_which_files_are_checked(kind: FileKind, keys: tuple[str, ...]) -> None:
    assert SECTIONS[kind] == tuple(key for key in keys if key in SECTIONS[kind])
