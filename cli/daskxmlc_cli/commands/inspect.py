"""`daskxmlc inspect`: what a store or file holds, and what is wrong with it."""

from typing import Any

import click

from daskxmlc_cli.command import make_command
from daskxmlc_cli.options import add_absent, add_facts_format, add_kind, add_names


@make_command("inspect", example="daskxmlc inspect scores.zarr")
@click.argument("path", metavar="STORE")
@add_kind
@click.option("--format", default="auto", show_default=True, help="Format of STORE.")
@add_names
@add_absent
@add_facts_format
def command(*, output_format: str, **asked: Any) -> None:  # noqa: ANN401  # handed on by name
    """Show what a STORE or file holds: shape, chunks, statistics, and every problem in it.

    All of it is read once. The exit status is 1 if there is a problem.
    """
    import daskxmlc
    from daskxmlc_cli.facts import show_facts
    from daskxmlc_cli.progress import show_progress

    with show_progress("inspecting") as progress:
        inspection = daskxmlc.inspect(**asked, progress=progress)
    show_facts(inspection.to_dict(), output_format)
    if inspection.problems:
        click.get_current_context().exit(1)
