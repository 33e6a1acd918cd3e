"""`daskxmlc report`: values from saved tables, without the scores."""

from collections.abc import Mapping, Sequence

import click

from daskxmlc_cli.command import make_command
from daskxmlc_cli.options import add_measures, add_output

EXAMPLE = """
daskxmlc report tables
daskxmlc report match-tables dexa-tables --measure P@1,P@5,macro_f1 --output table.tex
"""


@make_command("report", example=EXAMPLE)
@click.argument("tables", nargs=-1, required=True)
@add_measures
@add_output
@click.option("--per-label", metavar="FILE", help="Write counts and values of each label as CSV.")
def command(
    *,
    tables: Sequence[str],
    measures: Sequence[str],
    ks: Sequence[int],
    rules: Mapping[str, str],
    output: str | None,
    output_format: str | None,
    per_label: str | None,
) -> None:
    """Report from saved TABLES, several of them side by side.

    Measures, ranks and rules may be others than those of the run, as far as the counts reach.
    """
    from daskxmlc.errors import UsageError
    from daskxmlc.report.per_label import write_per_label
    from daskxmlc.report.recomputing import recompute
    from daskxmlc.report.saved_tables import load_tables
    from daskxmlc.report.writing import check_file
    from daskxmlc_cli.output import expect_places, make_destination, show

    destination = make_destination(output, output_format)
    expect_places({"--output": output, "--per-label": per_label}, kept=tables)
    if per_label is not None:
        check_file(per_label, what="--per-label")
        if len(tables) > 1:
            raise UsageError(f"--per-label: one folder of tables is reported, got {len(tables)}")
    context = click.get_current_context()
    given = context.get_parameter_source("ks") is not click.core.ParameterSource.DEFAULT
    results = [
        recompute(load_tables(folder), measures=measures, ks=ks if given else None, rules=rules)
        for folder in tables
    ]
    if per_label is not None:
        write_per_label(results[0], per_label)
    show(results, destination)
