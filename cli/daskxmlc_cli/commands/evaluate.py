"""`daskxmlc evaluate`: scores against a truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from daskxmlc_cli.command import make_command, remark
from daskxmlc_cli.options import (
    add_cluster,
    add_measures,
    add_options,
    add_output,
    add_reading,
    split_names,
)

if TYPE_CHECKING:
    from daskxmlc.report.result import Result
    from daskxmlc_cli.output import Destination

EXAMPLE = """
daskxmlc evaluate scores.npz --truth truth.npz --threshold 0.5
daskxmlc evaluate scores.zarr --truth truth.zarr --taxonomy taxonomy.txt \\
    --task classification --task per-level -k 1,5 --output result.json
"""


#: Arguments that name what is read.
READ = (
    "scores",
    "truth",
    "taxonomy",
    "documents",
    "labels",
    "score_documents",
    "score_labels",
    "truth_documents",
    "truth_labels",
)


def add_question(function: click.decorators.FC) -> click.decorators.FC:
    """Add what is asked: truth, taxonomy, tasks, threshold, conventions."""
    return add_options(
        function,
        [
            click.option("--truth", required=True, metavar="TRUTH", help="The true labels."),
            click.option("--taxonomy", metavar="FILE", help="Parents and children of the labels."),
            click.option(
                "--task",
                "tasks",
                metavar="TASK",
                multiple=True,
                default=["classification"],
                callback=split_names,
                help="Names as in 'list tasks', repeated or joined by commas.  "
                "[default: classification]",
            ),
            click.option(
                "--threshold",
                type=float,
                help="Scores from here on are predictions.  [default: 0.5 for probabilities]",
            ),
            click.option(
                "--conventions",
                default="default",
                show_default=True,
                metavar="NAME",
                help="A set of rules as in 'list conventions'.",
            ),
            click.option(
                "--level",
                type=click.Choice(["min", "max", "stored"]),
                default="min",
                show_default=True,
                help="Level of a label: its shortest or longest path from the root, or as stored.",
            ),
            click.option(
                "--close-truth", is_flag=True, help="Add the ancestors of every true label."
            ),
        ],
    )


def add_files(function: click.decorators.FC) -> click.decorators.FC:
    """Add what is written besides the values."""
    return add_options(
        function,
        [
            click.option(
                "--save-tables",
                metavar="DIR",
                help="Keep the counts, for 'report' and 'merge'; tables that lie there give way.",
            ),
            click.option(
                "--per-document", metavar="FILE", help="Write the values of each document as CSV."
            ),
            click.option(
                "--per-label", metavar="FILE", help="Write counts and values of each label as CSV."
            ),
        ],
    )


@dataclass(frozen=True, slots=True)
class Files:
    """What a run writes; None is not written."""

    destination: "Destination"
    save_tables: str | None
    per_label: str | None


@make_command("evaluate", example=EXAMPLE)
@click.argument("scores")
@add_question
@add_measures
@add_cluster
@add_output
@add_files
@add_reading
def command(
    *,
    cluster: str | None,
    workers: int | None,
    threads_per_worker: int | None,
    memory_limit: str | None,
    output: str | None,
    output_format: str | None,
    save_tables: str | None,
    per_label: str | None,
    **asked: Any,  # noqa: ANN401  # handed on to the library under the same names
) -> None:
    """Evaluate SCORES against a truth.

    Both are stores, or files in any readable format; rows and columns are matched by id where
    both sides have ids.
    """
    from daskxmlc_cli.clusters.cluster import Wish
    from daskxmlc_cli.sizes import size_on_disk

    wish = Wish(workers, threads_per_worker, memory_limit, size_on_disk(asked["scores"]))
    files = _prepare(output, output_format, save_tables, per_label, asked)
    _write(_evaluate(cluster, wish, asked), files)


def _prepare(
    output: str | None,
    output_format: str | None,
    save_tables: str | None,
    per_label: str | None,
    asked: Mapping[str, Any],
) -> Files:
    """Check all that can be checked before the scores are read."""
    from daskxmlc.report.saved_tables import HEAD
    from daskxmlc.report.writing import check_file, check_folder
    from daskxmlc_cli.output import expect_places, make_destination

    per_document = asked["per_document"]
    destination = make_destination(output, output_format)
    for option, path in (("--per-document", per_document), ("--per-label", per_label)):
        if path is not None:
            check_file(path, what=option)
    if save_tables is not None:
        check_folder(save_tables, what="--save-tables", mark=HEAD)
    expect_places(
        {
            "--output": output,
            "--save-tables": save_tables,
            "--per-document": per_document,
            "--per-label": per_label,
        },
        kept=[asked[name] for name in READ if isinstance(asked.get(name), str)],
    )
    if per_label is not None:
        _expect_labels(asked["measures"])
    return Files(destination, save_tables, per_label)


def _expect_labels(measures: Sequence[str]) -> None:
    """Make sure that labels are counted one by one."""
    from daskxmlc.errors import UsageError
    from daskxmlc.measures.asking import parse, tables_needed
    from daskxmlc.tables.label_counts import LabelCounts

    if measures and LabelCounts not in tables_needed(parse(measures, [1])):
        raise UsageError(
            f"--per-label: none of the measures {', '.join(measures)} counts single labels; "
            "add a measure over labels such as macro_f1"
        )


def _evaluate(cluster: str | None, wish: Any, asked: Mapping[str, Any]) -> "Result":  # noqa: ANN401
    import daskxmlc
    from daskxmlc_cli.clusters.cluster import connect
    from daskxmlc_cli.progress import show_progress

    with connect(cluster, wish), show_progress("evaluating") as progress:
        return daskxmlc.evaluate(**asked, progress=progress)


def _write(result: "Result", files: Files) -> None:
    """Write what was asked for; the values last, when all else is in its place."""
    from daskxmlc.report.per_label import write_per_label
    from daskxmlc_cli.output import show

    written = []
    if files.save_tables is not None:
        result.save_tables(files.save_tables)
        written.append(files.save_tables)
    if files.per_label is not None:
        write_per_label(result, files.per_label)
        written.append(files.per_label)
    show([result], files.destination)
    for path in written:
        remark(f"written to {path}")
