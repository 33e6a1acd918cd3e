"""`daskxmlc convert`: a file becomes a store."""

from typing import Any

import click

from daskxmlc_cli.command import make_command, quiet
from daskxmlc_cli.options import (
    CODECS,
    add_absent,
    add_facts_format,
    add_kind,
    add_missing_chunks,
    add_names,
    add_options,
    add_score_kind,
)

EXAMPLE = """
daskxmlc convert scores.npz scores.zarr --labels labels.txt --score-kind probability
daskxmlc convert truth.txt truth.zarr --kind truth
"""


def add_store(function: click.decorators.FC) -> click.decorators.FC:
    """Add how the store is laid out."""
    positive = click.IntRange(min=1)
    return add_options(
        function,
        [
            click.option(
                "--layout",
                type=click.Choice(["dense", "sparse"]),
                help="How the store keeps the scores.  [default: as the source]",
            ),
            click.option("--chunk-documents", type=positive, help="Documents of a chunk."),
            click.option(
                "--shard-documents", type=positive, help="Documents of a shard of dense scores."
            ),
            click.option(
                "--codec",
                type=click.Choice(CODECS),
                default="lz4",
                show_default=True,
                help="How chunks are compressed.",
            ),
            click.option("--overwrite", is_flag=True, help="Replace a store that lies there."),
        ],
    )


@make_command("convert", example=EXAMPLE)
@click.argument("source")
@click.argument("store")
@add_kind
@click.option("--format", default="auto", show_default=True, help="Format of SOURCE.")
@add_names
@add_score_kind
@add_absent
@add_missing_chunks
@add_store
@add_facts_format
def command(*, output_format: str, **asked: Any) -> None:  # noqa: ANN401  # handed on by name
    """Write a STORE of scores or of a truth from a file or a store, without changing a score.

    The memory it takes does not grow with the number of documents. The store appears whole or
    not at all.
    """
    import daskxmlc
    from daskxmlc_cli.facts import show_facts
    from daskxmlc_cli.output import expect_places
    from daskxmlc_cli.progress import show_progress

    expect_places({"STORE": asked["store"]}, kept=[asked["source"]])
    with show_progress("converting") as progress:
        report = daskxmlc.convert(**asked, progress=progress)
    if output_format == "json" or not quiet():
        show_facts(report.to_dict(), output_format)
