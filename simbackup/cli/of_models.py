"""Commands about datasheets: list, show, fitted, cite."""

from __future__ import annotations

from typing import Annotated

import typer

from simbackup.cli.options import Json


def listed(as_json: Json = False) -> None:
    """List the datasheets; those that cannot be read are reported below."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_list  # noqa: PLC0415

    rows, wrong = datasheet_list()
    show.listing(rows, as_json=as_json)
    if wrong is not None:
        raise wrong


def shown(
    name: Annotated[str, typer.Argument(help="Such as disk/scsi-10k-146gb-2004.")], as_json: Json = False
) -> None:
    """Show each value of a datasheet with its basis and source."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_values  # noqa: PLC0415

    show.listing(datasheet_values(name), as_json=as_json)


def fitted(as_json: Json = False) -> None:
    """List the fitted and chosen constants."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import fitted_list  # noqa: PLC0415

    show.listing(fitted_list(), as_json=as_json)


def cited(
    scenario: Annotated[str | None, typer.Argument(help="A scenario; default: all datasheets.")] = None,
    as_json: Json = False,
) -> None:
    """List the sources that are cited by the datasheets, or by those of a scenario."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import works  # noqa: PLC0415

    show.listing(works(scenario), as_json=as_json)
