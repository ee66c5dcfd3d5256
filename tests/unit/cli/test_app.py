from typer.main import get_command

from simbackup.cli.app import app, application, brief
from tests.cases import for_each

COMMANDS = get_command(app)


@for_each("group", [COMMANDS, *(one for one in COMMANDS.commands.values() if hasattr(one, "commands"))])  # type: ignore[attr-defined]
def test_each_command_has_a_line_of_its_own_in_the_list(group: object) -> None:
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        line = command.get_short_help_str(62)
        assert line.endswith("."), f"{name}: {line}"
        assert "..." not in line


def test_options_that_take_a_value_name_it() -> None:
    """And not the type that Python gives it; those with choices list them."""
    for group in (COMMANDS, *(one for one in COMMANDS.commands.values() if hasattr(one, "commands"))):  # type: ignore[attr-defined]
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            for option in getattr(command, "params", ()):
                if option.param_type_name == "option" and not option.is_flag:
                    assert option.metavar or option.name in {"intervals", "hold_out", "trace"}, (
                        f"{name} {option.opts[0]}"
                    )


def test_a_long_sentence_ends_at_its_comma() -> None:
    assert brief("Do this, and then do that, until all of it is done and nothing is left.") == "Do this."
    assert brief("Do this, and that. Then stop.") == "Do this, and that."


@for_each("name", COMMANDS.commands)  # type: ignore[attr-defined]
def test_a_command_that_is_named_comes_alone_and_as_it_is_among_all(name: str) -> None:
    alone, among = get_command(application(name)), COMMANDS
    assert list(alone.commands) == [name]  # type: ignore[attr-defined]
    one, other = alone.commands[name], among.commands[name]  # type: ignore[attr-defined]
    assert [each.opts for each in one.params] == [each.opts for each in other.params]
    assert list(getattr(one, "commands", ())) == list(getattr(other, "commands", ()))
    assert one.help == other.help


@for_each("name", ["", "--help", "rnu"])
def test_what_is_no_name_of_a_command_leaves_all(name: str) -> None:
    assert list(get_command(application(name)).commands) == list(COMMANDS.commands)  # type: ignore[attr-defined]
