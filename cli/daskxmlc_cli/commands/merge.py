"""`daskxmlc merge`: the counts of parts of a test set, added."""

from collections.abc import Sequence

import click

from daskxmlc_cli.command import make_command, remark
from daskxmlc_cli.options import add_output


@make_command("merge", example="daskxmlc merge first-half second-half --save-tables whole")
@click.argument("tables", nargs=-1, required=True)
@click.option("--save-tables", metavar="DIR", help="Keep the sums, for 'report' and 'merge'.")
@add_output
def command(
    *,
    tables: Sequence[str],
    save_tables: str | None,
    output: str | None,
    output_format: str | None,
) -> None:
    """Add saved TABLES of the parts of a test set.

    The values are those of the whole, digit by digit. Parts that were counted with other labels,
    views, rules or thresholds are refused.
    """
    from daskxmlc.report.merging import merge_tables
    from daskxmlc.report.saved_tables import HEAD
    from daskxmlc.report.writing import check_folder
    from daskxmlc_cli.output import expect_places, make_destination, show

    destination = make_destination(output, output_format)
    expect_places({"--output": output, "--save-tables": save_tables}, kept=tables)
    if save_tables is not None:
        check_folder(save_tables, what="--save-tables", mark=HEAD)
    result = merge_tables(tables)
    if save_tables is not None:
        result.save_tables(save_tables)
    show([result], destination)
    if save_tables is not None:
        remark(f"written to {save_tables}")
