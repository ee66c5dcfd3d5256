"""The command that serves the what-if page."""

from __future__ import annotations

from typing import Annotated

import typer

from simbackup.cli.options import note


def serve(
    scenario: Annotated[
        str, typer.Argument(metavar="[SCENARIO|SITE|FOLDER]", help="What to open; a folder offers all its files.")
    ] = "",
    port: Annotated[int, typer.Option(metavar="N", help="Port of the page; 0 picks a free one.")] = 8350,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address of the page; any but the default lets others connect.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Maximum memory of one run.")] = "2 GB",
    time: Annotated[str, typer.Option(metavar="TIME", help="Maximum processor time of one run.")] = "5 min",
) -> None:
    """Serve a what-if page for the browser: change values, see the effect, keep and compare variants."""
    from simbackup.cli.options import quantity  # noqa: PLC0415
    from simbackup.web.serve import serve as served  # noqa: PLC0415

    served(
        scenario, host, port, memory=quantity("--memory", memory, "B"), seconds=quantity("--time", time, "s"),
        opens=browser, announce=lambda address: note(f"Ctrl-C ends it; the page is at {address}"),
    )  # fmt: skip
