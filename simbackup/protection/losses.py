"""Lists of losses: the usual ones, and those of a file, checked with the place of all that is wrong; their schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from simbackup import shelf
from simbackup.equations.uncertainty import SCORE
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.loading import over_datasheet
from simbackup.planning.site import PlannedSite
from simbackup.protection.spec import EACH, THINGS, LossesSpec, LossSpec
from simbackup.schema import tree as trees
from simbackup.schema.json_forms import Forms, Json
from simbackup.schema.part import disagreements
from simbackup.schema.quantity import Money
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate, validate_in_part
from simbackup.schema.yaml_file import kind_of, parse, read

USUAL = Path(__file__).with_name("losses.yaml")
"""The losses that count unless a list says otherwise."""
SCORES = (-1.2816, -0.5244, 0.0, 0.5244, 1.2816)
"""Standard scores at 10, 30, 50, 70 and 90 % of all cases."""
KINDS = {"losses": "Losses that a site has to survive (losses.yaml)."}
"""The kinds of files about protection that have a schema."""
AGES = frozenset({"early", "early_until", "late", "late_from"})
"""Keys of a datasheet that do not count where a list has a rate of its own."""
Thing = tuple[str, str]
"""Something that a loss may strike: a word of `strikes`, and its name; an empty one stands for all."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: what it is called, and what it says; of several targets, places, accounts or keys the one it strikes."""

    name: str
    spec: LossSpec
    of: str = ""

    @property
    def title(self) -> str:
        """What happens, in words."""
        title = self.spec.title or self.name
        return f"{title}: {self.of}" if self.of else title

    @property
    def strikes(self) -> frozenset[Thing]:
        """All that it strikes."""
        return frozenset((word, self.of if word in EACH else "") for word in self.spec.strikes)

    @property
    def noticed(self) -> float:
        """Seconds until it is noticed."""
        return self.spec.noticed.si

    @property
    def delays(self) -> tuple[float, ...]:
        """Seconds until it is noticed in equally many cases each: the range holds nine cases in ten.

        >>> from simbackup.schema.quantity import Quantity
        >>> range = Quantity(3600.0, "s", "1 h", low=360.0, high=36000.0)
        >>> [round(delay) for delay in Loss("file", LossSpec(strikes="data", noticed=range)).delays]
        [599, 1728, 3600, 7501, 21650]
        """
        given = self.spec.noticed
        if given.low is None or given.high is None:
            return (self.noticed,)
        return tuple(_between(given.si, given.low if z < 0.0 else given.high, abs(z) / SCORE) for z in SCORES)

    def hits(self, things: frozenset[Thing]) -> Thing | None:
        """The first of some things that it strikes, None if it strikes none."""
        struck = self.strikes
        return next((thing for thing in sorted(things) if thing in struck or (thing[0], "") in struck), None)


def _between(value: float, end: float, share: float) -> float:
    """A time between another and the end of its range: by factors, or by seconds where one of them is none."""
    return value * (end / value) ** share if value > 0.0 and end > 0.0 else value + (end - value) * share


@dataclass(frozen=True, slots=True)
class Losses:
    """A list of losses, its tree with the places, and what hours cost."""

    losses: dict[str, LossSpec]
    tree: Node
    downtime_hour: Money | None = None
    data_hour: Money | None = None
    all_data: Money | None = None

    def on(self, site: PlannedSite) -> tuple[list[Loss], list[str]]:
        """The losses that can strike a site, one after the other, and the names of those that cannot.

        Raises
        ------
        InputError
            A loss names what the site does not have.
        """
        found: list[Loss] = []
        none: list[str] = []
        problems: list[Problem] = []
        named = names_of(site)
        for name, spec in self.losses.items():
            kind = next((word for word in spec.strikes if word in EACH), None)
            if kind is None:
                found.append(Loss(name, spec))
                continue
            for of in spec.of:
                if of not in named[kind]:
                    place = self.tree.find(("losses", name, "of"))[0].place
                    remedy = f"it has {', '.join(named[kind])}" if named[kind] else f"no target states '{kind}:'"
                    problems.append(Problem(place, f"losses.{name}.of", f"the site has no {kind} '{of}'", remedy))
            each = [Loss(name, spec, of) for of in spec.of or named[kind]]
            found += each
            none += [name] * (not each)
        if problems:
            raise InputError(problems)
        return found, none


