"""What copies survive, by where they lie and how they can be reached."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.loading import read_site
from simbackup.planning.site import load_site
from simbackup.protection.fates import Group, groups_of
from simbackup.protection.losses import Loss, read_losses
from simbackup.protection.protect import mean_over
from tests.cases import for_each

LAST = date(2027, 12, 31)
EVERY = {"every": "1 h", "retention": {"last": 48}}
CHECKPOINT, MIRROR = "checkpoint/vxfs-storage-checkpoint", "mirror/vxvm-split-mirror"


def group(snapshots: dict[str, Any] | None = None, **targets: dict[str, Any]) -> Group:
    parts = site()
    for name, keys in targets.items():
        parts["targets"][name] |= keys
    if snapshots is not None:
        parts["policies"]["nightly"]["snapshots"] = EVERY | snapshots
    return groups_of(load_site(parts), LAST)[0]


def loss(*strikes: str, of: str = "", noticed: str = "0 s") -> Loss:
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": list(strikes), "noticed": noticed}}}).losses["it"]
    return Loss("it", spec, of)


@for_each("strikes, of, left", [
    ("data", "", ["snapshots", "pool", "vault"]),
    ("disks", "", ["pool", "vault"]),
    ("array", "", ["pool", "vault"]),
    ("target", "pool", ["snapshots", "vault"]),
    ("target", "vault", ["snapshots", "pool", "vault"]),
    ("place", "main", ["vault"]),
    ("place", "vault", ["snapshots", "pool"]),
    ("network", "", ["vault"]),
])  # fmt: skip
def test_copies_share_the_fate_of_what_they_lie_on(strikes: str, of: str, left: list[str]) -> None:
    """Cartridges that are taken away need neither the library nor a network."""
    assert group({"image": CHECKPOINT}).left(loss(strikes, of=of)) == left


def test_a_mirror_lies_on_disks_of_its_own_in_the_same_array() -> None:
    mirrored = group({"image": MIRROR})
    assert "snapshots" in mirrored.left(loss("disks"))
    assert "snapshots" not in mirrored.left(loss("array"))


def test_cartridges_in_a_library_can_be_changed_over_the_network_and_are_lost_with_it() -> None:
    inside = group(vault={"offsite": False})
    assert inside.left(loss("network")) == []
    assert inside.left(loss("target", of="vault")) == ["pool"]


def test_a_lock_helps_as_long_as_it_lasts() -> None:
    locked = group(pool={"immutable": "14 d"})
    assert locked.left(loss("network", noticed="7 d")) == ["pool", "vault"]
    found = loss("network", noticed="15 d")
    assert locked.left(found) == ["vault"]
    assert locked.copies[0].why(found) == "it is locked for 14 d only"
    assert locked.left(loss("network", "place", of="main")) == ["vault"]


def test_the_weakest_point_is_what_all_copies_have_in_common() -> None:
    usual, none = read_losses().on(load_site(site()))
    assert none == ["key", "account"]
    assert group(vault={"place": "main"}).weakest(usual) == "both copies are in one place, 'main', like the data"
    one = group(pool={"account": "a", "place": "b"}, vault={"account": "a"})
    assert one.weakest(usual) == "both copies belong to one account, 'a'"
    keyed = group(pool={"key": "k"}, vault={"key": "k"})
    assert keyed.weakest(usual) == "both copies need one key, 'k'"
    assert group().weakest(usual) == "only 'vault' survives the loss 'ransomware'"
    parts = site()
    del parts["policies"]["nightly"]["copies"]
    alone = groups_of(load_site(parts), LAST)[0]
    assert alone.weakest(usual) == "the only copy is in one place, 'main', like the data"


def test_a_loss_strikes_accounts_one_by_one() -> None:
    parts = site()
    parts["targets"]["pool"]["account"], parts["targets"]["vault"]["account"] = "a", "b"
    losses, _ = read_losses().on(load_site(parts))
    assert [one.of for one in losses if one.name == "account"] == ["a", "b"]


@for_each("losses, message", [
    ("losses:\n  it: {strikes: disk}\n", "losses:2:17: losses.it.strikes: there is nothing called 'disk'"),
    ("losses:\n  it: {strikes: data, of: pool}\n", "losses:2:27: losses.it.of: has no effect here"),
    ("losses:\n  it: {model: loss/unknown, strikes: data}\n", "losses:2:15: losses.it.model: there is no datasheet"),
    ("losses:\n  it: {strikes: [target, place]}\n", "losses:2:17: losses.it.strikes: names both target and place"),
    ("losses:\n  it: {strikes: data, noticed: 3 B}\n", "losses:2:32: losses.it.noticed:"),
    ("systems: {}\npolicies: {}\n", "losses:1:1: is a site, not a list of losses"),
    ("losses:\n  ransomwear: {yearly: 2 %}\n", "losses:2:3: losses.ransomwear: does not say what it strikes; did"),
    ("losses:\n  a: {strikes: disk}\n  b: {strikes: data, noticed: 3 B}\n", "losses:3:31: losses.b.noticed:"),
    ("losses:\n  a: {strikes: disk}\n  b: {strikes: data, noticed: 3 B}\n", "losses:2:16: losses.a.strikes: there is"),
    ("losses:\n  disks: {early: 3 %}\n  it: {strikes: host, late: 3 %}\n", "losses.it.late: has no effect without"),
    ("usual: false\nlosses: {}\n", "losses: has no loss"),
])  # fmt: skip
def test_what_is_wrong_with_a_list_has_its_place(losses: str, message: str) -> None:
    with pytest.raises(InputError) as found:
        read_losses(losses)
    assert message in str(found.value)


def test_a_list_names_what_the_site_has() -> None:
    wanted = read_losses("losses:\n  place: {of: moon}\n")
    with pytest.raises(InputError) as found:
        wanted.on(load_site(site()))
    assert "losses:2:15: losses.place.of: the site has no place 'moon'; it has main, vault" in str(found.value)


def test_a_list_adds_to_the_usual_one_and_replaces_key_by_key() -> None:
    found = read_losses("losses:\n  file: {noticed: 1 h}\n  place: null\n  flood: {strikes: place}\n").losses
    assert found["file"].noticed is not None
    assert (found["file"].noticed.si, found["file"].what) == (3600.0, "one-file")
    assert "place" not in found
    assert "flood" in found


def test_a_rate_of_ones_own_counts_at_all_ages() -> None:
    usual, own, young = (
        mean_over(read_losses(f"losses: {{disks: {{{said}}}}}\n" + "data_hour: 1\n").losses["disks"], 10.0).value
        for said in ("noticed: 1 h", "yearly: 5 %", "yearly: 5 %, early: 10 %, early_until: 5 years")
    )
    assert usual == pytest.approx((0.013 + 9 * 0.0157) / 10.0)
    assert (own, young) == pytest.approx((0.05, 0.075))


def test_snapshots_are_made_by_something_that_freezes_data() -> None:
    parts = site()
    parts["policies"]["nightly"]["snapshots"] = EVERY | {"image": "ssd/nvme-gen3-2018"}
    with pytest.raises(InputError, match="does not freeze data"):
        read_site(parts)