def names_of(site: PlannedSite) -> dict[str, list[str]]:
    """The targets, places, accounts and keys of a site by name."""
    spec = site.file.spec
    targets = spec.targets.values()
    return {
        "target": [*spec.targets],
        "place": [*spec.places],
        "account": [*dict.fromkeys(one.account for one in targets if one.account is not None)],
        "key": [*dict.fromkeys(one.key for one in targets if one.key is not None)],
    }


def read_losses(what: str | Path | Mapping[str, object] | None = None) -> Losses:
    """The usual losses, and those of a file, of YAML text of several lines or of a mapping.

    Raises
    ------
    InputError
        Everything that is wrong with it, each with its place.
    """
    usual = parse(USUAL.read_text(encoding="utf-8"), "losses")
    if what is None:
        return losses_of(usual, usual)
    twice: list[Problem] = []
    if isinstance(what, Mapping):
        own = trees.from_plain(what, Place("losses"))
    elif isinstance(what, str) and "\n" in what:
        own = parse(what, "losses", twice)
    else:
        own = read(Path(what), shelf.shown(Path(what)), twice)
    other = kind_of(own.mapping)
    if other is not None:
        raise InputError([Problem(own.place, "", f"is a {other}, not a list of losses", "write 'losses: {...}'")])
    if twice:
        raise InputError(twice)
    return losses_of(own, usual)


def losses_of(own: Node, usual: Node) -> Losses:
    """The losses of a tree, over the usual ones."""
    problems: list[Problem] = []
    wanted = own.mapping.get("usual")
    tree = own if wanted is not None and wanted.value is False else trees.overlay(usual, own)
    each, found = dict[str, Node](), dict[str, LossSpec]()
    known = usual.mapping["losses"].mapping
    for name, node in tree.mapping.get("losses", Node({}, tree.place, tree.place)).mapping.items():
        part = node if node.value is None else over_datasheet(node, "loss", f"losses.{name}", problems)
        if part is None or part.value is None:
            continue
        if node.mapping and "strikes" not in part.mapping:
            problems.append(Problem(node.key, f"losses.{name}", "does not say what it strikes", choices(name, known)))
            continue
        ages = AGES.difference(node.mapping) if "yearly" in node.mapping else frozenset[str]()
        each[name] = Node({key: one for key, one in part.mapping.items() if key not in ages}, part.place, part.key)
        loss = validate_in_part(LossSpec, each[name] if node.mapping else part, f"losses.{name}", problems)
        for wrong in disagreements(loss) if loss is not None else ():
            path = wrong.paths[0] if wrong.paths else ()
            place = each[name].find(path)[0].place
            problems.append(Problem(place, ".".join(("losses", name, *path)), wrong.message, wrong.remedy))
        if loss is not None:
            found[name] = loss
    tree = Node({**tree.mapping, "losses": Node(each, tree.place, tree.key)}, tree.place, tree.key)
    spec = validate(LossesSpec, Node({**tree.mapping, "losses": Node({}, tree.place)}, tree.place), "", problems)
    if not each and not problems:
        problems.append(Problem(tree.place, "losses", "has no loss", "write one, or leave out 'usual: false'"))
    if spec is None or problems:
        raise InputError(problems)
    return Losses(found, tree, spec.downtime_hour, spec.data_hour, spec.all_data)


def losses_schema(datasheets: Iterable[str] = ()) -> Json:
    """The JSON Schema of a list of losses; `datasheets` are names that editors offer.

    >>> sorted(losses_schema()["properties"])
    ['all_data', 'data_hour', 'downtime_hour', 'losses', 'usual']
    """
    forms = Forms(tuple(datasheets))
    body, loss = forms.whole(LossesSpec), forms.form(LossSpec)
    word = {"enum": list(THINGS)}
    loss["properties"]["model"] = forms.sheet_name("loss")
    loss["properties"]["strikes"] = {
        "description": loss["properties"]["strikes"]["description"],
        "anyOf": [word, {"type": "array", "items": word, "minItems": 1}],
    }
    about = body["properties"]["losses"]["description"]
    body["properties"]["losses"] = forms.named({"anyOf": [loss, {"type": "null"}]}, about)
    return forms.file("losses", KINDS["losses"], body)
